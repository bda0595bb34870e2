/**
 * Account events of conditional orders and strategies: the derivatives' "User Data Streams".
 *
 * @module
 */

import type { ExactId } from "./values.ts";

/**
 * The order of an {@linkcode AlgoUpdateEvent}.
 *
 * @example
 * ```ts
 * import type { AlgoOrder } from "@rawtick/binance";
 *
 * const read = ({ aid, X }: AlgoOrder) => `${aid} ${X}`;
 * ```
 */
export interface AlgoOrder {
  /** Client id of the conditional order. */
  readonly caid: string;
  /** Id of the conditional order. */
  readonly aid: ExactId;
  /** Kind of the conditional order. */
  readonly at: string;
  /** Type of the order. */
  readonly o: string;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Side. */
  readonly S: "BUY" | "SELL";
  /** Side of the position. */
  readonly ps: string;
  /** Time in force. */
  readonly f: string;
  /** Quantity of the order. */
  readonly q: string;
  /** `"NEW"`, `"CANCELED"`, `"TRIGGERING"`, `"TRIGGERED"`, `"FINISHED"`, `"REJECTED"` or `"EXPIRED"`. */
  readonly X: string;
  /** Id of the order that it has placed. */
  readonly ai?: ExactId;
  /** Average price of that order's fills. */
  readonly ap?: string;
  /** Quantity that was filled of that order. */
  readonly aq?: string;
  /** Type of that order. */
  readonly act?: string;
  /** Price that triggers it. */
  readonly tp: string;
  /** Price of the order. */
  readonly p: string;
  /** Mode of the self-trade prevention. */
  readonly V?: string;
  /** Which price triggers it. */
  readonly wt?: string;
  /** Mode of the price match. */
  readonly pm?: string;
  /** Whether it closes the position. */
  readonly cp?: boolean;
  /** Whether the price is protected. */
  readonly pP?: boolean;
  /** Whether it may only reduce a position. */
  readonly R?: boolean;
  /** When it was triggered, 0 if it was not. */
  readonly tt?: number;
  /** When it expires, 0 if it does not. */
  readonly gtd?: number;
  /** Why it was rejected. */
  readonly rm?: string;
}

/**
 * A conditional order was placed, triggered, or has ended.
 *
 * @example
 * ```ts
 * import type { AlgoUpdateEvent } from "@rawtick/binance";
 *
 * const read = (event: AlgoUpdateEvent) => (event.o ?? event.ao)?.X;
 * ```
 */
export interface AlgoUpdateEvent {
  /** Event type. */
  readonly e: "ALGO_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** The order (futures). */
  readonly o?: AlgoOrder;
  /** The order (portfolio margin). */
  readonly ao?: AlgoOrder;
  /** Whose event it is (portfolio margin). */
  readonly fs?: "UM" | "CM";
}

/**
 * Why a conditional order placed nothing.
 *
 * @example
 * ```ts
 * import type { TriggerRejection } from "@rawtick/binance";
 *
 * const read = ({ i, r }: TriggerRejection) => `${i}: ${r}`;
 * ```
 */
export interface TriggerRejection {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Id of the order. */
  readonly i: ExactId;
  /** Why it was rejected. */
  readonly r: string;
}

/**
 * A conditional order was triggered and its order rejected. Binance has given this event up (2025-12).
 *
 * @example
 * ```ts
 * import type { TriggerRejectEvent } from "@rawtick/binance";
 *
 * const read = (event: TriggerRejectEvent) => event.or.r;
 * ```
 */
export interface TriggerRejectEvent {
  /** Event type. */
  readonly e: "CONDITIONAL_ORDER_TRIGGER_REJECT";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** What was rejected. */
  readonly or: TriggerRejection;
}

/**
 * A strategy.
 *
 * @example
 * ```ts
 * import type { Strategy } from "@rawtick/binance";
 *
 * const read = ({ si, ss }: Strategy) => `${si} ${ss}`;
 * ```
 */
export interface Strategy {
  /** Id of the strategy. */
  readonly si: ExactId;
  /** Kind of the strategy. */
  readonly st: string;
  /** Status of the strategy. */
  readonly ss: string;
  /** Symbol, in upper case. */
  readonly s: string;
  /** When it changed. */
  readonly ut: number;
  /** Code of what happened. */
  readonly c: number;
}

/**
 * A strategy has changed its status.
 *
 * @example
 * ```ts
 * import type { StrategyUpdateEvent } from "@rawtick/binance";
 *
 * const read = (event: StrategyUpdateEvent) => event.su.ss;
 * ```
 */
export interface StrategyUpdateEvent {
  /** Event type. */
  readonly e: "STRATEGY_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** The strategy. */
  readonly su: Strategy;
}

/**
 * A grid.
 *
 * @example
 * ```ts
 * import type { Grid } from "@rawtick/binance";
 *
 * const read = ({ si, r }: Grid) => `${si} ${r}`;
 * ```
 */
export interface Grid {
  /** Id of the strategy. */
  readonly si: ExactId;
  /** Kind of the strategy. */
  readonly st: string;
  /** Status of the strategy. */
  readonly ss: string;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Profit that was realised. */
  readonly r: string;
  /** Average price of what is not matched. */
  readonly up: string;
  /** Quantity that is not matched. */
  readonly uq: string;
  /** Fee of what is not matched. */
  readonly uf: string;
  /** Profit of what is matched. */
  readonly mp: string;
  /** When it changed. */
  readonly ut: number;
}

/**
 * A part of a grid was filled. Binance has given this event up.
 *
 * @example
 * ```ts
 * import type { GridUpdateEvent } from "@rawtick/binance";
 *
 * const read = (event: GridUpdateEvent) => event.gu.r;
 * ```
 */
export interface GridUpdateEvent {
  /** Event type. */
  readonly e: "GRID_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** The grid. */
  readonly gu: Grid;
}
