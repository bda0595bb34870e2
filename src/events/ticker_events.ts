/**
 * Statistics of the last hours: Binance web-socket-streams.md and the derivatives' "Websocket Market Streams".
 *
 * @module
 */

/**
 * Prices and volumes of the last 24 hours: streams `<symbol>@miniTicker` and `!miniTicker@arr`.
 *
 * @example
 * ```ts
 * import type { MiniTickerEvent } from "@rawtick/binance";
 *
 * const event: MiniTickerEvent = {
 *   e: "24hrMiniTicker",
 *   E: 1672515782136,
 *   s: "BNBBTC",
 *   c: "0.0025",
 *   o: "0.0010",
 *   h: "0.0025",
 *   l: "0.0010",
 *   v: "10000",
 *   q: "18",
 * };
 * console.log(event);
 * ```
 */
export interface MiniTickerEvent {
  /** Event type. */
  readonly e: "24hrMiniTicker";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Last price. */
  readonly c: string;
  /** Price 24 hours ago. */
  readonly o: string;
  /** Highest price. */
  readonly h: string;
  /** Lowest price. */
  readonly l: string;
  /** Volume in the base asset, in contracts on COIN-M. */
  readonly v: string;
  /** Volume in the quote asset, in the base asset on COIN-M. */
  readonly q: string;
  /** Pair (futures). */
  readonly ps?: string;
  /** 1 for USD-M, 2 for COIN-M (futures). */
  readonly st?: number;
}

/**
 * Statistics of the last 24 hours: streams `<symbol>@ticker`, `!ticker@arr` (futures) and `<symbol>@optionTicker`.
 *
 * @example
 * ```ts
 * import type { TickerEvent } from "@rawtick/binance";
 *
 * const event: TickerEvent = {
 *   e: "24hrTicker",
 *   E: 1672515782136,
 *   s: "BNBBTC",
 *   p: "0.0015",
 *   P: "250.00",
 *   w: "0.0018",
 *   x: "0.0009",
 *   c: "0.0025",
 *   Q: "10",
 *   b: "0.0024",
 *   B: "10",
 *   a: "0.0026",
 *   A: "100",
 *   o: "0.0010",
 *   h: "0.0025",
 *   l: "0.0010",
 *   v: "10000",
 *   q: "18",
 *   O: 0,
 *   C: 86400000,
 *   F: 0,
 *   L: 18150,
 *   n: 18151,
 * };
 * console.log(event);
 * ```
 */
export interface TickerEvent {
  /** Event type. */
  readonly e: "24hrTicker";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Change of the price. */
  readonly p: string;
  /** Change of the price in percent. */
  readonly P: string;
  /** Average price, weighted by volume. */
  readonly w: string;
  /** Price of the last trade before the 24 hours (spot). */
  readonly x?: string;
  /** Last price. */
  readonly c: string;
  /** Quantity of the last trade. */
  readonly Q: string;
  /** Best bid (spot). */
  readonly b?: string;
  /** Quantity of the best bid (spot). */
  readonly B?: string;
  /** Best ask (spot). */
  readonly a?: string;
  /** Quantity of the best ask (spot). */
  readonly A?: string;
  /** Price 24 hours ago. */
  readonly o: string;
  /** Highest price. */
  readonly h: string;
  /** Lowest price. */
  readonly l: string;
  /** Volume in the base asset, in contracts on COIN-M. */
  readonly v: string;
  /** Volume in the quote asset, in the base asset on COIN-M. */
  readonly q: string;
  /** When the 24 hours begin. */
  readonly O: number;
  /** When the 24 hours end. */
  readonly C: number;
  /** Id of the first trade. */
  readonly F: number;
  /** Id of the last trade. */
  readonly L: number;
  /** Number of trades. */
  readonly n: number;
  /** Pair (futures). */
  readonly ps?: string;
  /** 1 for USD-M, 2 for COIN-M (futures). */
  readonly st?: number;
}

/**
 * Statistics of a rolling window: streams `<symbol>@ticker_<1h|4h|1d>` and `!ticker_<1h|4h|1d>@arr` (spot).
 *
 * @example
 * ```ts
 * import type { WindowTickerEvent } from "@rawtick/binance";
 *
 * const event: WindowTickerEvent = {
 *   e: "1hTicker",
 *   E: 1672515782136,
 *   s: "BNBBTC",
 *   p: "0.0015",
 *   P: "250.00",
 *   o: "0.0010",
 *   h: "0.0025",
 *   l: "0.0010",
 *   c: "0.0025",
 *   w: "0.0018",
 *   v: "10000",
 *   q: "18",
 *   O: 0,
 *   C: 1675216573749,
 *   F: 0,
 *   L: 18150,
 *   n: 18151,
 * };
 * console.log(event);
 * ```
 */
export interface WindowTickerEvent {
  /** Event type. */
  readonly e: "1hTicker" | "4hTicker" | "1dTicker";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Change of the price. */
  readonly p: string;
  /** Change of the price in percent. */
  readonly P: string;
  /** First price. */
  readonly o: string;
  /** Highest price. */
  readonly h: string;
  /** Lowest price. */
  readonly l: string;
  /** Last price. */
  readonly c: string;
  /** Average price, weighted by volume. */
  readonly w: string;
  /** Volume in the base asset. */
  readonly v: string;
  /** Volume in the quote asset. */
  readonly q: string;
  /** When the window begins. */
  readonly O: number;
  /** When the window ends. */
  readonly C: number;
  /** Id of the first trade. */
  readonly F: number;
  /** Id of the last trade. */
  readonly L: number;
  /** Number of trades. */
  readonly n: number;
}
