/**
 * Writes a generated `@std` package into `node_modules`.
 *
 * @module
 */

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./process.ts";
import { writeWhole } from "./state.ts";

/**
 * Writes a package. Files that are there with the same text stay untouched; others of an earlier setup go.
 *
 * @param entries Names of `<entry>.js` files that can be imported: `mod` as the package itself, others as subpaths.
 * @returns The URL of each entry's typings (`<entry>.d.ts`), by the name to import: `@std/async/delay`.
 */
export function writeStdPackage(
  name: string,
  entries: readonly string[],
  files: Readonly<Record<string, string>>,
): Record<string, string> {
  const folder = join(ROOT, "node_modules", name);
  const exports: Record<string, Record<string, string>> = {};
  const typings: Record<string, string> = {};
  for (const entry of entries) {
    const hasTypes = files[`${entry}.d.ts`] !== undefined;
    const types = hasTypes ? { types: `./${entry}.d.ts` } : {};
    exports[entry === "mod" ? "." : `./${entry}`] = { ...types, default: `./${entry}.js` };
    if (hasTypes) {
      typings[entry === "mod" ? name : `${name}/${entry}`] = pathToFileURL(join(folder, `${entry}.d.ts`)).href;
    }
  }
  const description = { name, version: "0.0.0", private: true, type: "module", exports };
  const all: Record<string, string> = { ...files, "package.json": JSON.stringify(description, null, 2) + "\n" };
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(all)) writeWhole(join(folder, file), text);
  for (const file of readdirSync(folder)) {
    if (all[file] === undefined) rmSync(join(folder, file), { recursive: true, force: true });
  }
  return typings;
}
