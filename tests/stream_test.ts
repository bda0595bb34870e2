/**
 * One stream as its user sees it: delivery, signals, errors in user code, stopping.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import {
  BufferOverflowError,
  HandshakeRejectedError,
  type Signal,
  StreamCrashedError,
  type StreamMessage,
  StreamStoppedError,
  UnknownStreamError,
} from "@rawtick/binance";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

const trades = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => trade(from + i).text);

testEachLibrary("for await reads every message in order and ends when the stream is stopped", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (const text of trades(0, 100)) bench.exchange.broadcast(text);
  const received: string[] = [];
  for await (const text of stream) {
    received.push(text);
    if (received.length === 100) void stream.stop();
  }
  assertEquals(received, trades(0, 100));
  assertEquals(stream.state, "stopped");
});

testEachLibrary("what was buffered before the stop is still read", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (const text of trades(0, 3)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.bufferedMessages === 3, "three buffered");
  await stream.stop();
  const received: string[] = [];
  for await (const text of stream) received.push(text);
  assertEquals(received, trades(0, 3));
});

testEachLibrary("a reader that breaks off does not stop the stream; the next one goes on", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (const text of trades(0, 4)) bench.exchange.broadcast(text);
  for await (const text of stream) {
    assertEquals(text, trade(0).text);
    break;
  }
  const rest: string[] = [];
  for await (const text of stream) if (rest.push(text) === 3) break;
  assertEquals(rest, trades(1, 4));
  assertEquals(stream.state, "running");
});

testEachLibrary("a reader that goes while it waits takes no message along", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  const iterator = stream[Symbol.asyncIterator]();
  const waiting = iterator.next();
  await iterator.return?.();
  assertEquals(await waiting, { value: undefined, done: true });
  assertEquals(await iterator.next(), { value: undefined, done: true });
  const reader = stream.readable.getReader();
  const reading = reader.read();
  await reader.cancel();
  assertEquals((await reading).done, true);
  bench.exchange.broadcast(trade(1).text);
  for await (const text of stream) {
    assertEquals(text, trade(1).text);
    break;
  }
  assertEquals(stream.statistics.droppedMessages, 0);
});

testEachLibrary("several readers share the messages, each goes to one of them", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  const received: string[] = [];
  const readers = [1, 2, 3].map(async () => {
    for await (const text of stream) received.push(text);
  });
  for (const text of trades(0, 50)) bench.exchange.broadcast(text);
  await until(() => received.length === 50, "all messages");
  await stream.stop();
  await Promise.all(readers);
  assertEquals(received.toSorted(), trades(0, 50).toSorted());
});

testEachLibrary("a message that is not JSON is reported and skipped with output json", async (library) => {
  await using bench = await startBench(library, { output: "json" });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.broadcast("not JSON");
  bench.exchange.broadcast(trade(1).text);
  for await (const message of stream) {
    assertEquals(message.stream, "btcusdt@trade");
    break;
  }
  assertEquals([stream.state, stream.statistics.callbackErrors], ["running", 0]);
  assertEquals([stream.statistics.receivedMessages, stream.statistics.invalidMessages], [2, 1]);
  assertInstanceOf(stream.lastError, SyntaxError);
  assertStringIncludes(bench.log.join("\n"), "a message is not JSON");
  const first = bench.signals.find(({ type }) => type === "FIRST_RECEIVED_DATA");
  assert(first?.type === "FIRST_RECEIVED_DATA");
  assertEquals(first.data, JSON.parse(trade(1).text));
});

testEachLibrary("a logger that throws breaks nothing", async (library) => {
  const fail = () => {
    throw new Error("the disk is full");
  };
  await using bench = await startBench(library, { logger: { debug: fail, info: fail, warn: fail, error: fail } });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.killConnections();
  await until(() => stream.statistics.reconnects === 1, "a reconnect");
  await stream.subscribe({ streams: ["ethusdt@trade"] });
  await stream.stop();
  assertEquals(stream.state, "stopped");
});

testEachLibrary("a stream of another manager is not ours to stop", async (library) => {
  await using mine = await startBench(library);
  await using theirs = await startBench(library);
  const stream = theirs.manager.createStream({ streams: ["btcusdt@trade"] });
  await assertRejects(() => mine.manager.stopStream(stream), UnknownStreamError);
  await stream.ready;
  assertEquals(stream.state, "running");
});

testEachLibrary("output json delivers parsed messages to a callback and to a reader", async (library) => {
  await using bench = await startBench(library, { output: "json" });
  const seen: StreamMessage[] = [];
  const pushed = bench.manager.createStream({
    streams: ["btcusdt@trade"],
    onData: (message) => void seen.push(message),
  });
  const pulled = bench.manager.createStream({ streams: ["ethusdt@trade"] });
  const raw = bench.manager.createStream({ streams: ["bnbusdt@trade"], output: "raw" });
  await Promise.all([pushed.ready, pulled.ready, raw.ready]);
  bench.exchange.push("btcusdt@trade", { t: 1 });
  bench.exchange.push("ethusdt@trade", { t: 2 });
  bench.exchange.push("bnbusdt@trade", { t: 3 });
  for await (const message of pulled) {
    assertEquals(message, { stream: "ethusdt@trade", data: { t: 2 } });
    break;
  }
  for await (const text of raw) {
    assertEquals(text, '{"stream":"bnbusdt@trade","data":{"t":3}}');
    break;
  }
  await until(() => seen.length === 1, "one pushed message");
  assertEquals(seen, [{ stream: "btcusdt@trade", data: { t: 1 } }]);
});

testEachLibrary("the messages can be read as a ReadableStream", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (const text of trades(0, 5)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.bufferedMessages === 5, "five buffered");
  const done = stream.stop();
  const received: string[] = [];
  for await (const text of stream.readable) received.push(text);
  await done;
  assertEquals(received, trades(0, 5));
});

for (const [overflow, kept] of [["drop-oldest", trades(7, 10)], ["drop-newest", trades(0, 3)]] as const) {
  testEachLibrary(
    `a full buffer with overflow ${overflow} keeps its bound and counts what it drops`,
    async (library) => {
      await using bench = await startBench(library, { bufferSize: 3, overflow });
      const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
      await stream.ready;
      for (const text of trades(0, 10)) bench.exchange.broadcast(text);
      await until(() => stream.statistics.receivedMessages === 10, "ten messages");
      assertEquals([stream.statistics.droppedMessages, stream.statistics.bufferedMessages], [7, 3]);
      await stream.stop();
      const received: string[] = [];
      for await (const text of stream) received.push(text);
      assertEquals(received, kept);
    },
  );
}

testEachLibrary("a full buffer with overflow error gives the stream up after what was buffered", async (library) => {
  await using bench = await startBench(library, { bufferSize: 3, overflow: "error" });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (const text of trades(0, 4)) bench.exchange.broadcast(text);
  await until(() => stream.state === "crashed", "the stream given up");
  const received: string[] = [];
  const error = await assertRejects(async () => {
    for await (const text of stream) received.push(text);
  }, StreamCrashedError);
  assertInstanceOf(error.cause, BufferOverflowError);
  assertEquals(received, trades(0, 3));
  await until(() => bench.signalTypes.includes("STREAM_UNREPAIRABLE"), "the signal");
});

testEachLibrary("a callback that may throw does not end the stream, and is reported", async (library) => {
  const received: string[] = [];
  const failure = new RangeError("a mistake in user code");
  await using bench = await startBench(library, {
    onCallbackError: "continue",
    onData: (text) => {
      received.push(text);
      if (received.length === 1) throw failure;
    },
  });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (const text of trades(0, 3)) bench.exchange.broadcast(text);
  await until(() => received.length === 3, "three calls");
  assertEquals([stream.state, stream.lastError, stream.statistics.callbackErrors], ["running", failure, 1]);
  const signal = bench.signals.find(({ type }) => type === "CALLBACK_ERROR");
  assert(signal?.type === "CALLBACK_ERROR" && signal.error === failure);
  assertStringIncludes(bench.log.join("\n"), "a mistake in user code");
});

testEachLibrary("network-like errors of user code are not taken for the network's", async (library) => {
  for (
    const failure of [new Error("ECONNRESET"), new DOMException("timed out", "TimeoutError"), "a string", undefined]
  ) {
    await using bench = await startBench(library, {
      onCallbackError: "continue",
      onData: () => {
        throw failure;
      },
    });
    const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
    await stream.ready;
    for (const text of trades(0, 2)) bench.exchange.broadcast(text);
    await until(() => stream.statistics.callbackErrors === 2, "both errors counted");
    assertEquals([stream.state, stream.statistics.reconnects], ["running", 0]);
    assertEquals(bench.signalTypes.includes("CALLBACK_ERROR"), true);
  }
});

testEachLibrary("the last error is the last one, also when reports are limited to one per second", async (library) => {
  let count = 0;
  await using bench = await startBench(library, {
    onCallbackError: "continue",
    onData: () => {
      throw new Error(`mistake ${++count}`);
    },
  });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  for (const text of trades(0, 5)) bench.exchange.broadcast(text);
  await until(() => stream.statistics.callbackErrors === 5, "five mistakes");
  assertInstanceOf(stream.lastError, Error);
  assertEquals(stream.lastError.message, "mistake 5");
  assertEquals(bench.signalTypes.filter((type) => type === "CALLBACK_ERROR").length, 1);
});

testEachLibrary("a thenable that rejects is reported like a promise", async (library) => {
  const thenable = { then: (_: unknown, reject: (error: Error) => void) => reject(new Error("not a Promise")) };
  await using bench = await startBench(library, { onCallbackError: "continue", onData: () => thenable });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.broadcast(trade(1).text);
  await until(() => stream.statistics.callbackErrors === 1, "the rejection counted");
});

testEachLibrary("onSignal that throws what can't be shown breaks nothing", async (library) => {
  await using bench = await startBench(library, {
    onSignal: () => {
      throw Object.create(null);
    },
  });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.killConnections();
  await until(() => stream.statistics.reconnects === 1, "a reconnect");
  await stream.stop();
  assertEquals(stream.state, "stopped");
});

testEachLibrary("stopping from inside a signal stops once", async (library) => {
  for (const at of ["CONNECT", "FIRST_RECEIVED_DATA", "DISCONNECT", "STOP"]) {
    const seen: string[] = [];
    await using bench = await startBench(library, {
      onSignal: ({ type }) => {
        seen.push(type);
        if (type === at) void bench.manager.stopManager();
      },
    });
    const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
    stream.ready.then(() => bench.exchange.broadcast(trade(1).text)).catch(() => {});
    if (at === "DISCONNECT" || at === "STOP") {
      await stream.ready;
      void stream.stop();
    }
    await until(() => stream.state === "stopped", `${at}: stopped`);
    await stream.stop();
    assertEquals(seen.filter((type) => type === "STOP").length, 1, `${at}: ${seen}`);
  }
});

testEachLibrary("a stream that can't connect says why, in its state and by signals", async (library) => {
  await using bench = await startBench(library);
  bench.exchange.refuseConnections(403);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await until(() => bench.signals.length >= 2, "two signals");
  assertEquals(new Set(bench.signalTypes), new Set(["CONNECT_FAILED"]));
  const [signal] = bench.signals;
  assert(signal?.type === "CONNECT_FAILED");
  assertInstanceOf(stream.lastError, HandshakeRejectedError);
  assertEquals(stream.lastError.status, 403);
  assertEquals([stream.state, stream.statistics.reconnects], ["restarting", 0]);
  bench.exchange.refuseConnections(undefined);
  await stream.ready;
  assertEquals(stream.statistics.reconnects, 0, "never lost, so never opened again");
});

testEachLibrary("every reader of a crashed stream learns of it", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  const read = async () => {
    for await (const _ of stream);
  };
  const readers = [read(), read(), read()].map((reader) => assertRejects(() => reader, StreamCrashedError));
  bench.exchange.refuseConnections(429);
  bench.exchange.killConnections();
  await Promise.all(readers);
  await assertRejects(read, StreamCrashedError);
});

testEachLibrary("the rejection of an async callback is reported, not lost", async (library) => {
  await using bench = await startBench(library, {
    onCallbackError: "continue",
    onData: () => Promise.reject(new Error("too late")),
  });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.broadcast(trade(1).text);
  await until(() => stream.statistics.callbackErrors === 1, "the rejection counted");
  assertStringIncludes(bench.log.join("\n"), "too late");
  assertEquals(stream.state, "running");
});

testEachLibrary("a signal callback that throws or rejects is logged and breaks nothing", async (library) => {
  let calls = 0;
  await using bench = await startBench(library, {
    onSignal: () => {
      if (calls++ === 0) throw new Error("thrown by onSignal");
      return Promise.reject(new Error("rejected by onSignal"));
    },
  });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.broadcast(trade(1).text);
  await until(() => calls === 2, "two signals");
  await stream.stop();
  await until(() => bench.log.some((line) => line.includes("rejected by onSignal")), "the rejection logged");
  assertStringIncludes(bench.log.join("\n"), "thrown by onSignal");
});

testEachLibrary(
  "a stream's own onSignal comes before the manager's, and neither keeps signals from the other",
  async (library) => {
    const seen: string[] = [];
    const failing = (whose: string) => (signal: Signal) => {
      seen.push(`${whose} ${signal.type} ${signal.streamLabel}`);
      throw new Error(`thrown by the ${whose}`);
    };
    await using bench = await startBench(library, { onSignal: failing("manager") });
    const stream = bench.manager.createStream({ streams: "btcusdt@trade", label: "a", onSignal: failing("stream") });
    await stream.ready;
    const other = bench.manager.createStream({ streams: "ethusdt@trade", label: "b" });
    await other.ready;
    await stream.stop();
    assertEquals(seen, [
      "stream CONNECT a",
      "manager CONNECT a",
      "manager CONNECT b",
      "stream DISCONNECT a",
      "manager DISCONNECT a",
      "stream STOP a",
      "manager STOP a",
    ]);
    const log = bench.log.join("\n");
    for (const whose of ["stream", "manager"]) assertStringIncludes(log, `thrown by the ${whose}`);
  },
);

testEachLibrary("replaceStream hears of a new stream that has an onSignal of its own", async (library) => {
  const seen: string[] = [];
  await using bench = await startBench(library);
  const before = bench.manager.createStream({ streams: "btcusdt@trade" });
  await before.ready;
  const replaced = bench.manager.replaceStream(before, {
    streams: "ethusdt@trade",
    onSignal: ({ type }) => void seen.push(type),
  }, { dataTimeoutMs: 60_000 });
  await until(() => seen.includes("CONNECT"), "the new connection");
  await bench.manager.streams.at(-1)?.ready;
  bench.exchange.broadcast(trade(1, "ethusdt").text);
  const after = await replaced;
  assertEquals([before.state, after.state], ["stopped", "running"]);
  assertEquals(seen, ["CONNECT", "FIRST_RECEIVED_DATA"]);
});

testEachLibrary("a stream stops at once, also when it is silent, and delivers nothing afterwards", async (library) => {
  let received = 0;
  await using bench = await startBench(library, { onData: () => void received++, closeTimeoutMs: 300 });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  const before = performance.now();
  const stopped = bench.manager.stopStream(stream);
  assertEquals(stream.state, "stopped");
  bench.exchange.broadcast(trade(1).text);
  await stopped;
  assert(performance.now() - before < 1_000);
  assertEquals([received, bench.signalTypes, bench.manager.streams], [0, ["CONNECT", "DISCONNECT", "STOP"], []]);
  await until(() => bench.exchange.connections === 0, "the connection gone");
});

testEachLibrary("a stream stops within the close timeout when the exchange does not answer", async (library) => {
  await using bench = await startBench(library, { closeTimeoutMs: 200 });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.goSilent(true);
  const before = performance.now();
  await stream.stop();
  const tookMs = performance.now() - before;
  assert(tookMs >= 150 && tookMs < 1_500, `took ${tookMs} ms`);
  bench.exchange.killConnections();
});

testEachLibrary("a stream can be stopped while it connects and while it waits to reconnect", async (library) => {
  await using bench = await startBench(library, { reconnectMinDelayMs: 60_000 });
  bench.exchange.ignoreHandshakes(true);
  const connecting = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await until(() => bench.exchange.totalConnections === 1, "a connection");
  await connecting.stop();
  await assertRejects(() => connecting.ready, StreamStoppedError);
  bench.exchange.ignoreHandshakes(false);
  bench.exchange.refuseConnections(503);
  const waiting = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await until(() => bench.exchange.refusedHandshakes >= 2, "two refusals");
  const before = performance.now();
  await waiting.stop();
  assert(performance.now() - before < 1_000);
  assertEquals(bench.signalTypes.filter((type) => type !== "CONNECT_FAILED"), ["STOP", "STOP"]);
});

testEachLibrary("what is asked of a stopped stream or an unknown one is an error", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"], label: "mine" });
  await stream.ready;
  await bench.manager.subscribeToStream(stream.id, { streams: ["ethusdt@trade"] });
  await bench.manager.unsubscribeFromStream(stream.id, { streams: ["ethusdt@trade"] });
  await bench.manager.stopStream(stream.id);
  await assertRejects(() => bench.manager.stopStream(stream.id), UnknownStreamError);
  await bench.manager.stopStream(stream);
  await assertRejects(() => stream.subscribe({ streams: ["ethusdt@trade"] }), StreamStoppedError);
  await assertRejects(
    () => bench.manager.unsubscribeFromStream(stream, { streams: "ethusdt@trade" }),
    StreamStoppedError,
  );
  assertEquals(bench.signals.map(({ streamLabel }) => streamLabel), ["mine", "mine", "mine"]);
});

testEachLibrary("a stopped manager makes no more streams, and can be stopped again", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  await Promise.all([bench.manager.stopManager(), bench.manager.stopManager()]);
  await bench.manager.stopManager();
  assertThrows(() => bench.manager.createStream({ streams: ["btcusdt@trade"] }), TypeError, "the manager is stopped");
  assertEquals(bench.signalTypes, ["CONNECT", "DISCONNECT", "STOP"]);
});

testEachLibrary("streams of both paths of the futures exchange mix in one stream", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, {
    exchange: "binance.com-futures",
    onData: (text) => void received.push(JSON.parse(text).stream),
  }, { market: "futures" });
  const streams = ["btcusdt@bookTicker", "btcusdt@aggTrade", "!markPrice@arr"];
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  for (const name of streams) bench.exchange.push(name, { x: 1 });
  await until(() => received.length === 3, "one message of each");
  assertEquals(received.toSorted(), streams.toSorted());
  assertEquals(stream.subscriptions.toSorted(), streams.toSorted());
  const urls = bench.signals.flatMap((signal) => signal.type === "CONNECT" ? [new URL(signal.url).pathname] : []);
  assertEquals(urls.toSorted(), ["/market/stream", "/public/stream"]);
});

test("reading a stream that has a callback is an error that says so", async () => {
  await using bench = await startBench("builtin", { onData: () => {} });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  assertThrows(() => stream[Symbol.asyncIterator](), TypeError, "its messages go to `onData`");
  assertThrows(() => stream.readable, TypeError, "its messages go to `onData`");
});
