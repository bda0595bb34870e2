/**
 * Account events of portfolio margin: the derivatives' "User Data Streams".
 *
 * @module
 */

import type { ExactId } from "./values.ts";

/**
 * The order of a {@linkcode ConditionalOrderEvent}.
 *
 * @example
 * ```ts
 * import type { ConditionalOrder } from "@rawtick/binance";
 *
 * const read = ({ si, os }: ConditionalOrder) => `${si} ${os}`;
 * ```
 */
export interface ConditionalOrder {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Client id of the strategy. */
  readonly c: string;
  /** Id of the strategy. */
  readonly si: ExactId;
  /** Side. */
  readonly S: "BUY" | "SELL";
  /** Kind of the strategy. */
  readonly st: string;
  /** Time in force. */
  readonly f: string;
  /** Quantity of the order. */
  readonly q: string;
  /** Price of the order. */
  readonly p: string;
  /** Stop price. */
  readonly sp: string;
  /** Status of the strategy. */
  readonly os: string;
  /** Time of the order book. */
  readonly T: number;
  /** When it changed. */
  readonly ut: number;
  /** Whether it may only reduce a position. */
  readonly R: boolean;
  /** Which price triggers it. */
  readonly wt: string;
  /** Side of the position. */
  readonly ps: string;
  /** Whether it closes the position. */
  readonly cp?: boolean;
  /** Activation price of a trailing stop. */
  readonly AP?: string;
  /** Callback rate of a trailing stop in percent. */
  readonly cr?: string;
  /** Id of the order that it has placed. */
  readonly i?: ExactId;
  /** Mode of the self-trade prevention. */
  readonly V?: string;
  /** When it expires, 0 if it does not. */
  readonly gtd?: number;
}

/**
 * A conditional order of portfolio margin was placed, triggered, or has ended.
 *
 * @example
 * ```ts
 * import type { ConditionalOrderEvent } from "@rawtick/binance";
 *
 * const read = (event: ConditionalOrderEvent) => event.so.os;
 * ```
 */
export interface ConditionalOrderEvent {
  /** Event type. */
  readonly e: "CONDITIONAL_ORDER_TRADE_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** Whose event it is. */
  readonly fs?: "UM" | "CM";
  /** The order. */
  readonly so: ConditionalOrder;
}

/**
 * A debt has changed (portfolio margin).
 *
 * @example
 * ```ts
 * import type { LiabilityChangeEvent } from "@rawtick/binance";
 *
 * const read = (event: LiabilityChangeEvent) => `${event.l} ${event.a}`;
 * ```
 */
export interface LiabilityChangeEvent {
  /** Event type. */
  readonly e: "liabilityChange";
  /** Time of the event. */
  readonly E: number;
  /** Asset. */
  readonly a: string;
  /** What happened, such as `"BORROW"`. */
  readonly t: string;
  /** Id of the transaction. */
  readonly T: ExactId;
  /** Principal. */
  readonly p: string;
  /** Interest. */
  readonly i: string;
  /** The whole debt. */
  readonly l: string;
}

/**
 * Loss of open orders in an asset.
 *
 * @example
 * ```ts
 * import type { OpenOrderLoss } from "@rawtick/binance";
 *
 * const value: OpenOrderLoss = { a: "BUSD", o: "-0.1232313" };
 * console.log(value);
 * ```
 */
export interface OpenOrderLoss {
  /** Asset. */
  readonly a: string;
  /** The loss, negative. */
  readonly o: string;
}

/**
 * Losses of open orders have changed (portfolio margin).
 *
 * @example
 * ```ts
 * import type { OpenOrderLossEvent } from "@rawtick/binance";
 *
 * const read = (event: OpenOrderLossEvent) => event.O.map(({ a, o }) => `${a} ${o}`);
 * ```
 */
export interface OpenOrderLossEvent {
  /** Event type. */
  readonly e: "openOrderLoss";
  /** Time of the event. */
  readonly E: number;
  /** The losses. */
  readonly O: readonly OpenOrderLoss[];
}

/**
 * The risk of the account has changed its level (portfolio margin).
 *
 * @example
 * ```ts
 * import type { RiskLevelEvent } from "@rawtick/binance";
 *
 * const event: RiskLevelEvent = {
 *   e: "riskLevelChange",
 *   E: 1587727187525,
 *   u: "1.99999999",
 *   s: "MARGIN_CALL",
 *   eq: "30.23416728",
 *   ae: "30.23416728",
 *   m: "15.11708371",
 * };
 * console.log(event);
 * ```
 */
export interface RiskLevelEvent {
  /** Event type. */
  readonly e: "riskLevelChange";
  /** Time of the event. */
  readonly E: number;
  /** Unified maintenance margin ratio. */
  readonly u: string;
  /** `"MARGIN_CALL"`, `"REDUCE_ONLY"` or `"FORCE_LIQUIDATION"`. */
  readonly s: string;
  /** Equity in USD. */
  readonly eq: string;
  /** Equity in USD without collateral rates. */
  readonly ae: string;
  /** Maintenance margin in USD. */
  readonly m: string;
}

/**
 * State of the account every 5 s (portfolio margin pro).
 *
 * @example
 * ```ts
 * import type { ProAccountUpdateEvent } from "@rawtick/binance";
 *
 * const read = (event: ProAccountUpdateEvent) => Number(event.u) < 1.5;
 * ```
 */
export interface ProAccountUpdateEvent {
  /** Event type. */
  readonly e: "PM_PRO_ACCOUNT_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Unified maintenance margin ratio. */
  readonly u: string;
  /** Equity in USD. */
  readonly eq: string;
  /** Equity in USD without collateral rates. */
  readonly ae: string;
  /** Initial margin in USD. */
  readonly im: string;
  /** Maintenance margin in USD. */
  readonly mm: string;
  /** Available balance in USD. */
  readonly avb: string;
  /** Most that can be withdrawn, in USD. */
  readonly vmw: string;
}
