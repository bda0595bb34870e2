/**
 * Delivery under load as its user sees it: callbacks that throw, that are slow, that are async; drops, named buffers, and the
 * answers to control messages.
 *
 * @module
 */

import { test } from "node:test";
import process from "node:process";
import { assert, assertEquals, assertInstanceOf, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import {
  BufferOverflowError,
  type OverflowPolicy,
  type Signal,
  StreamCrashedError,
  SubscriptionRejectedError,
} from "@rawtick/binance";
import { ManualClock } from "@rawtick/binance/testing";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { Delivery } from "../src/stream/delivery.ts";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

const trades = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => trade(from + i).text);
const streams = ["btcusdt@trade"];

/** A callback whose promises are settled by hand. */
function heldCallback() {
  const begun: string[] = [];
  const held: PromiseWithResolvers<void>[] = [];
  let isOpen = false;
  return {
    begun,
    /** Settles the oldest promise. */
    release: () => held.shift()?.resolve(),
    fail: (error: unknown) => held.shift()?.reject(error),
    /** Settles all, also those to come. */
    open() {
      isOpen = true;
      for (const { resolve } of held) resolve();
    },
    onData(text: string): Promise<void> {
      begun.push(text);
      const promise = Promise.withResolvers<void>();
      if (isOpen) promise.resolve();
      else held.push(promise);
      return promise.promise;
    },
  };
}

/** Whether the library can stop reading on this runtime. */
const canPause = (library: WebSocketLibrary) => library === "native" || process.versions["bun"] !== undefined;

const drops = (signals: readonly Signal[]) => signals.filter((signal) => signal.type === "MESSAGES_DROPPED");

const failures: [what: string, failure: unknown][] = [
  ["an ordinary error", new RangeError("a mistake in user code")],
  ["an error like the network's", Object.assign(new Error("ECONNRESET"), { code: "ECONNRESET" })],
  ["an error like a timeout", new DOMException("timed out", "TimeoutError")],
  ["a string", "a string"],
  ["nothing", undefined],
];

for (const [what, failure] of failures) {
  testEachLibrary(`a callback that throws ${what} crashes its stream, and no other`, async (library) => {
    for (const isAsync of [false, true]) {
      await using bench = await startBench(library);
      let calls = 0;
      const stream = bench.manager.createStream({
        streams,
        onData: () => {
          calls++;
          if (isAsync) return Promise.reject(failure);
          throw failure;
        },
      });
      const received: string[] = [];
      const other = bench.manager.createStream({ streams, onData: (text) => void received.push(text) });
      await Promise.all([stream.ready, other.ready]);
      for (const text of trades(0, 3)) bench.exchange.broadcast(text);
      await until(() => bench.signalTypes.includes("STREAM_UNREPAIRABLE"), "the crash");
      // What came in the same chunk waits for the first callback, and is dropped.
      const isMine = ({ streamId, type }: Signal) => streamId === stream.id && type !== "MESSAGES_DROPPED";
      const mine = bench.signals.filter(isMine);
      const types = ["CONNECT", "FIRST_RECEIVED_DATA", "DISCONNECT", "STREAM_UNREPAIRABLE"];
      assertEquals(mine.map(({ type }) => type), types);
      const signal = mine.at(-1);
      assert(signal?.type === "STREAM_UNREPAIRABLE");
      assertInstanceOf(signal.error, StreamCrashedError);
      assertEquals(signal.error.cause, failure);
      assertStringIncludes(signal.error.message, "onData threw");
      assertEquals(stream.lastError, signal.error);
      assertEquals([stream.state, stream.stateReason], ["crashed", signal.error.message]);
      assertEquals([calls, stream.statistics.callbackErrors, stream.statistics.reconnects], [1, 1, 0]);
      assertEquals(bench.manager.streams, [other]);
      await until(() => received.length === 3, "the other stream's messages");
      await other.stop();
      assertEquals(bench.exchange.totalConnections, 2);
    }
  });
}

