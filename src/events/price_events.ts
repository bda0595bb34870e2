/**
 * Averages, references and marks: Binance web-socket-streams.md and the derivatives' "Websocket Market Streams".
 *
 * @module
 */

/**
 * Average price of some minutes: stream `<symbol>@avgPrice` (spot).
 *
 * @example
 * ```ts
 * import type { AveragePriceEvent } from "@rawtick/binance";
 *
 * const event: AveragePriceEvent = {
 *   e: "avgPrice",
 *   E: 1693907033000,
 *   s: "BTCUSDT",
 *   i: "5m",
 *   w: "25776.86000000",
 *   T: 1693907032213,
 * };
 * console.log(event);
 * ```
 */
export interface AveragePriceEvent {
  /** Event type. */
  readonly e: "avgPrice";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** The minutes, such as `"5m"`. */
  readonly i: string;
  /** Average price. */
  readonly w: string;
  /** Time of the last trade. */
  readonly T: number;
}

/**
 * Reference price, an event without event time: stream `<symbol>@referencePrice` (spot).
 *
 * @example
 * ```ts
 * import type { ReferencePriceEvent } from "@rawtick/binance";
 *
 * const event: ReferencePriceEvent = { e: "referencePrice", s: "BAZUSD", r: "1.00", t: 1770313263917 };
 * console.log(event);
 * ```
 */
export interface ReferencePriceEvent {
  /** Event type. */
  readonly e: "referencePrice";
  /** Symbol, in upper case. */
  readonly s: string;
  /** Reference price, if there is one. */
  readonly r: string | null;
  /** Time of the matching engine. */
  readonly t: number;
}

/**
 * Mark price and funding rate: streams `<symbol>@markPrice`, `!markPrice@arr` and, on COIN-M, `<pair>@markPrice`.
 *
 * @example
 * ```ts
 * import type { MarkPriceEvent } from "@rawtick/binance";
 *
 * const event: MarkPriceEvent = {
 *   e: "markPriceUpdate",
 *   E: 1562305380000,
 *   s: "BTCUSDT",
 *   p: "11794.15000000",
 *   ap: "11794.15000000",
 *   i: "11784.62659091",
 *   P: "11784.25641265",
 *   r: "0.00038167",
 *   T: 1562306400000,
 * };
 * console.log(event);
 * ```
 */
export interface MarkPriceEvent {
  /** Event type. */
  readonly e: "markPriceUpdate";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Mark price. */
  readonly p: string;
  /** Moving average of the mark price (USD-M). */
  readonly ap?: string;
  /** Index price. */
  readonly i: string;
  /** Estimated settlement price, of use in the last hour before a settlement. */
  readonly P: string;
  /** Funding rate; empty for delivery contracts. */
  readonly r: string;
  /** Time of the next funding; 0 for delivery contracts and delisted symbols. */
  readonly T: number;
  /** 1 for USD-M, 2 for COIN-M. */
  readonly st?: number;
}

/**
 * Index price of a pair: stream `<pair>@indexPrice` (COIN-M).
 *
 * @example
 * ```ts
 * import type { IndexPriceEvent } from "@rawtick/binance";
 *
 * const event: IndexPriceEvent = { e: "indexPriceUpdate", E: 1591261236000, i: "BTCUSD", p: "9636.57860000" };
 * console.log(event);
 * ```
 */
export interface IndexPriceEvent {
  /** Event type. */
  readonly e: "indexPriceUpdate";
  /** Time of the event. */
  readonly E: number;
  /** Pair. */
  readonly i: string;
  /** Index price. */
  readonly p: string;
}

/**
 * Index price of an underlying, in an array: stream `!index@arr` (options).
 *
 * @example
 * ```ts
 * import type { OptionIndexPriceEvent } from "@rawtick/binance";
 *
 * const read = (event: OptionIndexPriceEvent) => `${event.s} ${event.p}`;
 * ```
 */
export interface OptionIndexPriceEvent {
  /** Event type. */
  readonly e: "indexPrice";
  /** Time of the event. */
  readonly E: number;
  /** Underlying, such as `"BTCUSDT"`. */
  readonly s: string;
  /** Index price. */
  readonly p: string;
}

