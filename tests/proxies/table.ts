/**
 * The matrix as a table in Markdown.
 *
 * @module
 */

import type { Column, Line, MatrixResult } from "./matrix.ts";
import type { Verdict } from "./judge.ts";

const RUNTIME_NAMES = { deno: "Deno", bun: "Bun" } as const;

/** The words of a column. */
export function titleOf({ library, runtime, protocol }: Column): string {
  return `${library}, ${RUNTIME_NAMES[runtime]}, ${protocol}`;
}

/** How many cells ended how. */
export function countsOf({ lines }: MatrixResult): Readonly<Record<Verdict["outcome"], number>> {
  const counts = { ok: 0, refused: 0, direct: 0, failed: 0 };
  for (const { outcome } of lines.flatMap(({ cells }) => cells)) counts[outcome]++;
  return counts;
}

/** The table, and below it the reasons that its cells refer to. */
export function tableOf(result: MatrixResult): string[] {
  const reasons: string[] = [];
  const cell = ({ outcome, why }: Verdict): string => {
    if (outcome === "ok") return "ok";
    if (!reasons.includes(why)) reasons.push(why);
    return `${outcome} (${reasons.indexOf(why) + 1})`;
  };
  const rows = result.lines.map((line) => [...head(line), ...line.cells.map(cell)]);
  const all = [["scheme", "login", "proxy", ...result.columns.map(titleOf)], ...rows];
  const widths = (all[0] ?? []).map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
  const text = (row: readonly string[]): string =>
    `| ${row.map((word, index) => word.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  const [titles = [], ...body] = all;
  return [
    text(titles),
    text(widths.map((width) => "-".repeat(width))),
    ...body.map(text),
    "",
    ...reasons.map((reason, index) => `${index + 1}. ${reason}`),
  ];
}

function head({ row }: Line): string[] {
  return [row.scheme, row.login, row.how === "" ? row.station.name : `${row.station.name}; ${row.how}`];
}
