/**
 * The task `conformance`: the fuzzing server against every library on every runtime. Prints the result, and last
 * `N passed, N failed`.
 *
 * @module
 */

import process from "node:process";
import { HELP, parseSelection, type Selection } from "./arguments.ts";
import { writeMarkdown } from "./markdown.ts";
import { FuzzingServer } from "./server.ts";
import { type CaseResult, runTarget, type TargetResult } from "./suite.ts";
import { nameOf } from "./targets.ts";

const OUTCOMES = ["strict", "allowed", "deviates", "failed", "skipped"] as const;

async function main(args: readonly string[]): Promise<number> {
  let selection: Selection | undefined;
  try {
    selection = parseSelection(args);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return 2;
  }
  if (selection === undefined) {
    console.log(HELP);
    return 0;
  }
  const started = performance.now();
  await using server = await FuzzingServer.start();
  const results: TargetResult[] = [];
  for (const target of selection.targets) {
    console.log(`\n${nameOf(target)}`);
    const { verbose } = selection;
    const result = await runTarget(server, target, selection.cases, {
      category: (title, cases) => report(title, cases, verbose),
    });
    for (const fault of result.faults) console.log(`  FAILED ${fault}`);
    console.log(`  ${result.runtime || "not run"}, ${(result.ms / 1000).toFixed(1)} s`);
    results.push(result);
  }
  if (selection.markdown !== undefined) await writeMarkdown(selection.markdown, results);

  const all = results.flatMap(({ cases }) => cases);
  const skips = Map.groupBy(all.filter(({ outcome }) => outcome === "skipped"), ({ why = "" }) => why);
  if (skips.size > 0) console.log("\nSkipped:");
  for (const [why, cases] of skips) console.log(`  ${cases.length} cases: ${why}`);
  const count = (wanted: CaseResult["outcome"]): number => all.filter(({ outcome }) => outcome === wanted).length;
  const checks = results.reduce((sum, { checks }) => sum + checks, 0);
  const failed = count("failed") + results.reduce((sum, { faults }) => sum + faults.length, 0);
  const passed = count("strict") + count("allowed") + count("deviates") + checks;
  console.log(`
${count("strict")} strict, ${count("allowed")} in another way that RFC 6455 allows, ${count("deviates")} deviations as \
listed, ${checks} checks of the suite itself, ${count("skipped")} skipped; ${seconds(performance.now() - started)}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/** One line for a category, and more for what failed. */
function report(title: string, cases: readonly CaseResult[], verbose: boolean): void {
  const counts = OUTCOMES.flatMap((outcome) => {
    const number = cases.filter((one) => one.outcome === outcome).length;
    return number === 0 ? [] : [`${number} ${outcome}`];
  });
  const ms = cases.reduce((sum, one) => sum + one.ms, 0);
  console.log(`  ${title.padEnd(54)} ${counts.join(", ")} (${seconds(ms)})`);
  for (const { id, title, outcome, why, ms } of cases) {
    if (outcome !== "failed" && !verbose) continue;
    console.log(`    ${outcome === "failed" ? "FAILED" : outcome} ${id} ${title} (${ms.toFixed(0)} ms)`);
    if (why !== undefined) console.log(why.replaceAll(/^/gm, "      "));
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

process.exit(await main(process.argv.slice(2)));
