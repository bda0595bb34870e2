/**
 * Candles of the market streams: Binance web-socket-streams.md and the derivatives' "Websocket Market Streams".
 *
 * @module
 */

/**
 * A candle.
 *
 * @example
 * ```ts
 * import type { Candle } from "@rawtick/binance";
 *
 * const value: Candle = {
 *   t: 1672515780000,
 *   T: 1672515839999,
 *   s: "BNBBTC",
 *   i: "1m",
 *   f: 100,
 *   L: 200,
 *   o: "0.0010",
 *   c: "0.0020",
 *   h: "0.0025",
 *   l: "0.0015",
 *   v: "1000",
 *   n: 100,
 *   x: false,
 *   q: "1.0000",
 *   V: "500",
 *   Q: "0.500",
 *   B: "123456",
 * };
 * console.log(value);
 * ```
 */
export interface Candle {
  /** When it begins. */
  readonly t: number;
  /** When it ends. */
  readonly T: number;
  /** Symbol; not in candles of a continuous contract, and `"0"` in those of an index price. */
  readonly s?: string;
  /** Its length, such as `"1m"`. */
  readonly i: string;
  /** Id of its first trade; a time in candles of index and mark prices. */
  readonly f: number;
  /** Id of its last trade; a time in candles of index and mark prices. */
  readonly L: number;
  /** First price. */
  readonly o: string;
  /** Last price. */
  readonly c: string;
  /** Highest price. */
  readonly h: string;
  /** Lowest price. */
  readonly l: string;
  /** Volume in the base asset, in contracts on COIN-M. */
  readonly v: string;
  /** Number of trades. */
  readonly n: number;
  /** Whether it will change no more. */
  readonly x: boolean;
  /** Volume in the quote asset, in the base asset on COIN-M. */
  readonly q: string;
  /** Volume of taker buys, counted as `v`. */
  readonly V: string;
  /** Volume of taker buys, counted as `q`. */
  readonly Q: string;
  /** To be ignored. */
  readonly B?: string;
}

/**
 * A candle of a symbol: stream `<symbol>@kline_<interval>`.
 *
 * @example
 * ```ts
 * import type { KlineEvent } from "@rawtick/binance";
 *
 * const event: KlineEvent = {
 *   e: "kline",
 *   E: 1672515782136,
 *   s: "BNBBTC",
 *   k: {
 *     t: 1672515780000,
 *     T: 1672515839999,
 *     s: "BNBBTC",
 *     i: "1m",
 *     f: 100,
 *     L: 200,
 *     o: "0.0010",
 *     c: "0.0020",
 *     h: "0.0025",
 *     l: "0.0015",
 *     v: "1000",
 *     n: 100,
 *     x: false,
 *     q: "1.0000",
 *     V: "500",
 *     Q: "0.500",
 *     B: "123456",
 *   },
 * };
 * console.log(event);
 * ```
 */
export interface KlineEvent {
  /** Event type. */
  readonly e: "kline";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** The candle. */
  readonly k: Candle;
}

/**
 * A candle of a continuous contract: stream `<pair>_<contractType>@continuousKline_<interval>` (futures).
 *
 * @example
 * ```ts
 * import type { ContinuousKlineEvent } from "@rawtick/binance";
 *
 * const event: ContinuousKlineEvent = {
 *   e: "continuous_kline",
 *   E: 1607443058651,
 *   ps: "BTCUSDT",
 *   ct: "PERPETUAL",
 *   k: {
 *     t: 1607443020000,
 *     T: 1607443079999,
 *     i: "1m",
 *     f: 116467658886,
 *     L: 116468012423,
 *     o: "18787.00",
 *     c: "18804.04",
 *     h: "18804.04",
 *     l: "18786.54",
 *     v: "197.664",
 *     n: 543,
 *     x: false,
 *     q: "3715253.19494",
 *     V: "184.769",
 *     Q: "3472925.84746",
 *     B: "0",
 *   },
 * };
 * console.log(event);
 * ```
 */
export interface ContinuousKlineEvent {
  /** Event type. */
  readonly e: "continuous_kline";
  /** Time of the event. */
  readonly E: number;
  /** Pair. */
  readonly ps: string;
  /** Type of the contract, such as `"PERPETUAL"`. */
  readonly ct: string;
  /** The candle. */
  readonly k: Candle;
}

/**
 * A candle of an index price or a mark price: streams `<pair>@indexPriceKline_<interval>` and
 * `<symbol>@markPriceKline_<interval>` (COIN-M).
 *
 * @example
 * ```ts
 * import type { PriceKlineEvent } from "@rawtick/binance";
 *
 * const read = ({ e, k }: PriceKlineEvent) => e === "markPrice_kline" && k.x;
 * ```
 */
export interface PriceKlineEvent {
  /** Event type. */
  readonly e: "indexPrice_kline" | "markPrice_kline";
  /** Time of the event. */
  readonly E: number;
  /** Pair. */
  readonly ps: string;
  /** The candle. */
  readonly k: Candle;
}
