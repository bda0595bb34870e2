/**
 * Node: the oldest that the package promises to run on, from npm, with the probes in one file of JavaScript. Only the
 * command asks for it, no test does.
 *
 * @module
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { ROOT, run } from "../../tools/process.ts";
import { findProgram } from "../../tools/runtimes.ts";

/** The oldest one that has a WebSocket. */
export const OLDEST_NODE = 22;
/** Longest time in ms for its download. */
const FETCH_LIMIT_MS = 120_000;

/**
 * How Node runs `entry`: types and `using` are taken out, for Node 22 has neither.
 *
 * @throws {Error} if it can't be fetched.
 */
export async function nodeCommand(
  entry: string,
  major: number,
): Promise<AsyncDisposable & { readonly words: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "rawtick-node-"));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    return Promise.resolve();
  };
  try {
    const npm = findProgram("npm");
    if (npm === undefined) throw new Error("there is no npm");
    const fetched = await run([npm, "install", "--prefix", folder, "--no-audit", "--no-fund", `node@${major}`], {
      limitMs: FETCH_LIMIT_MS,
    });
    if (fetched.code !== 0) throw new Error(`Cannot fetch node ${major}: ${fetched.stderr.trim()}`);
    const outfile = join(folder, "probes.mjs");
    buildSync({
      entryPoints: [entry],
      bundle: true,
      outfile,
      format: "esm",
      target: "node22",
      platform: "node",
      // What the packages in CommonJS require of Node.
      banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
      absWorkingDir: ROOT,
      logLevel: "silent",
    });
    return { words: [join(folder, "node_modules", "node", "bin", "node"), outfile], [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
