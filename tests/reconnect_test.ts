/**
 * An unplanned loss: data again at once, each stream subscribed once, and the gap reported that was.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { GapSignal, Signal } from "@rawtick/binance";
import { startBench, testEachLibrary, until } from "./support.ts";

const STREAMS = Array.from({ length: 50 }, (_, index) => `s${index}@trade`);

testEachLibrary(
  "after a kill: data within 500 ms, one SUBSCRIBE for each stream, the gap that was",
  async (library) => {
    const signals: Signal[] = [];
    const last = new Map<string, number>();
    const holes: [string, number, number][] = [];
    let messages = 0;
    let lastAt = 0;
    let longestPause = 0;
    await using bench = await startBench(library, { onSignal: (signal) => void signals.push(signal) }, {
      messagesPerSecond: 100,
    });
    const stream = bench.manager.createStream({
      streams: STREAMS,
      onData: (text) => {
        const now = performance.now();
        if (messages++ > 0) longestPause = Math.max(longestPause, now - lastAt);
        lastAt = now;
        const { stream, data } = JSON.parse(text) as { stream: string; data: { t: number } };
        const before = last.get(stream);
        assert(before === undefined || data.t > before, "never twice, never back");
        if (before !== undefined && data.t > before + 1) holes.push([stream, before, data.t]);
        last.set(stream, data.t);
      },
    });
    await stream.ready;
    await until(() => messages > 2_000, "data");
    const subscribed = () =>
      bench.exchange.controlMessages.flatMap(({ text }) => {
        const { method, params } = JSON.parse(text) as { method: string; params: string[] };
        return method === "SUBSCRIBE" ? params : [];
      });
    const before = subscribed().length;
    longestPause = 0;
    bench.exchange.killConnections();
    await until(() => signals.filter(({ type }) => type === "CONNECT").length === 2, "the reconnect");
    let goal = messages + 2_000;
    await until(() => messages > goal, "data again");
    assert(longestPause < 500, `nothing for ${longestPause} ms`);
    assertEquals(subscribed().slice(before).toSorted(), STREAMS.toSorted());
    // A longer one, so that something is missed for sure.
    bench.exchange.refuseConnections(503);
    bench.exchange.killConnections();
    const lostAt = performance.now();
    await until(() => performance.now() > lostAt + 100 && bench.exchange.refusedHandshakes > 0, "refused attempts");
    bench.exchange.refuseConnections(undefined);
    await until(() => signals.filter(({ type }) => type === "CONNECT").length === 3, "the second reconnect");
    goal = messages + 2_000;
    await until(() => messages > goal, "data again");
    await stream.stop();
    assert(holes.length > 0);
    const gaps = signals.filter((signal): signal is GapSignal => signal.type === "GAP");
    assertEquals(
      gaps.map(({ stream, lastId, nextId }) => [stream, lastId, nextId]).toSorted(),
      holes.toSorted(),
    );
    for (const { lastId, nextId, missed, durationMs } of gaps) {
      assertEquals(missed, nextId - lastId - 1);
      assert(durationMs > 0 && durationMs < 1_000);
    }
  },
);

testEachLibrary(
  "2,000 subscriptions at once: enough connections, never too many frames, all confirmed",
  async (library) => {
    const streams = Array.from({ length: 2_000 }, (_, index) => `symbol${index}usdt@trade`);
    await using bench = await startBench(library, {}, { market: "spot" });
    const stream = bench.manager.createStream({ streams });
    await stream.ready;
    assertEquals([bench.exchange.connections, stream.subscriptions.length], [2, 2_000]);
    assertEquals(stream.freeSubscriptionSlots, 48);
    assertEquals(await stream.auditSubscriptions(), { missing: [], surplus: [] });
    // It closes a connection with 1008 for the sixth frame within a second.
    assertEquals([bench.exchange.totalConnections, stream.statistics.reconnects], [2, 0]);
  },
);

testEachLibrary("a gap is as long as its own loss, not as that of a stream that was quiet since", async (library) => {
  await using bench = await startBench(library, { onData() {} });
  const stream = bench.manager.createStream({ streams: ["quiet@trade", "busy@trade"] });
  await stream.ready;
  const push = async (name: string, t: number) => {
    const before = stream.statistics.receivedMessages;
    bench.exchange.push(name, { e: "trade", t });
    await until(() => stream.statistics.receivedMessages > before, "the message");
  };
  const reconnect = async (id: number) => {
    bench.exchange.killConnections();
    const isBack = () => bench.exchange.openConnections.some((each) => each.id === id && each.streams.length === 2);
    await bench.exchange.waitFor(isBack);
  };
  await push("quiet@trade", 1);
  await push("busy@trade", 1);
  await reconnect(1);
  const lostAt = performance.now();
  await push("busy@trade", 2);
  await until(() => performance.now() - lostAt > 1_500, "some time");
  await reconnect(2);
  await push("busy@trade", 5);
  const gaps = bench.signals.flatMap((signal) => signal.type === "GAP" ? [signal] : []);
  assertEquals(gaps.map(({ stream, missed }) => [stream, missed]), [["busy@trade", 2]]);
  assert(gaps[0] !== undefined && gaps[0].durationMs < 1_000, `${gaps[0]?.durationMs} ms`);
});

testEachLibrary("a stream that is stopped when it is told of a gap delivers nothing more", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, {
    onData: (text) => void received.push(text),
    onSignal: ({ type }) => {
      if (type === "GAP") void bench.manager.stopManager();
    },
  });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.push("a@trade", { e: "trade", t: 1 });
  await until(() => received.length === 1, "the first message");
  bench.exchange.killConnections();
  await bench.exchange.waitFor(() => bench.exchange.openConnections.some((each) => each.streams.length === 1));
  await until(() => stream.statistics.reconnects === 1, "the reconnect");
  bench.exchange.push("a@trade", { e: "trade", t: 5 });
  await until(() => stream.state === "stopped", "the stop");
  assertEquals(received.length, 1);
});
