/**
 * The life of streams and managers: replaced, found by label, forgotten, stopped, and nothing left of them.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertRejects, assertStringIncludes } from "@std/assert";
import {
  InvalidOptionsError,
  StreamCrashedError,
  StreamStoppedError,
  SubscriptionRejectedError,
  SubscriptionTimeoutError,
  UnknownStreamError,
} from "@rawtick/binance";
import { type Clock, startLocalExchange, type Timer } from "@rawtick/binance/testing";
import { silentLogger, systemClock } from "../src/base/mod.ts";
import { AccountManager as Manager } from "../src/manager/account_manager.ts";
import { allLibraries } from "../src/transport/all_libraries.ts";
import { Command, run, StuckPipe } from "./command.ts";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

const TRADES = { streams: ["btcusdt@trade"] } as const;

/** The stream names that connections of the exchange carry. */
const carried = (exchange: { openConnections: readonly { streams: readonly string[] }[] }) =>
  exchange.openConnections.map(({ streams }) => [...streams]);

testEachLibrary(
  "a subscription that nobody waits for is no unhandled rejection when the manager stops",
  async (library) => {
    await using bench = await startBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade"], onData() {} });
    await stream.ready;
    bench.exchange.silenceAcks(true);
    // The runner fails for a rejection that nobody handles.
    void stream.subscribe({ streams: ["b@trade"] });
    void stream.unsubscribe({ streams: ["a@trade"] });
    void bench.manager.subscribeToStream(stream, { streams: ["c@trade"] });
    await bench.manager.stopManager();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await assertRejects(() => stream.subscribe({ streams: ["d@trade"] }), StreamStoppedError);
  },
);

testEachLibrary("replaceStream stops the old stream only after the new one has brought data", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (_text, { id }) => void received.push(id) });
  const { exchange, manager } = bench;
  const before = manager.createStream({ ...TRADES, label: "trades" });
  await before.ready;
  let isReplaced = false;
  const replacing = manager.replaceStream(before, { streams: ["btcusdt@trade", "ethusdt@trade"] }, {
    dataTimeoutMs: 30_000,
  });
  replacing.then(() => isReplaced = true);
  await exchange.waitFor(() => exchange.openConnections[1]?.streams.length === 2);
  await until(() => manager.streams[1]?.statistics.links[0]?.state === "running", "the acknowledgement");
  await manager.streams[1]?.ready;
  assertEquals([isReplaced, before.state, received.length], [false, "running", 0]);
  exchange.broadcast(trade(1).text);
  const after = await replacing;
  assertEquals([before.state, after.state, after.label], ["stopped", "running", "trades"]);
  assertEquals(manager.streams.map(({ id }) => id), [after.id]);
  assert(received.includes(after.id), "the new one had delivered");
  await exchange.waitFor(() => exchange.openConnections.length === 1);
  assertEquals(carried(exchange), [["btcusdt@trade", "ethusdt@trade"]]);
});

testEachLibrary("replaceStream of a quiet stream makes do with the acknowledgement", async (library) => {
  await using bench = await startBench(library);
  const { manager } = bench;
  const before = manager.createStream({ ...TRADES, label: "old" });
  await before.ready;
  const after = await manager.replaceStream(before.id, { streams: ["ethusdt@trade"], label: "new" }, {
    dataTimeoutMs: 50,
  });
  assertEquals([before.state, after.state, after.label], ["stopped", "running", "new"]);
});

testEachLibrary("the old stream goes on if the exchange refuses the new one", async (library) => {
  await using bench = await startBench(library);
  const { exchange, manager } = bench;
  const before = manager.createStream(TRADES);
  await before.ready;
  exchange.rejectControl({ code: 2, msg: "Invalid request" });
  await assertRejects(() => manager.replaceStream(before, { streams: ["x@trade"] }), SubscriptionRejectedError);
  assertEquals([before.state, manager.streams.map(({ id }) => id)], ["running", [before.id]]);
  await exchange.waitFor(() => exchange.openConnections.length === 1);
  exchange.broadcast(trade(7).text);
  for await (const text of before) {
    assertEquals(text, trade(7).text);
    break;
  }
});

