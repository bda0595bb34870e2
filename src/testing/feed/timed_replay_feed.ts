/**
 * A recording at its own pace or a multiple of it, counted from the connection's first subscription.
 *
 * @module
 */

import type { Clock, Timer } from "../../base/mod.ts";
import type { Feed, FeedClient } from "./feed.ts";
import { PendingFrames } from "./pending_frames.ts";
import type { ReplayRow } from "./replay_index.ts";

/** Creates the feed of one connection; `speed` 2 sends the rows twice as fast as they were recorded. */
export function timedReplayFeed(client: FeedClient, rows: readonly ReplayRow[], clock: Clock, speed: number): Feed {
  const streams = new Set<string>();
  const { disturber } = client;
  const pending = new PendingFrames(client.ledger);
  let startedAt: number | undefined;
  let next = 0;
  let timer: Timer | undefined;

  /** Queues a row, or what a fault makes of it; returns whether the client keeps up. */
  const queue = (row: ReplayRow): boolean => {
    const sent = disturber.isActive ? disturber.disturb(row.stream, next).flatMap((index) => rows[index] ?? []) : [row];
    return sent.every(({ stream, n, combined, raw }) =>
      pending.push({ stream, n, frame: client.isCombined ? combined : raw })
    );
  };

  const deliverDue = () => {
    timer = undefined;
    if (startedAt === undefined) return;
    const elapsed = (clock.monotonic() - startedAt) * speed;
    let row = rows[next];
    while (row !== undefined && row.at <= elapsed) {
      if (streams.has(row.stream) && !client.isSilent && !queue(row)) return client.overflow();
      row = rows[++next];
    }
    client.wake();
    // At least 1 ms, since a timer may fire a fraction of one early.
    if (row !== undefined) timer = clock.setTimer(deliverDue, Math.max(1, (row.at - elapsed) / speed));
  };

  return {
    add(added) {
      for (const stream of added) streams.add(stream);
      if (startedAt !== undefined) return;
      startedAt = clock.monotonic();
      timer = clock.setTimer(deliverDue, 0);
    },
    remove(removed) {
      for (const stream of removed) streams.delete(stream);
    },
    fill: (batch) => pending.moveTo(batch),
    close() {
      timer?.cancel();
      streams.clear();
      pending.clear();
      next = rows.length;
    },
  };
}
