/**
 * Bundles the `@std` packages from JSR into `node_modules` for Bun, which can't read `jsr:` imports.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourceFiles } from "./files.ts";
import { ROOT, run } from "./process.ts";
import { findRuntime } from "./runtimes.ts";
import { readState, writeState } from "./state.ts";
import { writeStdPackage } from "./std_package.ts";

/**
 * Bundles every entry that this repository imports, unless that was done before.
 *
 * @param imports The `jsr:` imports of deno.json.
 * @throws {Error} if an entry can't be bundled.
 */
export async function bundleStdPackages(imports: Readonly<Record<string, string>>): Promise<void> {
  const used = usedEntries(Object.keys(imports));
  const hash = createHash("sha256").update(JSON.stringify([imports, [...used]])).digest("hex");
  if (readState().bundles === hash) return;
  for (const [name, entries] of used) {
    writeStdPackage(name, entries, await bundle(imports[name] ?? name, entries));
  }
  writeState({ bundles: hash });
}

/** The entries that are imported of each package: `mod` for the package itself, else the subpath. */
function usedEntries(packages: readonly string[]): Map<string, string[]> {
  const used = new Map(packages.map((name) => [name, new Set<string>(["mod"])]));
  for (const file of sourceFiles(["src", "tests", "bench", "examples"])) {
    const text = readFileSync(join(ROOT, file), "utf8");
    for (const [, name = "", entry] of text.matchAll(/["'](@std\/[\w-]+)(?:\/([\w-]+))?["']/g)) {
      if (entry !== undefined) used.get(name)?.add(entry);
    }
  }
  return new Map(Array.from(used, ([name, entries]) => [name, [...entries].sort()]));
}

/** Bundles entries of one package together, so that they share its classes; returns the files by name. */
async function bundle(target: string, entries: readonly string[]): Promise<Record<string, string>> {
  const deno = await findRuntime("deno");
  const folder = mkdtempSync(join(tmpdir(), "rawtick-"));
  try {
    const inputs = entries.map((entry) => {
      const specifier = entry === "mod" ? target : `${target}/${entry}`;
      writeFileSync(join(folder, `${entry}.ts`), `export * from ${JSON.stringify(specifier)};\n`);
      return `${entry}.ts`;
    });
    const options = ["--no-config", "--no-lock", "--code-splitting", "--keep-names", "--outdir", "out"];
    const outcome = await run([deno, "bundle", ...options, ...inputs], { cwd: folder });
    if (outcome.code !== 0) throw new Error(`Cannot bundle ${target} for Bun: ${outcome.stderr.trim()}`);
    const files = readdirSync(join(folder, "out"));
    return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, "out", file), "utf8")]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