testEachLibrary(
  "the old stream goes on if the new one crashes, before or after it is acknowledged",
  async (library) => {
    await using bench = await startBench(library);
    const { exchange, manager } = bench;
    const before = manager.createStream(TRADES);
    await before.ready;
    exchange.refuseConnections(429, { count: 1 });
    await assertRejects(() => manager.replaceStream(before, TRADES), StreamCrashedError);
    const replacing = manager.replaceStream(before, TRADES, { dataTimeoutMs: 30_000 });
    await exchange.waitFor(() => exchange.openConnections[1]?.streams.length === 1);
    await manager.streams[1]?.ready;
    exchange.refuseConnections(429);
    const newest = exchange.openConnections[1];
    assert(newest !== undefined);
    exchange.killConnection(newest.id);
    const error = await replacing.catch((error) => error);
    assertInstanceOf(error, StreamCrashedError);
    assertEquals([before.state, manager.streams.length], ["running", 1]);
  },
);

testEachLibrary("the old stream goes on if the new one is not acknowledged in time", async (library) => {
  await using bench = await startBench(library, { handshakeTimeoutMs: 200, ackTimeoutMs: 50 });
  const { exchange, manager } = bench;
  const before = manager.createStream(TRADES);
  await before.ready;
  // It can't even connect, and would try for ever.
  exchange.refuseConnections(503);
  await assertRejects(() => manager.replaceStream(before, TRADES), SubscriptionTimeoutError);
  exchange.refuseConnections(undefined);
  exchange.silenceAcks(true);
  await assertRejects(() => manager.replaceStream(before, TRADES), SubscriptionTimeoutError);
  assertEquals([before.state, manager.streams.map(({ id }) => id)], ["running", [before.id]]);
});

testEachLibrary("a replacement that is stopped meanwhile rejects", async (library) => {
  await using bench = await startBench(library);
  const { exchange, manager } = bench;
  const before = manager.createStream(TRADES);
  await before.ready;
  const replacing = manager.replaceStream(before, TRADES, { dataTimeoutMs: 30_000 });
  await exchange.waitFor(() => exchange.openConnections[1]?.streams.length === 1);
  await manager.streams[1]?.ready;
  const rejection = assertRejects(() => replacing, StreamStoppedError);
  await manager.stopManager();
  await rejection;
  await exchange.waitFor(() => exchange.connections === 0);
});

testEachLibrary("replaceStream replaces a crashed stream, and refuses what it can't know or use", async (library) => {
  await using bench = await startBench(library);
  const { exchange, manager } = bench;
  exchange.refuseConnections(429, { count: 1 });
  const crashed = manager.createStream({ ...TRADES, label: "trades" });
  await assertRejects(() => crashed.ready, StreamCrashedError);
  const after = await manager.replaceStream(crashed, TRADES, { dataTimeoutMs: 0 });
  assertEquals([crashed.state, after.state, after.label], ["crashed", "running", "trades"]);
  await assertRejects(() => manager.replaceStream("no-such-id", TRADES), UnknownStreamError);
  await assertRejects(() => manager.replaceStream(after, { streams: [] }), InvalidOptionsError);
  await assertRejects(() => manager.replaceStream(after, TRADES, { dataTimeoutMs: -1 }), InvalidOptionsError);
  assertEquals([after.state, manager.streams.length], ["running", 1]);
});

test("a stream is found by its label, the one that was created first, and not after its end", async () => {
  await using bench = await startBench("builtin");
  const { manager } = bench;
  const first = manager.createStream({ ...TRADES, label: "twice" });
  const second = manager.createStream({ ...TRADES, label: "twice" });
  assertEquals(manager.getStreamByLabel("twice")?.id, first.id);
  assertEquals(manager.getStreamByLabel("never"), undefined);
  await first.stop();
  assertEquals(manager.getStreamByLabel("twice")?.id, second.id);
  await second.stop();
  assertEquals(manager.getStreamByLabel("twice"), undefined);
});

test("of streams that have ended the last are kept, and none of the others", async () => {
  await using bench = await startBench("builtin", { maxFinishedStreams: 3 });
  const { manager } = bench;
  for (let n = 0; n < 10; n++) await manager.createStream({ ...TRADES, label: `${n}` }).stop();
  assertEquals(manager.finishedStreams.map(({ label }) => label), ["7", "8", "9"]);
  assertEquals([manager.statistics.endedStreams, manager.statistics.streams.stopped], [10, 3]);
  manager.forgetFinishedStreams();
  assertEquals([manager.finishedStreams, manager.statistics.endedStreams], [[], 10]);
});

/** The system's clock, with a count of the timers that are set. */
class CountingClock implements Clock {
  readonly #set = new Set<Timer>();
  now(): number {
    return systemClock.now();
  }
  monotonic(): number {
    return systemClock.monotonic();
  }
  get pendingTimers(): number {
    return this.#set.size;
  }
  setTimer(callback: () => void, ms: number): Timer {
    const timer = systemClock.setTimer(() => {
      this.#set.delete(handle);
      callback();
    }, ms);
    const handle: Timer = {
      cancel: () => {
        this.#set.delete(handle);
        timer.cancel();
      },
    };
    this.#set.add(handle);
    return handle;
  }
}

