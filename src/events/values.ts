/**
 * Values that occur in many events.
 *
 * @module
 */

/**
 * An id: a number up to 2^53 - 1, and beyond that exact as a string of digits (or a bigint, if the options say so). Compare
 * ids as strings where they may be large: `String(event.i)`.
 *
 * @example
 * ```ts
 * import type { ExactId } from "@rawtick/binance";
 *
 * const ids: ExactId[] = [4293153, "8389766045290000001"];
 * console.log(ids.map(String));
 * ```
 */
export type ExactId = number | string | bigint;

/**
 * A level of an order book, as Binance sends it: price and quantity as decimals.
 *
 * @example
 * ```ts
 * import type { PriceLevel } from "@rawtick/binance";
 *
 * const level: PriceLevel = ["0.0024", "10"];
 * const [price, quantity] = level.map(Number);
 * console.log(price, quantity);
 * ```
 */
export type PriceLevel = readonly [price: string, quantity: string];
