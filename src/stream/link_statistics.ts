/**
 * What a connection tells about itself.
 *
 * @module
 */

import type { Link } from "./link.ts";
import type { LinkStatistics, StreamState } from "./stream_state.ts";

/**
 * The statistics of a link.
 *
 * @param maxStreams Streams that a connection may carry.
 * @param ended How its stream has ended; `undefined` while it has not.
 */
export function linkStatistics(link: Link, maxStreams: number, ended: StreamState | undefined): LinkStatistics {
  const isRunning = ended === undefined && link.state === "running";
  return {
    url: link.url,
    state: ended ?? link.state,
    reason: link.reason,
    ageMs: isRunning ? link.connection.ageMs : 0,
    latencyMs: link.connection.latencyMs,
    subscriptions: link.desired.size,
    freeSubscriptionSlots: maxStreams - link.desired.size,
    reconnects: link.reconnects,
    reconnectTimes: [...link.reconnectTimes],
    rollovers: link.rollovers,
  };
}