testEachLibrary("an async callback handles one message after the other, in order", async (library) => {
  let pending = 0;
  let most = 0;
  const begun: string[] = [];
  const done: string[] = [];
  await using bench = await startBench(library, {
    onData: async (text) => {
      begun.push(text);
      most = Math.max(most, ++pending);
      await new Promise((resolve) => setTimeout(resolve, begun.length % 3));
      pending--;
      done.push(text);
    },
  });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 30)) bench.exchange.broadcast(text);
  await until(() => done.length === 30, "thirty messages");
  assertEquals([most, begun, done], [1, trades(0, 30), trades(0, 30)]);
});

testEachLibrary("maxConcurrentCallbacks are pending at a time, begun in order", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(library, { onData: held.onData, maxConcurrentCallbacks: 3 });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 10)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages === 10, "ten messages");
  assertEquals([held.begun, stream.statistics.bufferedMessages], [trades(0, 3), 7]);
  held.release();
  await until(() => held.begun.length > 3, "one more");
  assertEquals(held.begun, trades(0, 4));
  held.open();
  await until(() => held.begun.length === 10, "the rest");
  assertEquals(held.begun, trades(0, 10));
  assertEquals(stream.statistics.droppedMessages, 0);
});

testEachLibrary("a callback that is only sometimes async keeps the order", async (library) => {
  const done: string[] = [];
  await using bench = await startBench(library, {
    onData: (text) => {
      if (Number(JSON.parse(text).data.t) % 3 !== 1) return void done.push(text);
      return new Promise<void>((resolve) => setTimeout(() => resolve(void done.push(text)), 2));
    },
  });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 40)) bench.exchange.broadcast(text);
  await until(() => done.length === 40, "forty messages");
  assertEquals(done, trades(0, 40));
});

testEachLibrary("an async callback that may fail goes on with the next message", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(library, { onData: held.onData, onCallbackError: "continue" });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 3)) bench.exchange.broadcast(text);
  await until(() => held.begun.length === 1, "the first");
  held.fail(new Error("the first fails"));
  await until(() => held.begun.length === 2, "the second");
  held.open();
  await until(() => held.begun.length === 3, "the third");
  assertEquals([stream.state, stream.statistics.callbackErrors], ["running", 1]);
  assert(bench.signalTypes.includes("CALLBACK_ERROR"));
});

testEachLibrary("a slow async callback holds the exchange back, or loses what its bound says", async (library) => {
  const held = heldCallback();
  const bufferSize = 20_000;
  // Pings that are soon too late: a paused connection can't answer, and must not be given up for that.
  await using bench = await startBench(library, {
    onData: held.onData,
    bufferSize,
    pingIntervalMs: 50,
    pingTimeoutMs: 50,
  });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  const total = 60_000;
  const sent = trades(0, total);
  for (const text of sent) bench.exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages > bufferSize / 4, "more than the high-water mark");
  if (canPause(library)) {
    // Longer than the watchdog waits.
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert(stream.statistics.receivedMessages < bufferSize, `${stream.statistics.receivedMessages} were read`);
    held.open();
    await until(() => held.begun.length === total, "all messages", 30_000);
    assertEquals(held.begun.findIndex((text, i) => text !== sent[i]), -1);
    assertEquals([stream.statistics.droppedMessages, drops(bench.signals)], [0, []]);
  } else {
    await until(() => stream.statistics.receivedMessages === total, "all messages", 30_000);
    const dropped = total - 1 - bufferSize;
    assertEquals([stream.statistics.droppedMessages, stream.statistics.bufferedMessages], [dropped, bufferSize]);
    held.open();
    await until(() => held.begun.length === bufferSize + 1, "what waited");
    assertEquals(held.begun.at(1), sent.at(-bufferSize));
    assertEquals(held.begun.at(-1), sent.at(-1));
  }
  assertEquals([stream.state, stream.statistics.reconnects], ["running", 0]);
});

