/**
 * Finds the programs that the tasks run: Deno, Bun, npm and npx.
 *
 * @module
 */

import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { ROOT, run } from "./process.ts";
import { readState, writeState } from "./state.ts";

/** Versions that npx fetches where a runtime is not installed. */
const RANGES = { deno: "^2.9.0", bun: "^1.4.0" } as const;

/** A JavaScript runtime that runs the suite. */
export type Runtime = keyof typeof RANGES;

/** The runtime that runs this code. */
export const currentRuntime: Runtime = process.versions["bun"] === undefined ? "deno" : "bun";

/** What prints a runtime's own path. */
const PATH_SCRIPT = {
  deno: ["eval", "console.log(Deno.execPath())"],
  bun: ["-e", "console.log(process.execPath)"],
} as const;

/**
 * Path of a runtime's binary: this process' own, else the one on PATH, else the one that npx installs in its cache.
 *
 * @throws {Error} if there is none and none can be fetched.
 */
export async function findRuntime(runtime: Runtime): Promise<string> {
  if (runtime === currentRuntime) return process.execPath;
  const onPath = findProgram(runtime);
  if (onPath !== undefined) return onPath;
  const known = readState()[runtime];
  if (known !== undefined && known.range === RANGES[runtime] && existsSync(known.path)) return known.path;

  const spec = `${runtime}@${RANGES[runtime]}`;
  const npx = findProgram("npx");
  const command = npx === undefined ? [process.execPath, "x", spec] : [npx, "-y", spec];
  if (npx === undefined && currentRuntime !== "bun") {
    throw new Error(`Cannot find ${runtime}: install it, or Node.js with npx`);
  }
  console.error(`Fetching ${spec} through ${npx === undefined ? "bun x" : "npx"}`);
  const outcome = await run([...command, ...PATH_SCRIPT[runtime]]);
  const path = outcome.stdout.trim().split("\n").at(-1) ?? "";
  if (outcome.code !== 0 || !existsSync(path)) {
    throw new Error(`Cannot fetch ${spec}: ${outcome.stderr.trim() || `"${path}" is not a file`}`);
  }
  writeState({ [runtime]: { range: RANGES[runtime], path } });
  return path;
}

/** Path of a program on PATH; the project's own `node_modules/.bin` does not count. */
export function findProgram(name: string): string | undefined {
  const own = resolve(ROOT, "node_modules", ".bin");
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (folder === "" || resolve(folder) === own) continue;
    for (const ending of endings) {
      const path = join(folder, name + ending);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not there: the next one.
      }
    }
  }
  return undefined;
}
