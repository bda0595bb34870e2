/**
 * What passed, failed and was skipped, and how that is told.
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { ROOT } from "./process.ts";

/** Lines of a long message that are shown: most errors are at the beginning, crashes and hangs at the end. */
const FIRST_LINES = 25;
const LAST_LINES = 15;

/** Something that failed. */
export interface Failure {
  readonly name: string;
  /** What failed, with a stack or with what was printed. */
  readonly message: string;
}

/** Collects results, prints them as they come, and sums them up. */
export class Report {
  #passed = 0;
  readonly #failures: Failure[] = [];
  readonly #skips: { readonly name: string; readonly reason: string }[] = [];

  /** How many passed, failed and were skipped so far. */
  get counts(): { readonly passed: number; readonly failed: number; readonly skipped: number } {
    return { passed: this.#passed, failed: this.#failures.length, skipped: this.#skips.length };
  }

  /** The failures so far, in their order. */
  get failures(): readonly Failure[] {
    return this.#failures;
  }

  /** Counts something that passed. */
  pass(): void {
    this.#passed++;
  }

  /** Counts something that failed. */
  fail(name: string, message: string): void {
    this.#failures.push({ name, message });
  }

  /** Counts something that was not run. */
  skip(name: string, reason: string): void {
    this.#skips.push({ name, reason });
  }

  /** Runs `step` and prints one line with what it added to the counts. */
  async step(name: string, step: () => Promise<void>): Promise<void> {
    const before = [this.#passed, this.#failures.length, this.#skips.length] as const;
    const started = performance.now();
    try {
      await step();
    } catch (error) {
      this.fail(name, error instanceof Error ? error.message : String(error));
    }
    const failures = this.#failures.slice(before[1]);
    const counts = countsOf(this.#passed - before[0], failures.length, this.#skips.length - before[2]);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${failures.length === 0 ? "ok  " : "FAIL"} ${name}: ${counts} (${seconds} s)`);
    for (const failure of failures) {
      if (failure.name !== name) console.log(`     ${failure.name}`);
      console.log(shorten(failure.message).replaceAll(/^(?=.)/gm, "       "));
    }
  }

  /** Prints the summary, whose last line is the counts, and returns the exit code. */
  finish(): number {
    if (this.#skips.length > 0) {
      console.log("\nSkipped:");
      for (const { name, reason } of this.#skips) console.log(`  ${name}: ${reason}`);
    }
    if (this.#failures.length > 0) {
      console.log("\nFailed:");
      for (const { name } of this.#failures) console.log(`  ${name}`);
    }
    const nothing = this.#passed + this.#failures.length === 0;
    if (nothing) console.log("\nNothing was run");
    console.log(`\n${countsOf(this.#passed, this.#failures.length + (nothing ? 1 : 0), this.#skips.length)}`);
    return this.#failures.length > 0 || nothing ? 1 : 0;
  }
}

function countsOf(passed: number, failed: number, skipped: number): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** The beginning and the end of a long message, with paths relative to the repository. */
function shorten(message: string): string {
  const lines = relative(message).trim().split("\n");
  const hidden = lines.length - FIRST_LINES - LAST_LINES;
  if (hidden <= 0) return lines.join("\n");
  return [...lines.slice(0, FIRST_LINES), `… ${hidden} more lines …`, ...lines.slice(-LAST_LINES)].join("\n");
}

/** Replaces absolute paths and file URLs of the repository by relative paths. */
export function relative(text: string): string {
  return text.replaceAll(pathToFileURL(ROOT).href, "").replaceAll(ROOT, "");
}

/** What a Deno program printed, without its progress and without the backtrace of a binary that has no symbols. */
export function withoutNoise(output: string): string {
  return output.replaceAll(/^(?:Check|Download) .*\n/gm, "").replace(/\n+Stack backtrace:\n(\s+\d+: .*\n?)+/, "\n")
    .trim();
}
