/**
 * Account events of options: the derivatives' "User Data Streams".
 *
 * @module
 */

/**
 * State of an options account.
 *
 * @example
 * ```ts
 * import type { OptionsAccountUpdateEvent } from "@rawtick/binance";
 *
 * const read = (event: OptionsAccountUpdateEvent) => Number(event.eq) - Number(event.M);
 * ```
 */
export interface OptionsAccountUpdateEvent {
  /** Event type. */
  readonly e: "ACCOUNT_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T?: number;
  /** Equity in USDT. */
  readonly eq: string;
  /** Adjusted equity in USDT. */
  readonly aeq: string;
  /** Balance of the wallet in USDT. */
  readonly b: string;
  /** Value of the positions. */
  readonly m: string;
  /** Profit not realised. */
  readonly u: string;
  /** Initial margin. */
  readonly i: string;
  /** Maintenance margin. */
  readonly M: string;
}

/**
 * A balance that has changed.
 *
 * @example
 * ```ts
 * import type { OptionsBalance } from "@rawtick/binance";
 *
 * const value: OptionsBalance = { a: "USDT", b: "10000471.37940900", bc: "0" };
 * console.log(value);
 * ```
 */
export interface OptionsBalance {
  /** Asset. */
  readonly a: string;
  /** Balance. */
  readonly b: string;
  /** Change, without profit, loss and commission. */
  readonly bc: string;
}

/**
 * A position that has changed.
 *
 * @example
 * ```ts
 * import type { OptionsPosition } from "@rawtick/binance";
 *
 * const value: OptionsPosition = {
 *   s: "BTC-251123-126000-C",
 *   c: "-0.1000",
 *   p: "-120.00000000",
 *   a: "1200.00000000",
 * };
 * console.log(value);
 * ```
 */
export interface OptionsPosition {
  /** Symbol of the option. */
  readonly s: string;
  /** Quantity of the position. */
  readonly c: string;
  /** Value of the position. */
  readonly p: string;
  /** Average entry price. */
  readonly a: string;
}

/**
 * Balances and positions of an options account have changed.
 *
 * @example
 * ```ts
 * import type { BalancePositionEvent } from "@rawtick/binance";
 *
 * const event: BalancePositionEvent = {
 *   e: "BALANCE_POSITION_UPDATE",
 *   E: 1762917544216,
 *   T: 1762917544206,
 *   m: "ORDER",
 *   B: [{ a: "USDT", b: "10000471.37940900", bc: "0" }],
 *   P: [{ s: "BTC-251123-126000-C", c: "-0.1000", p: "-120.00000000", a: "1200.00000000" }],
 * };
 * console.log(event);
 * ```
 */
export interface BalancePositionEvent {
  /** Event type. */
  readonly e: "BALANCE_POSITION_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T?: number;
  /** Why: `"DEPOSIT"`, `"WITHDRAW"` or `"ORDER"`. */
  readonly m: string;
  /** Balances that have changed. */
  readonly B: readonly OptionsBalance[];
  /** Positions that have changed. */
  readonly P: readonly OptionsPosition[];
}

/**
 * The Greeks of an underlying.
 *
 * @example
 * ```ts
 * import type { Greeks } from "@rawtick/binance";
 *
 * const value: Greeks = {
 *   u: "BTCUSDT",
 *   d: "-0.01304097",
 *   g: "-0.00000124",
 *   t: "16.11648100",
 *   v: "-3.83444011",
 * };
 * console.log(value);
 * ```
 */
export interface Greeks {
  /** Underlying. */
  readonly u: string;
  /** Delta. */
  readonly d: string;
  /** Gamma. */
  readonly g: string;
  /** Theta. */
  readonly t: string;
  /** Vega. */
  readonly v: string;
}

/**
 * The Greeks of an options account, when they change or every 10 s.
 *
 * @example
 * ```ts
 * import type { GreekUpdateEvent } from "@rawtick/binance";
 *
 * const event: GreekUpdateEvent = {
 *   e: "GREEK_UPDATE",
 *   E: 1762917544216,
 *   T: 1762917544216,
 *   G: [{ u: "BTCUSDT", d: "-0.01304097", g: "-0.00000124", t: "16.11648100", v: "-3.83444011" }],
 * };
 * console.log(event);
 * ```
 */
export interface GreekUpdateEvent {
  /** Event type. */
  readonly e: "GREEK_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T?: number;
  /** The Greeks of each underlying. */
  readonly G: readonly Greeks[];
}

/**
 * The risk of an options account has changed its level.
 *
 * @example
 * ```ts
 * import type { OptionsRiskLevelEvent } from "@rawtick/binance";
 *
 * const read = (event: OptionsRiskLevelEvent) => `${event.s}: ${event.mb} of ${event.mm}`;
 * ```
 */
export interface OptionsRiskLevelEvent {
  /** Event type. */
  readonly e: "RISK_LEVEL_CHANGE";
  /** Time of the event. */
  readonly E: number;
  /** The level, such as `"REDUCE_ONLY"`. */
  readonly s: string;
  /** Margin balance. */
  readonly mb: string;
  /** Maintenance margin. */
  readonly mm: string;
}
