/**
 * Trades of the market streams: Binance web-socket-streams.md and the derivatives' "Websocket Market Streams".
 *
 * @module
 */

import type { ExactId } from "./values.ts";

/**
 * Trades that one order filled at one price, together: stream `<symbol>@aggTrade`.
 *
 * @example
 * ```ts
 * import type { AggregateTradeEvent } from "@rawtick/binance";
 *
 * const event: AggregateTradeEvent = {
 *   e: "aggTrade",
 *   E: 1672515782136,
 *   s: "BNBBTC",
 *   a: 12345,
 *   p: "0.001",
 *   q: "100",
 *   f: 100,
 *   l: 105,
 *   T: 1672515782136,
 *   m: true,
 *   M: true,
 * };
 * console.log(event);
 * ```
 */
export interface AggregateTradeEvent {
  /** Event type. */
  readonly e: "aggTrade";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Id of the aggregate trade. */
  readonly a: number;
  /** Price. */
  readonly p: string;
  /** Quantity. */
  readonly q: string;
  /** Quantity without retail price improvement orders (USD-M). */
  readonly nq?: string;
  /** Id of the first trade in it. */
  readonly f: number;
  /** Id of the last trade in it. */
  readonly l: number;
  /** Time of the trade. */
  readonly T: number;
  /** Whether the buyer was the maker. */
  readonly m: boolean;
  /** To be ignored (spot). */
  readonly M?: boolean;
  /** 1 for USD-M, 2 for COIN-M (futures). */
  readonly st?: number;
}

/**
 * One trade: streams `<symbol>@trade` and, on options, `<symbol>@optionTrade`.
 *
 * @example
 * ```ts
 * import type { TradeEvent } from "@rawtick/binance";
 *
 * const event: TradeEvent = {
 *   e: "trade",
 *   E: 1672515782136,
 *   s: "BNBBTC",
 *   t: 12345,
 *   p: "0.001",
 *   q: "100",
 *   T: 1672515782136,
 *   m: true,
 *   M: true,
 * };
 * console.log(event);
 * ```
 */
export interface TradeEvent {
  /** Event type. */
  readonly e: "trade";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Id of the trade. */
  readonly t: number;
  /** Price. */
  readonly p: string;
  /** Quantity. */
  readonly q: string;
  /** Time of the trade. */
  readonly T: number;
  /** Whether the buyer was the maker. */
  readonly m: boolean;
  /** To be ignored (spot). */
  readonly M?: boolean;
  /** Id of the buyer's order (Binance.US and old recordings). */
  readonly b?: ExactId;
  /** Id of the seller's order (Binance.US and old recordings). */
  readonly a?: ExactId;
  /** `"MARKET"`, or `"NA"` for an id that was spent without a trade (futures, options). */
  readonly X?: string;
  /** Direction of the trade (options). */
  readonly S?: string;
  /** 1 for USD-M, 2 for COIN-M (futures). */
  readonly st?: number;
}

/**
 * A block trade of the spot market: stream `<symbol>@blockTrade`.
 *
 * @example
 * ```ts
 * import type { BlockTradeEvent } from "@rawtick/binance";
 *
 * const event: BlockTradeEvent = {
 *   e: "blockTrade",
 *   E: 1772506983582,
 *   s: "BNBBTC",
 *   t: 582,
 *   p: "0.052",
 *   q: "5838",
 *   T: 1772506983321,
 *   m: true,
 * };
 * console.log(event);
 * ```
 */
export interface BlockTradeEvent {
  /** Event type. */
  readonly e: "blockTrade";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Id of the block trade. */
  readonly t: number;
  /** Price. */
  readonly p: string;
  /** Quantity. */
  readonly q: string;
  /** Time of the trade. */
  readonly T: number;
  /** Whether the buyer was the maker. */
  readonly m: boolean;
}

/**
 * The order that liquidates a position.
 *
 * @example
 * ```ts
 * import type { Liquidation } from "@rawtick/binance";
 *
 * const value: Liquidation = {
 *   s: "BTCUSDT",
 *   S: "SELL",
 *   o: "LIMIT",
 *   f: "IOC",
 *   q: "0.014",
 *   p: "9910",
 *   ap: "9910",
 *   X: "FILLED",
 *   l: "0.014",
 *   z: "0.014",
 *   T: 1568014460893,
 * };
 * console.log(value);
 * ```
 */
export interface Liquidation {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Pair of the contract. */
  readonly ps?: string;
  /** Side. */
  readonly S: "BUY" | "SELL";
  /** Type of the order. */
  readonly o: string;
  /** Time in force. */
  readonly f: string;
  /** Quantity of the order. */
  readonly q: string;
  /** Price of the order. */
  readonly p: string;
  /** Average price of the fills. */
  readonly ap: string;
  /** Status of the order. */
  readonly X: string;
  /** Quantity that was filled last. */
  readonly l: string;
  /** Quantity that was filled so far. */
  readonly z: string;
  /** Time of the trade. */
  readonly T: number;
}

/**
 * The largest liquidation of a symbol in a second: streams `<symbol>@forceOrder` and `!forceOrder@arr`, which is one
 * object in spite of its name.
 *
 * @example
 * ```ts
 * import type { LiquidationEvent } from "@rawtick/binance";
 *
 * const event: LiquidationEvent = {
 *   e: "forceOrder",
 *   E: 1568014460893,
 *   o: {
 *     s: "BTCUSDT",
 *     S: "SELL",
 *     o: "LIMIT",
 *     f: "IOC",
 *     q: "0.014",
 *     p: "9910",
 *     ap: "9910",
 *     X: "FILLED",
 *     l: "0.014",
 *     z: "0.014",
 *     T: 1568014460893,
 *   },
 * };
 * console.log(event);
 * ```
 */
export interface LiquidationEvent {
  /** Event type. */
  readonly e: "forceOrder";
  /** Time of the event. */
  readonly E: number;
  /** The order. */
  readonly o: Liquidation;
  /** 1 for USD-M, 2 for COIN-M. */
  readonly st?: number;
}
