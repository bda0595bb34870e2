/**
 * What a manager tells about itself.
 *
 * @module
 */

import type { Rate, StreamInfo, StreamState } from "../stream/mod.ts";

/**
 * The attempts to connect that a manager, or a process, may make in any 5 minutes.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type ConnectBudgetStatistics } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager();
 * const budget: ConnectBudgetStatistics = manager.statistics.connectBudget;
 * assertEquals(budget, { limit: 250, used: 0, free: 250, waitMs: 0 });
 * ```
 */
export interface ConnectBudgetStatistics {
  /** Attempts in 5 minutes. Binance allows an IP address 300. */
  readonly limit: number;
  /** Attempts that were made in the last 5 minutes. */
  readonly used: number;
  /** Attempts that may still be made; 0 while the exchange wants none. */
  readonly free: number;
  /** How long in ms the next attempt has to wait. */
  readonly waitMs: number;
}

/**
 * Counters of a manager since it was made, over all of its streams, also those that have ended.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type ManagerStatistics } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * await manager.createStream({ streams: ["btcusdt@trade"] }).ready;
 * const { streams, subscriptions, connectBudget }: ManagerStatistics = manager.statistics;
 * assertEquals([streams.running, subscriptions, connectBudget.used], [1, 1, 1]);
 * ```
 */
export interface ManagerStatistics {
  /** When the manager was made, in ms since 1970. */
  readonly createdAt: number;
  /** Time in ms since then. */
  readonly uptimeMs: number;
  /** How many streams there are in each state; of those that have ended, those in `finishedStreams`. */
  readonly streams: Readonly<Record<StreamState, number>>;
  /** Streams that have ever ended. */
  readonly endedStreams: number;
  /** Data messages received. */
  readonly receivedMessages: number;
  /** UTF-16 code units of data messages received: bytes, as long as symbols are ASCII. */
  readonly receivedCharacters: number;
  /** Messages per second. */
  readonly messagesPerSecond: Rate;
  /** UTF-16 code units per second: bytes, as long as symbols are ASCII. */
  readonly charactersPerSecond: Rate;
  /** Time in ms since the last message came, at most a second less than it really is; `undefined` if none did. */
  readonly lastDataAgeMs: number | undefined;
  /** The longest round trip in ms of the last pings of its connections; `undefined` if none is known. */
  readonly latencyMs: number | undefined;
  /** Messages that buffers dropped. */
  readonly droppedMessages: number;
  /** Messages that wait in the buffers of streams that have not ended, and in the named ones. */
  readonly bufferedMessages: number;
  /** How often a connection was opened again after it was lost. */
  readonly reconnects: number;
  /** How often a connection was replaced by a new one without a loss. */
  readonly rollovers: number;
  /** Gaps that were reported with the signal GAP. */
  readonly gaps: number;
  /** How many numbers lay in these gaps. */
  readonly missedMessages: number;
  /** How often `onData` threw. */
  readonly callbackErrors: number;
  /** Messages that are not JSON, and were not delivered with output `"json"`. */
  readonly invalidMessages: number;
  /** Streams that are wanted. */
  readonly subscriptions: number;
  /** Streams that could still be subscribed to without another connection. */
  readonly freeSubscriptionSlots: number;
  /** Connections. */
  readonly links: number;
  /** The attempts to connect. */
  readonly connectBudget: ConnectBudgetStatistics;
}

/** What the reports read of a manager. */
export interface Monitored {
  /** Key of the exchange. */
  readonly exchange: string;
  /** What carries the streams. */
  readonly websocketLibrary: string;
  /** Masked URL of the proxy. */
  readonly proxyInfo: string | undefined;
  /** Its counters. */
  readonly statistics: ManagerStatistics;
  /** The streams that have not ended. */
  readonly running: readonly StreamInfo[];
  /** The streams that have. */
  readonly finished: readonly StreamInfo[];
  /** The time in ms since 1970. */
  readonly now: number;
}
