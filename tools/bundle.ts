/**
 * Bundles as Cloudflare's wrangler does, with esbuild: for runtimes that are not the one that bundles, and to see what a
 * door weighs.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { ROOT } from "./process.ts";

/** How to bundle. */
export interface BundleOptions {
  /** `"esm"` is a module for workerd and keeps the exports; `"iife"` is a plain script for browsers. Default: `"esm"`. */
  readonly format?: "esm" | "iife";
  /** Code that runs before everything else. Default: none. */
  readonly before?: string;
  /** Whether it is made as small as possible. Default: false. */
  readonly isMinified?: boolean;
}

/** A bundle in one file. */
export interface BundledFile {
  readonly text: string;
  readonly contents: Uint8Array;
  /** Minified bytes in the bundle of each file that is in it, by its path from the root. */
  readonly bytesByFile: ReadonlyMap<string, number>;
}

/**
 * Bundles `entry` with everything that it imports; a module that only some runtimes have, such as `node:net`, is an error.
 *
 * @throws {Error} if something can't be bundled; what esbuild says of it is in the message.
 */
export function bundled(
  entry: URL,
  { format = "esm", before = "", isMinified = false }: BundleOptions = {},
): BundledFile {
  const { outputFiles: [file], metafile: { outputs } } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [fileURLToPath(entry)],
    outfile: "bundle.js",
    bundle: true,
    write: false,
    metafile: true,
    minify: isMinified,
    format,
    target: "es2022",
    // Imports of `node:` are errors here.
    platform: "browser",
    conditions: format === "esm" ? ["workerd", "worker", "browser"] : ["browser"],
    external: ["cloudflare:*"],
    banner: { js: before },
    legalComments: "none",
    logLevel: "silent",
  });
  const [output] = Object.values(outputs);
  if (file === undefined || output === undefined) throw new Error(`esbuild made nothing of ${entry.href}`);
  const inputs = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    text: file.text,
    contents: file.contents,
    bytesByFile: new Map(inputs.map(([path, { bytesInOutput }]) => [path, bytesInOutput])),
  };
}

/** The code of a bundle. */
export function bundle(entry: URL, options: BundleOptions = {}): string {
  return bundled(entry, options).text;
}