/**
 * Mark price and Greeks of an option, in an array: stream `<underlying>@optionMarkPrice`.
 *
 * @example
 * ```ts
 * import type { OptionMarkPriceEvent } from "@rawtick/binance";
 *
 * const read = (event: OptionMarkPriceEvent) => [event.d, event.g, event.t, event.v].map(Number);
 * ```
 */
export interface OptionMarkPriceEvent {
  /** Event type. */
  readonly e: "markPrice";
  /** Time of the event. */
  readonly E: number;
  /** Symbol of the option. */
  readonly s: string;
  /** Mark price. */
  readonly mp: string;
  /** Index price. */
  readonly i: string;
  /** Estimated settlement price. */
  readonly P: string;
  /** Best bid. */
  readonly bo: string;
  /** Best ask. */
  readonly ao: string;
  /** Quantity of the best bid. */
  readonly bq: string;
  /** Quantity of the best ask. */
  readonly aq: string;
  /** Implied volatility of the bid. */
  readonly b: string;
  /** Implied volatility of the ask. */
  readonly a: string;
  /** Highest price that orders may have. */
  readonly hl: string;
  /** Lowest price that orders may have. */
  readonly ll: string;
  /** Implied volatility of the mark price. */
  readonly vo: string;
  /** Risk-free rate. */
  readonly rf: string;
  /** Delta. */
  readonly d: string;
  /** Theta. */
  readonly t: string;
  /** Gamma. */
  readonly g: string;
  /** Vega. */
  readonly v: string;
}

/**
 * A part of a composite index.
 *
 * @example
 * ```ts
 * import type { IndexComponent } from "@rawtick/binance";
 *
 * const value: IndexComponent = { b: "BAL", q: "USDT", w: "1.04884844", W: "0.01457800", i: "24.33521021" };
 * console.log(value);
 * ```
 */
export interface IndexComponent {
  /** Base asset. */
  readonly b: string;
  /** Quote asset. */
  readonly q: string;
  /** Weight as a quantity. */
  readonly w: string;
  /** Weight as a part of 1. */
  readonly W: string;
  /** Index price. */
  readonly i: string;
}

/**
 * What a composite index is made of: stream `<symbol>@compositeIndex` (USD-M).
 *
 * @example
 * ```ts
 * import type { CompositeIndexEvent } from "@rawtick/binance";
 *
 * const read = (event: CompositeIndexEvent) => event.c.map(({ b, W }) => `${b} ${W}`);
 * ```
 */
export interface CompositeIndexEvent {
  /** Event type. */
  readonly e: "compositeIndex";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Price. */
  readonly p: string;
  /** What it is made of, such as `"baseAsset"`. */
  readonly C: string;
  /** Its parts. */
  readonly c: readonly IndexComponent[];
}

/**
 * Index of an asset for multi-assets mode: streams `<asset>@assetIndex` and `!assetIndex@arr` (USD-M).
 *
 * @example
 * ```ts
 * import type { AssetIndexEvent } from "@rawtick/binance";
 *
 * const read = (event: AssetIndexEvent) => `${event.s} ${event.B} ${event.A}`;
 * ```
 */
export interface AssetIndexEvent {
  /** Event type. */
  readonly e: "assetIndexUpdate";
  /** Time of the event. */
  readonly E: number;
  /** Symbol of the index, such as `"ADAUSD"`. */
  readonly s: string;
  /** Index price. */
  readonly i: string;
  /** Bid buffer. */
  readonly b: string;
  /** Ask buffer. */
  readonly a: string;
  /** Bid rate. */
  readonly B: string;
  /** Ask rate. */
  readonly A: string;
  /** Bid buffer of the auto exchange. */
  readonly q: string;
  /** Ask buffer of the auto exchange. */
  readonly g: string;
  /** Bid rate of the auto exchange. */
  readonly Q: string;
  /** Ask rate of the auto exchange. */
  readonly G: string;
}
