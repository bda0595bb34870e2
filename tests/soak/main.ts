/**
 * The soak: a simulated day or more with faults, both libraries side by side, and a ledger of every message. The task
 * `soak`; `--help` lists the options.
 *
 * @module
 */

import process from "node:process";
import { HELP, readArguments, type SoakOptions } from "./arguments.ts";
import { ExchangeProcess } from "./exchange_process.ts";
import { judge } from "./judge.ts";
import { Metrics, type StreamMetrics } from "./metrics.ts";
import { LIBRARIES } from "./protocol.ts";
import { faultLines, judgeMemory, verdictLines } from "./report.ts";
import { Subject } from "./subject.ts";
import { CHANNELS, type Timing, timingOf } from "./timing.ts";

/** Limits of spot (Binance web-socket-streams.md, "WebSocket Limits"), which hold in real time. */
const LIMITS = { framesPerSecond: 5, connectionAttempts: 300, streamsPerConnection: 1024 };
const HOUR_S = 3_600;

/** The streams of each manager by the label of the logical stream that carries them. */
function groupsOf(symbols: number): Record<string, string[]> {
  const names = Array.from({ length: symbols }, (_, index) => `soak${index}usdt`);
  const cross = (channels: readonly string[]): string[] =>
    names.flatMap((symbol) => channels.map((channel) => `${symbol}@${channel}`));
  return {
    markets: cross(CHANNELS.filter((channel) => channel !== "depth")),
    depth: cross(["depth"]),
  };
}

function metricsOf(subject: Subject, timeScale: number): StreamMetrics[] {
  return subject.streams.map((logical) => ({
    label: logical.label,
    status: logical.stream.state,
    reconnects: subject.reconnectsOf(logical),
    lastDataSeconds: (Date.now() - logical.lastDataAt) / 1000 * timeScale,
    receives: logical.receives,
  }));
}

/** Takes a row each simulated minute until the time is over or the user interrupts. */
async function record(subjects: readonly Subject[], metrics: Metrics, options: SoakOptions, timing: Timing) {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  let isInterrupted = false;
  void interrupted.then(() => isInterrupted = true);
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  let hour = 0;
  for (let minute = 1; !isInterrupted && elapsed() < timing.durationMs; minute++) {
    // A row that is late doesn't make the next ones late.
    const timer = Promise.withResolvers<void>();
    const id = setTimeout(
      timer.resolve,
      Math.max(0, Math.min(minute * timing.minuteMs, timing.durationMs) - elapsed()),
    );
    await Promise.race([timer.promise, interrupted]);
    clearTimeout(id);
    const uptimeSeconds = elapsed() / 1000 * options.timeScale;
    const row = metrics.add({
      uptimeSeconds,
      messages: subjects.reduce((sum, { messages }) => sum + messages, 0),
      // The generator's messages are ASCII: each character is a byte.
      bytes: subjects.reduce((sum, { characters }) => sum + characters, 0),
      errors: subjects.reduce((sum, { errors }) => sum + errors, 0),
      streams: subjects.flatMap((subject) => metricsOf(subject, options.timeScale)),
    });
    if (uptimeSeconds < hour * HOUR_S) continue;
    hour = Math.floor(uptimeSeconds / HOUR_S) + 1;
    const states = subjects.flatMap(({ streams }) => streams.map(({ label, stream }) => `${label} ${stream.state}`));
    console.log(
      `hour ${(uptimeSeconds / HOUR_S).toFixed(1)}: ${row.messages_total} messages, ${row.messages_per_s}/s, ` +
        `${row.rss_mb} MB, CPU ${row.cpu_pct} %, ${states.join(", ")}`,
    );
  }
  process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
}

async function soak(options: SoakOptions): Promise<boolean> {
  const timing = timingOf(options);
  const groups = groupsOf(options.symbols);
  const streams = Object.values(groups).flat();
  console.log(
    `${options.hours} simulated hours in ${(timing.durationMs / 1000).toFixed(0)} s, seed ${options.chaos}: ` +
      `${streams.length} streams per library, ${
        streams.length * options.rate
      } messages/s each. Connections are cut at ` +
      `an age of ${(timing.ageMs * options.timeScale / 3_600_000).toFixed(1)} simulated hours.`,
  );
  const { hours, timeScale, chaos, dataFaults, rate } = options;
  const { exchange, urls } = await ExchangeProcess.start({ hours, timeScale, chaos, dataFaults, rate, streams });
  await using _exchange = exchange;
  const metrics = new Metrics(options.out);
  const subjects = LIBRARIES.map((library) => new Subject(library, urls[library], groups, timing.manager));
  await record(subjects, metrics, options, timing);
  const ledgers = await exchange.finish();
  const states = subjects.map(({ streams }) => streams.map(({ stream }) => stream.state));
  await Promise.all(subjects.map((subject) => subject.stop()));

  const bounds = { ...LIMITS, settleMs: timing.settleMs, rate, ageMs: timing.ageMs };
  const verdicts = subjects.map((subject, index) => {
    const rollovers = subject.signalCounts.get("ROLLOVER") ?? 0;
    const evidence = { ...evidenceOf(subject), rollovers, states: states[index] ?? [] };
    return judge(evidence, ledgers[subject.library], exchange.faults, bounds);
  });
  const memory = judgeMemory(metrics.memory);
  const lines = [
    "",
    ...faultLines(exchange.faults),
    "",
    ...subjects.flatMap(({ library }, index) => verdictLines(`Library ${library}`, verdicts[index] ?? [])),
    ...verdictLines("Both", [memory]),
  ];
  console.log(lines.join("\n"));
  const failed = [...verdicts.flat(), memory].filter(({ isKept }) => !isKept).length;
  console.log(failed === 0 ? "\nEverything held." : `\nFAILED: ${failed} promises were not kept.`);
  return failed === 0;
}

function evidenceOf({ library, deliveries, gaps, reconnects, crashes }: Subject) {
  return { library, deliveries, gaps, reconnects, crashes };
}

async function main(): Promise<number> {
  let options: SoakOptions | undefined;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  if (options === undefined) {
    console.log(HELP);
    return 0;
  }
  return await soak(options) ? 0 : 1;
}

process.exitCode = await main();
