/**
 * The result of a whole run as a document.
 *
 * @module
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "../../tools/process.ts";
import { findRuntime } from "../../tools/runtimes.ts";
import { categories, type Category } from "./cases/mod.ts";
import type { CaseResult, TargetResult } from "./suite.ts";
import { nameOf } from "./targets.ts";

type Outcome = CaseResult["outcome"];

/** Writes the document, formatted like all others. */
export async function writeMarkdown(file: string, results: readonly TargetResult[]): Promise<void> {
  const path = join(ROOT, file);
  writeFileSync(path, documentOf(results));
  const outcome = await run([await findRuntime("deno"), "fmt", "--no-config", "--line-width=120", path]);
  if (outcome.code !== 0) throw new Error(`Cannot format ${file}: ${outcome.stderr.trim()}`);
}

function documentOf(results: readonly TargetResult[]): string {
  return [
    "# Conformance",
    "",
    "Written by `deno task conformance --markdown`; do not edit. The suite and its cases are in `tests/conformance`.",
    "",
    `A fuzzing server with a frame encoder of its own sends valid and broken bytes, and each library, in a process of its
own, sends every message back. A case says what must be on the wire (echoes, pongs, the Close frame with its code, the
end of TCP) and what the listener must be told, each exactly once. Categories 1 to 13 have the numbers of the
[Autobahn test suite](https://github.com/crossbario/autobahn-testsuite); 20 to 22 are ours.`,
    "",
    "`deno task conformance --verbose` says what the server does in each case; `--cases 6.4,7.1.3` runs only some of them.",
    "",
    `- **strict**: as RFC 6455 wants it, the recommendations (SHOULD) included.
- **allowed**: another outcome that the RFC lets pass; see [below](#allowed).
- **deviates**: not as the RFC wants it, listed [below](#deviations) and asserted: the suite fails when one disappears.
- **skipped**: can't be run on that target.`,
    "",
    "## Result",
    "",
    ...table(
      ["", ...results.map(({ target, runtime }) => `${target.library}, ${runtime || `${target.runtime}: not run`}`)],
      [
        ...categories.map((category) => [
          `${category.number} ${category.title}`,
          ...results.map((result) => cell(casesOf(result, category))),
        ]),
        ["**all**", ...results.map(({ cases }) => `**${cell(cases)}**`)],
      ],
    ),
    "",
    ...failuresOf(results),
    "## Deviations",
    "",
    ...byReason(results, "deviates", "differs in"),
    "## Allowed",
    "",
    ...byReason(results, "allowed", "took this way in"),
    "## Skipped",
    "",
    ...byReason(results, "skipped", "did not run"),
  ].join("\n");
}

function casesOf(result: TargetResult, { cases }: Category): CaseResult[] {
  const ids = new Set(cases.map(({ id }) => id));
  return result.cases.filter(({ id }) => ids.has(id));
}

/** `32`, or `145 + 22 allowed + 2 deviate`. */
function cell(cases: readonly CaseResult[]): string {
  const count = (wanted: Outcome): number => cases.filter(({ outcome }) => outcome === wanted).length;
  const strict = count("strict");
  const rest =
    ([["allowed", "allowed"], ["deviates", "deviate"], ["skipped", "skipped"], ["failed", "FAILED"]] as const)
      .flatMap(([outcome, word]) => count(outcome) === 0 ? [] : [`${count(outcome)} ${word}`]);
  return [...(strict > 0 || rest.length === 0 ? [`${strict}`] : []), ...rest].join(" + ");
}

function failuresOf(results: readonly TargetResult[]): string[] {
  const failed = results.flatMap(({ target, cases, faults }) => [
    ...cases.filter(({ outcome }) => outcome === "failed").map(({ id, title, why = "" }) =>
      `- ${nameOf(target)}, ${id} ${title}: ${escaped(why.replaceAll("\n", "; "))}`
    ),
    ...faults.map((fault) => `- ${escaped(fault)}`),
  ]);
  return failed.length === 0 ? [] : ["## Failed", "", ...failed, ""];
}

/** A list for each target, with an item for each reason. */
function byReason(results: readonly TargetResult[], wanted: Outcome, words: string): string[] {
  const parts = results.flatMap(({ target, cases }) => {
    const chosen = cases.filter(({ outcome }) => outcome === wanted);
    if (chosen.length === 0) return [];
    const items = [...Map.groupBy(chosen, ({ why = "" }) => why)].map(([why, list]) =>
      `- ${escaped(why)}: ${selectorsOf(new Set(list.map(({ id }) => id))).join(", ")}`
    );
    return [`**${nameOf(target)}** ${words} ${chosen.length} of ${cases.length} cases:`, "", ...items, ""];
  });
  return parts.length === 0 ? ["None.", ""] : parts;
}

/** Cases in few words: `3` and `6.4` for whole categories and groups, `9.9.3 to 9.9.6` for neighbours. */
function selectorsOf(ids: ReadonlySet<string>): string[] {
  return categories.flatMap(({ number, cases }) => {
    const all = cases.map(({ id }) => id);
    if (all.every((id) => ids.has(id))) return [String(number)];
    return [...Map.groupBy(all, groupOf)].flatMap(([group, members]) => {
      if (group !== String(number) && members.every((id) => ids.has(id))) return [group];
      return ranges(members.map((id) => ids.has(id) ? id : undefined));
    });
  });
}

function groupOf(id: string): string {
  return id.slice(0, id.lastIndexOf("."));
}

/** The stretches between the gaps. */
function ranges(ids: readonly (string | undefined)[]): string[] {
  const stretches: string[][] = [[]];
  for (const id of ids) {
    if (id === undefined) stretches.push([]);
    else stretches.at(-1)?.push(id);
  }
  return stretches.filter(({ length }) => length > 0).map((stretch) =>
    stretch.length === 1 ? `${stretch[0]}` : `${stretch[0]} to ${stretch.at(-1)}`
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** What Markdown would take for markup in the words of a case. */
function escaped(text: string): string {
  return text.replaceAll(/[|<>*_\[\]\\]/g, (found) => `\\${found}`);
}
