/**
 * Why a test is skipped. Neither runner's report holds the reason that `{ skip: "…" }` gives, so it is read in the
 * source; and `t.skip()` is refused in tests, because Deno counts a test that calls it as passed.
 *
 * @module
 */

/**
 * The reason in the options of the test that is declared at `line` (from 1): the strings in the expression after
 * `skip:`, or in the declaration of the constant that it names; else the expression itself.
 */
export function skipReason(source: string, line: number): string {
  const lines = source.split("\n");
  const call = lines.slice(Math.max(0, line - 1), line + 14).join("\n");
  // Up to the next comma, brace or line that does not go on with an operator; strings may hold all of these.
  const part = /(?:"[^"]*"|'[^']*'|`[^`]*`|[^,}\n"'`])*/.source;
  const expression = new RegExp(`\\b(?:skip|todo):\\s*(${part}(?:\\n\\s*[?:&|]${part})*)`).exec(call)?.[1]?.trim();
  if (expression === undefined) return "no reason is given";
  const constant = /^[A-Za-z_$][\w$]*/.exec(expression)?.[0];
  const declaration = constant === undefined
    ? undefined
    : new RegExp(`\\b(?:const|let)\\s+${constant}\\b[^=]*=([^;]*);`).exec(source)?.[1];
  return textIn(expression) ?? textIn(declaration ?? "") ?? expression;
}

/** The longest string literal of an expression: conditions compare short ones, reasons are sentences. */
function textIn(expression: string): string | undefined {
  const texts = Array.from(expression.matchAll(/"([^"]*)"|'([^']*)'|`([^`]*)`/g), (found) => found.slice(1).join(""));
  return texts.sort((a, b) => b.length - a.length)[0];
}

/** Lines (from 1) that skip without a reason, or in a way that Deno counts as passed, or that leave other tests out. */
export function hiddenSkips(source: string): number[] {
  const hidden = /\b(?:t|test|it|describe|context)\.(?:skip|todo|only)\(|\b(?:skip|todo|only):\s*true\b/;
  return source.split("\n").flatMap((text, index) => hidden.test(text) ? [index + 1] : []);
}
