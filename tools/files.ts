/**
 * Lists the repository's files.
 *
 * @module
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./process.ts";

/** Files below the folders whose name ends in `ending`, relative to the root and with `/`, sorted. */
export function filesBelow(folders: readonly string[], ending: string): string[] {
  return folders.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => file.endsWith(ending))
  ).sort();
}

/** The paths in `exports` of deno.json, such as `./mod.ts`. */
export function entryPoints(): string[] {
  const config: { exports: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, "deno.json"), "utf8"));
  return [...new Set(Object.values(config.exports))];
}

/** The entry points that are there, and everything below the source folders that holds code of this repository. */
export function sourceFiles(folders: readonly string[] = ["src", "tests", "bench", "examples", "tools"]): string[] {
  const doors = entryPoints().map((file) => file.replace(/^\.\//, "")).filter((file) => existsSync(join(ROOT, file)));
  return [...new Set([...doors, ...filesBelow(folders, ".ts")])];
}
