/**
 * The soak in small, and that it notices what must not happen.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { GapSignal } from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";
import { run, TemporaryFolder } from "./command.ts";
import { readArguments } from "./soak/arguments.ts";
import { chaosScript, DATA_FAULTS, FAULTS } from "./soak/chaos.ts";
import { Deliveries } from "./soak/deliveries.ts";
import { type Evidence, judge } from "./soak/judge.ts";
import { memorySlope } from "./soak/metrics.ts";
import { idsOf, Numbering, textOf } from "./soak/numbering.ts";
import type { ExchangeLedger, FaultRecord } from "./soak/protocol.ts";
import { timingOf } from "./soak/timing.ts";
import { until } from "./support.ts";

test("a simulated hour with faults: both libraries deliver what was sent, and the file has a row for each minute", async () => {
  using folder = new TemporaryFolder();
  const file = folder.file("soak.csv");
  const args = ["--hours", "1", "--time-scale", "200", "--chaos", "3", "--symbols", "2", "--out", file];
  const { code, output, errors } = await run("tests/soak/main.ts", args);
  assertEquals(code, 0, output + errors);
  for (const library of ["builtin", "native"]) assertMatch(output, new RegExp(`Library ${library}\n  ok`));
  assertMatch(output, /Faults: [1-9]/);
  assertMatch(output, /[1-9]\d* rollovers/);
  const [head = "", ...rows] = readFileSync(file, "utf8").trimEnd().split("\n");
  const columns = head.split(",");
  assertEquals(
    columns.slice(0, 11).join(),
    "timestamp,uptime_s,messages_total,messages_per_s,mb_total,rss_mb,cpu_pct,threads,errors,api_ok,api_failed",
  );
  assertEquals(
    columns.slice(11, 15),
    ["status", "reconnects", "last_data_s", "receives"].map((name) => `builtin_markets_${name}`),
  );
  assert(Math.abs(rows.length - 60) <= 3, `${rows.length} rows`);
  assert(rows.every((row) => row.split(",").length === columns.length));
});

const WHILE_A_SOAK_RUNS = { timeout: 60_000 };

test(
  "the live soak runs against a local exchange, and reports what the numbers in the data tell",
  WHILE_A_SOAK_RUNS,
  async () => {
    await using exchange = await startLocalExchange({ market: "spot", messagesPerSecond: 20 });
    const args = ["--base-url", exchange.url, "--hours", "0.002", "--interval", "1", "--symbols", "btcusdt,ethusdt"];
    const live = run("examples/soak_live.ts", args);
    await exchange.waitFor(() => exchange.openConnections.length === 6 && exchange.messagesSent > 400, 20_000);
    // Longer than from one message of a stream to the next, so that something is missed for sure.
    exchange.refuseConnections(503);
    exchange.killConnections();
    const lostAt = performance.now();
    await until(() => performance.now() > lostAt + 200, "a hole");
    exchange.refuseConnections(undefined);
    const { code, output, errors } = await live;
    assertEquals(code, 0, output + errors);
    assertEquals(output.match(/losses of a connection: 3/g)?.length, 2, output);
    assertMatch(output, /holes: [1-9]\d* seen, [1-9]\d* reported, 0 not reported/);
  },
);

test("the live soak fails when data is missing that was not reported", async () => {
  await using exchange = await startLocalExchange({ market: "spot", messagesPerSecond: 20 });
  exchange.disturbData("drop", { stream: "btcusdt@trade", count: 1 });
  const args = ["--base-url", exchange.url, "--hours", "0.0005", "--interval", "1", "--symbols", "btcusdt"];
  const live = run("examples/soak_live.ts", [...args, "--library", "native"]);
  await exchange.waitFor(() => exchange.messagesSent > 60, 20_000);
  exchange.disturbData("drop", { stream: "btcusdt@trade", count: 1 });
  exchange.disturbData("duplicate", { stream: "btcusdt@aggTrade", count: 1 });
  const { code, output, errors } = await live;
  assertEquals(code, 1, output + errors);
  assertMatch(output, /holes: 1 seen, 0 reported, 1 not reported \(btcusdt@trade \d+ \d+\)/);
  assertMatch(output, /came again or too late: 1/);
});

test("wrong arguments are named, and the soak ends with code 2", async () => {
  const { code, errors } = await run("tests/soak/main.ts", ["--hours", "0"]);
  assertEquals([code, errors.trim()], [2, "Cannot use --hours 0: expected a number from 0.1 to 10000"]);
  assertThrows(() => readArguments(["--chaos", "1.5"]), TypeError, "expected an integer");
  assertEquals(readArguments(["--help"]), undefined);
});

test("the script of faults depends on the seed only, has each kind, and leaves the end and the time between bursts quiet", () => {
  const timing = timingOf({ hours: 24, timeScale: 250 });
  const script = chaosScript(7, timing);
  assertEquals(chaosScript(7, timing), script);
  assert(JSON.stringify(chaosScript(8, timing)) !== JSON.stringify(script));
  assertEquals(chaosScript(0, timing), []);
  assertEquals(new Set(script.map(({ fault }) => fault)), new Set(Object.keys(FAULTS)));
  assertEquals(
    new Set(chaosScript(7, timing, true).map(({ fault }) => fault)),
    new Set(Object.keys({ ...FAULTS, ...DATA_FAULTS })),
  );
  assert(timing.durationMs <= 6 * 60_000);
  assert(script.every(({ at }) => at + timing.settleMs <= timing.durationMs));
  const pauses = script.slice(1).map(({ at }, index) => at - (script[index]?.at ?? 0));
  assert(Math.min(...pauses) >= timing.settleMs);
  assertEquals(pauses.filter((ms) => ms > timing.ageMs).length, 3, "connections get old between four bursts");
});

test("each message is known by its text, in every stream", () => {
  for (const stream of ["a@trade", "a@aggTrade", "a@depth", "a@bookTicker", "a@kline_1m"]) {
    const numbering = new Numbering(stream);
    for (const n of [0, 1, 2, 77, 12_345]) assertEquals(numbering.numberOf(textOf(stream, n)), n, `${stream} ${n}`);
    assertEquals(numbering.numberOf(textOf(stream, 5).replace(/\d"/, 'x"')), undefined);
  }
});

test("holes, repetitions and disorder are told apart", () => {
  const deliveries = new Deliveries("s");
  for (const n of [0, 1, 4, 3, 3, 8, undefined]) deliveries.note(n, 1_000);
  deliveries.end(10, 2_000);
  const { delivered, duplicates, disordered, foreign, holes } = deliveries;
  assertEquals({ delivered, duplicates, disordered, foreign }, {
    delivered: 5,
    duplicates: 1,
    disordered: 1,
    foreign: 1,
  });
  assertEquals(holes.map(({ from, to }) => [from, to]), [[2, 2], [5, 7], [9, 9]]);
});

const STREAM = "soak0usdt@trade";
const START = 1_000_000;

/** Judges a run in which messages 0 to 99 were sent and those in `numbers` delivered, message n at START + n. */
function verdictsOf(numbers: readonly number[], options: {
  readonly faults?: readonly FaultRecord[];
  readonly gaps?: readonly (readonly [from: number, to: number])[];
  readonly ledger?: Partial<ExchangeLedger["connections"][number]>;
  readonly evidence?: Partial<Evidence>;
}): string[] {
  const deliveries = new Deliveries(STREAM);
  for (const n of numbers) deliveries.note(n, START + n);
  const ledger: ExchangeLedger = {
    maxConnectionAttempts: 3,
    messagesSent: 100,
    published: [[STREAM, 100]],
    connections: [{
      openedAt: START,
      closedAt: undefined,
      closeSent: undefined,
      maxFramesPerSecond: 5,
      subscribes: [[STREAM, 1]],
      sent: [[STREAM, 99]],
      ...options.ledger,
    }],
  };
  const gaps = (options.gaps ?? []).map(([from, to]): GapSignal => ({
    type: "GAP",
    url: "ws://127.0.0.1/",
    stream: STREAM,
    lastId: idsOf(STREAM, from - 1)?.last ?? NaN,
    nextId: idsOf(STREAM, to + 1)?.first ?? NaN,
    missed: to - from + 1,
    durationMs: 1,
    streamId: "1",
    streamLabel: undefined,
    timestamp: START,
  }));
  const evidence: Evidence = {
    library: "native",
    deliveries: new Map([[STREAM, deliveries]]),
    gaps,
    reconnects: [],
    crashes: [],
    rollovers: 1,
    states: ["running"],
    ...options.evidence,
  };
  const bounds = {
    framesPerSecond: 5,
    connectionAttempts: 300,
    streamsPerConnection: 1024,
    settleMs: 20,
    rate: 10,
    ageMs: 50,
  };
  return judge(evidence, ledger, options.faults ?? [], bounds).flatMap(({ promise, isKept }) => isKept ? [] : promise);
}

