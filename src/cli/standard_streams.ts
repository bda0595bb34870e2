/**
 * The process' stdout and stderr, written so that a slow reader is waited for without stopping everything else.
 *
 * @module
 */

import process from "node:process";
import type { CommandIo } from "./io.ts";

/** The part of Deno that is used here; absent elsewhere. */
const { Deno } = globalThis as {
  // The reason for the cast: no other runtime's types know this global.
  Deno?: { stdout: { write(bytes: Uint8Array): Promise<number> } };
};

/** Writes to the process' own streams. */
export const standardStreams: Omit<CommandIo, "signal"> = {
  write: Deno === undefined ? writeToNodeStream : (bytes) => writeToDeno(Deno.stdout, bytes),
  report: (line) => void process.stderr.write(`${line}\n`),
};

/** Deno's `process.stdout` blocks the whole process on a full pipe: no timer, no socket, no signal. This does not. */
async function writeToDeno(stdout: { write(bytes: Uint8Array): Promise<number> }, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await stdout.write(rest));
}

let isListening = false;

function writeToNodeStream(bytes: Uint8Array): Promise<void> {
  // The error comes to the callback and as an event, and an event that nobody listens to ends the process.
  if (!isListening) process.stdout.on("error", () => {});
  isListening = true;
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => error ? reject(error) : resolve());
  });
}
