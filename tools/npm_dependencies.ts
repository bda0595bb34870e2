/**
 * The npm packages in `node_modules`, installed only when package.json or package-lock.json has changed.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ROOT, run } from "./process.ts";
import { currentRuntime, findProgram } from "./runtimes.ts";
import { readState, writeState } from "./state.ts";

/**
 * Installs what package-lock.json says.
 *
 * @throws {Error} if the packages can't be installed; its message holds what the installer printed.
 */
export async function installNpmDependencies(): Promise<void> {
  const hash = createHash("sha256");
  for (const file of ["package.json", "package-lock.json"]) {
    const path = join(ROOT, file);
    hash.update(existsSync(path) ? readFileSync(path) : "");
  }
  const wanted = hash.digest("hex");
  if (readState().npm === wanted) return;

  const command = installCommand();
  console.error(`Installing the npm packages: ${command.join(" ")}`);
  const outcome = await run(command, { limitMs: 600_000 });
  if (outcome.code !== 0) {
    const why = outcome.timedOut ? "it took more than 10 minutes" : (outcome.stderr + outcome.stdout).trim();
    throw new Error(`Cannot install the npm packages with "${command.join(" ")}": ${why}`);
  }
  writeState({ npm: wanted });
}

/** The first installer that is there; none of them runs install scripts or writes a lock file. */
function installCommand(): string[] {
  const npm = findProgram("npm");
  // A NODE_ENV of "production" must not drop the development packages: the tests need them.
  if (npm !== undefined) return [npm, "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  const bun = currentRuntime === "bun" ? process.execPath : findProgram("bun");
  if (bun !== undefined) return [bun, "install", "--no-save", "--ignore-scripts"];
  return [process.execPath, "install", "--no-lock", "--node-modules-dir=manual"];
}
