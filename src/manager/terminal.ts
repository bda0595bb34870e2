/**
 * Whether what is printed goes to a terminal that wants colours.
 *
 * @module
 */

import process from "node:process";

/** Deno tells it without a permission to read the environment; absent elsewhere. */
const { Deno } = globalThis as {
  // The reason for the cast: no other runtime's types know this global.
  Deno?: { noColor: boolean };
};

/** Whether stdout is a terminal, and `NO_COLOR` (https://no-color.org) does not forbid colours. */
export function hasColors(): boolean {
  return process.stdout.isTTY === true && !(Deno?.noColor ?? (process.env.NO_COLOR ?? "") !== "");
}
