/**
 * What a door weighs for those who bundle it: its bundle, and what fills it.
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { bundled } from "./bundle.ts";
import { ROOT } from "./process.ts";

/** One part of a bundle. */
export interface BundlePart {
  /** A folder of this repository, or the name of a package. */
  readonly name: string;
  /** Minified bytes in the bundle. */
  readonly bytes: number;
}

/** A bundle. */
export interface Bundle {
  /** The door, such as `edge.ts`. */
  readonly entry: string;
  /** Minified bytes. */
  readonly bytes: number;
  /** Bytes once gzipped, level 9. */
  readonly gzipped: number;
  /** What fills it, the largest first. */
  readonly parts: readonly BundlePart[];
  /** The source files in it, relative to the root. */
  readonly files: readonly string[];
}

/**
 * Bundles a door, as small as possible.
 *
 * @param entry File name of the door, such as `edge.ts`.
 * @throws {Error} if it can't be bundled for a platform that has nothing but web standards.
 */
export function bundleOf(entry: string): Bundle {
  const { contents, bytesByFile } = bundled(new URL(entry, pathToFileURL(ROOT)), { isMinified: true });
  const sizes = new Map<string, number>();
  for (const [path, bytes] of bytesByFile) sizes.set(partOf(path), (sizes.get(partOf(path)) ?? 0) + bytes);
  return {
    entry,
    bytes: contents.length,
    gzipped: gzipSync(contents, { level: 9 }).length,
    parts: Array.from(sizes, ([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes),
    files: [...bytesByFile.keys()],
  };
}

/** `zod` of `node_modules/zod/v4/core/util.js`, `src/stream` of `src/stream/link.ts`. */
function partOf(path: string): string {
  const packageName = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1];
  return packageName ?? path.split("/").slice(0, 2).join("/");
}

/** The bundle as a table: part, minified bytes, share. */
export function bundleTable({ entry, bytes, gzipped, parts }: Bundle): string {
  const rest = bytes - parts.reduce((sum, part) => sum + part.bytes, 0);
  const rows = [...parts, { name: "names and exports", bytes: rest }];
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [
    `${entry}: ${gzipped} bytes minified and gzipped, ${bytes} minified`,
    ...rows.map((row) =>
      `  ${row.name.padEnd(width)} ${String(row.bytes).padStart(7)} ${
        (100 * row.bytes / bytes).toFixed(1).padStart(5)
      } %`
    ),
  ].join("\n");
}