testEachLibrary("stopManager leaves no timer and no socket, wherever its streams are", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 100 });
  let handshakes = 0;
  // Two streams and the replacement of one had a connection; the fourth is the successor of one of these.
  const isRollingOver = () => exchange.totalHandshakes >= handshakes + 4 && exchange.openConnections.length > 2;
  const phases: [name: string, arrange: () => void, isThere: (states: string[]) => boolean][] = [
    ["running", () => {}, (states) => states.length > 1 && states.every((state) => state === "running")],
    ["rolling over", () => {}, (states) => states.length === 2 && isRollingOver()],
    ["starting", () => exchange.ignoreHandshakes(true), (states) => states.length === 3 && exchange.connections > 0],
    ["restarting", () => exchange.refuseConnections(503), (states) => states.includes("restarting")],
    ["unacknowledged", () => exchange.silenceAcks(true), () => exchange.openConnections.length > 0],
  ];
  for (const [name, arrange, isThere] of phases) {
    const clock = new CountingClock();
    const manager = new Manager({ libraries: allLibraries, defaultLogger: silentLogger, clock, fetch }, {
      websocketLibrary: library,
      websocketBaseUrl: exchange.url,
      rolloverAgeMs: 300,
    });
    arrange();
    handshakes = exchange.totalHandshakes;
    const [first] = ["btcusdt@trade", "ethusdt@trade"].map((stream) => manager.createStream({ streams: [stream] }));
    const replacing = manager.replaceStream(first?.id ?? "", TRADES).catch((error: unknown) => error);
    await until(() => isThere(manager.streams.map(({ state }) => state)), name);
    assert(clock.pendingTimers > 0, `${name}: the clock is in use`);
    await manager.stopManager();
    await replacing;
    assertEquals([name, clock.pendingTimers, manager.streams], [name, 0, []]);
    await exchange.waitFor(() => exchange.connections === 0);
    exchange.ignoreHandshakes(false);
    exchange.refuseConnections(undefined);
    exchange.silenceAcks(false);
  }
});

/** Streams that are created and stopped for the proof that nothing stays of them. */
const CYCLES = 10_000;
/** What a cycle may leave behind on average, in bytes: one leaked stream of the two that it asks for would have more. */
const MOST_BYTES_PER_CYCLE = 100;

testEachLibrary(
  `${CYCLES} streams that are created, connected and stopped leave nothing in memory`,
  async (library) => {
    // In a process of its own, as is the manager: the records of the exchange grow with what it sees.
    using exchange = new Command("tests/fixtures/boundless_exchange.ts", []);
    await exchange.untilLines(1);
    const args = [library, exchange.lines[0] ?? "", String(CYCLES)];
    const { code, output, errors } = await run("tests/fixtures/stop_create_cycles.ts", args);
    assertEquals(code, 0, errors);
    const { used, endedStreams, stopped, kept } = JSON.parse(output) as {
      // The cast: the script writes this.
      used: number[];
      endedStreams: number;
      stopped: number;
      kept: number;
    };
    assertEquals([endedStreams, stopped, kept], [CYCLES, 100, 100]);
    const [first = 0, ...others] = used;
    const last = others.at(-1) ?? Infinity;
    assert((last - first) / (CYCLES * 0.8) < MOST_BYTES_PER_CYCLE, `bytes after each fifth: ${used.join(", ")}`);
  },
);

test("Ctrl-C on a tap whose reader is behind still writes all that it has taken", async () => {
  const messages = 20_000;
  await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: messages });
  using pipe = new StuckPipe();
  using command = new Command("cli.ts", ["tap", "btcusdt@trade", "-u", exchange.url], pipe.descriptor);
  await exchange.waitFor(() => exchange.messagesSent === messages, 20_000);
  command.kill("SIGINT");
  await exchange.waitFor(() => exchange.connections === 0, 20_000);
  assertEquals(command.exitCode, undefined, "it waits for its reader");
  const lines = (await pipe.readAll()).split("\n").slice(0, -1);
  assertEquals(await command.ended, 0, command.errors);
  assertStringIncludes(command.errors, `\n${lines.length} messages in `);
  assert(lines.length > 1_000, `${lines.length} were taken before`);
  assertEquals(
    lines.map((line) => JSON.parse(line).data.t),
    lines.map((_, n) => JSON.parse(lines[0] ?? "").data.t + n),
  );
});
