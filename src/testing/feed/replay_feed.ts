/**
 * A recording as fast as the client takes it: each stream from its first row.
 *
 * @module
 */

import type { Feed, FeedClient } from "./feed.ts";
import type { FrameBatch } from "./frame_batch.ts";
import type { ReplayRow } from "./replay_index.ts";

/** Streams that were subscribed together, and how far they got: they keep the order of the recording among them. */
interface Cursor {
  readonly streams: Set<string>;
  next: number;
  /** Rows that are to be sent before those from `next` on. */
  readonly disturbed: ReplayRow[];
}

/** Creates the feed of one connection. */
export function replayFeed(client: FeedClient, rows: readonly ReplayRow[]): Feed {
  let cursors: Cursor[] = [];
  let turn = 0;
  const { disturber, ledger } = client;

  /** The cursor's next row of a stream that is still subscribed. */
  const nextRow = (cursor: Cursor): ReplayRow | undefined => {
    if (cursor.disturbed.length > 0) return cursor.disturbed[0];
    while (cursor.next < rows.length) {
      const row = rows[cursor.next];
      if (row !== undefined && cursor.streams.has(row.stream)) {
        if (!disturber.isActive) return row;
        const disturbed = disturber.disturb(row.stream, cursor.next++).flatMap((index) => rows[index] ?? []);
        cursor.disturbed.push(...disturbed);
        if (cursor.disturbed.length > 0) return cursor.disturbed[0];
      } else cursor.next++;
    }
    return undefined;
  };

  return {
    add(streams) {
      cursors.push({ streams: new Set(streams), next: 0, disturbed: [] });
      client.wake();
    },
    remove(streams) {
      for (const cursor of cursors) {
        for (const stream of streams) cursor.streams.delete(stream);
      }
    },
    fill(batch: FrameBatch): boolean {
      while (cursors.length > 0) {
        if (turn >= cursors.length) turn = 0;
        const cursor = cursors[turn];
        if (cursor === undefined) break;
        const row = nextRow(cursor);
        if (row === undefined) {
          cursors.splice(turn, 1);
          continue;
        }
        if (!batch.addFrame(client.isCombined ? row.combined : row.raw)) return true;
        ledger.note(row.stream, row.n);
        if (cursor.disturbed.length > 0) cursor.disturbed.shift();
        else cursor.next++;
        turn++;
      }
      return false;
    },
    close() {
      cursors = [];
    },
  };
}
