/**
 * Writes stand-ins for the `@std` packages into `node_modules`, for machines that can't reach JSR: `@std/assert` and
 * `@std/async` re-export the npm copy of the real code (`deno-std`), `@std/log` is written in `standins/log.js`.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./process.ts";
import { writeState } from "./state.ts";
import { writeStdPackage } from "./std_package.ts";

/** The entries of `@std/async` that have typings here; each is also one file of `deno-std`. */
const ASYNC = ["abortable", "deadline", "debounce", "delay", "pool", "retry"] as const;
/** The files of `deno-std/assert` that are re-exported: what `standins/assert.d.ts` declares. */
const ASSERT = [
  "almost_equals",
  "array_includes",
  "assert",
  "assertion_error",
  "equal",
  "equals",
  "exists",
  "fail",
  "false",
  "greater",
  "greater_or_equal",
  "instance_of",
  "is_error",
  "less",
  "less_or_equal",
  "match",
  "not_equals",
  "not_instance_of",
  "not_match",
  "not_strict_equals",
  "object_match",
  "rejects",
  "strict_equals",
  "string_includes",
  "throws",
  "unimplemented",
  "unreachable",
] as const;

/**
 * Writes the packages.
 *
 * @returns The URL of the typings of each entry, such as `@std/async/delay`.
 */
export function writeStandIns(): Record<string, string> {
  writeState({ bundles: "" });
  return {
    ...writeStdPackage("@std/assert", ["mod"], {
      "mod.js": ASSERT.map((file) => `export * from "deno-std/assert/${file}.js";\n`).join(""),
      "mod.d.ts": standIn("assert.d.ts"),
    }),
    ...writeStdPackage("@std/async", ["mod", ...ASYNC], asyncFiles()),
    ...writeStdPackage("@std/log", ["mod"], { "mod.js": standIn("log.js"), "mod.d.ts": standIn("log.d.ts") }),
  };
}

/** deno-std's own async/mod.js imports a folder that does not exist, so every file is re-exported by itself. */
function asyncFiles(): Record<string, string> {
  const files: Record<string, string> = {
    "mod.js": ASYNC.map((entry) => `export * from "./${entry}.js";\n`).join(""),
    "mod.d.ts": ASYNC.map((entry) => `export * from "./${entry}.d.ts";\n`).join(""),
  };
  for (const entry of ASYNC) {
    files[`${entry}.js`] = `export * from "deno-std/async/${entry}.js";\n`;
    files[`${entry}.d.ts`] = standIn(`async/${entry}.d.ts`);
  }
  return files;
}

function standIn(file: string): string {
  return readFileSync(join(ROOT, "tools", "standins", file), "utf8");
}
