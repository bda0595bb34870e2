/**
 * Order events of USD-M and COIN-M futures: the derivatives' "User Data Streams".
 *
 * @module
 */

import type { ExactId } from "./values.ts";

/**
 * The order of an {@linkcode OrderTradeUpdateEvent}.
 *
 * @example
 * ```ts
 * import type { FuturesOrder } from "@rawtick/binance";
 *
 * const read = ({ s, X, z }: FuturesOrder) => `${s} ${X} ${z}`;
 * ```
 */
export interface FuturesOrder {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Client order id. */
  readonly c: string;
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
  /** Stop price. */
  readonly sp: string;
  /** What happened, such as `"TRADE"`. */
  readonly x: string;
  /** Status of the order, such as `"FILLED"`. */
  readonly X: string;
  /** Id of the order. */
  readonly i: ExactId;
  /** Quantity that was filled last. */
  readonly l: string;
  /** Quantity that was filled so far. */
  readonly z: string;
  /** Price of the last fill. */
  readonly L: string;
  /** Asset of the commission. */
  readonly N?: string;
  /** Commission. */
  readonly n?: string;
  /** Time of the trade. */
  readonly T: number;
  /** Id of the trade, 0 without one. */
  readonly t: ExactId;
  /** Notional value of the bids. */
  readonly b: string;
  /** Notional value of the asks. */
  readonly a: string;
  /** Whether the trade was on the maker's side. */
  readonly m: boolean;
  /** Whether the order may only reduce a position. */
  readonly R: boolean;
  /** Which price triggers it. */
  readonly wt: string;
  /** Type that the order was placed with. */
  readonly ot: string;
  /** Side of the position: `"BOTH"`, `"LONG"` or `"SHORT"`. */
  readonly ps: string;
  /** Whether it closes the position. */
  readonly cp?: boolean;
  /** Activation price of a trailing stop. */
  readonly AP?: string;
  /** Callback rate of a trailing stop in percent. */
  readonly cr?: string;
  /** Whether the price is protected. */
  readonly pP?: boolean;
  /** To be ignored. */
  readonly si?: number;
  /** To be ignored. */
  readonly ss?: number;
  /** Realised profit of the trade. */
  readonly rp: string;
  /** Mode of the self-trade prevention. */
  readonly V?: string;
  /** Mode of the price match. */
  readonly pm?: string;
  /** When the order expires, 0 if it does not. */
  readonly gtd?: number;
  /** Why the order expired. */
  readonly er?: string;
  /** Margin asset (COIN-M). */
  readonly ma?: string;
}

/**
 * An order was accepted, changed, filled, or has ended.
 *
 * @example
 * ```ts
 * import type { OrderTradeUpdateEvent } from "@rawtick/binance";
 *
 * const event: OrderTradeUpdateEvent = {
 *   e: "ORDER_TRADE_UPDATE",
 *   E: 1568879465651,
 *   T: 1568879465650,
 *   o: {
 *     s: "BTCUSDT",
 *     c: "TEST",
 *     S: "SELL",
 *     o: "TRAILING_STOP_MARKET",
 *     f: "GTC",
 *     q: "0.001",
 *     p: "0",
 *     ap: "0",
 *     sp: "7103.04",
 *     x: "NEW",
 *     X: "NEW",
 *     i: 8886774,
 *     l: "0",
 *     z: "0",
 *     L: "0",
 *     N: "USDT",
 *     n: "0",
 *     T: 1568879465650,
 *     t: 0,
 *     b: "0",
 *     a: "9.91",
 *     m: false,
 *     R: false,
 *     wt: "CONTRACT_PRICE",
 *     ot: "TRAILING_STOP_MARKET",
 *     ps: "LONG",
 *     cp: false,
 *     AP: "7476.89",
 *     cr: "5.0",
 *     pP: false,
 *     si: 0,
 *     ss: 0,
 *     rp: "0",
 *     V: "EXPIRE_TAKER",
 *     pm: "OPPONENT",
 *     gtd: 0,
 *     er: "0",
 *   },
 * };
 * console.log(event);
 * ```
 */
export interface OrderTradeUpdateEvent {
  /** Event type. */
  readonly e: "ORDER_TRADE_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** The order. */
  readonly o: FuturesOrder;
  /** Alias of the account (COIN-M). */
  readonly i?: string;
  /** Whose event it is (portfolio margin). */
  readonly fs?: "UM" | "CM";
}

/**
 * A fill, sent sooner and with less in it than ORDER_TRADE_UPDATE (USD-M).
 *
 * @example
 * ```ts
 * import type { TradeLiteEvent } from "@rawtick/binance";
 *
 * const event: TradeLiteEvent = {
 *   e: "TRADE_LITE",
 *   E: 1721895408092,
 *   T: 1721895408214,
 *   s: "BTCUSDT",
 *   q: "0.001",
 *   p: "0",
 *   m: false,
 *   c: "z8hcUoOsqEdKMeKPSABslD",
 *   S: "BUY",
 *   L: "64089.20",
 *   l: "0.040",
 *   t: 109100866,
 *   i: 8886774,
 * };
 * console.log(event);
 * ```
 */
export interface TradeLiteEvent {
  /** Event type. */
  readonly e: "TRADE_LITE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Quantity of the order. */
  readonly q: string;
  /** Price of the order. */
  readonly p: string;
  /** Whether the trade was on the maker's side. */
  readonly m: boolean;
  /** Client order id. */
  readonly c: string;
  /** Side. */
  readonly S: "BUY" | "SELL";
  /** Price of the fill. */
  readonly L: string;
  /** Quantity of the fill. */
  readonly l: string;
  /** Id of the trade. */
  readonly t: ExactId;
  /** Id of the order. */
  readonly i: ExactId;
  /** Whose event it is (portfolio margin). */
  readonly fs?: "UM" | "CM";
}
