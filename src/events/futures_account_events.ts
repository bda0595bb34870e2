/**
 * Account events of USD-M and COIN-M futures: the derivatives' "User Data Streams".
 *
 * @module
 */

/**
 * A balance that has changed.
 *
 * @example
 * ```ts
 * import type { FuturesBalance } from "@rawtick/binance";
 *
 * const value: FuturesBalance = { a: "USDT", wb: "122624.12345678", cw: "100.12345678", bc: "50.12345678" };
 * console.log(value);
 * ```
 */
export interface FuturesBalance {
  /** Asset. */
  readonly a: string;
  /** Balance of the wallet. */
  readonly wb: string;
  /** Balance of the cross wallet. */
  readonly cw: string;
  /** Change, without profit, loss and commission. */
  readonly bc?: string;
}

/**
 * A position that has changed.
 *
 * @example
 * ```ts
 * import type { FuturesPosition } from "@rawtick/binance";
 *
 * const value: FuturesPosition = {
 *   s: "BTCUSDT",
 *   pa: "0",
 *   ep: "0.00000",
 *   bep: "0",
 *   cr: "200",
 *   up: "0",
 *   mt: "isolated",
 *   iw: "0.00000000",
 *   ps: "BOTH",
 * };
 * console.log(value);
 * ```
 */
export interface FuturesPosition {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Amount of the position. */
  readonly pa: string;
  /** Entry price. */
  readonly ep: string;
  /** Price at which it breaks even. */
  readonly bep?: string;
  /** Profit realised so far, before fees. */
  readonly cr: string;
  /** Profit not realised. */
  readonly up: string;
  /** `"isolated"` or `"cross"`. */
  readonly mt?: string;
  /** Wallet of an isolated position. */
  readonly iw?: string;
  /** Side of the position: `"BOTH"`, `"LONG"` or `"SHORT"`. */
  readonly ps: string;
}

/**
 * What an {@linkcode AccountUpdateEvent} tells.
 *
 * @example
 * ```ts
 * import type { AccountChange } from "@rawtick/binance";
 *
 * const read = ({ m, P }: AccountChange) => `${m}: ${P.length} positions`;
 * ```
 */
export interface AccountChange {
  /** Why: `"ORDER"`, `"FUNDING_FEE"`, `"DEPOSIT"`, … */
  readonly m: string;
  /** Balances that have changed. */
  readonly B: readonly FuturesBalance[];
  /** Positions that have changed. */
  readonly P: readonly FuturesPosition[];
}

/**
 * Balances and positions have changed.
 *
 * @example
 * ```ts
 * import type { AccountUpdateEvent } from "@rawtick/binance";
 *
 * const event: AccountUpdateEvent = {
 *   e: "ACCOUNT_UPDATE",
 *   E: 1564745798939,
 *   T: 1564745798938,
 *   a: {
 *     m: "ORDER",
 *     B: [{ a: "USDT", wb: "122624.12345678", cw: "100.12345678", bc: "50.12345678" }],
 *     P: [
 *       {
 *         s: "BTCUSDT",
 *         pa: "0",
 *         ep: "0.00000",
 *         bep: "0",
 *         cr: "200",
 *         up: "0",
 *         mt: "isolated",
 *         iw: "0.00000000",
 *         ps: "BOTH",
 *       },
 *     ],
 *   },
 * };
 * console.log(event);
 * ```
 */
export interface AccountUpdateEvent {
  /** Event type. */
  readonly e: "ACCOUNT_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** What has changed. */
  readonly a: AccountChange;
  /** Alias of the account (COIN-M). */
  readonly i?: string;
  /** Whose event it is (portfolio margin). */
  readonly fs?: "UM" | "CM";
}

/**
 * Leverage of a symbol.
 *
 * @example
 * ```ts
 * import type { LeverageConfig } from "@rawtick/binance";
 *
 * const value: LeverageConfig = { s: "BTCUSDT", l: 25 };
 * console.log(value);
 * ```
 */
export interface LeverageConfig {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Leverage. */
  readonly l: number;
}

/**
 * Which assets serve as margin.
 *
 * @example
 * ```ts
 * import type { AssetModeConfig } from "@rawtick/binance";
 *
 * const value: AssetModeConfig = { j: true };
 * console.log(value);
 * ```
 */
export interface AssetModeConfig {
  /** Whether multi-assets mode is on. */
  readonly j: boolean;
}

/**
 * The leverage of a symbol or the multi-assets mode has changed.
 *
 * @example
 * ```ts
 * import type { AccountConfigUpdateEvent } from "@rawtick/binance";
 *
 * const event: AccountConfigUpdateEvent = {
 *   e: "ACCOUNT_CONFIG_UPDATE",
 *   E: 1611646737479,
 *   T: 1611646737476,
 *   ac: { s: "BTCUSDT", l: 25 },
 * };
 * console.log(event);
 * ```
 */
export interface AccountConfigUpdateEvent {
  /** Event type. */
  readonly e: "ACCOUNT_CONFIG_UPDATE";
  /** Time of the event. */
  readonly E: number;
  /** Time of the transaction. */
  readonly T: number;
  /** The leverage, if it has changed. */
  readonly ac?: LeverageConfig;
  /** The multi-assets mode, if it has changed. */
  readonly ai?: AssetModeConfig;
  /** Whose event it is (portfolio margin). */
  readonly fs?: "UM" | "CM";
}

/**
 * A position that needs more margin.
 *
 * @example
 * ```ts
 * import type { MarginCallPosition } from "@rawtick/binance";
 *
 * const read = ({ s, mm }: MarginCallPosition) => `${s} needs ${mm}`;
 * ```
 */
export interface MarginCallPosition {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Side of the position. */
  readonly ps: string;
  /** Amount of the position. */
  readonly pa: string;
  /** `"ISOLATED"` or `"CROSSED"`. */
  readonly mt: string;
  /** Wallet of an isolated position. */
  readonly iw?: string;
  /** Mark price. */
  readonly mp: string;
  /** Profit not realised. */
  readonly up: string;
  /** Maintenance margin that is needed. */
  readonly mm: string;
}

/**
 * Positions are at risk of liquidation.
 *
 * @example
 * ```ts
 * import type { MarginCallEvent } from "@rawtick/binance";
 *
 * const read = (event: MarginCallEvent) => event.p.map(({ s }) => s);
 * ```
 */
export interface MarginCallEvent {
  /** Event type. */
  readonly e: "MARGIN_CALL";
  /** Time of the event. */
  readonly E: number;
  /** Balance of the cross wallet, for cross positions. */
  readonly cw?: string;
  /** The positions. */
  readonly p: readonly MarginCallPosition[];
  /** Alias of the account (COIN-M). */
  readonly i?: string;
}

/**
 * The listen key has expired: no more events come on this connection.
 *
 * @example
 * ```ts
 * import type { ListenKeyExpiredEvent } from "@rawtick/binance";
 *
 * const event: ListenKeyExpiredEvent = {
 *   e: "listenKeyExpired",
 *   E: 1736996475556,
 *   listenKey: "WsCMN0a4KHUPTQuX6IUnqEZfB1inxmv1qR4kbf1LuEjur5VdbzqvyxqG9TSjVVxv",
 * };
 * console.log(event);
 * ```
 */
export interface ListenKeyExpiredEvent {
  /** Event type. */
  readonly e: "listenKeyExpired";
  /** Time of the event; a string on options. */
  readonly E: number | string;
  /** The listen key; not on portfolio margin. */
  readonly listenKey?: string;
}
