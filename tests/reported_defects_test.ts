/**
 * What was reported of other products' subscriptions, statistics, numbers and proxies, and must not happen here. Which
 * report a test is for stands in `docs/reliability.md`.
 *
 * @module
 */

import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { BinanceWebSocketApiManager, SubscriptionRejectedError, SubscriptionTimeoutError } from "@rawtick/binance";
import { startLocalProxy } from "@rawtick/binance/testing";
import { startManualBench } from "./manual_bench.ts";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

testEachLibrary("unsubscribing channels and markets at once ends their streams and no others", async (library) => {
  await using bench = await startBench(library);
  const markets = ["btcusdt", "ethusdt", "bnbusdt"];
  const stream = bench.manager.createStream({ channels: ["trade", "kline_1m", "depth"], markets });
  await stream.ready;
  await stream.unsubscribe({ channels: ["trade", "depth"], markets: ["btcusdt", "bnbusdt"] });
  const rest = ["ethusdt@trade", "btcusdt@kline_1m", "ethusdt@kline_1m", "bnbusdt@kline_1m", "ethusdt@depth"]
    .toSorted();
  assertEquals(stream.subscriptions.toSorted(), rest);
  assertEquals([...bench.exchange.openConnections[0]?.streams ?? []].toSorted(), rest);
  const ids = bench.exchange.controlMessages.map(({ text }) => (JSON.parse(text) as { id: number }).id);
  assertEquals(new Set(ids).size, ids.length, "no id is used twice");
});

testEachLibrary(
  "exactly as many streams as one, two and three connections carry are all subscribed",
  async (library) => {
    await using bench = await startBench(library, { exchange: "binance.com-vanilla-options" });
    for (const links of [1, 2, 3]) {
      const streams = Array.from({ length: 200 * links }, (_, index) => `s${index}@optionTrade`);
      const stream = bench.manager.createStream({ streams });
      await stream.ready;
      await bench.exchange.waitForConnections(links);
      const carried = bench.exchange.openConnections.map((connection) => connection.streams.length);
      assertEquals([carried, stream.freeSubscriptionSlots], [new Array(links).fill(200), 0]);
      await stream.stop();
      await bench.exchange.waitForConnections(0);
    }
  },
);

testEachLibrary(
  "an audit names what the exchange does not carry, and what it carries beyond, and mends both",
  async (library) => {
    await using bench = await startBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade", "b@trade"] });
    await stream.ready;
    bench.exchange.ignoreSubscriptions(1);
    await stream.subscribe({ streams: ["c@trade"] });
    bench.exchange.rejectControl({ code: 3, msg: "made up" });
    await assertRejects(() => stream.unsubscribe({ streams: ["a@trade"] }), SubscriptionRejectedError);
    bench.exchange.rejectControl(undefined);
    assertEquals(bench.exchange.openConnections[0]?.streams, ["a@trade", "b@trade"]);
    assertEquals(await stream.auditSubscriptions(), { missing: ["c@trade"], surplus: ["a@trade"] });
    await bench.exchange.waitFor(() => bench.exchange.openConnections[0]?.streams.join() === "b@trade,c@trade");
    assertEquals(await stream.auditSubscriptions(), { missing: [], surplus: [] });
  },
);

testEachLibrary(
  "a stream that the exchange did not answer for is asked for again after half a minute",
  async (library) => {
    await using bench = await startManualBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await stream.ready;
    bench.exchange.silenceAcks(true);
    const subscribed = assertRejects(() => stream.subscribe({ streams: ["b@trade"] }), SubscriptionTimeoutError);
    const sent = (count: number) => bench.exchange.waitFor(() => bench.exchange.controlMessages.length === count);
    await sent(2);
    await bench.advance(10_000);
    await sent(3);
    await bench.advance(10_000);
    await subscribed;
    await bench.advance(29_000);
    bench.exchange.silenceAcks(false);
    assertEquals([bench.exchange.controlMessages.length, stream.subscriptions], [3, ["a@trade", "b@trade"]]);
    await bench.advance(1_000);
    await sent(4);
    await stream.subscribe({ streams: ["b@trade"] });
    assertEquals([bench.exchange.controlMessages.length, stream.state], [4, "running"]);
  },
);

