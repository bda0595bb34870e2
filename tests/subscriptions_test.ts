/**
 * Subscribing: acknowledged, within the exchange's limits, and brought back after a reconnect.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  MaximumSubscriptionsExceededError,
  SubscriptionRejectedError,
  SubscriptionTimeoutError,
} from "@rawtick/binance";
import { startBench, testEachLibrary, until } from "./support.ts";

interface Control {
  method: string;
  params?: string[];
  id: number;
}

const parsed = (bench: { exchange: { controlMessages: readonly { text: string }[] } }): Control[] =>
  bench.exchange.controlMessages.map(({ text }) => JSON.parse(text));

testEachLibrary(
  "subscribe and unsubscribe resolve when the exchange has acknowledged them, not before",
  async (library) => {
    await using bench = await startBench(library, {});
    const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
    await stream.ready;
    bench.exchange.delayAcks(300);
    for (
      const change of [
        () => stream.subscribe({ streams: ["a@trade"] }),
        () => stream.unsubscribe({ streams: ["a@trade"] }),
      ]
    ) {
      const before = performance.now();
      await change();
      assert(performance.now() - before > 250);
    }
    assertEquals(stream.subscriptions, ["btcusdt@trade"]);
  },
);

testEachLibrary("changes made together leave in one message; what is subscribed is not sent again", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  await Promise.all(
    ["a", "b", "c", "btcusdt"].map((market) => stream.subscribe({ channels: "trade", markets: market })),
  );
  await Promise.all([stream.subscribe({ streams: ["a@trade"] }), stream.unsubscribe({ streams: ["zzz@trade"] })]);
  await Promise.all([stream.unsubscribe({ streams: ["a@trade"] }), stream.subscribe({ streams: ["d@trade"] })]);
  assertEquals(parsed(bench).map(({ method, params }) => [method, params]), [
    ["SUBSCRIBE", ["btcusdt@trade"]],
    ["SUBSCRIBE", ["a@trade", "b@trade", "c@trade"]],
    ["UNSUBSCRIBE", ["a@trade"]],
    ["SUBSCRIBE", ["d@trade"]],
  ]);
});

testEachLibrary("a thousand streams are confirmed within the exchange's size and rate limits", async (library) => {
  await using bench = await startBench(library, { exchange: "binance.com" }, { market: "spot" });
  const markets = Array.from({ length: 1_000 }, (_, index) => `averylongsymbol${index}`);
  const stream = bench.manager.createStream({ channels: "depth20@100ms", markets });
  await stream.ready;
  const controls = bench.exchange.controlMessages;
  assertEquals(parsed(bench).flatMap(({ params }) => params ?? []), stream.subscriptions);
  assert(controls.every(({ bytes }) => bytes < 4096));
  assert(controls.length > 5);
  // The exchange's own rule: never more than 5 frames within any second.
  for (const [index, { at }] of controls.entries()) {
    const sixth = controls[index + 5];
    if (sixth !== undefined) assert(sixth.at - at >= 1_000, `6 messages within ${sixth.at - at} ms`);
  }
  assertEquals(bench.signalTypes, ["CONNECT"]);
  assertEquals(new Set(parsed(bench).map(({ id }) => id)).size, controls.length);
});

testEachLibrary(
  "after a reconnect the desired streams are subscribed once, nothing else is replayed",
  async (library) => {
    await using bench = await startBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade", "b@trade"] });
    await stream.ready;
    await stream.subscribe({ streams: ["c@trade"] });
    await stream.unsubscribe({ streams: ["a@trade"] });
    bench.exchange.killConnections();
    await until(() => bench.exchange.controlMessages.length === 4, "a SUBSCRIBE on the new connection");
    await until(() => stream.state === "running", "running");
    await stream.subscribe({ streams: ["d@trade"] });
    assertEquals(parsed(bench).slice(3).map(({ method, params }) => [method, params]), [
      ["SUBSCRIBE", ["b@trade", "c@trade"]],
      ["SUBSCRIBE", ["d@trade"]],
    ]);
  },
);

testEachLibrary(
  "a subscription asked for while the connection is down is made after the reconnect",
  async (library) => {
    await using bench = await startBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await stream.ready;
    bench.exchange.refuseConnections(503);
    bench.exchange.killConnections();
    await until(() => stream.state === "restarting", "the connection lost");
    const subscribed = stream.subscribe({ streams: ["b@trade"] });
    await stream.unsubscribe({ streams: ["a@trade"] });
    bench.exchange.refuseConnections(undefined);
    await subscribed;
    assertEquals(stream.subscriptions, ["b@trade"]);
    assertEquals(parsed(bench).at(-1)?.params, ["b@trade"]);
  },
);

testEachLibrary("a refused stream is an error that names it, and only that stream is given up", async (library) => {
  await using bench = await startBench(library, {}, { market: "spot" });
  const good = Array.from({ length: 9 }, (_, index) => `good${index}@trade`);
  const stream = bench.manager.createStream({ streams: good });
  await stream.ready;
  // Passes our own check of names, but the exchange refuses it and closes the connection, for all that is in the message.
  const bad = "btcusdt@trade@trade@";
  const more = ["more0@trade", "more1@trade", bad, "more2@trade"];
  const error = await assertRejects(() => stream.subscribe({ streams: more }), SubscriptionRejectedError);
  assertEquals([error.streams, error.exchangeCode], [[bad], 2]);
  const wanted = [...good, ...more.filter((name) => name !== bad)];
  assertEquals(stream.subscriptions.toSorted(), wanted.toSorted());
  // Everything else is subscribed in the end.
  await stream.subscribe({ streams: wanted });
  const received: string[] = [];
  const reading = (async () => {
    for await (const text of stream) received.push(JSON.parse(text).stream);
  })();
  for (const name of wanted) bench.exchange.push(name, {});
  await until(() => received.length === wanted.length, "one message of each");
  await stream.stop();
  await reading;
  assertEquals(received.toSorted(), wanted.toSorted());
});

testEachLibrary("an exchange that refuses everything is reported with its own words", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.rejectControl({ code: 4, msg: "Too many subscriptions" });
  const error = await assertRejects(() => stream.subscribe({ streams: ["b@trade"] }), SubscriptionRejectedError);
  assertEquals(error.exchangeCode, 4);
  assert(error.message.includes('"Too many subscriptions"'));
  assertEquals(stream.subscriptions, ["a@trade"]);
});

testEachLibrary("a lost acknowledgement is asked for again; if none comes, the caller learns it", async (library) => {
  await using bench = await startBench(library, { ackTimeoutMs: 150 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.dropAcks(1);
  await stream.subscribe({ streams: ["b@trade"] });
  bench.exchange.silenceAcks(true);
  await assertRejects(() => stream.subscribe({ streams: ["c@trade"] }), SubscriptionTimeoutError, '"c@trade"');
  assertEquals(stream.subscriptions, ["a@trade", "b@trade", "c@trade"], "still wanted");
  await assertRejects(() => stream.subscribe({ streams: ["c@trade"] }), SubscriptionTimeoutError, '"c@trade"');
  bench.exchange.silenceAcks(false);
  await stream.subscribe({ streams: ["c@trade"] });
  const received: string[] = [];
  bench.exchange.push("c@trade", {});
  for await (const text of stream) {
    received.push(text);
    break;
  }
  assertEquals(
    received,
    ['{"stream":"c@trade","data":{}}'],
    "the data flows all the same, and the connection was kept",
  );
  assertEquals(stream.statistics.reconnects, 0);
});

testEachLibrary("more streams than a connection may carry are refused before anything is sent", async (library) => {
  await using bench = await startBench(library, { exchange: "binance.com-vanilla-options" });
  const streams = Array.from({ length: 200 }, (_, index) => `s${index}@optionTrade`);
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  const sent = bench.exchange.controlMessages.length;
  await assertRejects(() => stream.subscribe({ streams: ["one@optionTrade"] }), MaximumSubscriptionsExceededError);
  assertEquals([stream.subscriptions.length, bench.exchange.controlMessages.length], [200, sent]);
  await stream.unsubscribe({ streams: ["s0@optionTrade"] });
  await stream.subscribe({ streams: ["one@optionTrade"] });
});

testEachLibrary("errors without an id reach the caller whose message was refused", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.silenceAcks(true);
  const refused = assertRejects(() => stream.subscribe({ streams: ["b@trade"] }), SubscriptionRejectedError, "made up");
  await until(() => bench.exchange.controlMessages.length === 2, "the SUBSCRIBE");
  bench.exchange.broadcast('{"code":1,"msg":"made up"}');
  await refused;
});

testEachLibrary(
  "many streams that can't connect stay within the attempts that the exchange allows",
  async (library) => {
    await using bench = await startBench(library, { reconnectMinDelayMs: 1, reconnectMaxDelayMs: 1 });
    bench.exchange.refuseConnections(503);
    for (let index = 0; index < 60; index++) bench.manager.createStream({ streams: [`s${index}@trade`] });
    await until(() => bench.exchange.refusedHandshakes >= 250, "the attempts used up");
    await until(() => bench.log.some((line) => line.includes("too many attempts to connect")), "the pause logged");
    await new Promise((resolve) => setTimeout(resolve, 300));
    assertEquals(bench.exchange.refusedHandshakes, 250);
    assertEquals(bench.manager.streams.every(({ state }) => state === "restarting"), true);
  },
);
