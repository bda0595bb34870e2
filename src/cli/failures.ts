/**
 * How a command fails: the exit codes, and the one line that says why.
 *
 * @module
 */

import { InvalidOptionsError, RawtickError } from "../base/mod.ts";

/** Everything went as asked. */
export const EXIT_OK = 0;
/** Something failed while the command ran. */
export const EXIT_FAILED = 1;
/** The arguments can't be used; nothing was done. */
export const EXIT_USAGE = 2;

/** The arguments can't be used, for a reason that neither commander nor the manager knows. */
export class UsageError extends Error {}

/** Something that the command needs has failed: a stream, a file, a port. */
export class CommandFailedError extends Error {}

/** What the manager calls its options, and what they are called here. */
const FLAGS: Readonly<Record<string, string>> = {
  websocketLibrary: "--library",
  websocketBaseUrl: "--url",
  exchange: "--exchange",
  proxy: "--proxy",
  streams: "<stream...>",
};

/** The exit code and the line for what a command threw. */
export function describeFailure(error: unknown): { readonly code: number; readonly line: string } {
  if (error instanceof InvalidOptionsError) {
    return { code: EXIT_USAGE, line: error.errors.map(({ message }) => inFlags(message)).join("; ") };
  }
  if (error instanceof UsageError) return { code: EXIT_USAGE, line: error.message };
  const isExpected = error instanceof CommandFailedError || error instanceof RawtickError;
  // What nobody expected is a bug: its stack is worth more than a tidy line.
  const line = error instanceof Error ? (isExpected ? error.message : error.stack ?? error.message) : String(error);
  return { code: EXIT_FAILED, line };
}

/** Writes flags where a message names options in back-ticks. */
function inFlags(message: string): string {
  return message.replace(/`(\w+)`/g, (quoted, name: string) => Object.hasOwn(FLAGS, name) ? `${FLAGS[name]}` : quoted);
}
