/**
 * The cells as tables in Markdown, and back: what a document says can be compared with what was measured.
 *
 * @module
 */

import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { FEATURES, GROUPS } from "./features.ts";
import type { Feature, Line, Verdict } from "./probe.ts";
import { LIBRARIES, type Run, type RuntimeName, RUNTIMES } from "./runs.ts";

const NAMES = { deno: "Deno", bun: "Bun", node: "Node", workerd: "workerd", chromium: "Chromium" } as const;

/** A column: a library on a runtime. */
export interface Column {
  readonly library: WebSocketLibrary;
  readonly runtime: RuntimeName;
}

/** The columns, in the order of the table. */
export const COLUMNS: readonly Column[] = LIBRARIES.flatMap((library) =>
  RUNTIMES.map((runtime) => ({ library, runtime }))
);

/** The rows of the short table in the README. */
const SHORT = [
  "door-edge",
  "door-main",
  "wss",
  "tls.ca",
  "headers",
  "ping",
  "pause",
  "deflate",
  "maxMessageBytes",
  "frames",
  "status-ws",
  "status-wss",
  "retry-after",
  "proxy-socks5",
  "unanswered-close",
  "stream",
  "signed-ed25519",
  "user-data",
  "listen-key",
  "tap-sse",
  "tap-websocket",
];

/** The head of a column. */
export function titleOf({ library, runtime }: Column): string {
  return `${library}, ${NAMES[runtime]}`;
}

/** What a cell says, with its reason if it has one. */
export function textOf({ outcome, why }: Verdict): string {
  return why === "" ? outcome : `${outcome}: ${why}`;
}

type Cells = ReadonlyMap<string, Verdict>;
const keyOf = (feature: string, column: Column): string => `${feature} ${titleOf(column)}`;

function cellsOf(runs: readonly Run[]): Cells {
  return new Map(
    runs.flatMap(({ runtime, lines }) =>
      lines.map((line) => [keyOf(line.feature, { library: line.library, runtime }), line] as const)
    ),
  );
}

/** The tables of all groups, and the reasons that their cells refer to. */
export function tablesOf(runs: readonly Run[]): string[] {
  const cells = cellsOf(runs);
  const reasons: string[] = [];
  const cell = (feature: Feature, column: Column): string => {
    const verdict = cells.get(keyOf(feature.id, column));
    if (verdict === undefined) return "not run";
    if (verdict.why === "") return verdict.outcome;
    if (!reasons.includes(verdict.why)) reasons.push(verdict.why);
    return `${verdict.outcome} (${reasons.indexOf(verdict.why) + 1})`;
  };
  const tables = GROUPS.flatMap(([title, features]) => [
    `### ${title}`,
    "",
    ...tableOf(["", ...COLUMNS.map(titleOf)], features.map((row) => [row.title, ...COLUMNS.map((c) => cell(row, c))])),
    "",
  ]);
  return [...tables, "### Reasons", "", ...reasons.map((reason, index) => `${index + 1}. ${reason}`)];
}

/** The short table of the README: without the columns of "native" where there are no raw sockets, and without reasons. */
export function shortTableOf(cells: Cells): string[] {
  const columns = COLUMNS.filter(({ library, runtime }) =>
    library === "builtin" || (runtime !== "workerd" && runtime !== "chromium")
  );
  const rows = SHORT.map((id) => FEATURES.find((feature) => feature.id === id)).filter((row) => row !== undefined);
  return tableOf(
    ["", ...columns.map(titleOf)],
    rows.map((
      { id, title },
    ) => [title, ...columns.map((column) => cells.get(keyOf(id, column))?.outcome ?? "not run")]),
  );
}

/** The same from runs. */
export function shortTable(runs: readonly Run[]): string[] {
  return shortTableOf(cellsOf(runs));
}

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = titles.map((_, index) => Math.max(3, ...[titles, ...rows].map((row) => row[index]?.length ?? 0)));
  const text = (row: readonly string[]): string =>
    `| ${row.map((word, index) => word.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [text(titles), text(widths.map((width) => "-".repeat(width))), ...rows.map(text)];
}

/** The cells that a document with {@linkcode tablesOf} has. */
export function readCells(document: string): Cells {
  const reasons = new Map(
    Array.from(document.matchAll(/^(\d+)\. (.*(?:\n {2,}.*)*)$/gm), ([, number = "", text = ""]) => {
      // The formatter breaks long lines.
      return [number, text.replaceAll(/\s+/g, " ")] as const;
    }),
  );
  const ids = new Map(FEATURES.map(({ id, title }) => [title, id]));
  const cells = new Map<string, Verdict>();
  for (const row of document.matchAll(/^\| (.*) \|$/gm)) {
    const [title = "", ...words] = (row[1] ?? "").split("|").map((word) => word.trim());
    const id = ids.get(title);
    if (id === undefined || words.length !== COLUMNS.length) continue;
    for (const [index, column] of COLUMNS.entries()) {
      const [, outcome = "", number] = /^(.*?)(?: \((\d+)\))?$/.exec(words[index] ?? "") ?? [];
      // The cast: what is no outcome is equal to none.
      const verdict = { outcome, why: number === undefined ? "" : reasons.get(number) ?? "" } as Verdict;
      cells.set(keyOf(id, column), verdict);
    }
  }
  return cells;
}

/** Where a document differs from a run: `feature, column: what the document says, what was measured`. */
export function differences(cells: Cells, { runtime, lines }: Run): string[] {
  return lines.flatMap((line: Line) => {
    const column: Column = { library: line.library, runtime };
    const said = cells.get(keyOf(line.feature, column));
    const measured = textOf(line);
    const documented = said === undefined ? "nothing" : textOf(said);
    return documented === measured
      ? []
      : [`${line.feature}, ${titleOf(column)}: the document says "${documented}", measured "${measured}"`];
  });
}
