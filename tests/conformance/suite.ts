/**
 * Runs the cases on one target after the other and says how each ended.
 *
 * @module
 */

import type { ConformanceCase } from "./case.ts";
import { categories } from "./cases/mod.ts";
import { ClientProcess } from "./client_process.ts";
import { judge, type Verdict } from "./judge.ts";
import { runCase } from "./runner.ts";
import type { FuzzingServer } from "./server.ts";
import { checkSkips, skipReason } from "./skips.ts";
import { clientCommand, nameOf, type Target } from "./targets.ts";

/** How one case ended on one target. */
export interface CaseResult extends Verdict {
  readonly id: string;
  readonly title: string;
  readonly ms: number;
}

/** How a target did. */
export interface TargetResult {
  readonly target: Target;
  /** Runtime and version, such as `deno 2.9.6`; `""` if it could not be started. */
  readonly runtime: string;
  readonly cases: readonly CaseResult[];
  /** What went wrong outside of a case, and the checks of the suite itself that held. */
  readonly faults: readonly string[];
  readonly checks: number;
  readonly ms: number;
}

/** Told about the progress. */
export interface Progress {
  /** A category is done. */
  category(title: string, results: readonly CaseResult[]): void;
}

/** Runs the selected cases on a target. */
export async function runTarget(
  server: FuzzingServer,
  target: Target,
  selected: ReadonlySet<string>,
  progress: Progress,
): Promise<TargetResult> {
  const started = performance.now();
  const results: CaseResult[] = [];
  const faults: string[] = [];
  let checks = 0;
  let client: ClientProcess;
  let command: string[];
  try {
    command = await clientCommand(target);
    client = await ClientProcess.start(command);
  } catch (error) {
    const fault = `${nameOf(target)} can't be started: ${error instanceof Error ? error.message : error}`;
    return { target, runtime: "", cases: [], faults: [fault], checks: 0, ms: performance.now() - started };
  }
  const check = (found: readonly string[]): void => {
    if (found.length === 0) checks++;
    faults.push(...found);
  };
  check(await checkSkips(server, client, target));
  const byRun = new Map<number, ConformanceCase>();
  for (const { title, cases } of categories) {
    const chosen = cases.filter(({ id }) => selected.has(id));
    const done: CaseResult[] = [];
    for (const test of chosen) {
      const skip = skipReason(target, test);
      if (skip !== undefined) {
        done.push({ id: test.id, title: test.title, outcome: "skipped", why: skip, ms: 0 });
        continue;
      }
      const { run, plan, observed, ms } = await runCase(server, client, test);
      byRun.set(run, test);
      done.push({ id: test.id, title: test.title, ms, ...judge(target, test, plan, observed) });
      if (client.isDead) client = await ClientProcess.start(command);
    }
    results.push(...done);
    if (chosen.length > 0) progress.category(title, done);
  }
  const ended = await client.stop();
  check(ended ? [] : [`The process of ${nameOf(target)} does not end by itself: something keeps it alive`]);
  check(
    [...client.allLateFaults].map(([run, late]) => `${byRun.get(run)?.id ?? "?"} after its end: ${late.join("; ")}`),
  );
  return { target, runtime: client.runtime, cases: results, faults, checks, ms: performance.now() - started };
}
