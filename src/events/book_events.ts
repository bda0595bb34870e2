/**
 * Order book events: Binance web-socket-streams.md and the derivatives' "Websocket Market Streams".
 *
 * @module
 */

import type { PriceLevel } from "./values.ts";

/**
 * Best bid and ask of the spot market, without event type and time: stream `<symbol>@bookTicker`.
 *
 * @example
 * ```ts
 * import type { SpotBookTickerEvent } from "@rawtick/binance";
 *
 * const event: SpotBookTickerEvent = {
 *   u: 400900217,
 *   s: "BNBUSDT",
 *   b: "25.35190000",
 *   B: "31.21000000",
 *   a: "25.36520000",
 *   A: "40.66000000",
 * };
 * console.log(event);
 * ```
 */
export interface SpotBookTickerEvent {
  /** There is no event type. */
  readonly e?: undefined;
  /** Update id of the order book. */
  readonly u: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Best bid. */
  readonly b: string;
  /** Quantity of the best bid. */
  readonly B: string;
  /** Best ask. */
  readonly a: string;
  /** Quantity of the best ask. */
  readonly A: string;
}

/**
 * Best bid and ask on futures and options: streams `<symbol>@bookTicker` and `!bookTicker`.
 *
 * @example
 * ```ts
 * import type { BookTickerEvent } from "@rawtick/binance";
 *
 * const event: BookTickerEvent = {
 *   e: "bookTicker",
 *   u: 400900217,
 *   E: 1568014460893,
 *   T: 1568014460891,
 *   s: "BNBUSDT",
 *   b: "25.35190000",
 *   B: "31.21000000",
 *   a: "25.36520000",
 *   A: "40.66000000",
 * };
 * console.log(event);
 * ```
 */
export interface BookTickerEvent {
  /** Event type. */
  readonly e: "bookTicker";
  /** Update id of the order book. */
  readonly u: number;
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Best bid. */
  readonly b: string;
  /** Quantity of the best bid. */
  readonly B: string;
  /** Best ask. */
  readonly a: string;
  /** Quantity of the best ask. */
  readonly A: string;
  /** Pair. */
  readonly ps?: string;
  /** 1 for USD-M, 2 for COIN-M. */
  readonly st?: number;
}

/**
 * The best levels of the spot order book, without event type, time and symbol: stream `<symbol>@depth<5|10|20>`.
 *
 * @example
 * ```ts
 * import type { PartialDepthEvent } from "@rawtick/binance";
 *
 * const event: PartialDepthEvent = { lastUpdateId: 160, bids: [["0.0024", "10"]], asks: [["0.0026", "100"]] };
 * console.log(event);
 * ```
 */
export interface PartialDepthEvent {
  /** There is no event type. */
  readonly e?: undefined;
  /** Update id of the order book. */
  readonly lastUpdateId: number;
  /** Bids, the best first. */
  readonly bids: readonly PriceLevel[];
  /** Asks, the best first. */
  readonly asks: readonly PriceLevel[];
}

/**
 * Changed levels of an order book: stream `<symbol>@depth`. On futures and options `<symbol>@depth<5|10|20>` has this
 * form too, and then these are all of the best levels.
 *
 * @example
 * ```ts
 * import type { DepthUpdateEvent } from "@rawtick/binance";
 *
 * const event: DepthUpdateEvent = {
 *   e: "depthUpdate",
 *   E: 1672515782136,
 *   s: "BNBBTC",
 *   U: 157,
 *   u: 160,
 *   b: [["0.0024", "10"]],
 *   a: [["0.0026", "100"]],
 * };
 * console.log(event);
 * ```
 */
export interface DepthUpdateEvent {
  /** Event type. */
  readonly e: "depthUpdate";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction (futures, options). */
  readonly T?: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** First update id in the event. */
  readonly U: number;
  /** Last update id in the event. */
  readonly u: number;
  /** Last update id in the event before (futures, options). */
  readonly pu?: number;
  /** Bids; the quantity 0 removes a level. */
  readonly b: readonly PriceLevel[];
  /** Asks; the quantity 0 removes a level. */
  readonly a: readonly PriceLevel[];
  /** Pair (futures). */
  readonly ps?: string;
  /** 1 for USD-M, 2 for COIN-M (futures). */
  readonly st?: number;
}
