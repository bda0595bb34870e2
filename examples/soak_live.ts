/**
 * The soak against the real exchange, with both libraries side by side: there is no ledger, only what the numbers in the
 * data tell. `deno run -A examples/soak_live.ts --hours 24 --out metrics.csv`; `--help` lists the options. With
 * `--base-url` it runs against a local exchange, such as the one of the command `exchange`.
 *
 * @module
 */

import process from "node:process";
import { parseArgs } from "node:util";
import { BinanceWebSocketApiManager, type Signal, type WebSocketLibrary } from "@rawtick/binance";
import { memorySlope, Metrics, type StreamMetrics } from "../tests/soak/metrics.ts";
import { type SeenGap, SequenceCheck } from "./soak_live/sequences.ts";

const HELP = `Keeps streams of the real exchange up for hours and reports what got lost, came twice or fell silent.

  --hours <h>           how long (24)
  --interval <s>        seconds between two rows (60)
  --symbols <a,b,…>     markets (20 large ones against USDT)
  --library <name>      builtin, native or both (both)
  --base-url <url>      another exchange, such as ws://127.0.0.1:8765
  --out <file.csv>      a row for each interval`;

const SYMBOLS = "btcusdt,ethusdt,solusdt,xrpusdt,bnbusdt,dogeusdt,adausdt,trxusdt,linkusdt,avaxusdt," +
  "ltcusdt,dotusdt,bchusdt,uniusdt,nearusdt,aptusdt,suiusdt,filusdt,arbusdt,opusdt";
const CHANNELS = ["aggTrade", "trade", "depth20@100ms", "kline_1m", "bookTicker"];
/** How many of the markets also have their book updates taken. */
const BOOKS = 20;

interface Options {
  readonly hours: number;
  readonly intervalMs: number;
  readonly symbols: readonly string[];
  readonly libraries: readonly WebSocketLibrary[];
  readonly baseUrl: string | undefined;
  readonly out: string | undefined;
}

/** What is counted of one logical stream. */
interface StreamCounts {
  receives: number;
  lastDataAt: number;
  /** When its connection was lost, in ms since 1970, until data comes again. */
  lostAt: number | undefined;
}

/** One library's manager, and what it delivered and signalled. */
class Run {
  readonly library: WebSocketLibrary;
  readonly check = new SequenceCheck();
  readonly reported: SeenGap[] = [];
  readonly failures: string[] = [];
  readonly recoveries: number[] = [];
  messages = 0;
  characters = 0;
  errors = 0;
  readonly #manager: BinanceWebSocketApiManager;
  readonly #state = new Map<string, StreamCounts>();

  constructor(library: WebSocketLibrary, { symbols, baseUrl }: Options) {
    this.library = library;
    this.#manager = new BinanceWebSocketApiManager({
      websocketLibrary: library,
      onRateLimited: "wait",
      ...(baseUrl !== undefined && { websocketBaseUrl: baseUrl }),
      onSignal: (signal) => this.#onSignal(signal),
    });
    this.#create("arr", ["!miniTicker@arr"]);
    this.#create("markets", symbols.flatMap((symbol) => CHANNELS.map((channel) => `${symbol}@${channel}`)));
    this.#create("depth", symbols.slice(0, BOOKS).map((symbol) => `${symbol}@depth@100ms`));
  }

  get metrics(): StreamMetrics[] {
    return this.#manager.streams.map((stream) => {
      const state = this.#state.get(stream.label ?? "");
      return {
        label: `${this.library}_${stream.label}`,
        status: stream.state,
        reconnects: stream.statistics.reconnects,
        lastDataSeconds: (Date.now() - (state?.lastDataAt ?? 0)) / 1000,
        receives: state?.receives ?? 0,
      };
    });
  }

  async stop(): Promise<void> {
    await this.#manager.stopManager();
  }

  /** Lines of the report, and whether nothing speaks against the run. */
  conclude(): { lines: string[]; isGood: boolean } {
    const keyOf = ({ stream, lastId, nextId }: SeenGap): string => `${stream} ${lastId} ${nextId}`;
    const reported = new Set(this.reported.map(keyOf));
    const unreported = this.check.gaps.filter((gap) => !reported.has(keyOf(gap)));
    const times = this.recoveries.toSorted((a, b) => a - b);
    return {
      lines: [
        `Library ${this.library}: ${this.messages} messages, ${this.check.checked} with numbers that tell of holes`,
        `  holes: ${this.check.gaps.length} seen, ${this.reported.length} reported, ${unreported.length} not reported` +
        (unreported[0] === undefined ? "" : ` (${keyOf(unreported[0])})`),
        `  came again or too late: ${this.check.repeated}`,
        `  losses of a connection: ${times.length}, data again after ${times[Math.floor(times.length / 2)] ?? 0} ms ` +
        `(median), ${times.at(-1) ?? 0} ms (longest)`,
        ...this.failures.map((failure) => `  ${failure}`),
      ],
      isGood: this.messages > 0 && unreported.length === 0 && this.check.repeated === 0 && this.failures.length === 0,
    };
  }

  #create(label: string, streams: string[]): void {
    const state: StreamCounts = { receives: 0, lastDataAt: Date.now(), lostAt: undefined };
    this.#state.set(label, state);
    this.#manager.createStream({
      label,
      streams,
      output: "raw",
      onData: (text) => {
        const now = Date.now();
        this.messages++;
        this.characters += text.length;
        state.receives++;
        state.lastDataAt = now;
        if (state.lostAt !== undefined) this.recoveries.push(now - state.lostAt);
        state.lostAt = undefined;
        if (label === "arr") return;
        const { stream, data } = JSON.parse(text);
        this.check.note(stream, data);
      },
    });
  }

  #onSignal(signal: Signal): void {
    const state = this.#state.get(signal.streamLabel ?? "");
    // A rollover has a signal of its own: this is a loss.
    if (signal.type === "DISCONNECT" && state !== undefined) state.lostAt ??= Date.now();
    if (signal.type === "CONNECT_FAILED" || signal.type === "SUBSCRIPTION_FAILED") this.errors++;
    if (signal.type === "GAP") this.reported.push(signal);
    if (signal.type === "STREAM_SILENT") this.failures.push(`${signal.stream} was silent for ${signal.silentMs} ms`);
    if (signal.type === "STREAM_UNREPAIRABLE") this.failures.push(`${signal.streamLabel}: ${signal.error.message}`);
  }
}

