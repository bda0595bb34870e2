/**
 * Adds up what the streams of a manager tell.
 *
 * @module
 */

import type { ManagerStatistics } from "../monitor/mod.ts";
import type { ConnectBudget, RateSampler, StreamInfo, StreamState } from "../stream/mod.ts";
import { type FinishedStreams, totalsOf } from "./finished_streams.ts";

/** What a manager's statistics are made of. */
export interface StatisticsSources {
  readonly createdAt: number;
  readonly sampler: RateSampler;
  readonly running: readonly StreamInfo[];
  readonly finished: FinishedStreams;
  readonly connectBudget: ConnectBudget;
  /** The named buffers, each of which several streams may use, also when these have ended. */
  readonly streamBuffers: readonly { readonly length: number }[];
}

/** The statistics of a manager. */
export function managerStatistics(
  { createdAt, sampler, running, finished, connectBudget, streamBuffers }: StatisticsSources,
): ManagerStatistics {
  const counters = running.map(({ statistics }) => statistics);
  const sum = (of: (statistics: StreamInfo["statistics"]) => number) =>
    counters.reduce((total, statistics) => total + of(statistics), 0);
  const latencies = counters.flatMap(({ latencyMs }) => latencyMs ?? []);
  const { limit, available, delayMs } = connectBudget;
  return {
    createdAt,
    uptimeMs: sampler.total.uptimeMs,
    streams: countsOf([...running, ...finished.list]),
    endedStreams: finished.count,
    receivedMessages: sampler.messages,
    receivedCharacters: sampler.characters,
    ...sampler.total.rates,
    lastDataAgeMs: sampler.total.lastDataAgeMs,
    latencyMs: latencies.length > 0 ? Math.max(...latencies) : undefined,
    ...totalsOf([finished.totals, ...counters]),
    bufferedMessages: bufferedIn(running) + streamBuffers.reduce((total, { length }) => total + length, 0),
    subscriptions: sum(({ subscriptions }) => subscriptions),
    freeSubscriptionSlots: sum(({ freeSubscriptionSlots }) => freeSubscriptionSlots),
    links: sum(({ links }) => links.length),
    connectBudget: { limit, used: connectBudget.used, free: available, waitMs: delayMs },
  };
}

function bufferedIn(running: readonly StreamInfo[]): number {
  return running.filter(({ streamBuffer }) => streamBuffer === undefined)
    .reduce((total, { statistics }) => total + statistics.bufferedMessages, 0);
}

function countsOf(infos: readonly StreamInfo[]): Record<StreamState, number> {
  const counts = { starting: 0, running: 0, restarting: 0, stopped: 0, crashed: 0 };
  for (const { state } of infos) counts[state]++;
  return counts;
}
