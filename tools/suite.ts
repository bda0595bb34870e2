/**
 * Runs the test files on a runtime, each in a process of its own: a crash or a hang costs one file, not the suite.
 *
 * @module
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJunit, type TestCase } from "./junit.ts";
import { type Outcome, ROOT, run } from "./process.ts";
import { relative, type Report, withoutNoise } from "./report.ts";
import { findRuntime, type Runtime } from "./runtimes.ts";
import type { Setup } from "./setup.ts";
import { skipReason } from "./skip_reasons.ts";

/** Longest time in ms that one test may take on Bun, whose default of 5 s Deno does not have. */
const BUN_TEST_LIMIT_MS = 60_000;

/** Time limits of a run. */
export interface Limits {
  /** Longest time in ms for one file. */
  readonly fileMs: number;
  /** When the whole run has to end, on the clock of `performance.now()`. */
  readonly end: number;
}

/** Runs the files one after the other and reports each of their tests. */
export async function runSuite(
  runtime: Runtime,
  files: readonly string[],
  setup: Setup,
  limits: Limits,
  report: Report,
): Promise<void> {
  const binary = await findRuntime(runtime);
  for (const file of files) {
    const title = `${runtime} ${file}`;
    await report.step(title, async () => {
      const left = limits.end - performance.now();
      if (left <= 0) throw new Error("Not run: the time limit of the whole run was reached");
      await runFile(runtime, binary, join(ROOT, file), setup.denoConfig, Math.min(left, limits.fileMs), title, report);
    });
  }
}

/** Runs one test file (an absolute path) and reports each of its tests, named after `title`. */
export async function runFile(
  runtime: Runtime,
  binary: string,
  file: string,
  denoConfig: string,
  limitMs: number,
  title: string,
  report: Report,
): Promise<void> {
  const preload = join(ROOT, "tools", "uncaught_errors.ts");
  const run = await runWithJunit(
    runtime === "bun"
      ? (junit) => {
        const limit = `--timeout=${BUN_TEST_LIMIT_MS}`;
        return [binary, "test", limit, "--reporter=junit", `--reporter-outfile=${junit}`, file];
      }
      : (junit) => {
        const config = ["--no-check", "--config", denoConfig, "--preload", preload];
        return [binary, "test", "-A", ...config, `--junit-path=${junit}`, file];
      },
    limitMs,
  );
  const source = readFileSync(file, "utf8");
  reportTests(title, run, report, (test) => skipReason(source, test.line));
}

/** How a test runner ended. */
export interface TestRun {
  readonly outcome: Outcome;
  /** The tests of its report; undefined if it wrote none. */
  readonly tests: readonly TestCase[] | undefined;
  /** Errors that no test caught, which the runner did not count. */
  readonly uncaught: readonly string[];
}

/** Runs a test runner that writes a JUnit report to the path that `command` gets. */
export async function runWithJunit(command: (junit: string) => string[], limitMs: number): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), "rawtick-"));
  try {
    const junit = join(folder, "junit.xml");
    const errors = join(folder, "uncaught");
    const outcome = await run(command(junit), { limitMs, env: { RAWTICK_UNCAUGHT_ERRORS: errors } });
    const uncaught = existsSync(errors) ? readFileSync(errors, "utf8").trim().split("\n") : [];
    return {
      outcome,
      tests: existsSync(junit) ? parseJunit(readFileSync(junit, "utf8")) : undefined,
      uncaught: uncaught.map((line) => JSON.parse(line)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts the tests of a run. A runner that hung, crashed, ran nothing or failed without a failed test has failed too. */
export function reportTests(
  title: string,
  { outcome, tests, uncaught }: TestRun,
  report: Report,
  reasonOf: (test: TestCase) => string,
): void {
  for (const test of tests ?? []) {
    const name = `${title}: ${relative(test.name)}`;
    if (test.result === "passed") report.pass();
    else if (test.result === "failed") report.fail(name, test.message);
    else report.skip(name, reasonOf(test));
  }
  for (const error of uncaught) report.fail(`${title}: uncaught error`, error);

  const printed = `it printed:\n${withoutNoise(`${outcome.stdout}\n${outcome.stderr}`)}`;
  const ended = outcome.signal === null ? `code ${outcome.code}` : outcome.signal;
  const failed = uncaught.length > 0 || (tests?.some((test) => test.result === "failed") ?? false);
  if (outcome.timedOut) {
    report.fail(title, `Hung: it was killed after ${(outcome.ms / 1000).toFixed(0)} s; ${printed}`);
  } else if (tests === undefined && outcome.code !== 0) {
    report.fail(title, `Failed without a report: it ended with ${ended}; ${printed}`);
  } else if (tests === undefined || tests.length === 0) {
    if (!failed) report.fail(title, `No test was run; ${printed}`);
  } else if (outcome.code !== 0 && !failed) {
    report.fail(title, `It ended with ${ended}, though no test failed; ${printed}`);
  }
}
