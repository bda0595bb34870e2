/**
 * Account events of spot and margin: Binance user-data-stream.md.
 *
 * @module
 */

import type { ExactId } from "./values.ts";

/**
 * What an account holds of an asset.
 *
 * @example
 * ```ts
 * import type { SpotBalance } from "@rawtick/binance";
 *
 * const value: SpotBalance = { a: "ETH", f: "10000.000000", l: "0.000000" };
 * console.log(value);
 * ```
 */
export interface SpotBalance {
  /** Asset. */
  readonly a: string;
  /** What can be used. */
  readonly f: string;
  /** What orders hold. */
  readonly l: string;
}

/**
 * Balances that a transaction may have changed.
 *
 * @example
 * ```ts
 * import type { AccountPositionEvent } from "@rawtick/binance";
 *
 * const event: AccountPositionEvent = {
 *   e: "outboundAccountPosition",
 *   E: 1564034571105,
 *   u: 1564034571073,
 *   B: [{ a: "ETH", f: "10000.000000", l: "0.000000" }],
 * };
 * console.log(event);
 * ```
 */
export interface AccountPositionEvent {
  /** Event type. */
  readonly e: "outboundAccountPosition";
  /** Time of the event. */
  readonly E: number;
  /** When the account changed last. */
  readonly u: number;
  /** Update id (portfolio margin). */
  readonly U?: ExactId;
  /** The balances. */
  readonly B: readonly SpotBalance[];
}

/**
 * A deposit, a withdrawal or a transfer.
 *
 * @example
 * ```ts
 * import type { BalanceUpdateEvent } from "@rawtick/binance";
 *
 * const event: BalanceUpdateEvent = {
 *   e: "balanceUpdate",
 *   E: 1573200697110,
 *   a: "BTC",
 *   d: "100.00000000",
 *   T: 1573200697068,
 * };
 * console.log(event);
 * ```
 */
export interface BalanceUpdateEvent {
  /** Event type. */
  readonly e: "balanceUpdate";
  /** Time of the event. */
  readonly E: number;
  /** Asset. */
  readonly a: string;
  /** Change of the balance, with its sign. */
  readonly d: string;
  /** When it was cleared. */
  readonly T: number;
  /** Update id (portfolio margin). */
  readonly U?: ExactId;
}

/**
 * Another system has locked or released a part of the balance.
 *
 * @example
 * ```ts
 * import type { ExternalLockUpdateEvent } from "@rawtick/binance";
 *
 * const read = (event: ExternalLockUpdateEvent) => `${event.d} ${event.a}`;
 * ```
 */
export interface ExternalLockUpdateEvent {
  /** Event type. */
  readonly e: "externalLockUpdate";
  /** Time of the event. */
  readonly E: number;
  /** Asset. */
  readonly a: string;
  /** Change of what is locked, with its sign. */
  readonly d: string;
  /** Time of the transaction. */
  readonly T: number;
}

/**
 * The subscription has ended: the token expired, a logout, or it was unsubscribed.
 *
 * @example
 * ```ts
 * import type { EventStreamTerminatedEvent } from "@rawtick/binance";
 *
 * const event: EventStreamTerminatedEvent = { e: "eventStreamTerminated", E: 1728973001334 };
 * console.log(event);
 * ```
 */
export interface EventStreamTerminatedEvent {
  /** Event type. */
  readonly e: "eventStreamTerminated";
  /** Time of the event. */
  readonly E: number;
}

/**
 * The margin level has changed its status (margin, risk stream).
 *
 * @example
 * ```ts
 * import type { MarginLevelStatusEvent } from "@rawtick/binance";
 *
 * const read = (event: MarginLevelStatusEvent) => `${event.l} ${event.s}`;
 * ```
 */
export interface MarginLevelStatusEvent {
  /** Event type. */
  readonly e: "MARGIN_LEVEL_STATUS_CHANGE";
  /** Time of the event. */
  readonly E: number;
  /** Margin level. */
  readonly l: string;
  /** Its status. */
  readonly s: string;
}

/**
 * A debt has changed (margin, risk stream).
 *
 * @example
 * ```ts
 * import type { UserLiabilityEvent } from "@rawtick/binance";
 *
 * const read = (event: UserLiabilityEvent) => Number(event.p) + Number(event.i);
 * ```
 */
export interface UserLiabilityEvent {
  /** Event type. */
  readonly e: "USER_LIABILITY_CHANGE";
  /** Time of the event. */
  readonly E: number;
  /** Asset. */
  readonly a: string;
  /** What happened, such as `"BORROW"`. */
  readonly t: string;
  /** Principal. */
  readonly p: string;
  /** Interest. */
  readonly i: string;
}
