/**
 * The messages of the output `"normalized"`.
 *
 * @module
 */

import type { NormalizedFields } from "./normalized_fields.ts";

/**
 * A normalized event: what Binance sends, in one flat object with long names instead of letters. Values are as Binance sends
 * them, decimals as strings, and ids beyond 2^53 exact.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type NormalizedMessage } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url, output: "normalized" });
 * for await (const message of manager.createStream({ streams: ["btcusdt@trade"] })) {
 *   const { stream_type, event_type, symbol, price }: NormalizedMessage = message;
 *   assertEquals([stream_type, event_type, symbol, typeof price], ["btcusdt@trade", "trade", "BTCUSDT", "string"]);
 *   break;
 * }
 * ```
 */
export interface NormalizedMessage extends NormalizedFields {
  /** Name of the stream, such as `"btcusdt@trade"`, or `"!userData@arr"` for events of an account. */
  readonly stream_type: string;
  /** Type of the event, such as `"trade"`; `"depth"` and `"bookTicker"` where the spot market sends none. */
  readonly event_type: string;
  /** Time of the event in ms since 1970 (µs with the option `timeUnit`), where Binance sends one; a string for `listenKeyExpired` of options. */
  readonly event_time?: number | string;
  /** Number of levels of the streams `<symbol>@depth<5|10|20>`. */
  readonly depth_level?: number;
  /** The rows of an array, such as `!miniTicker@arr`. They have an `event_type` each, and no `stream_type`. */
  readonly data?: readonly NormalizedFields[];
  /** Whose event it is, if several accounts have subscribed on one connection of the WebSocket API. */
  readonly subscription_id?: number;
  /** Whose event it is, as the stream of account events calls it. */
  readonly account?: string;
}