testEachLibrary("what waits for an async callback when the stream is stopped counts as dropped", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(library, { onData: held.onData });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 10)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages === 10, "ten messages");
  await stream.stop();
  held.open();
  assertEquals([held.begun.length, stream.statistics.droppedMessages], [1, 9]);
  assertEquals(drops(bench.signals).map((signal) => signal.type === "MESSAGES_DROPPED" && signal.total), [9]);
});

testEachLibrary("a crash that nobody listens to is told on stderr", async (library) => {
  const { error } = console;
  const lines: string[] = [];
  console.error = (line: unknown) => void lines.push(String(line));
  try {
    await using bench = await startBench(library, {
      onData: () => {
        throw new Error("mine");
      },
      onSignal: undefined,
    } as object); // the cast: startBench listens unless told otherwise
    const stream = bench.manager.createStream({ streams });
    await stream.ready;
    bench.exchange.broadcast(trade(1).text);
    await until(() => stream.state === "crashed" && lines.length > 0, "the line");
    assertEquals(lines, [`StreamCrashedError: The stream ${stream.id} has crashed: onData threw mine`]);
  } finally {
    console.error = error;
  }
});

testEachLibrary("what a reader has no time for is dropped, and signalled", async (library) => {
  await using bench = await startBench(library, { bufferSize: 3 });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 10)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages === 10, "ten messages");
  assertEquals([stream.statistics.droppedMessages, stream.statistics.bufferedMessages], [7, 3]);
  await stream.stop();
  const told = drops(bench.signals);
  assertEquals(told[0]?.total, 1);
  assertEquals(told.at(-1)?.total, 7);
  assertEquals(told.reduce((sum, { dropped }) => sum + dropped, 0), 7);
  assertEquals(told.length, 2, "at most once a second, and at the end");
  assertEquals(bench.signalTypes.at(-1), "STOP");
});

testEachLibrary("a stopped stream delivers nothing of what waits for its callback", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(library, { onData: held.onData });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 5)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages === 5, "five messages");
  const stopped = stream.stop();
  held.open();
  await stopped;
  assertEquals([held.begun, stream.statistics.bufferedMessages], [trades(0, 1), 0]);
});

testEachLibrary("a connection that is lost for good takes nothing along that waits for a callback", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(library, { onData: held.onData });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 5)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages === 5, "five messages");
  bench.exchange.refuseConnections(429);
  bench.exchange.killConnections();
  await until(() => stream.state === "crashed", "the crash");
  held.open();
  await until(() => held.begun.length === 5, "all five");
  assertEquals(held.begun, trades(0, 5));
});

testEachLibrary("a connection that is lost while it is paused is opened again", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(library, { onData: held.onData, bufferSize: 8 });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 6)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.bufferedMessages >= 3, "a pause");
  bench.exchange.killConnections();
  held.open();
  await until(() => stream.statistics.reconnects === 1 && stream.state === "running", "a reconnect");
  await bench.exchange.waitForConnections(1);
  await until(() => {
    bench.exchange.push("btcusdt@trade", { t: 99 });
    return held.begun.at(-1)?.includes('"t":99') === true;
  }, "data again");
});

testEachLibrary("a connection that is opened meanwhile is held back too", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(
    library,
    { exchange: "binance.com-futures", onData: held.onData, bufferSize: 400 },
    { market: "futures" },
  );
  const stream = bench.manager.createStream({ streams: ["btcusdt@bookTicker"] });
  await stream.ready;
  for (let u = 0; u < 102; u++) bench.exchange.push("btcusdt@bookTicker", { u });
  await until(() => stream.statistics.receivedMessages === 102, "more than the high-water mark");
  // Goes to the other path of the exchange.
  const subscribed = stream.subscribe({ streams: ["btcusdt@aggTrade"] });
  await until(() => bench.exchange.controlMessages.length === 2, "the second SUBSCRIBE");
  const more = canPause(library) ? 350 : 298;
  for (let a = 0; a < more; a++) assertEquals(bench.exchange.push("btcusdt@aggTrade", { a }), 1);
  // Whether it is read can only be seen after a while.
  await new Promise((resolve) => setTimeout(resolve, 100));
  held.open();
  await subscribed;
  await until(() => held.begun.length === 102 + more, "all messages");
  assertEquals(stream.statistics.droppedMessages, 0);
});

