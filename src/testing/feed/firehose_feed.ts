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
}

/** Creates the feed of one connection. */
export function firehoseFeed(client: FeedClient, options: GeneratorOptions): Feed {
  let sources: Source[] = [];
  let turn = 0;
  return {
    add(streams) {
      for (const name of streams) {
        const { seed } = options;
        const writer = messageWriter(name, { seed, market: client.market, isMicroseconds: client.isMicroseconds });
        if (writer === undefined) continue;
        sources.push({ name, head: combinedHead(name), write: writer.write, isAscii: isAsciiText(name), next: 0 });
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
        if (source.next >= options.messagesPerStream) {
          sources.splice(turn, 1);
          continue;
        }
        // A message that has no room is written again for the next batch: it depends on its number only.
        const payload = source.write(source.next);
        if (!batch.addText(isCombined ? `${source.head}${payload}}` : payload, source.isAscii)) return true;
        source.next++;
        turn++;
      }
      return false;
    },
    close() {
      sources = [];
    },
  };
}