testEachLibrary("what is known can be asked for at any moment, from inside of every signal too", async (library) => {
  let asked = 0;
  const ask = () => {
    manager.printSummary({ print: false });
    manager.getMonitoringStatusPlain();
    for (const stream of [...manager.streams, ...manager.finishedStreams.map(({ id }) => id)]) {
      manager.getStreamInfo(stream);
      manager.printStreamInfo(stream, { print: false });
    }
    JSON.stringify(manager.statistics);
    asked++;
  };
  const seen = new Set<string>();
  const problems: unknown[] = [];
  await using bench = await startBench(library, {}, { messagesPerSecond: 200 });
  await using manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    websocketBaseUrl: bench.exchange.url,
    reconnectMinDelayMs: 10,
    overlapMs: 200,
    onSignal: ({ type }) => {
      seen.add(type);
      try {
        ask();
      } catch (error) {
        problems.push(error);
      }
    },
  });
  const kept = manager.createStream({ streams: ["a@trade"], onData: ask });
  ask();
  await kept.ready;
  for (let round = 0; round < 5; round++) {
    const stream = manager.createStream({ streams: ["b@trade", "c@depth"], onData: ask });
    ask();
    await stream.ready;
    bench.exchange.killConnections();
    ask();
    if (round % 2 === 0) await stream.subscribe({ streams: ["d@kline_1m"] });
    const stopped = stream.stop();
    ask();
    await stopped;
  }
  const crashing = manager.createStream({
    streams: ["a@trade"],
    onData: () => {
      throw new Error("a mistake");
    },
  });
  await until(() => crashing.state === "crashed" && seen.has("STREAM_UNREPAIRABLE"), "the crash");
  await until(() => asked > 50, "data");
  assertEquals([problems, kept.state === "crashed"], [[], false]);
  for (const type of ["CONNECT", "DISCONNECT", "STOP", "FIRST_RECEIVED_DATA"]) assert(seen.has(type), type);
});

testEachLibrary("output raw delivers numbers beyond 2^53 with all their digits", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  await bench.manager.createStream({ streams: ["a@trade"] }).ready;
  const text = '{"stream":"a@trade","data":{"e":"trade","t":8389766145050669870,"p":"0.00000001"}}';
  bench.exchange.broadcast(text);
  await until(() => received.length === 1, "the message");
  assertEquals(received, [text]);
});

testEachLibrary(
  "every connection of every stream takes the proxy: at first, again, and instead of another",
  async (library) => {
    await using proxy = await startLocalProxy({ scheme: "http" });
    await using bench = await startBench(library, { proxy: proxy.url, overlapMs: 300 }, { messagesPerSecond: 20 });
    const streams = ["a@trade", "b@trade"].map((name) => bench.manager.createStream({ streams: [name], onData() {} }));
    await Promise.all(streams.map(({ ready }) => ready));
    bench.exchange.killConnections();
    await until(() => streams.every(({ statistics }) => statistics.reconnects === 1), "two reconnects");
    await until(() => bench.exchange.openConnections.every(({ streams }) => streams.length === 1), "both subscribed");
    const closed = bench.exchange.serverShutdown(3_000);
    await until(() => bench.signalTypes.filter((type) => type === "ROLLOVER").length === 2, "two replacements");
    assertEquals([proxy.tunnels, bench.exchange.totalConnections], [6, 6]);
    assertEquals(new Set(proxy.targets), new Set([`127.0.0.1:${bench.exchange.port}`]));
    await bench.manager.stopManager();
    await bench.exchange.close();
    await closed;
  },
);

testEachLibrary("a stream that is asked for twice is subscribed once and delivered once", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade", "BTCUSDT@trade"] });
  await stream.ready;
  await stream.subscribe({ channels: "trade", markets: ["BTCUSDT", "btcusdt"] });
  assertEquals(stream.subscriptions, ["btcusdt@trade"]);
  bench.exchange.push("btcusdt@trade", { t: 1 });
  bench.exchange.broadcast(trade(2).text);
  await until(() => received.length >= 2, "both messages");
  assertEquals([received.length, bench.exchange.controlMessages.length], [2, 1]);
});

test("nothing of this package loads npm ws", () => {
  const root = new URL("../src/", import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  assert(files.length > 100);
  const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    dependencies: Record<string, string>;
  };
  assertEquals("ws" in dependencies, false);
  const loading = files.filter((name) =>
    /(?:from|import\()\s*"(?:npm:)?ws\b/.test(readFileSync(new URL(name, root), "utf8"))
  );
  assertEquals(loading, []);
});
