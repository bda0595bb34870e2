/**
 * What Binance's events are: their types, which stream brings which, and their long names. No I/O.
 *
 * @module
 */

export type * from "./public_types.ts";
export { normalizeEvent } from "./normalize.ts";
export { parserOf } from "./parser.ts";
