/**
 * Generated messages as fast as the client takes them: each stream of each connection from message 0.
 *
 * @module
 */

import { messageWriter } from "../generator/generator.ts";
import { combinedHead, type Feed, type FeedClient, isAsciiText } from "./feed.ts";
import type { FrameBatch } from "./frame_batch.ts";

/** What all feeds of generated messages have in common. */
export interface GeneratorOptions {
  readonly seed: number;
  /** Messages of a stream after which it stays silent. */
  readonly messagesPerStream: number;
}

interface Source {
  readonly name: string;
  readonly head: string;
  readonly write: (n: number) => string;
  readonly isAscii: boolean;
  next: number;
  /** Numbers of messages that are to be sent before `next`. */
  readonly disturbed: number[];
}

/** Creates the feed of one connection. */
export function firehoseFeed(client: FeedClient, options: GeneratorOptions): Feed {
  let sources: Source[] = [];
  let turn = 0;
  const { disturber, ledger } = client;

  /** The number of the source's next message; `undefined` if it was dropped. */
  const numberOf = (source: Source): number | undefined => {
    if (source.disturbed.length === 0) {
      if (!disturber.isActive) return source.next;
      source.disturbed.push(...disturber.disturb(source.name, source.next++));
    }
    return source.disturbed[0];
  };

  return {
    add(streams) {
      for (const name of streams) {
        const { seed } = options;
        const writer = messageWriter(name, { seed, market: client.market, isMicroseconds: client.isMicroseconds });
        if (writer === undefined) continue;
        const { write } = writer;
        sources.push({ name, head: combinedHead(name), write, isAscii: isAsciiText(name), next: 0, disturbed: [] });
      }
      client.wake();
    },
    remove(streams) {
      const gone = new Set(streams);
      sources = sources.filter(({ name }) => !gone.has(name));
      turn = 0;
    },
    fill(batch: FrameBatch): boolean {
      const { isCombined } = client;
      while (sources.length > 0) {
        // One message of each stream in turn, so that none waits for the others.
        if (turn >= sources.length) turn = 0;
        const source = sources[turn];
        if (source === undefined) break;
        if (source.next >= options.messagesPerStream && source.disturbed.length === 0) {
          sources.splice(turn, 1);
          continue;
        }
        // A message that has no room is written again for the next batch: it depends on its number only.
        const n = numberOf(source);
        if (n === undefined) continue;
        const payload = source.write(n);
        if (!batch.addText(isCombined ? `${source.head}${payload}}` : payload, source.isAscii)) return true;
        ledger.note(source.name, n);
        if (source.disturbed.length > 0) source.disturbed.shift();
        else source.next++;
        turn++;
      }
      return false;
    },
    close() {
      sources = [];
    },
  };
}
