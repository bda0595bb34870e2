/**
 * What is kept of the exchange's answers to control messages.
 *
 * @module
 */

/**
 * An answer of the exchange to SUBSCRIBE, UNSUBSCRIBE or LIST_SUBSCRIPTIONS, as `manager.errors` and `manager.results` keep
 * it.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type ControlRecord } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * await stream.ready;
 * const newest: ControlRecord | undefined = manager.results.at(-1);
 * assertEquals([newest?.streamId, newest?.text], [stream.id, '{"result":null,"id":1}']);
 * ```
 */
export interface ControlRecord {
  /** Id of the stream whose connection it came over. */
  readonly streamId: string;
  /** Label of the stream, or `undefined` if it has none. */
  readonly streamLabel: string | undefined;
  /** When it came, in ms since 1970. */
  readonly timestamp: number;
  /** The answer as it was received: JSON. */
  readonly text: string;
}
