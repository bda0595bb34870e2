/**
 * One manager, two WebSocket libraries: taps a local exchange through each, cuts the connection in the middle, and shows
 * what arrived. `deno task demo` or `bun run demo`; `--seconds 2` for a shorter one.
 *
 * @module
 */

import process from "node:process";
import { parseArgs } from "node:util";
import { BinanceWebSocketApiManager, type WebSocketLibrary } from "@rawtick/binance";
import { ExchangeProcess } from "./demo/exchange_process.ts";
import { grouped, ProgressView, tableOf } from "./demo/view.ts";

const LIBRARIES: readonly WebSocketLibrary[] = ["builtin", "native"];
const CHANNELS = ["trade", "bookTicker"];
const MARKETS = ["btcusdt", "ethusdt", "bnbusdt", "solusdt"];
const MESSAGES_PER_SECOND_AND_STREAM = 500;
const REDRAW_MS = 100;
/** Longest wait in ms for the first data, and for data after the disconnect. */
const PATIENCE_MS = 5_000;
/** The part of the time after which the CPU is measured: until then, the runtime compiles. */
const WARM_UP = 1 / 4;

/** What one library did. */
interface Result {
  readonly library: WebSocketLibrary;
  readonly messages: number;
  readonly messagesPerSecond: number;
  /** CPU time of this process in µs, user and system. */
  readonly cpuPerMessage: number;
  readonly reconnects: number;
  /** Time in ms from the end of the connection to the next message; undefined if none came. */
  readonly recoveredMs: number | undefined;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Taps the exchange through one library, and has the connection cut in the middle. */
async function tapThrough(library: WebSocketLibrary, exchange: ExchangeProcess, seconds: number): Promise<Result> {
  const view = new ProgressView();
  let messages = 0;
  let event = "connecting";
  let lostAt: number | undefined;
  let recoveredMs: number | undefined;

  await using manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    websocketBaseUrl: exchange.url,
    onData: () => {
      messages++;
      if (lostAt === undefined || recoveredMs !== undefined) return;
      recoveredMs = performance.now() - lostAt;
      event = `back after ${recoveredMs.toFixed(0)} ms`;
    },
    onSignal: (signal) => {
      if (signal.type === "CONNECT" && lostAt === undefined) event = "connected";
      if (signal.type === "STREAM_UNREPAIRABLE") event = signal.error.message;
      if (signal.type !== "DISCONNECT" || lostAt !== undefined) return;
      lostAt = performance.now();
      event = "cut off";
    },
  });
  const stream = manager.createStream({ channels: CHANNELS, markets: MARKETS });
  const createdAt = performance.now();
  while (messages === 0 && performance.now() - createdAt < PATIENCE_MS) await sleep(10);

  const totalMs = seconds * 1_000;
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const before = messages;
  let warm: { readonly cpu: NodeJS.CpuUsage; readonly messages: number } | undefined;
  let isCut = false;
  let isDone = false;
  while (!isDone) {
    await sleep(REDRAW_MS);
    const elapsedMs = elapsed();
    if (elapsedMs >= totalMs * WARM_UP) warm ??= { cpu: process.cpuUsage(), messages };
    if (elapsedMs >= totalMs / 2 && !isCut) {
      isCut = true;
      exchange.killConnections();
    }
    isDone = elapsedMs >= totalMs && (recoveredMs !== undefined || elapsedMs >= totalMs / 2 + PATIENCE_MS);
    const messagesPerSecond = (messages - before) / elapsedMs * 1_000;
    view.show({ library, elapsedMs, totalMs, messages, messagesPerSecond, event }, isDone);
  }

  const cpu = process.cpuUsage(warm?.cpu);
  return {
    library,
    messages,
    messagesPerSecond: (messages - before) / elapsed() * 1_000,
    cpuPerMessage: (cpu.user + cpu.system) / (messages - (warm?.messages ?? 0)),
    reconnects: stream.statistics.reconnects,
    recoveredMs,
  };
}

function rowOf({ library, messages, messagesPerSecond, cpuPerMessage, reconnects, recoveredMs }: Result): string[] {
  return [
    library,
    grouped(messages),
    grouped(messagesPerSecond),
    messages === 0 ? "-" : cpuPerMessage.toFixed(1),
    String(reconnects),
    recoveredMs === undefined ? "no" : `yes, data again after ${recoveredMs.toFixed(0)} ms`,
  ];
}

async function demo(seconds: number): Promise<boolean> {
  const streams = CHANNELS.length * MARKETS.length;
  process.stderr.write(
    `A local exchange sends ${streams} Binance streams, ${
      grouped(streams * MESSAGES_PER_SECOND_AND_STREAM)
    } messages/s.\n` +
      `Each WebSocket library taps them for ${seconds} s; halfway, the exchange cuts the connection.\n\n`,
  );
  await using exchange = await ExchangeProcess.start(MESSAGES_PER_SECOND_AND_STREAM);
  const results: Result[] = [];
  for (const library of LIBRARIES) results.push(await tapThrough(library, exchange, seconds));

  const head = ["library", "messages", "msgs/s", "CPU µs/msg", "reconnects", "disconnect survived"];
  console.log(`\n${tableOf([head, ...results.map(rowOf)])}`);
  console.log("\nThe CPU time is the whole client's at this rate, and varies with what else the machine does.");
  return results.every(({ messages, recoveredMs }) => messages > 0 && recoveredMs !== undefined);
}

/** How the user calls a task, as far as the environment tells. */
function taskCommand(): string {
  // Bun sets npm_command anew, but keeps what started it.
  const byNpx = process.env["npm_command"] === "exec" || /npx-cli/.test(process.env["npm_execpath"] ?? "");
  const task = process.versions["bun"] !== undefined ? "bun run" : "deno task";
  return byNpx ? `npx -y ${task}` : task;
}

/** The seconds for each library that the arguments ask for; a string is what is wrong with them. */
function readSeconds(): number | string {
  try {
    const { values } = parseArgs({ options: { seconds: { type: "string", default: "8" } } });
    const seconds = Number(values.seconds);
    if (seconds >= 0.5 && seconds <= 3_600) return seconds;
    return `Cannot run for --seconds ${values.seconds}: expected a number from 0.5 to 3600`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const seconds = readSeconds();
if (typeof seconds === "string") {
  process.stderr.write(`error: ${seconds}\n`);
  process.exitCode = 2;
} else if (await demo(seconds)) {
  console.log(`Next: ${taskCommand()} cli tap btcusdt@trade --library native  # the same, live from Binance`);
} else {
  process.stderr.write("error: A library did not deliver or did not survive the disconnect; see the table\n");
  process.exitCode = 1;
}
