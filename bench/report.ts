/**
 * The tables: every side with its medians, and how "native" compares with it.
 *
 * @module
 */

import type { Case } from "./cases.ts";
import type { Measured } from "./rounds.ts";
import type { Row } from "./rows.ts";
import { compare, type Measure, median, medianRow } from "./statistics.ts";

/** A table with its heading. */
export interface Table {
  readonly title: string;
  /** The head first. */
  readonly cells: readonly (readonly string[])[];
}

/** A case with what was measured. */
export interface Result {
  readonly case: Case;
  readonly measured: readonly Measured[];
}

/** From this part of a core on, somebody is busy all the time. */
const FULLY_BUSY = 0.9;

const HEADS = {
  stream: ["scenario", "bytes", "side", "msgs/s", "CPU µs/msg", "busy: client", "server", "native / it", "CPU"],
  echo: ["size", "side", "round trips/s", "p50 µs", "p99 µs", "CPU µs", "native / it", "p99"],
  idle: ["connections", "side", "KB/connection", "native / it"],
};

/** One table for each kind of traffic, with or without TLS. */
export function tablesOf(results: readonly Result[]): Table[] {
  const groups = Map.groupBy(results, ({ case: { kind, tls, pattern } }) => {
    const scheme = tls ? "wss" : "ws";
    if (kind !== "stream") return `${kind}, ${scheme}`;
    return `${scheme}, ${pattern === "batch" ? "about 100 KB in each write of the server" : "one frame in each write"}`;
  });
  return [...groups].map(([title, group]) => {
    const kind = group[0]?.case.kind ?? "stream";
    return { title, cells: [HEADS[kind], ...group.flatMap((result) => rowsOf(result))] };
  });
}

/** The "native" that a side is compared with: of the same runtime, or else of any; in the same mode, or else in the nearest. */
function nativeFor(result: Result, { entrant: { side, mode, output } }: Measured): Measured | undefined {
  const natives = result.measured.filter(({ entrant }) => entrant.side.library === "native");
  const score = ({ entrant }: Measured) =>
    (entrant.mode === mode ? 4 : 0) + (entrant.output === output ? 2 : 0) +
    (entrant.side.runtime === side.runtime ? 1 : 0);
  return natives.sort((a, b) => score(b) - score(a))[0];
}

/** The lines of one case, a line for each side that was measured. */
function rowsOf(result: Result): string[][] {
  return result.measured.flatMap((measured) => {
    const row = medianRow(measured);
    if (row === undefined) return [];
    const native = nativeFor(result, measured);
    const columns = COLUMNS[result.case.kind];
    return [columns({ result, measured, row, native: native === measured ? undefined : native })];
  });
}

/** What a line is made of. */
interface Line {
  readonly result: Result;
  readonly measured: Measured;
  readonly row: Row;
  /** The "native" to compare with; undefined for itself. */
  readonly native: Measured | undefined;
}

const COLUMNS: Readonly<Record<Case["kind"], (line: Line) => string[]>> = {
  stream(line) {
    const { result, measured, row } = line;
    const client = row.cpuMicrosPerMessage * row.msgsPerSecond / 1e6;
    const server = median(measured.rounds.map(({ serverBusy = 0 }) => serverBusy));
    // Then the rate is the server's: only the CPU says something about the client.
    const mark = server >= FULLY_BUSY && client < FULLY_BUSY ? " !" : "";
    return [
      result.case.scenario,
      grouped(row.bytes / row.messages),
      sideOf(line),
      grouped(row.msgsPerSecond),
      significant(row.cpuMicrosPerMessage),
      percent(client),
      percent(server) + mark,
      ratioOf(line, "msgsPerSecond"),
      ratioOfMedians(line, "cpuMicrosPerMessage"),
    ];
  },
  echo(line) {
    const { result, row } = line;
    return [
      result.case.scenario,
      sideOf(line),
      grouped(row.msgsPerSecond),
      significant(row.p50Micros ?? 0),
      significant(row.p99Micros ?? 0),
      significant(row.cpuMicrosPerMessage),
      ratioOf(line, "msgsPerSecond"),
      ratioOfMedians(line, "p99Micros"),
    ];
  },
  idle(line) {
    const kilobytes = (line.row.bytesPerConnection ?? 0) / 1024;
    return [grouped(line.row.messages), sideOf(line), kilobytes.toFixed(1), ratioOf(line, "bytesPerConnection")];
  },
};

function sideOf({ measured: { entrant: { side, mode, output } } }: Line): string {
  return mode === "manager" ? `${side.title}, manager ${output}` : side.title;
}

function ratioOf({ native, measured }: Line, measure: Measure): string {
  if (native === undefined) return "";
  const { ofMedians, pairwise, wins, rounds } = compare(native, measured, measure);
  return `${ofMedians.toFixed(2)} (${pairwise.toFixed(2)}, ${wins}/${rounds})`;
}

function ratioOfMedians({ native, measured }: Line, measure: Measure): string {
  return native === undefined ? "" : compare(native, measured, measure).ofMedians.toFixed(2);
}

function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function significant(value: number): string {
  return value >= 100 ? grouped(value) : value.toPrecision(3);
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

const isNumeric = (cell: string) => /^[\d.,]+( [%!]+)*( .*)?$/.test(cell) && !/[a-z]/.test(cell);

/** The table as text for a terminal. */
export function asText({ title, cells }: Table): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return isNumeric(cell) ? cell.padStart(width) : cell.padEnd(width);
    }).join("  ").trimEnd()
  );
  return `${title}\n${lines.join("\n")}\n`;
}

/** The table as Markdown. */
export function asMarkdown({ title, cells: [head = [], ...rows] }: Table): string {
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const alignment = head.map((_, column) => rows.every((row) => isNumeric(row[column] || "0")) ? "---:" : "---");
  return `### ${title}\n\n${[line(head), line(alignment), ...rows.map(line)].join("\n")}\n`;
}
