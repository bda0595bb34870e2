/**
 * What the demo shows: one line that moves on a terminal, a few plain lines in a pipe, and the table.
 *
 * @module
 */

import process from "node:process";

/** Narrow enough for all that stands behind it on a terminal of 80 columns. */
const BAR_WIDTH = 12;
/** Time in ms between two lines in a pipe. */
const PLAIN_INTERVAL_MS = 2_000;

/** Where one library is. */
export interface Progress {
  readonly library: string;
  readonly elapsedMs: number;
  readonly totalMs: number;
  readonly messages: number;
  readonly messagesPerSecond: number;
  /** What happened last, such as `"connection lost"`. */
  readonly event: string;
}

/** Writes progress to stderr. */
export class ProgressView {
  readonly #isTerminal = process.stderr.isTTY === true;
  #plainAt = 0;
  #lastEvent = "";

  /** Shows where a library is; `isLast` ends its line. */
  show(progress: Progress, isLast = false): void {
    if (this.#isTerminal) this.#redraw(progress, isLast);
    else this.#print(progress, isLast);
  }

  #redraw(progress: Progress, isLast: boolean): void {
    const filled = Math.round(BAR_WIDTH * Math.min(1, progress.elapsedMs / progress.totalMs));
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    // Longer than the terminal is wide, it could not be drawn over. Some terminals say that they have 0 columns.
    const line = `${progress.library.padEnd(7)}  ${bar}  ${numbers(progress)}  ${progress.event}`
      .slice(0, Math.max(20, (process.stderr.columns || 80) - 1));
    process.stderr.write(`\r\x1b[K${line}${isLast ? "\n" : ""}`);
  }

  #print(progress: Progress, isLast: boolean): void {
    const isNews = progress.event !== this.#lastEvent;
    if (!isNews && !isLast && progress.elapsedMs - this.#plainAt < PLAIN_INTERVAL_MS) return;
    this.#plainAt = progress.elapsedMs;
    this.#lastEvent = progress.event;
    process.stderr.write(
      `${progress.library.padEnd(7)}${numbers(progress)}  ${isNews ? progress.event : ""}`.trimEnd() + "\n",
    );
  }
}

function numbers({ elapsedMs, messages, messagesPerSecond }: Progress): string {
  const seconds = `${(elapsedMs / 1_000).toFixed(1)} s`;
  return `${seconds.padStart(6)}  ${grouped(messages).padStart(7)} messages  ${
    grouped(messagesPerSecond).padStart(5)
  }/s`;
}

/** A whole number with its thousands apart. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** A table as text. The first and the last column are words, the others numbers. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => (row[i] ?? "").length)));
  const lines = rows.map((row) =>
    row.map((cell, i) => {
      const width = widths[i] ?? 0;
      return i === 0 || i === columns - 1 ? cell.padEnd(width) : cell.padStart(width);
    }).join("   ").trimEnd()
  );
  const rule = widths.map((width) => "─".repeat(width)).join("   ");
  return [lines[0] ?? "", rule, ...lines.slice(1)].join("\n");
}
