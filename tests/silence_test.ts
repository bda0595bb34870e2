/**
 * Silence is noticed: of one stream, of a server that goes away, of a machine that slept.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Signal } from "@rawtick/binance";
import { ManualClock } from "@rawtick/binance/testing";
import { Watchdog } from "../src/stream/watchdog.ts";
import { startBench, testEachLibrary, until } from "./support.ts";

testEachLibrary(
  "a stream that was acknowledged and stays silent is named, subscribed to again, and moved to a new connection",
  async (library) => {
    const signals: Signal[] = [];
    await using bench = await startBench(library, {
      silenceMs: { trade: 1_000 },
      overlapMs: 1_000,
      onSignal: (signal) => void signals.push(signal),
    }, { messagesPerSecond: 20 });
    bench.exchange.muteStreams(["quiet@trade"]);
    const stream = bench.manager.createStream({ streams: ["quiet@trade", "loud@trade"], onData: () => {} });
    await stream.ready;
    const silent = () => signals.filter((signal) => signal.type === "STREAM_SILENT");
    await until(() => silent().length > 0, "STREAM_SILENT");
    assertEquals(silent().map((signal) => signal.type === "STREAM_SILENT" && signal.stream), ["quiet@trade"]);
    const subscriptionsOf = (name: string) =>
      bench.exchange.controlMessages.filter(({ text }) => text.includes("SUBSCRIBE") && text.includes(name)).length;
    await until(() => subscriptionsOf("quiet@trade") > 1, "subscribed to again");
    assertEquals(subscriptionsOf("loud@trade"), 1, "the others are left alone");
    await until(() => signals.some(({ type }) => type === "ROLLOVER"), "a new connection");
    assertEquals([bench.exchange.totalConnections, stream.statistics.reconnects], [2, 0]);
    bench.exchange.muteStreams([]);
    await stream.stop();
  },
);

testEachLibrary("a stream that was silent for several rounds delivers as soon as something comes", async (library) => {
  let received = 0;
  await using bench = await startBench(library, { silenceMs: { trade: 100 }, overlapMs: 500 });
  const stream = bench.manager.createStream({ streams: ["quiet@trade"], onData: () => void received++ });
  await stream.ready;
  const count = (type: Signal["type"]) => bench.signalTypes.filter((each) => each === type).length;
  await until(() => count("STREAM_SILENT") > 1 && count("ROLLOVER") > 1, "two rounds", 20_000);
  bench.exchange.push("quiet@trade", { t: 1 });
  await until(() => received === 1, "data");
  assertEquals(stream.state, "running");
});

testEachLibrary(
  "a notice that the server goes away leads to a new connection at once, and nothing is lost",
  async (library) => {
    const signals: Signal["type"][] = [];
    const ids: number[] = [];
    await using bench = await startBench(library, { onSignal: ({ type }) => void signals.push(type) }, {
      messagesPerSecond: 200,
    });
    const stream = bench.manager.createStream({
      streams: ["btcusdt@trade"],
      onData: (text) => {
        if (text.startsWith('{"stream":"!serverShutdown"')) return;
        ids.push((JSON.parse(text) as { data: { t: number } }).data.t);
      },
    });
    await stream.ready;
    await until(() => ids.length > 100, "data");
    const isOver = bench.exchange.serverShutdown(1_000);
    await until(() => signals.includes("ROLLOVER"), "the rollover");
    await isOver;
    const goal = ids.length + 100;
    await until(() => ids.length > goal, "data on the new connection");
    await stream.stop();
    assert(ids.every((id, at) => at === 0 || id === ids[at - 1]! + 1), "each message once, in order");
    assertEquals(stream.statistics.reconnects, 0);
  },
);

/** A clock whose wall time can jump, as that of a machine that sleeps, while timers stand still. */
class SleepyClock extends ManualClock {
  #slept = 0;

  override now(): number {
    return super.now() + this.#slept;
  }

  sleep(ms: number): void {
    this.#slept += ms;
  }
}

function watch(clock: SleepyClock, timeoutMs = 30_000) {
  const seen = { activity: 0, probes: 0, delayMs: 0, deaths: [] as string[] };
  const watchdog = new Watchdog({
    clock,
    intervalMs: 60_000,
    timeoutMs,
    activity: () => seen.activity,
    probe: () => {
      seen.probes++;
      return seen.delayMs;
    },
    onDead: (why) => seen.deaths.push(why),
  });
  return { seen, watchdog };
}

test("after the machine has slept, a connection is asked at once and given up after two seconds", () => {
  const clock = new SleepyClock(0);
  const { seen } = watch(clock);
  clock.advance(5_000);
  clock.sleep(3_600_000);
  clock.advance(1_000);
  assertEquals([seen.probes, seen.deaths.length], [1, 0]);
  clock.advance(2_000);
  assertEquals(seen.deaths, ["the machine has slept, and nothing came since"]);
  assertEquals(clock.pendingTimers, 0);
});

test("a connection that answers after the sleep is kept, and a corrected clock is no sleep", () => {
  const clock = new SleepyClock(0);
  const { seen, watchdog } = watch(clock);
  clock.sleep(3_600_000);
  clock.advance(1_000);
  seen.activity++;
  clock.advance(50_000);
  assertEquals([seen.probes, seen.deaths], [1, []]);
  clock.sleep(5_000);
  clock.advance(1_000);
  clock.sleep(-3_600_000);
  clock.advance(1_000);
  assertEquals([seen.probes, seen.deaths], [1, []]);
  watchdog.stop();
  assertEquals(clock.pendingTimers, 0);
});

test("why a connection was given up is said right with every timeout, that of after a sleep included", () => {
  for (const timeoutMs of [1, 1_999, 2_000, 2_001, 30_000]) {
    const clock = new SleepyClock(0);
    const silent = watch(clock, timeoutMs);
    clock.advance(60_000 + timeoutMs);
    assertEquals(silent.seen.deaths, [`nothing received for ${60_000 + timeoutMs} ms`]);
    const { seen } = watch(clock, timeoutMs);
    clock.sleep(3_600_000);
    seen.delayMs = 500;
    clock.advance(1_000);
    seen.delayMs = 0;
    clock.advance(2_500);
    assertEquals(seen.deaths, ["the machine has slept, and nothing came since"]);
    const recovered = watch(clock, timeoutMs);
    clock.sleep(3_600_000);
    clock.advance(1_000);
    recovered.seen.activity++;
    clock.advance(2_000 + 60_000 + timeoutMs);
    assertEquals(recovered.seen.deaths, [`nothing received for ${60_000 + timeoutMs} ms`]);
  }
});
