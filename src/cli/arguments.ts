/**
 * Reading the numbers among the arguments.
 *
 * @module
 */

import { InvalidArgumentError } from "commander";

/** Timers take at most 2^31 - 1 ms. */
const MAX_SECONDS = 2_147_483;

/** Reads a whole number from `minimum` to `maximum`. */
export function integerArgument(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    const upTo = maximum === Number.MAX_SAFE_INTEGER ? "on" : `to ${maximum}`;
    throw new InvalidArgumentError(`Expected a whole number from ${minimum} ${upTo}.`);
  };
}

/** Reads a time in seconds, which may have a fraction. */
export function secondsArgument(text: string): number {
  const value = numberOf(text);
  if (value > 0 && value <= MAX_SECONDS) return value;
  throw new InvalidArgumentError(`Expected a number of seconds over 0, up to ${MAX_SECONDS}.`);
}

/** Reads the speed of a replay. */
export function speedArgument(text: string): number | "max" {
  if (text === "max") return text;
  const value = numberOf(text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidArgumentError('Expected a factor over 0, such as 1 or 10, or "max".');
}

/** `Number()` takes the empty text, hexadecimal numbers and white space too. */
function numberOf(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
}
