/**
 * What streams and the manager tell about themselves in numbers.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { type StreamStatistics, UnknownStreamError } from "@rawtick/binance";
import { ManualClock } from "@rawtick/binance/testing";
import { RateSampler } from "../src/stream/rates.ts";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

test("rates are of the last second, on average and at most, and cost one timer for all", () => {
  const clock = new ManualClock(0);
  const sampler = new RateSampler(clock);
  assertEquals(clock.pendingTimers, 0);
  const counters = [0, 1].map(() => ({ messages: 0, characters: 0 }));
  const meters = counters.map((counter) => sampler.add(counter));
  assertEquals(clock.pendingTimers, 1);
  const come = (which: 0 | 1, messages: number) => {
    const counter = counters[which]!;
    counter.messages += messages;
    counter.characters += messages * 10;
  };
  come(0, 30);
  clock.advance(1_000);
  come(0, 10);
  come(1, 50);
  clock.advance(1_000);
  assertEquals(meters[0]?.rates, {
    messagesPerSecond: { now: 10, average: 20, peak: 30 },
    charactersPerSecond: { now: 100, average: 200, peak: 300 },
  });
  assertEquals(meters[1]?.rates.messagesPerSecond, { now: 50, average: 25, peak: 50 });
  // The peak of all is that of the busiest second, not the sum of two peaks.
  assertEquals(sampler.total.rates.messagesPerSecond, { now: 60, average: 45, peak: 60 });
  clock.advance(2_000);
  assertEquals(meters[0]?.rates.messagesPerSecond, { now: 0, average: 10, peak: 30 });
  for (const meter of meters) sampler.end(meter);
  assertEquals(clock.pendingTimers, 0);
  assertEquals([sampler.messages, sampler.characters], [90, 900]);
});

test("a stream that lived for an instant has a peak, and what it brought stays in the sum", () => {
  const clock = new ManualClock(0);
  const sampler = new RateSampler(clock);
  for (let i = 0; i < 3; i++) {
    const counters = { messages: 0, characters: 0 };
    const meter = sampler.add(counters);
    counters.messages = 100;
    clock.advance(10);
    sampler.end(meter);
    assertEquals(meter.rates.messagesPerSecond, { now: 0, average: 10_000, peak: 100 });
    assertEquals(meter.uptimeMs, 10);
  }
  assertEquals([sampler.messages, clock.pendingTimers], [300, 0]);
});

test("the age of the last data is known to a second, and grows after the end", () => {
  const clock = new ManualClock(0);
  const sampler = new RateSampler(clock);
  const counters = { messages: 0, characters: 0 };
  const meter = sampler.add(counters);
  clock.advance(5_000);
  assertEquals(meter.lastDataAgeMs, undefined);
  counters.messages++;
  assertEquals(meter.lastDataAgeMs, 0);
  clock.advance(500);
  assertEquals(meter.lastDataAgeMs, 0);
  clock.advance(4_000);
  assertEquals(meter.lastDataAgeMs, 3_500);
  sampler.end(meter);
  clock.advance(1_000);
  assertEquals(meter.lastDataAgeMs, 4_500);
});

testEachLibrary("a stream counts what it receives and tells how it is connected", async (library) => {
  await using bench = await startBench(library, { onData: () => {}, pingIntervalMs: 30 });
  const { exchange, manager } = bench;
  const stream = manager.createStream({ streams: ["btcusdt@trade", "ethusdt@trade"], label: "trades" });
  await stream.ready;
  const texts = Array.from({ length: 50 }, (_, id) => trade(id).text);
  for (const text of texts) exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages === 50, "50 messages");
  const characters = texts.join("").length;
  await until(() => stream.statistics.messagesPerSecond.peak > 0, "the first second");
  const { statistics } = stream;
  assertEquals(statistics.receivedCharacters, characters);
  assertAlmostEquals(statistics.messagesPerSecond.peak, 50, 5);
  assertAlmostEquals(statistics.messagesPerSecond.average, 50_000 / statistics.uptimeMs, 5);
  assertAlmostEquals(statistics.charactersPerSecond.peak, characters, characters / 10);
  assert(Math.abs(statistics.createdAt + statistics.uptimeMs - Date.now()) < 1_000);
  assertEquals([statistics.subscriptions, statistics.freeSubscriptionSlots], [2, 1022]);
  const [link, ...others] = statistics.links;
  assertEquals(others, []);
  assertEquals([link?.url, link?.state, link?.reason], [`${exchange.url}/stream?streams=`, "running", undefined]);
  assertEquals([link?.subscriptions, link?.freeSubscriptionSlots], [2, 1022]);
  assert(link !== undefined && link.ageMs > 0 && link.ageMs <= statistics.uptimeMs);
  // Not every runtime's own WebSocket has pings; what is asked instead has no round trip that anybody measures.
  if (library === "native") {
    await until(() => stream.statistics.latencyMs !== undefined, "the round trip of a ping");
    assert((stream.statistics.latencyMs ?? -1) >= 0 && (stream.statistics.latencyMs ?? Infinity) < 5_000);
  }
  assertEquals(manager.getStreamInfo(stream.id).label, "trades");
});

testEachLibrary("reconnects are counted with their times, and gaps with what was missed", async (library) => {
  await using bench = await startBench(library, { onData: () => {} });
  const { exchange, manager } = bench;
  const stream = manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  exchange.broadcast(trade(10).text);
  await until(() => stream.statistics.receivedMessages === 1, "the first message");
  const before = Date.now();
  exchange.killConnections();
  await exchange.waitFor(() => exchange.openConnections[0]?.streams.length === 1);
  exchange.broadcast(trade(15).text);
  await until(() => stream.statistics.gaps === 1, "the gap");
  const { reconnects, reconnectTimes, missedMessages, links } = stream.statistics;
  assertEquals([reconnects, missedMessages, links[0]?.reconnects], [1, 4, 1]);
  assertEquals(reconnectTimes.length, 1);
  assert((reconnectTimes[0] ?? 0) >= before && (reconnectTimes[0] ?? Infinity) <= Date.now());
  const { reconnects: all, gaps, missedMessages: missed } = manager.statistics;
  assertEquals([all, gaps, missed], [1, 1, 4]);
});

testEachLibrary(
  "a connection that can't be opened tells why, and the budget tells how often it was tried",
  async (library) => {
    await using bench = await startBench(library, { reconnectMaxDelayMs: 20 });
    const { exchange, manager } = bench;
    await exchange.acceptConnections(false);
    const stream = manager.createStream({ streams: ["btcusdt@trade"] });
    await until(() => manager.statistics.connectBudget.used >= 3, "three attempts");
    const { connectBudget, streams, links } = manager.statistics;
    assertEquals(connectBudget.used + connectBudget.free, connectBudget.limit);
    assertEquals([connectBudget.limit, connectBudget.waitMs, streams.restarting, links], [250, 0, 1, 1]);
    const [link] = stream.statistics.links;
    assertEquals([link?.state, link?.ageMs, link?.latencyMs], ["restarting", 0, undefined]);
    assertEquals(link?.reason, stream.stateReason);
    assert(link?.reason !== undefined && link.reason.length > 0);
  },
);

testEachLibrary("the manager adds up its streams, also those that have ended", async (library) => {
  await using bench = await startBench(library, { onData: () => {} });
  const { exchange, manager } = bench;
  const [first, second] = [
    manager.createStream({ streams: ["btcusdt@trade"] }),
    manager.createStream({ streams: ["btcusdt@trade", "ethusdt@trade"], output: "raw" }),
  ];
  await Promise.all([first.ready, second.ready]);
  for (let id = 0; id < 10; id++) exchange.broadcast(trade(id).text);
  const both = () => first.statistics.receivedMessages + second.statistics.receivedMessages === 20;
  await until(both, "ten messages each");
  await first.stop();
  const { statistics } = manager;
  assertEquals([statistics.receivedMessages, statistics.receivedCharacters], [
    20,
    2 * Array.from({ length: 10 }, (_, id) => trade(id).text).join("").length,
  ]);
  assertEquals([statistics.streams.running, statistics.streams.stopped, statistics.endedStreams], [1, 1, 1]);
  assertEquals([statistics.subscriptions, statistics.freeSubscriptionSlots, statistics.links], [2, 1022, 1]);
  await manager.stopManager();
  assertEquals([manager.statistics.receivedMessages, manager.statistics.links], [20, 0]);
  assertEquals(manager.statistics.messagesPerSecond.now, 0);
});

testEachLibrary("what a buffer drops and what waits in it is counted for the manager too", async (library) => {
  await using bench = await startBench(library, { bufferSize: 3 });
  const { exchange, manager } = bench;
  const stream = manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (let id = 0; id < 10; id++) exchange.broadcast(trade(id).text);
  await until(() => stream.statistics.receivedMessages === 10, "ten messages");
  assertEquals([stream.statistics.droppedMessages, stream.statistics.bufferedMessages], [7, 3]);
  assertEquals([manager.statistics.droppedMessages, manager.statistics.bufferedMessages], [7, 3]);
  await stream.stop();
  assertEquals([manager.statistics.droppedMessages, manager.statistics.bufferedMessages], [7, 0]);
});

testEachLibrary(
  "messages in a named buffer that two streams share are counted once, also after their end",
  async (library) => {
    await using bench = await startBench(library);
    const { exchange, manager } = bench;
    const streams = [1, 2].map(() => manager.createStream({ streams: ["btcusdt@trade"], streamBuffer: "both" }));
    await Promise.all(streams.map(({ ready }) => ready));
    for (let id = 0; id < 5; id++) exchange.broadcast(trade(id).text);
    await until(() => manager.statistics.receivedMessages === 10, "ten messages");
    assertEquals(manager.statistics.bufferedMessages, 10);
    assertEquals(manager.getStreamInfo(streams[0]?.id ?? "").streamBuffer, "both");
    for (const stream of streams) await stream.stop();
    assertEquals(manager.statistics.bufferedMessages, 10);
  },
);

testEachLibrary("a stream that has ended stays readable as a copy, also by its id", async (library) => {
  await using bench = await startBench(library, { onData: () => {} });
  const { exchange, manager } = bench;
  const stream = manager.createStream({ streams: ["btcusdt@trade"], label: "once" });
  await stream.ready;
  exchange.broadcast(trade(1).text);
  await until(() => stream.statistics.receivedMessages === 1, "a message");
  await stream.stop();
  assertEquals(manager.streams, []);
  const info = manager.getStreamInfo(stream.id);
  assertEquals(manager.finishedStreams, [info]);
  assertEquals([info.label, info.state, info.streams], ["once", "stopped", ["btcusdt@trade"]]);
  const counters: StreamStatistics = info.statistics;
  assertEquals([counters.receivedMessages, counters.messagesPerSecond.now], [1, 0]);
  assertEquals(counters.links.map(({ state, ageMs }) => [state, ageMs]), [["stopped", 0]]);
  assert((counters.endedAt ?? 0) >= counters.createdAt);
  manager.forgetFinishedStreams(stream.id);
  assertThrows(() => manager.getStreamInfo(stream.id), UnknownStreamError);
  assertThrows(() => manager.forgetFinishedStreams(stream.id), UnknownStreamError);
});
