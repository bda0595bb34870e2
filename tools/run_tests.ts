/**
 * The task `test`: everything that has to hold, on both runtimes, with one line of counts at the end.
 *
 * @module
 */

import { runChecks } from "./checks.ts";
import { filesBelow } from "./files.ts";
import { Report } from "./report.ts";
import { type Setup, setup } from "./setup.ts";
import { type Limits, runSuite } from "./suite.ts";

/** Longest time in ms for one check or test file, unless `--limit` says otherwise. */
const FILE_LIMIT_MS = 180_000;
/** Longest time in ms for the whole run. */
const RUN_LIMIT_MS = 30 * 60_000;
const PARTS = ["check", "deno", "bun"] as const;

/** What the arguments ask for. */
interface Selection {
  readonly parts: ReadonlySet<typeof PARTS[number]>;
  readonly files: readonly string[];
  readonly limits: Limits;
}

/**
 * Runs what the arguments select and prints the report.
 *
 * @returns The exit code.
 */
export async function runTests(args: readonly string[]): Promise<number> {
  const report = new Report();
  let selection: Selection;
  let ready: Setup;
  try {
    selection = select(args);
    ready = await setup();
  } catch (error) {
    await report.step("preparation", () => Promise.reject(error));
    return report.finish();
  }
  const { parts, files, limits } = selection;
  if (parts.has("check")) await runChecks(ready, limits, report);
  for (const runtime of ["deno", "bun"] as const) {
    if (!parts.has(runtime)) continue;
    if (files.length === 0) report.fail(`tests on ${runtime}`, "There are no test files");
    try {
      await runSuite(runtime, files, ready, limits, report);
    } catch (error) {
      // The runtime was not found and could not be fetched: the other one still runs.
      await report.step(`tests on ${runtime}`, () => Promise.reject(error));
    }
  }
  return report.finish();
}

/** Without a part, a name selects tests only and everything else is run as a whole. */
function select(args: readonly string[]): Selection {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const parts = new Set<typeof PARTS[number]>();
  let fileMs = FILE_LIMIT_MS;
  for (const flag of args.filter((arg) => arg.startsWith("--"))) {
    const part = PARTS.find((name) => flag === `--${name}`);
    const seconds = Number(/^--limit=(\d+)$/.exec(flag)?.[1] ?? 0);
    if (part !== undefined) parts.add(part);
    else if (seconds > 0) fileMs = seconds * 1000;
    else throw new Error(`Cannot use the argument "${flag}": expected --check, --deno, --bun or --limit=<seconds>`);
  }
  if (parts.size === 0) {
    PARTS.filter((part) => part !== "check" || names.length === 0).forEach((part) => parts.add(part));
  }
  const all = filesBelow(["tests"], "_test.ts");
  const files = names.length === 0 ? all : all.filter((file) => names.some((name) => file.includes(name)));
  if (names.length > 0 && files.length === 0) {
    throw new Error(`No test file matches ${names.map((n) => `"${n}"`).join(", ")}`);
  }
  return { parts, files, limits: { fileMs, end: performance.now() + RUN_LIMIT_MS } };
}