testEachLibrary("a connection is replaced without a loss while a callback is slow", async (library) => {
  const held = heldCallback();
  await using bench = await startBench(library, { onData: held.onData, bufferSize: 8_000, rolloverAgeMs: 200 });
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const text of trades(0, 3_000)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.receivedMessages > 2_001, "more than the high-water mark");
  await until(() => bench.exchange.totalConnections === 2, "the second connection");
  let id = 2_999;
  const next = () => bench.exchange.push("btcusdt@trade", JSON.parse(trade(++id).text).data);
  await until(() => next() === 2, "both subscribed");
  held.open();
  await until(() => {
    next();
    return stream.statistics.rollovers > 0;
  }, "the connection replaced");
  await until(() => held.begun.at(-1) === trade(id).text, "the last message");
  assertEquals(held.begun, trades(0, id + 1));
  assertEquals([stream.statistics.droppedMessages, stream.statistics.reconnects], [0, 0]);
});

/** A delivery alone, with a clock that is moved by hand. */
function deliveryOf(
  overrides: { callback?: (data: unknown) => unknown; bufferSize?: number; overflow?: OverflowPolicy },
) {
  const clock = new ManualClock(0);
  const overflows: Error[] = [];
  const told: [dropped: number, total: number][] = [];
  const paused: boolean[] = [];
  const delivery = new Delivery({
    clock,
    output: "raw",
    parse: undefined,
    callback: undefined,
    maxConcurrentCallbacks: 1,
    namedBuffer: undefined,
    bufferSize: 8,
    overflow: "drop-oldest",
    ...overrides,
  }, {
    onFirstData() {},
    onCallbackError() {},
    onInvalidMessage() {},
    onOverflow: (error) => void overflows.push(error),
    onDropped: (...drop) => void told.push(drop),
    setPaused: (isPaused) => void paused.push(isPaused),
  });
  return { clock, told, paused, overflows, delivery };
}

for (
  const [overflow, kept] of [["drop-oldest", [0, 8, 9]], ["drop-newest", [0, 1, 2]], ["error", [0, 1, 2]]] as const
) {
  test(`what an async callback has no time for meets the overflow policy ${overflow}`, async () => {
    const held = heldCallback();
    const callback = (data: unknown) => held.onData(String(data));
    const { delivery, overflows } = deliveryOf({ callback, bufferSize: 2, overflow });
    for (const text of trades(0, 10)) delivery.deliver(text);
    assertEquals([delivery.messages, delivery.buffered], [10, 2]);
    assertEquals([delivery.dropped, overflows.length], overflow === "error" ? [0, 7] : [7, 0]);
    for (const error of overflows) assertInstanceOf(error, BufferOverflowError);
    // After a crash, what waited is still delivered.
    delivery.end(false);
    held.open();
    await until(() => held.begun.length === 3, "what waited");
    assertEquals(held.begun, kept.map((id) => trade(id).text));
  });
}

test("drops are told at once, then once a second, then at the end, and none is left out", () => {
  const { clock, told, delivery } = deliveryOf({ bufferSize: 1 });
  const drop = (count: number) => {
    for (let i = 0; i < count; i++) delivery.deliver("x");
  };
  drop(1 + 5);
  assertEquals(told, [[1, 1]]);
  clock.advance(999);
  drop(2);
  assertEquals(told.length, 1);
  clock.advance(1);
  assertEquals(told, [[1, 1], [6, 7]]);
  clock.advance(5_000);
  assertEquals([told.length, clock.pendingTimers], [2, 0]);
  drop(4);
  assertEquals(told.at(-1), [1, 8]);
  delivery.end(true);
  assertEquals(told.slice(2), [[1, 8], [3, 11]]);
  drop(1);
  assertEquals([told.length, delivery.dropped, clock.pendingTimers], [4, 12, 0]);
});

