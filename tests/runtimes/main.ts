/**
 * The task `runtimes`: the table of what runs where. Last it prints how many cells say what.
 *
 * @module
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ROOT, run, stopChildrenOnSignals } from "../../tools/process.ts";
import { findRuntime } from "../../tools/runtimes.ts";
import { documentOf, readmeOf } from "./document.ts";
import { missing, type Run, runOn, type RuntimeName, RUNTIMES } from "./runs.ts";
import { differences, readCells, tablesOf } from "./table.ts";

const DOCUMENT = join(ROOT, "docs/runtimes.md");
const README = join(ROOT, "README.md");

const HELP = `Usage: deno task runtimes [options]      (or: bun run runtimes [options])
  --runtime deno,bun,node,workerd,chromium   only these runtimes
  --node 24                                  another Node than the oldest that is promised
  --json                                     prints a line of JSON for each cell in the place of the table
  --markdown                                 also writes docs/runtimes.md and the table of the README
  --help
Node is fetched from npm into a temporary folder.`;

interface Arguments {
  readonly runtimes: readonly RuntimeName[];
  readonly nodeMajor: number | undefined;
  readonly json: boolean;
  readonly markdown: boolean;
}

function parse(args: readonly string[]): Arguments | undefined {
  const { values: { help, json, markdown, node, runtime } } = parseArgs({
    args: [...args],
    options: {
      runtime: { type: "string" },
      node: { type: "string" },
      json: { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (help) return undefined;
  if (markdown && (runtime ?? node) !== undefined) {
    throw new Error("Cannot use --markdown together with --runtime or --node: it is about all of them");
  }
  const nodeMajor = node === undefined ? undefined : Number(node);
  if (nodeMajor !== undefined && !(Number.isInteger(nodeMajor) && nodeMajor >= 20)) {
    throw new Error(`Cannot use --node ${node}: expected a number such as 24`);
  }
  const runtimes = runtime?.split(",").map((name) => {
    const found = RUNTIMES.find((one) => one === name);
    if (found === undefined) throw new Error(`Cannot use --runtime ${name}: expected ${RUNTIMES.join(", ")}`);
    return found;
  }) ?? RUNTIMES;
  return { runtimes, nodeMajor, json, markdown };
}

async function main(args: readonly string[]): Promise<number> {
  let selection: Arguments | undefined;
  try {
    selection = parse(args);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return 2;
  }
  if (selection === undefined) {
    console.log(HELP);
    return 0;
  }
  const started = performance.now();
  const runs: Run[] = [];
  const failed: string[] = [];
  // One after the other: some probes measure how long something takes.
  for (const runtime of selection.runtimes) {
    const begun = performance.now();
    try {
      const reason = missing(runtime);
      if (reason !== undefined) throw new Error(reason);
      const result = await runOn(runtime, selection.nodeMajor);
      runs.push(result);
      console.error(`${result.version}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    } catch (error) {
      failed.push(`${runtime}: not run, ${error instanceof Error ? error.message : error}`);
    }
  }
  if (selection.json) {
    for (const { version, lines } of runs) {
      for (const line of lines) console.log(JSON.stringify({ runtime: version, ...line }));
    }
  } else console.log(tablesOf(runs).join("\n"));
  for (const text of failed) console.log(text);
  if (selection.markdown) {
    if (failed.length > 0) throw new Error("Cannot write the documents: they are about all runtimes");
    writeFileSync(DOCUMENT, documentOf(runs));
    writeFileSync(README, readmeOf(readFileSync(README, "utf8"), runs));
    await run([await findRuntime("deno"), "fmt", "--no-config", "--line-width=120", DOCUMENT, README]);
  }
  const cells = readCells(readFileSync(DOCUMENT, "utf8"));
  const changed = runs.flatMap((result) => differences(cells, result));
  for (const text of changed) console.log(`CHANGED ${text}`);
  const all = runs.flatMap(({ lines }) => lines);
  const counts = (["yes", "refused", "not known", "no"] as const).map((outcome) =>
    `${all.filter((line) => line.outcome === outcome).length} ${outcome}`
  );
  console.log(`${counts.join(", ")}; ${((performance.now() - started) / 1000).toFixed(1)} s`);
  console.log(`${changed.length} cells differ from docs/runtimes.md`);
  return changed.length > 0 ? 1 : 0;
}

stopChildrenOnSignals();
process.exit(await main(process.argv.slice(2)));
