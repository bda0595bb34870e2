/**
 * The benchmark: `deno task bench` or `bun run bench`; `--help` lists what it can measure.
 *
 * @module
 */

import { appendFileSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import process from "node:process";
import { stopChildrenOnSignals } from "../tools/process.ts";
import { currentRuntime } from "../tools/runtimes.ts";
import { canPin } from "./affinity.ts";
import { casesOf } from "./cases.ts";
import { NodeBuild } from "./node_build.ts";
import { congestionControl, isOwnNetwork, runInOwnNetwork } from "./network.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { passPriorityOn } from "./priority.ts";
import { asMarkdown, asText, type Result, tablesOf } from "./report.ts";
import { LOOPBACK, measureCase } from "./rounds.ts";
import { ServerProcess } from "./server_process.ts";
import { findSides, libraryVersion, type Side } from "./sides.ts";
import { medianRow } from "./statistics.ts";
import { targetTable } from "./targets.ts";

const LEGEND = `Medians of the rounds that count; every measurement in a process of its own, the sides in turn.
"native / it" and "CPU": native's figure by this side's (median of the ratios of single rounds, rounds in which native
had more). "!": the server was busy all the time and the client was not, so the rate is the server's; compare the CPU.`;

/** Writes one line that the next one replaces; nothing where nobody looks. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** What the figures depend on. */
function describeMachine(results: readonly Result[], sides: readonly Side[], server: ServerProcess): string[] {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const runtimes = new Set(results.flatMap(({ measured }) => measured.flatMap((one) => medianRow(one)?.runtime ?? [])));
  const libraries = new Set(sides.flatMap((side) => {
    const version = libraryVersion(side);
    return version === undefined ? [] : [`${side.library.replace(/\+.*/, "")} ${version}`];
  }));
  return [
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${cpus().length} x ${
      cpu?.model ?? "unknown CPU"
    }, ` +
    `${memory} GiB, ${platform()} ${release()} ${arch()}`,
    `${[...runtimes, ...libraries].join(", ")}; the server ran on ${server.ports.runtime}; ` +
    `${isOwnNetwork ? "a network of its own" : "the host's network"}, congestion control ${
      congestionControl() ?? "unknown"
    }`,
  ];
}

/** Says what the figures can't be trusted for. */
function warnings({ modes, rcvbuf }: Options, sides: readonly Side[], loadBefore: number): string[] {
  const lines: string[] = [];
  if (loadBefore > 0.5) {
    lines.push(`The machine was not quiet: its load was ${loadBefore.toFixed(1)} before the first measurement.`);
  }
  if (modes.includes("echo") && !canPin) {
    lines.push("Client and server could not be kept on one core: round trips also measure how a core wakes up.");
  }
  const congestion = congestionControl();
  if (congestion === "bbr") {
    lines.push(
      `The network's congestion control is ${congestion}: it paces the server, which may be what was measured.`,
    );
  }
  const without = isOwnNetwork ? [] : sides.filter((side) => !side.hasRcvbuf).map(({ title }) => title);
  if (rcvbuf !== undefined && without.length > 0) {
    lines.push(
      `--rcvbuf ${rcvbuf} was not applied to ${
        without.join(", ")
      }: no JavaScript runtime lets SO_RCVBUF be set, only --network own does.`,
    );
  }
  return lines;
}

/** Measures what the options ask for; returns the exit code. */
async function bench(options: Options, args: readonly string[]): Promise<number> {
  stopChildrenOnSignals();
  using build = new NodeBuild();
  const { sides, leftOut } = await findSides(options.libraries, build);
  for (const { title, reason } of leftOut) console.error(`Left out: ${title}: ${reason}`);
  const [bare] = (await findSides(["bare"], build)).sides;
  if (bare === undefined) throw new Error("Cannot run the bare reader");
  const cases = casesOf(options, sides, bare);
  if (cases.length === 0) throw new Error("Nothing to measure: none of the libraries can run in any of the modes");
  const loadBefore = loadavg()[0] ?? 0;
  const results: Result[] = [];
  using server = await ServerProcess.start(LOOPBACK, build);
  for (const one of cases) {
    progress("");
    const { kind, scenario, tls, pattern, entrants } = one;
    const traffic = kind === "stream" ? `${scenario}, ${pattern}` : `${kind}, ${scenario}`;
    console.error(`${traffic}, ${tls ? "wss" : "ws"}: ${entrants.length} sides, ${options.repeat} + 1 rounds`);
    const shared = { server, rounds: options.repeat, rcvbuf: options.rcvbuf, progress };
    results.push({ case: one, measured: await measureCase(shared, one) });
  }
  progress("");

  const targets = targetTable(results);
  const tables = [...tablesOf(results), ...(targets === undefined ? [] : [targets])];
  const head = [...describeMachine(results, sides, server), ...warnings(options, sides, loadBefore)];
  console.log(`${head.join("\n")}\n${LEGEND}\n\n${tables.map(asText).join("\n")}`);
  if (options.json !== undefined) {
    const rows = results.flatMap(({ measured }) => measured.flatMap((one) => medianRow(one) ?? []));
    writeFileSync(options.json, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`);
  }
  if (options.markdown !== undefined) {
    const task = currentRuntime === "bun" ? "bun run bench" : "deno task bench";
    const command = `\`\`\`sh\n${task} ${args.join(" ")}\n\`\`\``;
    appendFileSync(options.markdown, `${command}\n\n${head.join("\n\n")}\n\n${tables.map(asMarkdown).join("\n")}\n`);
  }
  const failures = results.flatMap(({ case: { scenario }, measured }) =>
    measured.flatMap(({ entrant: { side, mode }, failure }) =>
      failure ? [`${scenario}, ${side.title}, ${mode}: ${failure}`] : []
    )
  );
  for (const failure of failures) console.error(`error: ${failure}`);
  return failures.length === 0 ? 0 : 1;
}

const args = process.argv.slice(2);
try {
  const options = readOptions(args);
  if (!options.help && options.network === "own") {
    const code = await runInOwnNetwork("bench.ts", args, options.rcvbuf);
    if (code !== undefined) process.exit(code);
  }
  if (options.help) console.log(HELP);
  passPriorityOn();
  // Deno would wait for the signals that the children are stopped on.
  process.exit(options.help ? 0 : await bench(options, args));
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(2);
}
