/**
 * The `@std` packages: from JSR where it can be reached, stand-ins where it can't.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { bundleStdPackages } from "./jsr_bundles.ts";
import { writeStandIns } from "./jsr_standins.ts";
import { ROOT, run } from "./process.ts";
import { findRuntime } from "./runtimes.ts";
import { readState, STATE_FOLDER, writeState, writeWhole } from "./state.ts";

/** Import map for `deno doc` where JSR can't be reached. */
export const OFFLINE_IMPORT_MAP: string = join(STATE_FOLDER, "import_map.json");
/** Longest time in ms that Deno may take to resolve the `jsr:` imports. */
const JSR_LIMIT_MS = 20_000;
/** Time in ms after which an unreachable JSR is tried again. */
const ASK_AGAIN_MS = 24 * 60 * 60 * 1000;

/**
 * Puts `@std` packages where both runtimes find them.
 *
 * @returns Whether JSR can be reached. If not, `deno.offline.json` and stand-in packages were written.
 */
export async function provideStdPackages(): Promise<boolean> {
  const config = JSON.parse(readFileSync(join(ROOT, "deno.json"), "utf8"));
  const imports: Record<string, string> = config.imports;
  const fromJsr = Object.entries(imports).filter(([, target]) => target.startsWith("jsr:"));
  if (await isJsrReachable(fromJsr.map(([, target]) => target))) {
    await bundleStdPackages(Object.fromEntries(fromJsr));
    // Left from a time without JSR, it would only mislead.
    rmSync(join(ROOT, "deno.offline.json"), { force: true });
    return true;
  }
  const typings = writeStandIns();
  const others = Object.fromEntries(Object.entries(imports).filter(([, target]) => !target.startsWith("jsr:")));
  // A lock file would record the stand-ins.
  const offline = { ...config, imports: others, lock: false };
  writeWhole(join(ROOT, "deno.offline.json"), JSON.stringify(offline, null, 2) + "\n");
  writeWhole(OFFLINE_IMPORT_MAP, JSON.stringify({ imports: { ...others, ...typings } }, null, 2) + "\n");
  console.error(`JSR can't be reached: using stand-ins for ${fromJsr.map(([name]) => name).join(", ")}`);
  return false;
}

/** Lets Deno resolve the specifiers, from its cache or from JSR, and remembers the answer. */
async function isJsrReachable(specifiers: readonly string[]): Promise<boolean> {
  const asked = JSON.stringify([specifiers, process.env["JSR_URL"] ?? "", process.env["DENO_DIR"] ?? ""]);
  const question = createHash("sha256").update(asked).digest("hex");
  const known = readState().jsr;
  if (known?.question === question && (known.reachable || Date.now() - known.at < ASK_AGAIN_MS)) {
    return known.reachable;
  }
  const deno = await findRuntime("deno");
  const folder = mkdtempSync(join(tmpdir(), "rawtick-"));
  try {
    const probe = join(folder, "probe.ts");
    writeFileSync(probe, specifiers.map((specifier) => `import ${JSON.stringify(specifier)};\n`).join(""));
    const outcome = await run([deno, "cache", "--no-config", "--no-lock", probe], {
      limitMs: JSR_LIMIT_MS,
      cwd: folder,
    });
    writeState({ jsr: { question, reachable: outcome.code === 0, at: Date.now() } });
    return outcome.code === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
