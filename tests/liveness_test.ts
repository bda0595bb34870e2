/**
 * Silence: what is dead is noticed, and what is only quiet, busy or slow is not taken for it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { startManualBench } from "./manual_bench.ts";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

const MARK_PRICE = "btcusdt@markPrice@1s";

testEachLibrary("a subscription that was acknowledged and brings nothing is named and renewed", async (library) => {
  await using bench = await startBench(library, { silenceMs: { trade: 500 } }, { messagesPerSecond: 20 });
  bench.exchange.ignoreSubscriptions(1);
  const stream = bench.manager.createStream({ streams: ["a@trade", "b@trade"], onData() {} });
  await stream.ready;
  await until(() => stream.statistics.receivedMessages > 10, "data in the end");
  const silent = bench.signals.flatMap((signal) => signal.type === "STREAM_SILENT" ? [signal] : []);
  assertEquals(silent.map(({ stream }) => stream).toSorted(), ["a@trade", "b@trade"]);
  for (const { silentMs } of silent) assert(silentMs >= 500 && silentMs < 3_000, `${silentMs} ms`);
  assertEquals(bench.exchange.totalConnections, 1, "subscribing again was enough");
});

testEachLibrary("pings are no data: a silent stream among them gets a new connection", async (library) => {
  await using bench = await startBench(library, { silenceMs: { "a@trade": 400 }, overlapMs: 300 }, {
    messagesPerSecond: 20,
    pingIntervalMs: 400,
  });
  const stream = bench.manager.createStream({ streams: ["a@trade", "b@trade"], onData() {} });
  await stream.ready;
  bench.exchange.muteStreams(["a@trade"]);
  await until(() => bench.signalTypes.includes("ROLLOVER"), "a new connection");
  const ofSilence = bench.signals.flatMap((signal) => {
    if (signal.type === "STREAM_SILENT") return [`silent ${signal.stream}`];
    return signal.type === "ROLLOVER" ? [signal.reason] : [];
  });
  assertEquals(ofSilence, ["silent a@trade", "streams stayed silent"]);
  assertEquals([stream.state, stream.statistics.reconnects], ["running", 0]);
});

testEachLibrary(
  "an exchange that answers slowly does not keep a silent stream from a new connection",
  async (library) => {
    await using bench = await startBench(library, { silenceMs: { "a@trade": 400 }, overlapMs: 300 });
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await stream.ready;
    bench.exchange.delayAcks(1_100);
    await until(() => bench.signalTypes.includes("ROLLOVER"), "a new connection");
    assertEquals(bench.signalTypes, ["CONNECT", "STREAM_SILENT", "ROLLOVER"]);
  },
);

testEachLibrary("by default a stream with a documented pace is watched, and one of events is not", async (library) => {
  await using bench = await startManualBench(library, { exchange: "binance.com-futures" });
  const stream = bench.manager.createStream({ streams: [MARK_PRICE, "btcusdt@forceOrder"], onData() {} });
  await stream.ready;
  await bench.advance(12_000);
  const silent = bench.signals.flatMap((signal) => signal.type === "STREAM_SILENT" ? [signal.stream] : []);
  assertEquals(silent, [MARK_PRICE]);
});

testEachLibrary("a dead connection is not closed politely: the next one is opened at once", async (library) => {
  const patience = { pingIntervalMs: 100, pingTimeoutMs: 100, closeTimeoutMs: 30_000 };
  await using bench = await startBench(library, patience);
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.ignoreClose(true);
  bench.exchange.stallConnection(0);
  await bench.exchange.waitFor(() => bench.exchange.totalHandshakes === 2, 2_000);
  const disconnect = bench.signals.find(({ type }) => type === "DISCONNECT");
  assert(disconnect?.type === "DISCONNECT");
  assertEquals([disconnect.close.code, disconnect.close.wasClean], [1006, false]);
  await until(() => stream.state === "running", "running again");
});

testEachLibrary("a process that was busy for longer than its patience loses no connection", async (library) => {
  await using bench = await startBench(library, { pingIntervalMs: 50, pingTimeoutMs: 100 });
  const stream = bench.manager.createStream({ streams: ["a@trade"], onData() {} });
  await stream.ready;
  for (let id = 0; id < 3; id++) {
    // So that it is busy at other stages of the watchdog too: before it asks, and while it waits for the answer.
    await new Promise((resolve) => setTimeout(resolve, 30 + 34 * id));
    bench.exchange.broadcast(trade(id).text);
    for (const end = performance.now() + 300; performance.now() < end;);
  }
  await until(() => stream.statistics.receivedMessages === 3, "all messages");
  assertEquals([bench.signalTypes, bench.exchange.totalConnections], [["CONNECT", "FIRST_RECEIVED_DATA"], 1]);
});

testEachLibrary("nor does one that was busy while the sign of life that it had asked for came", async (library) => {
  await using bench = await startBench(library, { pingIntervalMs: 100, pingTimeoutMs: 100 });
  const stream = bench.manager.createStream({ streams: ["a@trade"], onData() {} });
  await stream.ready;
  bench.exchange.ignorePings(true);
  bench.exchange.silenceAcks(true);
  const asked = () => bench.exchange.pingsReceived + bench.exchange.controlMessages.length;
  const before = asked();
  await bench.exchange.waitFor(() => asked() > before);
  bench.exchange.broadcast(trade(1).text);
  for (const end = performance.now() + 300; performance.now() < end;);
  bench.exchange.ignorePings(false);
  bench.exchange.silenceAcks(false);
  await until(() => stream.statistics.receivedMessages === 1, "the message");
  assertEquals([bench.signalTypes, bench.exchange.totalConnections], [["CONNECT", "FIRST_RECEIVED_DATA"], 1]);
});

testEachLibrary("when the machine has slept, a dead connection is given up within seconds", async (library) => {
  // Asks only every 10 minutes by itself.
  await using bench = await startManualBench(library, { pingIntervalMs: 600_000, pingTimeoutMs: 600_000 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  await bench.advance(5_000);
  bench.clock.sleep(5_000);
  bench.exchange.stallConnection(0);
  await bench.advance(5_000);
  assertEquals(bench.exchange.totalConnections, 1, "5 seconds are no sleep");
  bench.clock.sleep(3_600_000);
  await bench.advance(4_000);
  await bench.exchange.waitFor(() => bench.exchange.totalHandshakes === 2);
  await until(() => stream.state === "running", "running again");
});

testEachLibrary("when the machine has slept, a living connection is kept", async (library) => {
  await using bench = await startManualBench(library, { pingIntervalMs: 600_000, pingTimeoutMs: 600_000 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.clock.sleep(3_600_000);
  const asked = () => bench.exchange.pingsReceived + bench.exchange.controlMessages.length;
  const before = asked();
  await bench.advance(1_000);
  await bench.exchange.waitFor(() => asked() > before);
  // The answer is on its way: it is read before the clock goes on.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await bench.advance(10_000);
  assertEquals([stream.state, bench.exchange.totalConnections], ["running", 1]);
});

testEachLibrary(
  "a callback that never returns does not keep the exchange's pings from being answered",
  async (library) => {
    await using bench = await startBench(library, { onData: () => new Promise<void>(() => {}) });
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await stream.ready;
    for (let id = 0; id < 100; id++) bench.exchange.broadcast(trade(id).text);
    await until(() => stream.statistics.receivedMessages === 100, "all messages");
    for (let pongs = 1; pongs <= 3; pongs++) {
      bench.exchange.ping();
      await bench.exchange.waitFor(() => bench.exchange.pongsReceived === pongs);
    }
  },
);
