/**
 * The task `proxies`: the matrix of all proxies. Prints a table, and last `N ok, N refused, N direct, N failed`.
 *
 * @module
 */

import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ROOT, run } from "../../tools/process.ts";
import { findRuntime } from "../../tools/runtimes.ts";
import { stopDaemons } from "./daemon.ts";
import { documentOf } from "./document.ts";
import { runMatrix, type Selection } from "./matrix.ts";
import { SCHEMES } from "./stations.ts";
import { countsOf, tableOf } from "./table.ts";

const HELP = `Usage: deno task proxies [options]      (or: bun run proxies [options])
  --runtime deno,bun           only these runtimes
  --library builtin,native     only these libraries
  --scheme http,socks5         only these schemes
  --stand-ins                  stand-ins in the place of the real proxies
  --markdown[=FILE]            also writes the result to FILE (docs/proxies.md)
  --help`;

interface Arguments extends Selection {
  readonly markdown: string | undefined;
}

function parse(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    // `--markdown` may stand alone.
    args: args.map((arg) => arg === "--markdown" ? "--markdown=docs/proxies.md" : arg),
    options: {
      runtime: { type: "string" },
      library: { type: "string" },
      scheme: { type: "string" },
      "stand-ins": { type: "boolean", default: false },
      markdown: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const selection: Arguments = {
    runtimes: chosen("--runtime", values.runtime, ["deno", "bun"]),
    libraries: chosen("--library", values.library, ["builtin", "native"]),
    schemes: chosen("--scheme", values.scheme, SCHEMES),
    onlyStandIns: values["stand-ins"],
    markdown: values.markdown,
  };
  const isPart = values.runtime !== undefined || values.library !== undefined || values.scheme !== undefined;
  if (values.markdown !== undefined && (isPart || values["stand-ins"])) {
    throw new Error("Cannot use --markdown together with another option: it is about all of them");
  }
  return selection;
}

function chosen<T extends string>(option: string, value: string | undefined, known: readonly T[]): readonly T[] {
  return value?.split(",").map((name) => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw new Error(`Cannot use ${option} ${name}: expected ${known.join(", ")}`);
    return found;
  }) ?? known;
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
  const result = await runMatrix(selection);
  const { ok, refused, direct, failed } = countsOf(result);
  console.log("Proxies:");
  for (const note of result.notes) console.log(`  ${note}`);
  console.log(`\n${tableOf(result).join("\n")}\n`);
  for (const fault of result.faults) console.log(`FAILED ${fault}`);
  if (selection.markdown !== undefined) {
    const path = join(ROOT, selection.markdown);
    writeFileSync(path, documentOf(result));
    await run([await findRuntime("deno"), "fmt", "--no-config", "--line-width=120", path]);
  }
  console.log(`${result.clients.join(", ")}; ${((performance.now() - started) / 1000).toFixed(1)} s`);
  console.log(`${ok} ok, ${refused} refused, ${direct} direct, ${failed + result.faults.length} failed`);
  return direct + failed + result.faults.length > 0 || ok === 0 ? 1 : 0;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => void stopDaemons().finally(() => process.exit(128 + constants.signals[signal])));
}
process.exit(await main(process.argv.slice(2)));
