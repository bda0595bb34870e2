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
  await using bench = await startBench(library, { exchange: "binance.com-vanilla-options", maxLinks: 1 });
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
    await until(
      () => bench.log.some((line) => line.includes("the next attempt to connect may be in")),
      "the pause logged",
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    assertEquals(bench.exchange.refusedHandshakes, 250);
    assertEquals(bench.manager.streams.every(({ state }) => state === "restarting"), true);
  },
);

testEachLibrary("a change that is undone before it leaves settles for everyone who waits", async (library) => {
  await using bench = await startBench(library);
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  const x = { streams: ["x@trade"] };
  await Promise.all([stream.subscribe(x), stream.unsubscribe(x)]);
  const a = { streams: ["a@trade"] };
  await Promise.all([stream.unsubscribe(a), stream.subscribe(a)]);
  await Promise.all([stream.subscribe(x), stream.subscribe(x), stream.unsubscribe(x), stream.subscribe(x)]);
  assertEquals(stream.subscriptions.toSorted(), ["a@trade", "x@trade"]);
  const undone = bench.manager.createStream({ streams: ["b@trade"] });
  await Promise.all([undone.unsubscribe({ streams: ["b@trade"] }), undone.ready]);
  bench.exchange.refuseConnections(503);
  bench.exchange.killConnections();
  await until(() => stream.state === "restarting", "the connection lost");
  const y = { streams: ["y@trade"] };
  await Promise.all([stream.subscribe(y), stream.unsubscribe(y)]);
});

testEachLibrary("after an unanswered message nothing is taken for granted", async (library) => {
  await using bench = await startBench(library, { ackTimeoutMs: 100 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  const [a, b] = [{ streams: ["a@trade"] }, { streams: ["b@trade"] }];
  const sends = async (change: () => Promise<void>): Promise<string | undefined> => {
    const before = bench.exchange.controlMessages.length;
    await change();
    return parsed(bench)[before]?.method;
  };
  // The exchange obeys, but its answers are lost.
  bench.exchange.silenceAcks(true);
  await assertRejects(() => stream.unsubscribe(a), SubscriptionTimeoutError);
  await assertRejects(() => stream.subscribe(b), SubscriptionTimeoutError);
  bench.exchange.silenceAcks(false);
  assertEquals(await sends(() => stream.subscribe(a)), "SUBSCRIBE");
  assertEquals(await sends(() => stream.unsubscribe(b)), "UNSUBSCRIBE");
  assertEquals([bench.exchange.push("a@trade", {}), bench.exchange.push("b@trade", {})], [1, 0]);
});

testEachLibrary("unsubscribing what is under way and unanswered leaves nothing behind", async (library) => {
  await using bench = await startBench(library, { ackTimeoutMs: 200 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.dropAcks(1);
  const x = { streams: ["x@trade"] };
  const subscribed = stream.subscribe(x);
  await until(() => bench.exchange.controlMessages.length === 2, "the SUBSCRIBE");
  await Promise.all([subscribed, stream.unsubscribe(x)]);
  assertEquals(bench.exchange.push("x@trade", {}), 0);
  assertEquals(stream.subscriptions, ["a@trade"]);
});

testEachLibrary(
  "a refusal after a reconnect is told, and does not make the stream forget what it wants",
  async (library) => {
    await using bench = await startBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await stream.ready;
    bench.exchange.rejectControl({ code: -1000, msg: "internal error" });
    bench.exchange.killConnections();
    await until(() => bench.signalTypes.includes("SUBSCRIPTION_FAILED"), "the signal");
    const signal = bench.signals.find(({ type }) => type === "SUBSCRIPTION_FAILED");
    assert(signal?.type === "SUBSCRIPTION_FAILED");
    assertEquals([signal.error.streams, stream.lastError], [["a@trade"], signal.error]);
    assertEquals(stream.subscriptions, ["a@trade"]);
    bench.exchange.rejectControl(undefined);
    bench.exchange.killConnections();
    await until(() => bench.exchange.push("a@trade", {}) === 1, "subscribed again");
  },
);

testEachLibrary("a connection that is full is emptied before it is filled anew", async (library) => {
  await using bench = await startBench(library, { exchange: "binance.com-vanilla-options" }, {
    limits: { streamsPerConnection: 200 },
  });
  const names = (letter: string) => Array.from({ length: 200 }, (_, index) => `${letter}${index}@optionTrade`);
  bench.exchange.delayAcks(50);
  const stream = bench.manager.createStream({ streams: names("a") });
  await until(() => bench.exchange.controlMessages.length > 0, "the first SUBSCRIBE");
  const gone = stream.unsubscribe({ streams: names("a") });
  const come = stream.subscribe({ streams: names("b") });
  await Promise.all([gone, come]);
  assertEquals(stream.subscriptions, names("b"));
  assertEquals(bench.signalTypes, ["CONNECT"]);
});

testEachLibrary("answers that are not ours settle nothing", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.silenceAcks(true);
  let isSettled = false;
  const subscribed = stream.subscribe({ streams: ["b@trade"] }).finally(() => isSettled = true);
  await until(() => bench.exchange.controlMessages.length === 2, "the SUBSCRIBE");
  const id = parsed(bench)[1]?.id ?? 0;
  for (
    const answer of [
      '{"error":{"code":2,"msg":"not yours"},"id":"abc"}',
      `{"result":null,"id":"${id}"}`,
      `{"result":null,"id":${id + 1_000}}`,
      `{"result":"nope","id":${id}}`,
      '{"status":400,"error":{"code":-1,"msg":"not yours"},"id":424242}',
    ]
  ) bench.exchange.broadcast(answer);
  bench.exchange.broadcast('{"stream":"a@trade","data":{}}');
  await until(() => received.length === 1, "the data behind them");
  assertEquals([isSettled, received.length], [false, 1]);
  bench.exchange.broadcast(`{"id":${id},"result":null}`);
  await subscribed;
});

testEachLibrary("one wrong name among many is found within seconds, and the others are subscribed", async (library) => {
  await using bench = await startBench(library, {}, { market: "spot" });
  const good = Array.from({ length: 200 }, (_, index) => `good${index}@trade`);
  const before = performance.now();
  const stream = bench.manager.createStream({ streams: [...good.slice(0, 77), "b@trade@trade@", ...good.slice(77)] });
  await assertRejects(() => stream.ready, SubscriptionRejectedError, "b@trade@trade@");
  await stream.subscribe({ streams: good });
  const tookMs = performance.now() - before;
  assertEquals(stream.subscriptions.toSorted(), good.toSorted());
  assert(tookMs < 10_000, `took ${tookMs} ms`);
});
