/**
 * What makes of a text what an output promises.
 *
 * @module
 */

import { normalizeMessage } from "./normalize.ts";

/**
 * The function that makes of each text of a connection what is delivered, chosen once for a stream; `undefined` if that is the
 * text itself. It throws a `SyntaxError` for what is not JSON.
 *
 * @param parsePrecisely Parses JSON without a loss of digits, for the outputs that promise that.
 */
export function parserOf(
  output: "raw" | "json" | "typed" | "normalized",
  parsePrecisely: (text: string) => unknown,
): ((text: string) => unknown) | undefined {
  switch (output) {
    case "raw":
      return undefined;
    case "json":
      // Not JSON.parse itself: it would take a second argument.
      return (text) => JSON.parse(text);
    case "typed":
      return parsePrecisely;
    case "normalized":
      return (text) => normalizeMessage(parsePrecisely(text));
  }
}