test("reading stops and goes on around a mark, and never stops for longer than ten seconds", async () => {
  const held = heldCallback();
  const { clock, paused, delivery } = deliveryOf({ callback: (data) => held.onData(String(data)), bufferSize: 16 });
  const bring = (count: number) => {
    for (let i = 0; i < count; i++) delivery.deliver("x");
  };
  const finish = async (count: number) => {
    for (let i = 0; i < count; i++) {
      held.release();
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  bring(1 + 4);
  assertEquals(paused, []);
  bring(1);
  assertEquals(paused, [true]);
  await finish(2);
  assertEquals(paused, [true]);
  await finish(1);
  assertEquals([paused, clock.pendingTimers], [[true, false], 0]);
  // A callback that does not come to an end: the connection must live.
  bring(3);
  clock.advance(10_000);
  assertEquals(paused, [true, false, true, false]);
  bring(20);
  assertEquals([paused.length, delivery.buffered, delivery.dropped], [4, 16, 9]);
  await finish(14);
  bring(3);
  assertEquals(paused.slice(4), [true]);
  delivery.end(true);
  assertEquals([clock.pendingTimers > 1, delivery.buffered], [false, 0]);
});

testEachLibrary("a named buffer is shared, and outlives disconnects and its streams", async (library) => {
  await using bench = await startBench(library, { onData: () => {} });
  const buffer = bench.manager.streamBuffer("trades");
  const one = bench.manager.createStream({ streams, streamBuffer: "trades" });
  const two = bench.manager.createStream({ streams: ["ethusdt@trade"], streamBuffer: "trades" });
  await Promise.all([one.ready, two.ready]);
  bench.exchange.push("btcusdt@trade", { t: 1 });
  await until(() => buffer.length === 1, "the first");
  bench.exchange.killConnections();
  await until(() => one.statistics.reconnects + two.statistics.reconnects === 2, "two reconnects");
  await until(() => bench.exchange.push("ethusdt@trade", { t: 2 }) > 0, "subscribed again");
  await until(() => buffer.length >= 2, "the second");
  assertThrows(() => bench.manager.deleteStreamBuffer("trades"), TypeError, "stop the streams that use it first");
  assertThrows(() => one[Symbol.asyncIterator](), TypeError, 'go to the stream buffer "trades"');
  await Promise.all([one.stop(), two.stop()]);
  assertEquals(buffer.length, 2);
  assertEquals(bench.manager.streamBuffer("trades"), buffer);
  const texts = [buffer.pop(), buffer.pop(), buffer.pop()];
  assertEquals(texts, [
    '{"stream":"btcusdt@trade","data":{"t":1}}',
    '{"stream":"ethusdt@trade","data":{"t":2}}',
    undefined,
  ]);
  const reading = buffer[Symbol.asyncIterator]().next();
  buffer.add("by hand");
  assertEquals(await reading, { value: "by hand", done: false });
  assertEquals(bench.manager.deleteStreamBuffer("trades"), true);
  assertEquals(bench.manager.streamBuffers, []);
});

testEachLibrary("a named buffer gives the oldest or the newest, and takes back what was popped", async (library) => {
  await using bench = await startBench(library);
  const fifo = bench.manager.streamBuffer("a");
  const lifo = bench.manager.streamBuffer("b", { order: "lifo" });
  for (const streamBuffer of ["a", "b"]) {
    await bench.manager.createStream({ streams, streamBuffer }).ready;
  }
  for (const text of trades(0, 6)) bench.exchange.broadcast(text);
  await until(() => fifo.length === 6 && lifo.length === 6, "six messages in both");
  const [first, last] = [trade(0).text, trade(5).text];
  assertEquals([fifo.pop(), fifo.pop("lifo"), lifo.pop(), lifo.pop("fifo")], [first, last, last, first]);
  lifo.add(last);
  assertEquals([lifo.length, lifo.pop(), lifo.length], [5, last, 4]);
  const readers = Promise.all([fifo, lifo].map(async (buffer) => {
    const read: string[] = [];
    for await (const text of buffer) read.push(text);
    return read;
  }));
  await bench.manager.stopManager();
  assertEquals(await readers, [trades(1, 5), trades(1, 5).reverse()]);
  fifo.add(first);
  assertEquals(fifo.pop(), first, "also after the end, nothing is lost");
  lifo.add(first);
  lifo.clear();
  assertEquals([lifo.length, lifo.pop()], [0, undefined]);
});

testEachLibrary("a full named buffer keeps its bound, and the stream that overflows it is told", async (library) => {
  await using bench = await startBench(library);
  const bounded = bench.manager.streamBuffer("bounded", { capacity: 3, overflow: "drop-newest" });
  const strict = bench.manager.streamBuffer("strict", { capacity: 3, overflow: "error" });
  const one = bench.manager.createStream({ streams, streamBuffer: "bounded" });
  const two = bench.manager.createStream({ streams, streamBuffer: "strict" });
  await Promise.all([one.ready, two.ready]);
  for (const text of trades(0, 5)) bench.exchange.broadcast(text);
  await until(() => one.statistics.receivedMessages === 5 && two.state === "crashed", "five messages, and a crash");
  assertEquals([bounded.length, bounded.dropped, one.statistics.droppedMessages], [3, 2, 2]);
  assertInstanceOf(two.lastError, StreamCrashedError);
  assertInstanceOf(two.lastError.cause, BufferOverflowError);
  assertThrows(() => strict.add("one too many"), BufferOverflowError);
  await one.stop();
  assertEquals(drops(bench.signals).at(-1)?.total, 2);
});

testEachLibrary("answers to control messages are kept, apart from errors, and are no data", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text), maxResults: 2 });
  const stream = bench.manager.createStream({ streams, label: "mine" });
  await stream.ready;
  const before = bench.manager.results;
  assertEquals(before.map(({ streamId, streamLabel, text }) => [streamId, streamLabel, text]), [
    [stream.id, "mine", '{"result":null,"id":1}'],
  ]);
  assert(Math.abs(Date.now() - (before[0]?.timestamp ?? 0)) < 60_000);
  bench.exchange.killConnections();
  await until(() => bench.manager.results.length === 2, "the answer to the second SUBSCRIBE");
  assertEquals(bench.manager.results[0], before[0]);
  await stream.auditSubscriptions();
  assertEquals(bench.manager.results.map(({ text }) => JSON.parse(text).result), [null, ["btcusdt@trade"]]);
  bench.exchange.silenceAcks(true);
  const refused = assertRejects(() => stream.subscribe({ streams: ["ethusdt@trade"] }), SubscriptionRejectedError);
  await until(() => bench.exchange.controlMessages.length === 4, "another SUBSCRIBE");
  for (const error of ['{"code":1,"msg":"flat"}', '{"error":{"code":1,"msg":"nested"}}']) {
    bench.exchange.broadcast(error);
  }
  await refused;
  await until(() => bench.manager.errors.length === 2, "both errors");
  assertEquals(bench.manager.errors.map(({ text }) => text.includes("flat")), [true, false]);
  assertEquals(bench.manager.results.length, 2);
  bench.exchange.broadcast(trade(1).text);
  await until(() => received.length > 0, "data");
  assertEquals(received, [trade(1).text]);
});

testEachLibrary("answers to control messages are delivered to who asks for them", async (library) => {
  const received: unknown[] = [];
  await using bench = await startBench(library, { deliverControlResponses: true, output: "json" });
  const stream = bench.manager.createStream({ streams, onData: (data) => void received.push(data) });
  const deaf = bench.manager.createStream({ streams, deliverControlResponses: false });
  await Promise.all([stream.ready, deaf.ready]);
  const answer = bench.manager.results.find(({ streamId }) => streamId === stream.id);
  assertEquals(received, [JSON.parse(answer?.text ?? "")]);
  assertEquals([stream.statistics.receivedMessages, deaf.statistics.bufferedMessages], [0, 0]);
  assertEquals(bench.signalTypes.includes("FIRST_RECEIVED_DATA"), false);
});
