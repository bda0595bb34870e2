/**
 * Preloaded into `deno test`: writes down uncaught errors and unhandled rejections, one JSON string a line, into the
 * file that `RAWTICK_UNCAUGHT_ERRORS` names.
 *
 * Deno's `node:test` prevents the default of both events, so that a test file which throws in a timer, in a promise
 * that nobody awaits or even at its top level passes (Deno 2.9; denoland/deno#33749). Bun fails the test.
 *
 * @module
 */

import { appendFileSync } from "node:fs";
import process from "node:process";

/** Where the listeners of Deno's `node:test` are, in a stack. */
const NODE_TEST = "ext:deno_node/testing";

/** Writes the error down, unless code other than `node:test` has prevented the event's default: a test that expects it. */
function watch(event: Event, error: unknown): void {
  let isExpected = false;
  Object.defineProperty(event, "preventDefault", {
    value: () => {
      isExpected ||= !(new Error().stack ?? "").includes(NODE_TEST);
      Event.prototype.preventDefault.call(event);
    },
  });
  queueMicrotask(() => {
    const file = process.env["RAWTICK_UNCAUGHT_ERRORS"];
    if (isExpected || file === undefined) return;
    const text = error instanceof Error ? error.stack ?? String(error) : String(error);
    appendFileSync(file, JSON.stringify(text) + "\n");
  });
}

globalThis.addEventListener("error", (event) => watch(event, event.error));
globalThis.addEventListener("unhandledrejection", (event) => watch(event, event.reason));
