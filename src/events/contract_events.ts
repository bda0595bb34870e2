/**
 * What is traded and when, and what the exchange says of itself: the derivatives' "Websocket Market Streams".
 *
 * @module
 */

/**
 * A bracket of notional values and what leverage it allows.
 *
 * @example
 * ```ts
 * import type { LeverageBracket } from "@rawtick/binance";
 *
 * const value: LeverageBracket = { bs: 1, bnf: 0, bnc: 5000, mmr: 0.01, cf: 0, mi: 21, ma: 50 };
 * console.log(value);
 * ```
 */
export interface LeverageBracket {
  /** Its number. */
  readonly bs: number;
  /** Lowest notional value. */
  readonly bnf: number;
  /** Highest notional value. */
  readonly bnc: number;
  /** Maintenance margin ratio. */
  readonly mmr: number;
  /** Auxiliary number for a quick calculation. */
  readonly cf: number;
  /** Lowest leverage. */
  readonly mi: number;
  /** Highest leverage. */
  readonly ma: number;
}

/**
 * A contract was listed, settled, or its brackets have changed: stream `!contractInfo` (futures).
 *
 * @example
 * ```ts
 * import type { ContractInfoEvent } from "@rawtick/binance";
 *
 * const read = (event: ContractInfoEvent) => `${event.s} is ${event.cs}, ${event.bks?.length ?? 0} brackets`;
 * ```
 */
export interface ContractInfoEvent {
  /** Event type. */
  readonly e: "contractInfo";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Pair. */
  readonly ps: string;
  /** Type of the contract, such as `"PERPETUAL"`. */
  readonly ct: string;
  /** Time of the delivery. */
  readonly dt: number;
  /** Time of the listing. */
  readonly ot: number;
  /** Status of the contract, such as `"TRADING"`. */
  readonly cs: string;
  /** The brackets, if they have changed. */
  readonly bks?: readonly LeverageBracket[];
  /** 1 for USD-M, 2 for COIN-M. */
  readonly st?: number;
}

/**
 * The trading session of an underlying market: stream `tradingSession` (USD-M).
 *
 * @example
 * ```ts
 * import type { TradingSessionEvent } from "@rawtick/binance";
 *
 * const event: TradingSessionEvent = {
 *   e: "EquityUpdate",
 *   E: 1765244143062,
 *   t: 1765242000000,
 *   T: 1765270800000,
 *   S: "OVERNIGHT",
 * };
 * console.log(event);
 * ```
 */
export interface TradingSessionEvent {
  /** Event type. */
  readonly e: "EquityUpdate" | "CommodityUpdate";
  /** Time of the event. */
  readonly E: number;
  /** When the session begins. */
  readonly t: number;
  /** When the session ends. */
  readonly T: number;
  /** The session, such as `"OVERNIGHT"`. */
  readonly S: string;
}

/**
 * An option was listed: stream `!optionSymbol`.
 *
 * @example
 * ```ts
 * import type { OptionSymbolEvent } from "@rawtick/binance";
 *
 * const read = (event: OptionSymbolEvent) => `${event.s}: ${event.d} at ${event.sp}`;
 * ```
 */
export interface OptionSymbolEvent {
  /** Event type. */
  readonly e: "optionSymbol" | "OPTION_PAIR";
  /** Time of the event. */
  readonly E: number;
  /** Symbol of the option. */
  readonly s: string;
  /** Underlying. */
  readonly ps: string;
  /** Quote asset. */
  readonly qa: string;
  /** Whether it is a call or a put. */
  readonly d: "CALL" | "PUT";
  /** Strike price. */
  readonly sp: string;
  /** Time of the delivery. */
  readonly dt: number;
  /** Underlying assets that one contract stands for. */
  readonly u: number;
  /** Time of the listing. */
  readonly ot: number;
  /** Status of the contract. */
  readonly cs: string;
}

/**
 * Open interest of an option: stream `<underlying>@optionOpenInterest@<expiration>`.
 *
 * @example
 * ```ts
 * import type { OpenInterestEvent } from "@rawtick/binance";
 *
 * const read = (event: OpenInterestEvent) => Number(event.o);
 * ```
 */
export interface OpenInterestEvent {
  /** Event type. */
  readonly e: "openInterest";
  /** Time of the event. */
  readonly E: number;
  /** Symbol of the option. */
  readonly s: string;
  /** Open interest in contracts. */
  readonly o: string;
  /** Open interest in USDT. */
  readonly h: string;
}

/**
 * The exchange is about to shut this connection down; the manager replaces it in time (spot).
 *
 * @example
 * ```ts
 * import type { ServerShutdownEvent } from "@rawtick/binance";
 *
 * const event: ServerShutdownEvent = { e: "serverShutdown", E: 1770123456789 };
 * console.log(event);
 * ```
 */
export interface ServerShutdownEvent {
  /** Event type. */
  readonly e: "serverShutdown";
  /** Time of the event. */
  readonly E: number;
}