const ONCE = "delivered exactly once";
const ORDER = "order kept per stream";
const GAPS = "gaps reported are the gaps that were";
const PLANNED = "planned cuts cost nothing";
const BACK = "data comes again after every loss";
const KEPT = "limits kept, one SUBSCRIBE per stream and connection";
const all = Array.from({ length: 100 }, (_, n) => n);
const without = (from: number, to: number) => all.filter((n) => n < from || n > to);
const fault = (name: FaultRecord["fault"], at: number): FaultRecord => {
  return { type: "fault", fault: name, at: START + at, endedAt: START + at };
};

test("a run without a flaw is approved, with a loss that an unplanned fault explains and a GAP reports too", () => {
  assertEquals(verdictsOf(all, {}), []);
  assertEquals(verdictsOf(without(40, 45), { faults: [fault("kill", 40)], gaps: [[40, 45]] }), []);
});

for (
  const [flaw, verdicts, expected] of [
    ["a message that is missing for no reason", verdictsOf(without(40, 40), { gaps: [[40, 40]] }), [ONCE]],
    ["the last messages are missing", verdictsOf(without(90, 99), {}), [ONCE, GAPS]],
    ["a message twice", verdictsOf([...all, 99], {}), [ONCE]],
    ["two messages the wrong way round", verdictsOf([0, 2, 1, ...all.slice(3)], {}), [ORDER]],
    ["a gap that is not reported", verdictsOf(without(40, 45), { faults: [fault("kill", 40)] }), [GAPS]],
    ["a gap of the wrong size", verdictsOf(without(40, 45), { faults: [fault("kill", 40)], gaps: [[40, 44]] }), [GAPS]],
    ["a gap that was none", verdictsOf(all, { gaps: [[40, 45]] }), [GAPS]],
    [
      "a loss by a shutdown that was announced",
      verdictsOf(without(40, 45), { faults: [fault("shutdown", 40)], gaps: [[40, 45]] }),
      [ONCE, PLANNED],
    ],
    [
      "a loss long after a fault",
      verdictsOf(without(70, 75), { faults: [fault("kill", 40)], gaps: [[70, 75]] }),
      [ONCE],
    ],
    [
      "a connection that the exchange had to cut",
      verdictsOf(all, { ledger: { closedAt: START + 60, closeSent: { code: 1001, reason: "" } } }),
      [PLANNED],
    ],
    ["a stream that does not come back", verdictsOf(all, { evidence: { states: ["restarting"] } }), [BACK]],
    ["no data after a loss", verdictsOf(all, { evidence: { reconnects: [{ at: START, ms: undefined }] } }), [BACK]],
    ["a sixth frame", verdictsOf(all, { ledger: { maxFramesPerSecond: 6 } }), [KEPT]],
    ["a second SUBSCRIBE", verdictsOf(all, { ledger: { subscribes: [[STREAM, 2]] } }), [KEPT]],
    ["a policy violation", verdictsOf(all, { ledger: { closeSent: { code: 1008, reason: "" } } }), [KEPT]],
    ["a crash", verdictsOf(all, { evidence: { crashes: ["418"] } }), ["no stream gives up"]],
  ] as const
) {
  test(`the soak fails for ${flaw}`, () => assertEquals(verdicts, [...expected]));
}

test("the slope of the memory is that of the second half", () => {
  const samples = [900, 500, 100, 110, 120, 130].map((megabytes, minute) => ({
    at: minute * 60_000,
    rssBytes: megabytes * 2 ** 20,
  }));
  assertEquals(Math.round(memorySlope(samples) / 2 ** 20), 600);
});
