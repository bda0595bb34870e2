/**
 * What callers without types give to a manager's methods: refused with what to write instead, on every door.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { BinanceWebSocketApiManager, InvalidOptionsError, UnknownStreamError } from "@rawtick/binance";
import { BinanceWebSocketApiManager as EdgeManager } from "@rawtick/binance/edge";
import { BinanceWebSocketApiManager as FullEdgeManager } from "@rawtick/binance/edge-full";

const doors = { main: BinanceWebSocketApiManager, edge: EdgeManager, "edge-full": FullEdgeManager };
/** Nothing listens there, and nothing is asked to. */
const NOWHERE = { websocketBaseUrl: "ws://127.0.0.1:1" };
const TRADES = { streams: "btcusdt@trade" };

/** The cast is the point of these tests: what a user without types may write. */
const untyped = (value: unknown) => value as never;

for (const [door, Manager] of Object.entries(doors)) {
  test(`${door}: options of a stream that are no object are refused, also of one that replaces another`, async () => {
    await using manager = new Manager(NOWHERE);
    const stream = manager.createStream(TRADES);
    const cases: [given: unknown, message: string][] = [
      [undefined, "Cannot use undefined as options: expected an object with `streams`"],
      [null, "Cannot use null as options: expected an object with `streams`"],
      [5, "Cannot use 5 as options"],
      ["btcusdt@trade", 'Cannot use "btcusdt@trade" as options'],
      [["btcusdt@trade"], "Cannot use a list as options"],
      [() => TRADES, "Cannot use a function as options"],
    ];
    for (const [given, message] of cases) {
      assertThrows(() => manager.createStream(untyped(given)), InvalidOptionsError, message);
      await assertRejects(() => manager.replaceStream(stream, untyped(given)), InvalidOptionsError, message);
    }
    assertEquals(manager.streams, [stream]);
  });

  test(`${door}: what is neither a stream nor an id is refused, wherever a stream is meant`, async () => {
    await using manager = new Manager(NOWHERE);
    manager.createStream(TRADES);
    const methods: [name: string, call: (stream: never) => unknown][] = [
      ["stopStream", (stream) => manager.stopStream(stream)],
      ["subscribeToStream", (stream) => manager.subscribeToStream(stream, TRADES)],
      ["unsubscribeFromStream", (stream) => manager.unsubscribeFromStream(stream, TRADES)],
      ["replaceStream", (stream) => manager.replaceStream(stream, TRADES)],
      ["getStreamInfo", (stream) => manager.getStreamInfo(stream)],
      ["printStreamInfo", (stream) => manager.printStreamInfo(stream, { print: false })],
      ["forgetFinishedStreams", (stream) => manager.forgetFinishedStreams(stream)],
    ];
    for (const [name, call] of methods) {
      for (
        const [value, shown] of [[5, "5"], [null, "null"], [{}, "an object"], [[], "an empty list"], [
          { id: 5 },
          "an object",
        ]]
      ) {
        const error = await assertRejects(async () => await call(untyped(value)), InvalidOptionsError);
        assertEquals([error.path, error.message], [
          "stream",
          `Cannot use ${shown} as \`stream\`: expected a stream or its id`,
        ], name);
      }
      for (const value of ["nope", { id: "nope" }, { id: "nope", state: "running" }]) {
        await assertRejects(async () => await call(untyped(value)), UnknownStreamError, 'the stream "nope"', name);
      }
    }
    assertEquals(manager.streams.length, 1);
  });

  test(`${door}: unknown options of printing and unknown orders are refused`, async () => {
    await using manager = new Manager(NOWHERE);
    const stream = manager.createStream(TRADES);
    const cases: [options: unknown, message: string][] = [
      [{ foo: 1 }, 'Unknown option `foo`: expected "colors" or "print"'],
      [{ color: true }, "Unknown option `color`"],
      [{ print: true }, "Cannot use true as `print`: expected a function or false"],
      [{ colors: "yes" }, 'Cannot use "yes" as `colors`: expected true or false'],
      [null, "Cannot use null as options: expected an object"],
    ];
    for (const [options, message] of cases) {
      assertThrows(() => manager.printSummary(untyped(options)), InvalidOptionsError, message);
      assertThrows(() => manager.printStreamInfo(stream, untyped(options)), InvalidOptionsError, message);
    }
    const texts: string[] = [];
    const text = manager.printSummary({ print: (printed) => texts.push(printed) });
    assertEquals(texts, [text]);
    const buffer = manager.streamBuffer("trades");
    buffer.add("kept");
    for (const order of ["x", "", null, 0, "FIFO"]) {
      const error = assertThrows(() => buffer.pop(untyped(order)), InvalidOptionsError, 'expected "fifo" or "lifo"');
      assertEquals(error.path, "order");
    }
    assertEquals([buffer.length, buffer.pop("lifo"), buffer.pop(undefined)], [1, "kept", undefined]);
  });
}

test("a request over something that is no API stream is refused, not sent over another one", async () => {
  await using manager = new BinanceWebSocketApiManager({ websocketApiBaseUrl: "ws://127.0.0.1:1" });
  manager.createStream({ api: true });
  for (const stream of [5, null, {}]) {
    await assertRejects(
      () => manager.api.spot.time({}, { stream: untyped(stream) }),
      InvalidOptionsError,
      "expected a stream or its id",
    );
  }
});
