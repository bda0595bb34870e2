/**
 * Account events over the WebSocket API: subscribed, told apart, and subscribed again whatever ends them.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertNotEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { InvalidOptionsError, StreamCrashedError, SubscriptionRejectedError } from "@rawtick/binance";
import { testEachLibrary, until } from "./support.ts";
import { advanceUntil, collect, delivered, otherSigner, signer, startUserDataBench } from "./user_data_support.ts";

const EVENT = { e: "balanceUpdate", E: 1573200697110, a: "BTC", d: "100.00000000", T: 1573200697068 };
const REPORT = { e: "executionReport", E: 1499405658658, s: "ETHBTC", c: "x", i: 4293153 };
const SIGNATURE = "userDataStream.subscribe.signature";
const ACCOUNTS = { name: "main", signer, accounts: [{ name: "hedge", signer: otherSigner }] };

testEachLibrary("account events come with a signature, under the name of the account", async (library) => {
  await using bench = await startUserDataBench(library, "binance.com");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: true, onData, label: "account" });
  assertEquals(stream.state, "starting");
  await stream.ready;
  assertEquals(bench.peer.methods, [SIGNATURE]);
  bench.peer.open[0]?.emit("main", EVENT);
  await until(() => texts.length === 1, "the event");
  assertEquals(texts, [delivered("userData", EVENT)]);
  assertEquals(stream.accounts, [{ name: "userData", state: "running", subscriptionId: 0, events: 1 }]);
  assertEquals([stream.state, stream.info.streams, stream.statistics.receivedMessages], ["running", ["userData"], 1]);
  await stream.stop();
  await until(() => bench.peer.open.length === 0, "the end of its connection");
});

test("events can be read with for await, parsed", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com");
  const stream = bench.manager.createStream({ userData: true, output: "json" });
  await stream.ready;
  bench.peer.open[0]?.emit("main", EVENT);
  for await (const message of stream) {
    assertEquals(message, { stream: "userData", data: EVENT });
    break;
  }
});

testEachLibrary(
  "events in the same chunk of bytes as the answer to the subscription are not missed",
  async (library) => {
    await using bench = await startUserDataBench(library, "binance.com");
    const { texts, onData } = collect();
    bench.peer.onCall = ({ id, method, params }, connection) => {
      if (method !== SIGNATURE) return undefined;
      const subscriptionId = connection.subscribe(String(params.apiKey));
      connection.send({ id, status: 200, result: { subscriptionId } }, { subscriptionId, event: EVENT });
      return "silence";
    };
    bench.manager.createStream({ userData: true, onData });
    await until(() => texts.length === 1, "the event");
    assertEquals(texts, [delivered("userData", EVENT)]);
  },
);

testEachLibrary("after a reconnect the subscription is made anew, with a fresh signature", async (library) => {
  await using bench = await startUserDataBench(library, "binance.com");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: true, onData });
  await stream.ready;
  bench.peer.open[0]?.emit("main", EVENT);
  await until(() => texts.length === 1, "an event");
  const lastSeenAt = bench.clock.now();
  bench.clock.advance(3_000);
  bench.peer.open[0]?.destroy();
  await until(() => bench.gaps.length === 1, "the signal");
  const [gap] = bench.gaps;
  assertEquals([gap?.account, gap?.from, gap?.to, gap?.reason], [
    "userData",
    lastSeenAt,
    bench.clock.now(),
    "the connection was lost",
  ]);
  const [before, after] = bench.peer.calls.filter(({ method }) => method === SIGNATURE).map(({ params }) => params);
  assertEquals(Number(after?.timestamp) - Number(before?.timestamp) >= 3_000, true);
  assertNotEquals(after?.signature, before?.signature);
  bench.peer.open.at(-1)?.emit("main", REPORT);
  await until(() => texts.length === 2, "an event after");
  assertEquals([stream.state, stream.statistics.reconnects, stream.statistics.gaps], ["running", 1, 1]);
  const types = bench.signals.map(({ type }) => type);
  assertEquals(types, ["CONNECT", "FIRST_RECEIVED_DATA", "DISCONNECT", "CONNECT", "USER_DATA_GAP"]);
});

testEachLibrary("several accounts on one connection are told apart, also when their ids change", async (library) => {
  await using bench = await startUserDataBench(library, "binance.com");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: ACCOUNTS, onData });
  await stream.ready;
  const emitBoth = () => {
    bench.peer.open.at(-1)?.emit("other", REPORT);
    bench.peer.open.at(-1)?.emit("main", EVENT);
  };
  emitBoth();
  await until(() => texts.length === 2, "both events");
  // Other ids on the next connection: one was used up before.
  bench.peer.onCall = ({ method }, connection) => {
    if (method === SIGNATURE && connection.subscriptions.size === 0) connection.subscribe("nobody");
    return undefined;
  };
  bench.peer.open[0]?.destroy();
  await until(() => bench.gaps.length === 2, "both signals");
  emitBoth();
  await until(() => texts.length === 4, "both events again");
  assertEquals(texts, [1, 2].flatMap(() => [delivered("hedge", REPORT), delivered("main", EVENT)]));
  assertEquals(bench.gaps.map(({ account }) => account).sort(), ["hedge", "main"]);
  assertEquals(stream.accounts.map(({ subscriptionId }) => subscriptionId), [1, 2]);
});

test("an account that is refused does not stop the others; if all are refused, the stream ends", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com");
  const { texts, onData } = collect();
  let refused = ["other"];
  bench.peer.onCall = ({ method, params }) =>
    method === SIGNATURE && refused.includes(String(params.apiKey))
      ? { error: { code: -2015, msg: "Invalid API-key, IP, or permissions for action." } }
      : undefined;
  const stream = bench.manager.createStream({ userData: ACCOUNTS, onData });
  const error = await assertRejects(() => stream.ready, SubscriptionRejectedError);
  assertEquals([error.streams, error.exchangeCode], [["hedge"], -2015]);
  await until(() => stream.accounts[0]?.state === "running", "the other account");
  bench.peer.open[0]?.emit("main", EVENT);
  await until(() => texts.length === 1, "an event of the other one");
  assertEquals(stream.accounts.map(({ state }) => state), ["running", "failed"]);
  refused = ["main", "other"];
  bench.peer.open[0]?.destroy();
  await until(() => stream.state === "crashed", "the end");
  await stream.stop();
  assertEquals(bench.signals.at(-1)?.type, "STREAM_UNREPAIRABLE");
  assert(stream.lastError instanceof StreamCrashedError);
});

testEachLibrary(
  "a subscription that the exchange ends is made anew, and the event itself is delivered",
  async (library) => {
    await using bench = await startUserDataBench(library, "binance.com");
    const { texts, onData } = collect();
    const stream = bench.manager.createStream({ userData: true, onData });
    await stream.ready;
    const ended = { e: "eventStreamTerminated", E: 1728973001334 };
    const [connection] = bench.peer.open;
    connection?.emit("main", ended);
    connection?.subscriptions.clear();
    await until(() => bench.gaps.length === 1, "the signal");
    assertEquals(bench.gaps[0]?.reason, "the exchange ended the subscription");
    connection?.emit("main", EVENT);
    await until(() => texts.length === 2, "an event after");
    assertEquals(texts, [delivered("userData", ended), delivered("userData", EVENT)]);
    assertEquals([stream.accounts[0]?.subscriptionId, bench.peer.connections.length], [1, 1]);
  },
);

test("a subscription that ends without a word is noticed, and made anew", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: { auditIntervalMs: 30_000 }, onData });
  await stream.ready;
  bench.clock.advance(30_000);
  await until(() => bench.peer.methods.includes("session.subscriptions"), "the question");
  await until(() => bench.log.length >= 0 && bench.peer.methods.length === 2, "its answer");
  bench.peer.open[0]?.emit("main", EVENT);
  await until(() => texts.length === 1, "an event, behind the answer");
  const provenAt = bench.clock.now();
  bench.peer.open[0]?.subscriptions.clear();
  bench.clock.advance(30_000);
  await until(() => bench.gaps.length === 1, "the signal");
  assertEquals([bench.gaps[0]?.from, bench.gaps[0]?.to], [provenAt, provenAt + 30_000]);
  bench.peer.open[0]?.emit("main", EVENT);
  await until(() => texts.length === 2, "an event after");
});

test("a subscription whose answer never came is ended before another attempt (-2035)", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com", { apiTimeoutMs: 60_000 });
  const { texts, onData } = collect();
  let isFirst = true;
  bench.peer.onCall = ({ method, params }, connection) => {
    if (method !== SIGNATURE || !isFirst) return undefined;
    isFirst = false;
    connection.subscribe(String(params.apiKey));
    return "silence";
  };
  const stream = bench.manager.createStream({ userData: { auditIntervalMs: 0 }, onData });
  await until(() => bench.peer.methods.length === 1, "the first attempt");
  bench.clock.advance(60_000);
  await advanceUntil(bench, 10, () => stream.state === "running", "the subscription");
  assertEquals(bench.peer.methods, [
    SIGNATURE,
    SIGNATURE,
    "session.subscriptions",
    "userDataStream.unsubscribe",
    SIGNATURE,
  ]);
  bench.peer.open[0]?.emit("main", EVENT);
  await until(() => texts.length === 1, "an event, once");
  assertEquals(texts.length, 1);
});

test("a listen token is renewed before it ends, without a gap", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-isolated_margin");
  const { texts, onData } = collect();
  const userData = { symbol: "btcusdt", listenTokenValidityMs: 3_600_000 };
  const stream = bench.manager.createStream({ userData, onData });
  await stream.ready;
  const [first] = bench.peer.rest;
  assertEquals([first?.method, first?.path, first?.query.toString(), first?.apiKey], [
    "POST",
    "/sapi/v1/userListenToken",
    "isIsolated=true&symbol=BTCUSDT&validity=3600000",
    "main",
  ]);
  const tokens = () => bench.peer.calls.flatMap(({ params }) => params.listenToken ?? []);
  for (let renewals = 1; renewals <= 3; renewals++) {
    bench.clock.advance(1_800_000);
    await until(() => tokens().length === renewals + 1, `renewal ${renewals}`);
    bench.peer.open[0]?.emit("main", EVENT);
    await until(() => texts.length === renewals, "an event, behind the answer");
  }
  assertEquals([new Set(tokens()).size, bench.gaps, bench.peer.connections.length], [4, [], 1]);
});

testEachLibrary("a listen token that ends is replaced, and the signal says so", async (library) => {
  await using bench = await startUserDataBench(library, "binance.com-margin");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: true, onData });
  await stream.ready;
  const [connection] = bench.peer.open;
  connection?.emit("main", { e: "eventStreamTerminated", E: 1 });
  connection?.subscriptions.clear();
  await until(() => bench.gaps.length === 1, "the signal");
  assertEquals([bench.gaps[0]?.reason, bench.peer.rest.length], ["the exchange ended the listen token", 2]);
  connection?.emit("main", EVENT);
  await until(() => texts.length === 2, "an event after");
  assertEquals(stream.state, "running");
});

test("when the API connection is replaced because it is old, the signal names the moment in between", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com", { rolloverAgeMs: 100_000 });
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: { auditIntervalMs: 0 }, onData });
  await stream.ready;
  bench.clock.advance(98_000);
  await advanceUntil(bench, 50, () => bench.gaps.length === 1, "the signal");
  const [gap] = bench.gaps;
  assertEquals(gap?.reason, "the connection was replaced");
  assert(gap !== undefined && gap.from > bench.clock.now() - 2_000, "the old connection has brought events until then");
  bench.peer.connections[1]?.emit("main", EVENT);
  await until(() => texts.length === 1, "an event after");
  assertEquals(bench.signals.map(({ type }) => type), ["CONNECT", "ROLLOVER", "USER_DATA_GAP", "FIRST_RECEIVED_DATA"]);
});

test("streams of account events can share an API stream, which goes on without them", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com");
  const api = bench.manager.createStream({ api: true });
  const one = collect();
  const two = collect();
  const first = bench.manager.createStream({ userData: { api, name: "main" }, onData: one.onData });
  const second = bench.manager.createStream({
    userData: { api, name: "hedge", signer: otherSigner },
    onData: two.onData,
  });
  await Promise.all([first.ready, second.ready]);
  const [connection] = bench.peer.open;
  connection?.emit("main", EVENT);
  connection?.emit("other", REPORT);
  await until(() => one.texts.length + two.texts.length === 2, "both events");
  assertEquals([one.texts, two.texts], [[delivered("main", EVENT)], [delivered("hedge", REPORT)]]);
  await first.stop();
  assertEquals([bench.peer.connections.length, [...connection?.subscriptions.values() ?? []]], [1, ["other"]]);
  assertEquals(api.state, "running");
});

test("options that the exchange can't do are errors", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com");
  const refused = (userData: object, path: string, words: string) => {
    const error = assertThrows(() => bench.manager.createStream({ userData }), InvalidOptionsError);
    assertEquals(error.path, path);
    assertStringIncludes(error.message, words);
  };
  refused({ listenKey: "key" }, "userData.listenKey", "there are no listen keys");
  refused({ via: "listenToken" }, "userData.via", "margin");
  refused({ via: "logon" }, "userData.via", "Ed25519");
  refused({ keepListenKey: true }, "userData.keepListenKey", "left out");
  refused({ listenTokenValidityMs: 60_000 }, "userData.listenTokenValidityMs", "for margin accounts");
  refused({ symbol: "BTCUSDT" }, "userData.symbol", "isolated margin");
  refused({ name: 'a "name"' }, "userData.name", "letters");
  await using margin = await startUserDataBench("builtin", "binance.com-isolated_margin");
  assertThrows(() => margin.manager.createStream({ userData: true }), InvalidOptionsError, "userData.symbol");
  await using cross = await startUserDataBench("builtin", "binance.com-margin");
  for (const via of ["signature", "logon"] as const) {
    const isolated = { via, symbol: "BTCUSDT", listenTokenValidityMs: 60_000 };
    const create = [
      () => margin.manager.createStream({ userData: isolated }),
      () => cross.manager.createStream({ userData: { via } }),
    ];
    for (const attempt of create) {
      const error = assertThrows(attempt, InvalidOptionsError, "the events of the spot account");
      assertEquals(error.path, "userData.via");
    }
  }
});
