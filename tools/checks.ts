/**
 * The checks beside the suite: format, lint, types, documentation, publishing.
 *
 * @module
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { entryPoints, filesBelow, sourceFiles } from "./files.ts";
import { ROOT, run } from "./process.ts";
import { symbolsWithoutExample } from "./public_examples.ts";
import { type Report, withoutNoise } from "./report.ts";
import { findRuntime } from "./runtimes.ts";
import type { Setup } from "./setup.ts";
import { hiddenSkips } from "./skip_reasons.ts";
import { type Limits, reportTests, runWithJunit } from "./suite.ts";

/** Runs all checks, each of which counts as one passed or failed; each documentation example counts as one test. */
export async function runChecks(setup: Setup, limits: Limits, report: Report): Promise<void> {
  const deno = await findRuntime("deno");
  const config = ["--config", setup.denoConfig];
  // `deno doc` follows the deno.json that it finds by itself whatever --config says, but an import map comes first.
  const docImports = setup.importMap === undefined ? [] : ["--import-map", setup.importMap];
  const timed = { limitMs: limits.fileMs };

  /** Runs Deno and returns what it printed; throws that if it failed. */
  const runDeno = async (...args: string[]): Promise<string> => {
    const outcome = await run([deno, ...args], timed);
    if (outcome.timedOut) throw new Error(`Not done within ${limits.fileMs / 1000} s`);
    if (outcome.code !== 0) throw new Error(withoutNoise(outcome.stderr + outcome.stdout));
    return outcome.stdout;
  };
  const check = (name: string, action: () => Promise<unknown>): Promise<void> =>
    report.step(name, async () => {
      await action();
      report.pass();
    });

  await check("format", () => runDeno("fmt", "--check", ...config));
  await check("lint", () => runDeno("lint", ...config));
  await check("types", () => runDeno("check", ...config, ...sourceFiles()));
  await check("types of the code in documents", async () => {
    const documents = [...filesBelow(["docs"], ".md"), "README.md"].filter((file) => existsSync(join(ROOT, file)));
    if (documents.length > 0) await runDeno("check", "--doc-only", ...config, ...documents);
  });
  await check("doc lint", () => runDeno("doc", "--lint", ...docImports, ...entryPoints()));
  await check("every public symbol has an @example", async () => {
    const missing = await symbolsWithoutExample(
      entryPoints(),
      (files, withPrivate) => runDeno("doc", "--json", ...(withPrivate ? ["--private"] : []), ...docImports, ...files),
    );
    if (missing.length > 0) throw new Error(`${missing.length} have none:\n${missing.join("\n")}`);
  });
  await check("every skip says why", () => {
    const hidden = filesBelow(["tests"], ".ts").flatMap((file) =>
      hiddenSkips(readFileSync(join(ROOT, file), "utf8")).map((line) => `${file}:${line}`)
    );
    if (hidden.length === 0) return Promise.resolve();
    return Promise.reject(new Error(`Skip with { skip: "the reason" } only:\n${hidden.join("\n")}`));
  });
  await report.step("publish (dry run)", async () => {
    const outcome = await run([deno, "publish", "--dry-run", "--allow-dirty", ...config], timed);
    const output = withoutNoise(outcome.stderr + outcome.stdout);
    if (outcome.code === 0) report.pass();
    else if (!setup.jsr && /JSR package manifest for .* failed to load/.test(output)) {
      report.skip("publish (dry run)", "JSR can't be reached");
    } else report.fail("publish (dry run)", output);
  });
  await report.step("documentation examples", async () => {
    const files = sourceFiles(["src"]);
    const result = await runWithJunit(
      (junit) => [deno, "test", "-A", "--doc", ...config, `--junit-path=${junit}`, ...files],
      limits.fileMs,
    );
    reportTests("documentation examples", result, report, () => "it is ignored");
  });
}
