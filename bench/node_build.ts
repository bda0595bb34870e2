/**
 * Makes the benchmark's own modules runnable by Node of any version: copies without types, which Bun and Deno can make.
 *
 * @module
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { tmpdir } from "node:os";
import process from "node:process";
import { dirname, join, relative, resolve } from "node:path";
import { ROOT } from "../tools/process.ts";

/** What Bun and Deno remove types with; neither runtime's types know the other's. */
const { Bun } = globalThis as {
  readonly Bun?: { readonly Transpiler: new (options: { loader: "ts" }) => { transformSync(code: string): string } };
};
const { stripTypeScriptTypes } = nodeModule as { readonly stripTypeScriptTypes?: (code: string) => string };

function stripTypes(code: string): string {
  if (Bun !== undefined) return new Bun.Transpiler({ loader: "ts" }).transformSync(code);
  if (stripTypeScriptTypes !== undefined) return stripTypeScriptTypes(code);
  throw new Error("Cannot remove types: expected to run on Bun or Deno");
}

/** A folder with copies for Node; it goes away with `Symbol.dispose`. */
export class NodeBuild implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "rawtick-bench-"));
  readonly #built = new Set<string>();

  /** Makes an empty one. */
  constructor() {
    writeFileSync(join(this.#folder, "package.json"), '{"type":"module"}');
    // Also on the way out by a signal.
    process.on("exit", () => this[Symbol.dispose]());
    symlinkSync(join(ROOT, "node_modules"), join(this.#folder, "node_modules"), "junction");
  }

  /** Copies a module (a path below the repository's root) and all that it imports; returns the copy's path. */
  add(file: string): string {
    const target = join(this.#folder, file.replace(/\.ts$/, ".js"));
    if (this.#built.has(file)) return target;
    this.#built.add(file);
    const source = join(ROOT, file);
    const code = stripTypes(readFileSync(source, "utf8"))
      .replace(/((?:from|import) ?\(?["'])(\.{1,2}\/[^"']+)\.ts(["'])/g, (_, before, path, after) => {
        this.add(relative(ROOT, resolve(dirname(source), `${path}.ts`)));
        return `${before}${path}.js${after}`;
      });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
    return target;
  }

  /** Removes the folder. */
  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