async function soak(options: Options): Promise<boolean> {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  let isInterrupted = false;
  void interrupted.then(() => isInterrupted = true);

  const metrics = new Metrics(options.out);
  const runs = options.libraries.map((library) => new Run(library, options));
  const startedAt = performance.now();
  const endAt = startedAt + options.hours * 3_600_000;
  while (!isInterrupted && performance.now() < endAt) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(options.intervalMs, endAt - performance.now()));
    await Promise.race([promise, interrupted]);
    clearTimeout(timer);
    const sum = (key: "messages" | "characters" | "errors"): number => runs.reduce((total, run) => total + run[key], 0);
    const row = metrics.add({
      uptimeSeconds: (performance.now() - startedAt) / 1000,
      messages: sum("messages"),
      bytes: sum("characters"),
      errors: sum("errors"),
      streams: runs.flatMap((run) => run.metrics),
    });
    const states = runs.flatMap((run) => run.metrics.map(({ label, status }) => `${label} ${status}`)).join(", ");
    console.log(
      `${row.uptime_s} s: ${row.messages_total} messages, ${row.messages_per_s}/s, ${row.rss_mb} MB, CPU ${row.cpu_pct} %, ${states}`,
    );
  }
  await Promise.all(runs.map((run) => run.stop()));

  const results = runs.map((run) => run.conclude());
  console.log(["", ...results.flatMap(({ lines }) => lines)].join("\n"));
  console.log(`Memory: ${(memorySlope(metrics.memory) / 2 ** 20).toFixed(1)} MB per hour in the second half`);
  return results.every(({ isGood }) => isGood);
}

/** What the arguments ask for; `undefined` for help. */
function readOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      hours: { type: "string", default: "24" },
      interval: { type: "string", default: "60" },
      symbols: { type: "string", default: SYMBOLS },
      library: { type: "string", default: "both" },
      "base-url": { type: "string" },
      out: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const [hours, interval] = [Number(values.hours), Number(values.interval)];
  if (!(hours > 0)) throw new TypeError(`Cannot run for --hours ${values.hours}: expected a number over 0`);
  if (!(interval > 0)) throw new TypeError(`Cannot use --interval ${values.interval}: expected a number over 0`);
  const libraries = (["builtin", "native"] as const).filter((name) => ["both", name].includes(values.library));
  if (libraries.length === 0) {
    throw new TypeError(`Cannot use --library ${values.library}: expected builtin, native or both`);
  }
  const symbols = values.symbols.split(",");
  return { hours, intervalMs: interval * 1000, symbols, libraries, baseUrl: values["base-url"], out: values.out };
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) console.log(HELP);
  else if (!await soak(options)) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
