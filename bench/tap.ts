/**
 * The benchmark of the tap: `deno task bench-tap` or `bun run bench-tap`; `--help` lists what it can measure.
 *
 * @module
 */

import { appendFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import process from "node:process";
import { currentRuntime } from "../tools/runtimes.ts";
import { congestionControl, isOwnNetwork, runInOwnNetwork } from "./network.ts";
import { passPriorityOn } from "./priority.ts";
import { asMarkdown, asText } from "./report.ts";
import { HELP, type Options, readOptions } from "./tap/options.ts";
import { measure, type Round } from "./tap/round.ts";
import { tableOf } from "./tap/table.ts";

const LEGEND =
  `Latency: from the exchange's sending of a message to each client, of all messages of all clients; "direct": the same for one
subscriber without a tap, in the clients' process, so both contain what the clients themselves are late.
RSS of the tap's process: before its first client and with all of them, both after garbage collection; the most that it
had; after all have gone. "upstream": connections that the tap has made to the exchange.`;

/** Measures what the options ask for; returns the exit code. */
async function bench(options: Options, args: readonly string[]): Promise<number> {
  const { runtimes, formats, repeat, rate, seconds } = options;
  const loadBefore = loadavg()[0] ?? 0;
  const sides = runtimes.flatMap((runtime) => formats.map((format) => ({ runtime, format, rounds: [] as Round[] })));
  for (let turn = 0; turn < repeat; turn++) {
    for (const { runtime, format, rounds } of turn % 2 === 0 ? sides : sides.toReversed()) {
      console.error(`${runtime}, ${format}: round ${turn + 1} of ${repeat}`);
      rounds.push(await measure(options, runtime, format));
    }
  }
  const title = `Tap: ${rate.toLocaleString("en-US")} messages/s from the exchange, ${seconds} s`;
  const table = tableOf(title, sides.map(({ rounds }) => rounds));
  const head = [
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${cpus().length} x ${
      cpus()[0]?.model ?? "?"
    }, load ` +
    `${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`,
    `${isOwnNetwork ? "a network of its own" : "the host's network"}, congestion control ${
      congestionControl() ?? "unknown"
    }; medians of ${repeat}`,
  ];
  console.log(`${head.join("\n")}\n${LEGEND}\n\n${asText(table)}`);
  const all = sides.flatMap(({ rounds }) => rounds);
  if (options.json !== undefined) {
    writeFileSync(options.json, `[\n${all.map((round) => `  ${JSON.stringify(round)}`).join(",\n")}\n]\n`);
  }
  if (options.markdown !== undefined) {
    const task = currentRuntime === "bun" ? "bun run bench-tap" : "deno task bench-tap";
    const command = `\`\`\`sh\n${task} ${args.join(" ")}\n\`\`\``;
    appendFileSync(options.markdown, `${command}\n\n${head.join("\n\n")}\n\n${asMarkdown(table)}\n`);
  }
  for (const { runtime, format, problems } of all) {
    for (const problem of problems) console.error(`error: ${runtime}, ${format}: ${problem}`);
  }
  return all.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

const args = process.argv.slice(2);
try {
  const options = readOptions(args);
  if (!options.help && options.network === "own") {
    const code = await runInOwnNetwork("tap.ts", args, undefined);
    if (code !== undefined) process.exit(code);
  }
  if (options.help) console.log(HELP);
  passPriorityOn();
  process.exit(options.help ? 0 : await bench(options, args));
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(2);
}
