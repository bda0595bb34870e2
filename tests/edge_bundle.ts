/**
 * What the tests run elsewhere than in their own runtime: one file of JavaScript, made by what Cloudflare's wrangler
 * bundles with.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** How to bundle. */
export interface BundleOptions {
  /** `"esm"` keeps the exports; `"iife"` is a plain script. Default: `"esm"`. */
  readonly format?: "esm" | "iife";
  /** Code that runs before everything else. Default: none. */
  readonly before?: string;
}

/**
 * The code of `entry` with everything that it imports; a module that only some runtimes have, such as `node:net`, is an
 * error.
 *
 * @throws {Error} if something can't be bundled; what esbuild says of it is in the message.
 */
export function bundle(entry: URL, { format = "esm", before = "" }: BundleOptions = {}): string {
  const { outputFiles: [file] } = buildSync({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    format,
    target: "es2022",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    banner: { js: before },
    logLevel: "silent",
    absWorkingDir: fileURLToPath(new URL("../", import.meta.url)),
  });
  if (file === undefined) throw new Error(`esbuild made nothing of ${entry.href}`);
  return file.text;
}
