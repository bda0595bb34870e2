/**
 * The ids of control messages, which are echoed as they were written: with their JSON type, and integers beyond 2^53.
 *
 * @module
 */

import type { IdRule } from "./markets.ts";

const INTEGER = /^-?\d+$/;
/** Binance web-socket-streams.md: an alphanumeric string of at most 36 characters; SDKs also send UUIDs. */
const STRING = /^"[A-Za-z0-9_-]{1,36}"$/;

/** The id to echo, as JSON text; `undefined` if the market doesn't take it. `text` is `undefined` if there is none. */
export function readId(text: string | undefined, rule: IdRule): string | undefined {
  const allowsNull = rule === "spot" || rule === "any";
  if (text === undefined || text === "null") return allowsNull ? "null" : undefined;
  if (INTEGER.test(text)) return isInRange(BigInt(text), rule) ? text : undefined;
  // Futures documents only integers, but Binance's own SDK sends strings there. Options refuse them.
  return rule !== "options" && STRING.test(text) ? text : undefined;
}

/** Spot takes int64, the others unsigned integers. */
function isInRange(value: bigint, rule: IdRule): boolean {
  const isSigned = rule === "spot" || rule === "any";
  const bits = isSigned ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  return bits === value;
}
