/**
 * How a report is printed.
 *
 * @module
 */

import * as z from "zod/mini";
import { checkedOptions, flag } from "../base/mod.ts";

/**
 * How a report is printed.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type PrintOptions } from "@rawtick/binance";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const options: PrintOptions = { colors: false, print: false };
 * await using manager = new BinanceWebSocketApiManager();
 * assertStringIncludes(manager.printSummary(options), "binance.com");
 * ```
 */
export interface PrintOptions {
  /** Whether with the colours of a terminal. Default: if stdout is one, and `NO_COLOR` does not forbid it; false on the edge. */
  readonly colors?: boolean;
  /** Takes the text; false for nothing but the result of the call. Default: `console.log`. */
  readonly print?: ((text: string) => void) | false;
}

const schema = z.strictObject({
  colors: flag,
  print: z.optional(
    z.custom<PrintOptions["print"]>((value) => typeof value === "function" || value === false, "a function or false"),
  ),
}, "an object");

/**
 * Prints what `make` makes, and returns it.
 *
 * @throws {InvalidOptionsError} if the options can't be used.
 */
export function printText(
  options: PrintOptions,
  hasColors: () => boolean,
  make: (colors: boolean) => string,
): string {
  const { colors, print = (text) => console.log(text) } = checkedOptions<PrintOptions>(
    schema,
    options,
    Object.keys(schema.shape),
  );
  const text = make(colors ?? hasColors());
  if (print !== false) print(text);
  return text;
}
