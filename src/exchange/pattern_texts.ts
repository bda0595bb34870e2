/**
 * All texts that a pattern matches, for those patterns that are lists of them in short.
 *
 * @module
 */

/** What stands in these texts for six digits, which are a date. */
const DATE = "<yymmdd>";

/**
 * All texts that match a pattern of literals, `(…|…)`, `?`, escaped characters and `\d{6}`, between `^` and `$`. The date of
 * the last one is {@linkcode DATE}.
 */
export function textsOf({ source }: RegExp): string[] {
  let at = 1;
  const alternatives = (): string[] => {
    const texts = sequence();
    while (source[at] === "|") {
      at++;
      texts.push(...sequence());
    }
    return texts;
  };
  const sequence = (): string[] => {
    let texts = [""];
    for (let char = source[at]; char !== undefined && !"|)$".includes(char); char = source[at]) {
      let next = [char];
      at++;
      if (char === "(") {
        next = alternatives();
        at++;
      } else if (source.startsWith("d{6}", at) && char === "\\") {
        next = [DATE];
        at += "d{6}".length;
      } else if (char === "\\") next = [source[at++] ?? ""];
      if (source[at] === "?") {
        next = ["", ...next];
        at++;
      }
      texts = texts.flatMap((text) => next.map((more) => text + more));
    }
    return texts;
  };
  return alternatives();
}
