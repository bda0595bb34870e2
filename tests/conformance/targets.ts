/**
 * What is tested: each library on each runtime, and how a client process of it is started.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findProgram, findRuntime } from "../../tools/runtimes.ts";
import { ROOT, run } from "../../tools/process.ts";
import type { LibraryName } from "./client_library.ts";

/** The runtimes of the suite. */
export type RuntimeName = "deno" | "bun" | "node";

/** All of them. */
export const RUNTIMES: readonly RuntimeName[] = ["deno", "bun", "node"];

/** Strips types by itself, and has a WebSocket. */
const NODE_RANGE = "^24.0.0";

/** One library on one runtime. */
export interface Target {
  readonly library: LibraryName;
  readonly runtime: RuntimeName;
}

/** The target in words. */
export function nameOf({ library, runtime }: Target): string {
  return `${library} on ${runtime}`;
}

const CLIENT = fileURLToPath(new URL("client.ts", import.meta.url));

/** What resolves the packages that the client's modules import: without JSR, the generated one. */
const CONFIG = join(ROOT, existsSync(join(ROOT, "deno.offline.json")) ? "deno.offline.json" : "deno.json");

/**
 * The command line of a client.
 *
 * @throws {Error} if the runtime is not there and can't be fetched.
 */
export async function clientCommand({ library, runtime }: Target): Promise<string[]> {
  switch (runtime) {
    case "deno":
      return [await findRuntime("deno"), "run", "-A", "--no-check", "--config", CONFIG, CLIENT, library];
    case "bun":
      return [await findRuntime("bun"), CLIENT, library];
    case "node":
      return [await findNode(), CLIENT, library];
  }
}

let node: Promise<string> | undefined;

/** Path of a Node that runs TypeScript: the one on PATH if it is recent enough, else one that npx fetches. */
function findNode(): Promise<string> {
  return node ??= (async () => {
    const onPath = findProgram("node");
    if (onPath !== undefined) {
      const { stdout } = await run([onPath, "-p", "process.versions.node"]);
      if (Number.parseInt(stdout) >= 24) return onPath;
    }
    const npx = findProgram("npx");
    const bun = process.versions["bun"] === undefined ? undefined : process.execPath;
    const fetcher = npx !== undefined ? [npx, "-y"] : bun !== undefined ? [bun, "x"] : undefined;
    if (fetcher === undefined) throw new Error(`Cannot find node ${NODE_RANGE}: install it, or npm`);
    const { code, stdout, stderr } = await run([...fetcher, `node@${NODE_RANGE}`, "-p", "process.execPath"]);
    const path = stdout.trim().split("\n").at(-1) ?? "";
    if (code !== 0 || path === "") throw new Error(`Cannot fetch node ${NODE_RANGE}: ${stderr.trim()}`);
    return path;
  })();
}
