/**
 * What a stream tells about itself.
 *
 * @module
 */

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
 * Counters of a stream since it was created.
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
  /** Data messages received. */
  readonly receivedMessages: number;
  /** UTF-16 code units of data messages received: bytes, as long as symbols are ASCII. */
  readonly receivedCharacters: number;
  /** Messages that the buffer dropped. */
  readonly droppedMessages: number;
  /** Messages that wait in the buffer. */
  readonly bufferedMessages: number;
  /** How often a connection was opened again after it was lost. */
  readonly reconnects: number;
  /** How often `onData` threw. */
  readonly callbackErrors: number;
  /** Messages that are not JSON, and were not delivered with output `"json"`. */
  readonly invalidMessages: number;
}
