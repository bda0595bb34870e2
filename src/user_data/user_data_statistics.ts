/**
 * The counters of a stream of account events, in the form that all streams have.
 *
 * @module
 */

import type { Delivery, LinkStatistics, Meter, StreamState, StreamStatistics } from "../stream/mod.ts";
import type { UserDataSource } from "./source.ts";

/** What is counted. */
export interface UserDataCounters {
  readonly delivery: Delivery;
  readonly meter: Meter;
  readonly sources: readonly UserDataSource[];
  readonly createdAt: number;
  readonly endedAt: number | undefined;
  /** How the stream has ended; `undefined` while it has not. */
  readonly ended: StreamState | undefined;
  readonly rollovers: number;
  readonly gaps: number;
}

/** The counters as they are now. */
export function userDataStatistics(counters: UserDataCounters): StreamStatistics {
  const { delivery, meter, sources, createdAt, endedAt, ended, rollovers, gaps } = counters;
  const { messages, characters, callbackErrors, invalidMessages, dropped, buffered } = delivery;
  const links = sources.map(({ linkStatistics }): LinkStatistics =>
    ended === undefined ? linkStatistics : { ...linkStatistics, state: ended, ageMs: 0 }
  );
  const latencies = links.flatMap(({ latencyMs }) => latencyMs ?? []);
  return {
    createdAt,
    endedAt,
    uptimeMs: meter.uptimeMs,
    receivedMessages: messages,
    receivedCharacters: characters,
    ...meter.rates,
    lastDataAgeMs: meter.lastDataAgeMs,
    latencyMs: latencies.length > 0 ? Math.max(...latencies) : undefined,
    droppedMessages: dropped,
    bufferedMessages: buffered,
    reconnects: links.reduce((total, link) => total + link.reconnects, 0),
    reconnectTimes: sources.flatMap((source) => source.reconnectTimes).sort((a, b) => a - b),
    rollovers,
    gaps,
    // Account events have no numbers that would tell.
    missedMessages: 0,
    callbackErrors,
    invalidMessages,
    subscriptions: sources.reduce((total, { accounts }) => total + accounts.length, 0),
    freeSubscriptionSlots: 0,
    links,
  };
}
