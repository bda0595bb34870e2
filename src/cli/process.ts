/**
 * The commands as a process: signals, exit code.
 *
 * @module
 */

import { constants } from "node:os";
import process from "node:process";
import { systemClock } from "../base/mod.ts";
import { main } from "./main.ts";
import { standardStreams } from "./standard_streams.ts";

/** Signals that ask for a clean end. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** One keypress can reach us more than once, from the terminal and from a task runner above us. */
const SAME_KEYPRESS_MS = 500;

/**
 * Runs the command that the process' arguments name, and ends the process with its exit code. Ctrl-C and SIGTERM bring
 * the command to a clean end; a second one, if stdout is stuck, ends it where it is.
 */
export async function runProcess(): Promise<never> {
  const ending = new AbortController();
  let askedAt = Infinity;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const now = systemClock.monotonic();
      if (now - askedAt > SAME_KEYPRESS_MS) process.exit(128 + constants.signals[signal]);
      if (askedAt === Infinity) askedAt = now;
      ending.abort();
    });
  }
  // Whoever closed stderr does not want to read it.
  process.stderr.on("error", () => {});
  process.exit(await main(process.argv.slice(2), { ...standardStreams, signal: ending.signal }));
}
