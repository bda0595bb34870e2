/**
 * What a stream tells about itself.
 *
 * @module
 */

import type { Output } from "./delivery.ts";
import type { Rate } from "./rates.ts";

/**
 * Where a stream is in its life: `"starting"` during the first attempt to connect, `"running"`, `"restarting"` while a
 * connection that was lost, or could not be opened, is tried again, `"stopped"` by the user, or `"crashed"`, when another
 * attempt can't help.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamState } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * const state: StreamState = stream.state;
 * assertEquals(state, "starting");
 * ```
 */
export type StreamState = "starting" | "running" | "restarting" | "stopped" | "crashed";

/**
 * A connection of a stream, as it is now.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type LinkStatistics } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * await stream.ready;
 * const [link]: readonly LinkStatistics[] = stream.statistics.links;
 * assertEquals([link?.state, link?.subscriptions, link?.freeSubscriptionSlots], ["running", 1, 1023]);
 * ```
 */
export interface LinkStatistics {
  /** URL of the connection. */
  readonly url: string;
  /** Where it is; `"stopped"` and `"crashed"` once its stream has ended. */
  readonly state: StreamState;
  /** Why there is no connection, in a few words; `undefined` if there is one, or the first attempt is under way. */
  readonly reason: string | undefined;
  /** How long in ms the connection has been open; 0 while it is not. */
  readonly ageMs: number;
  /** Round trip in ms of the last ping; `undefined` before the first, and where the library has no pings. */
  readonly latencyMs: number | undefined;
  /** Streams that are wanted of it. */
  readonly subscriptions: number;
  /** Streams that it could still carry. */
  readonly freeSubscriptionSlots: number;
  /** How often it was opened again after it was lost. */
  readonly reconnects: number;
  /**
   * When that was, in ms since 1970, oldest first: the last 100. Not there for the connection of an API stream.
   */
  readonly reconnectTimes?: readonly number[];
  /** How often it was replaced by a new one without a loss. */
  readonly rollovers: number;
}

/**
 * Counters of a stream since it was created. Messages only add to counters: what needs the time is looked at once a second.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamStatistics } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * const { receivedMessages }: StreamStatistics = stream.statistics;
 * assertEquals(receivedMessages, 0);
 * ```
 */
export interface StreamStatistics {
  /** When the stream was created, in ms since 1970. */
  readonly createdAt: number;
  /** When it ended, in ms since 1970; `undefined` while it has not. */
  readonly endedAt: number | undefined;
  /** Time in ms from the one to the other, or until now. */
  readonly uptimeMs: number;
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
  /** Messages that the buffer dropped. */
  readonly droppedMessages: number;
  /** Messages that wait in its buffer, or in the named buffer that it uses, or for an async `onData`. */
  readonly bufferedMessages: number;
  /** How often a connection was opened again after it was lost. */
  readonly reconnects: number;
  /** When that was, in ms since 1970, oldest first: the last 100 of each connection. */
  readonly reconnectTimes: readonly number[];
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
  /** Its connections. */
  readonly links: readonly LinkStatistics[];
}

/**
 * Everything that a stream tells about itself, also after its end: a copy that changes no more.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamInfo } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * const { id } = manager.createStream({ streams: ["btcusdt@trade"], label: "trades" });
 * const info: StreamInfo = manager.getStreamInfo(id);
 * assertEquals([info.label, info.state, info.streams], ["trades", "starting", ["btcusdt@trade"]]);
 * ```
 */
export interface StreamInfo {
  /** Unique id of the stream. */
  readonly id: string;
  /** Its label, or `undefined` if it has none. */
  readonly label: string | undefined;
  /** Where it is in its life. */
  readonly state: StreamState;
  /** Why it has `"crashed"`, or has no connection, in a few words; `undefined` if all is well. */
  readonly stateReason: string | undefined;
  /** What went wrong last, as a text; `undefined` if nothing did. */
  readonly lastError: string | undefined;
  /** What it delivers. */
  readonly output: Output;
  /** Name of the buffer that it puts its messages into, which other streams may use as well; `undefined` if it has none. */
  readonly streamBuffer: string | undefined;
  /** The names of the streams that are wanted, as Binance writes them. */
  readonly streams: readonly string[];
  /** Its counters. */
  readonly statistics: StreamStatistics;
}
