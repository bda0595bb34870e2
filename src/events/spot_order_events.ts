/**
 * Order events of spot and margin: Binance user-data-stream.md.
 *
 * @module
 */

import type { ExactId } from "./values.ts";

/**
 * An order was accepted, changed, filled, or has ended. The average price is `Z / z`.
 *
 * @example
 * ```ts
 * import type { ExecutionReportEvent } from "@rawtick/binance";
 *
 * const event: ExecutionReportEvent = {
 *   e: "executionReport",
 *   E: 1499405658658,
 *   s: "ETHBTC",
 *   c: "mUvoqJxFIILMdfAW5iGSOW",
 *   S: "BUY",
 *   o: "LIMIT",
 *   f: "GTC",
 *   q: "1.00000000",
 *   p: "0.10264410",
 *   P: "0.00000000",
 *   F: "0.00000000",
 *   g: -1,
 *   C: "",
 *   x: "NEW",
 *   X: "NEW",
 *   r: "NONE",
 *   i: 4293153,
 *   l: "0.00000000",
 *   z: "0.00000000",
 *   L: "0.00000000",
 *   n: "0",
 *   N: null,
 *   T: 1499405658657,
 *   t: -1,
 *   v: 3,
 *   I: 8641984,
 *   w: true,
 *   m: false,
 *   M: false,
 *   O: 1499405658657,
 *   Z: "0.00000000",
 *   Y: "0.00000000",
 *   Q: "0.00000000",
 *   W: 1499405658657,
 *   V: "NONE",
 * };
 * console.log(event);
 * ```
 */
export interface ExecutionReportEvent {
  /** Event type. */
  readonly e: "executionReport";
  /** Time of the event. */
  readonly E: number;
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
  /** Stop price. */
  readonly P: string;
  /** Iceberg quantity. */
  readonly F: string;
  /** Id of the order list, -1 without one. */
  readonly g: ExactId;
  /** Client order id of the order that is cancelled. */
  readonly C: string;
  /**
   * What happened: `"NEW"`, `"CANCELED"`, `"REPLACED"`, `"REJECTED"`, `"TRADE"`, `"EXPIRED"` or `"TRADE_PREVENTION"`.
   */
  readonly x: string;
  /** Status of the order, such as `"FILLED"`. */
  readonly X: string;
  /** Why the order was rejected, or `"NONE"`. */
  readonly r: string;
  /** Id of the order. */
  readonly i: ExactId;
  /** Quantity that was filled last. */
  readonly l: string;
  /** Quantity that was filled so far. */
  readonly z: string;
  /** Price of the last fill. */
  readonly L: string;
  /** Commission. */
  readonly n: string;
  /** Asset of the commission, if there was one. */
  readonly N: string | null;
  /** Time of the transaction. */
  readonly T: number;
  /** Id of the trade, -1 without one. */
  readonly t: ExactId;
  /** Id of the execution. */
  readonly I: ExactId;
  /** Whether the order is in the book. */
  readonly w: boolean;
  /** Whether the trade was on the maker's side. */
  readonly m: boolean;
  /** To be ignored. */
  readonly M: boolean;
  /** When the order was created. */
  readonly O: number;
  /** Quote asset that was traded so far. */
  readonly Z: string;
  /** Quote asset that was traded last. */
  readonly Y: string;
  /** Quantity of the order in the quote asset. */
  readonly Q: string;
  /** When the order came into the book. */
  readonly W?: number;
  /** Mode of the self-trade prevention. */
  readonly V: string;
  /** Trailing delta. */
  readonly d?: number;
  /** Trailing time. */
  readonly D?: number;
  /** Id of the strategy. */
  readonly j?: ExactId;
  /** Type of the strategy. */
  readonly J?: number;
  /** Id of the prevented match. */
  readonly v?: ExactId;
  /** Prevented quantity. */
  readonly A?: string;
  /** Quantity that was prevented last. */
  readonly B?: string;
  /** Id of the trade group. */
  readonly u?: ExactId;
  /** Id of the counter order. */
  readonly U?: ExactId;
  /** Symbol of the counter order. */
  readonly Cs?: string;
  /** Quantity of the prevented execution. */
  readonly pl?: string;
  /** Price of the prevented execution. */
  readonly pL?: string;
  /** Quote quantity of the prevented execution. */
  readonly pY?: string;
  /** Type of the match. */
  readonly b?: string;
  /** Id of the allocation. */
  readonly a?: ExactId;
  /** Where the order is worked. */
  readonly k?: string;
  /** Whether smart order routing was used. */
  readonly uS?: boolean;
  /** Type of the pegged price. */
  readonly gP?: string;
  /** Type of the peg's offset. */
  readonly gOT?: string;
  /** The peg's offset. */
  readonly gOV?: number;
  /** Price that the peg gives. */
  readonly gp?: string;
  /** Why the order expired. */
  readonly eR?: number | string;
}

/**
 * An order of an order list.
 *
 * @example
 * ```ts
 * import type { ListedOrder } from "@rawtick/binance";
 *
 * const value: ListedOrder = { s: "ETHBTC", i: 17, c: "AJYsMjErWJesZvqlJCTUgL" };
 * console.log(value);
 * ```
 */
export interface ListedOrder {
  /** Symbol, in upper case. */
  readonly s: string;
  /** Id of the order. */
  readonly i: ExactId;
  /** Client order id. */
  readonly c: string;
}

/**
 * The status of an order list has changed.
 *
 * @example
 * ```ts
 * import type { ListStatusEvent } from "@rawtick/binance";
 *
 * const event: ListStatusEvent = {
 *   e: "listStatus",
 *   E: 1564035303637,
 *   s: "ETHBTC",
 *   g: 2,
 *   c: "OCO",
 *   l: "EXEC_STARTED",
 *   L: "EXECUTING",
 *   r: "NONE",
 *   C: "F4QN4G8DlFATFlIUQ0cjdD",
 *   T: 1564035303625,
 *   O: [
 *     { s: "ETHBTC", i: 17, c: "AJYsMjErWJesZvqlJCTUgL" },
 *     { s: "ETHBTC", i: 18, c: "bfYPSQdLoqAJeNrOr9adzq" },
 *   ],
 * };
 * console.log(event);
 * ```
 */
export interface ListStatusEvent {
  /** Event type. */
  readonly e: "listStatus";
  /** Time of the event. */
  readonly E: number;
  /** Symbol, in upper case. */
  readonly s: string;
  /** Id of the order list. */
  readonly g: ExactId;
  /** Kind of the list, such as `"OCO"`. */
  readonly c: string;
  /** Status of the list. */
  readonly l: string;
  /** Status of its orders. */
  readonly L: string;
  /** Why it was rejected, or `"NONE"`. */
  readonly r: string;
  /** Client order id of the list. */
  readonly C: string;
  /** Time of the transaction. */
  readonly T: number;
  /** Its orders. */
  readonly O: readonly ListedOrder[];
}
