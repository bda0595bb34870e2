/**
 * Listen keys: kept alive, replaced when they end, never shown, never deleted without being asked.
 *
 * @module
 */

import { inspect } from "node:util";
import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  BinanceWebSocketApiManager,
  createSigner,
  HandshakeRejectedError,
  type Signal,
  StreamCrashedError,
} from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";
import { errorWithoutSecrets } from "../src/user_data/secrets.ts";
import { memoryLogger, testEachLibrary, until } from "./support.ts";
import {
  advanceUntil,
  collect,
  count,
  delivered,
  EVENT,
  expire,
  keyOf,
  startUserDataBench,
  type UserDataBench,
} from "./user_data_support.ts";

const MINUTE_MS = 60_000;

/** How often the key was kept alive. */
function keptAlive({ log }: UserDataBench): number {
  return log.filter((line) => line.includes("the listen key was kept alive")).length;
}

test("a listen key is kept alive before half its life is over, for a day", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures", { rolloverAgeMs: 0 });
  const times: number[] = [bench.clock.now()];
  bench.peer.onRest = ({ method }) => {
    if (method === "PUT") times.push(bench.clock.now());
    return undefined;
  };
  const stream = bench.manager.createStream({ userData: true });
  await stream.ready;
  for (let minutes = 5; minutes <= 24 * 60; minutes += 5) {
    bench.clock.advance(5 * MINUTE_MS);
    // What is asked for has to be answered before the clock moves on.
    const isDue = bench.clock.now() - (times.at(-1) ?? 0) >= 25 * MINUTE_MS;
    if (isDue || times.length > keptAlive(bench) + 1) {
      const before = keptAlive(bench);
      await until(() => keptAlive(bench) > before, `the keep-alive after ${minutes} min`);
    }
  }
  const gaps = times.slice(1).map((time, index) => (time - times[index]!) / MINUTE_MS);
  assert(gaps.length >= 48 && Math.max(...gaps) < 30, `${gaps}`);
  assertEquals([bench.peer.connections.length, count(bench, "POST"), bench.gaps], [1, 1, []]);
});

test("a keep-alive that fails is tried again until it succeeds, and the connection stays", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const stream = bench.manager.createStream({ userData: true });
  await stream.ready;
  let failures = 3;
  bench.peer.onRest = ({ method }) => method === "PUT" && failures-- > 0 ? { status: 503, body: {} } : undefined;
  bench.clock.advance(25 * MINUTE_MS);
  await advanceUntil(bench, 1_000, () => keptAlive(bench) === 1, "the keep-alive that succeeds");
  assertEquals(count(bench, "PUT"), 4);
  assertEquals([bench.peer.connections.length, stream.state, bench.gaps], [1, "running", []]);
});

test("a keep-alive that is limited (429) waits as long as the exchange says", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const stream = bench.manager.createStream({ userData: true });
  await stream.ready;
  let isLimited = true;
  bench.peer.onRest = ({ method }) => {
    if (method !== "PUT" || !isLimited) return undefined;
    isLimited = false;
    return { status: 429, headers: { "Retry-After": "240" }, body: { code: -1003, msg: "Too many requests." } };
  };
  bench.clock.advance(25 * MINUTE_MS);
  await until(() => bench.log.some((line) => line.includes("Too many requests.")), "the refusal");
  bench.clock.advance(239_000);
  assertEquals(count(bench, "PUT"), 1);
  bench.clock.advance(1_000);
  await until(() => count(bench, "PUT") === 2, "the second keep-alive");
  assertEquals(stream.state, "running");
});

testEachLibrary("a listen key that expires is replaced by a new one, and the signal says when", async (library) => {
  await using bench = await startUserDataBench(library, "binance.com-futures");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: true, onData, label: "account" });
  await stream.ready;
  const before = keyOf(bench);
  bench.peer.open[0]?.send(EVENT);
  await until(() => texts.length === 1, "an event before");
  bench.clock.advance(7_000);
  const expiredAt = bench.clock.now();
  expire(bench);
  await until(() => bench.gaps.length === 1, "the signal");
  assertEquals(bench.gaps, [{
    type: "USER_DATA_GAP",
    account: "userData",
    from: expiredAt,
    to: expiredAt,
    reason: "the listen key expired",
    streamId: stream.id,
    streamLabel: "account",
    timestamp: expiredAt,
  }]);
  assert(keyOf(bench) !== before);
  assertStringIncludes(bench.peer.open.at(-1)?.target ?? "", keyOf(bench));
  bench.peer.open.at(-1)?.send(EVENT);
  await until(() => texts.length === 3, "an event after");
  assertEquals(texts[1], delivered("userData", { e: "listenKeyExpired", E: 1736996475556, listenKey: "***" }));
  assertEquals([stream.state, stream.statistics.gaps, stream.statistics.reconnects], ["running", 1, 1]);
});

test("a listen key that is gone (-1125) is replaced, and the gap begins when it was last known to live", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: true, onData });
  await stream.ready;
  bench.clock.advance(3 * MINUTE_MS);
  bench.peer.open[0]?.send(EVENT);
  await until(() => texts.length === 1, "an event");
  const lastSeenAt = bench.clock.now();
  bench.peer.listenKeys.clear();
  bench.clock.advance(22 * MINUTE_MS);
  await until(() => bench.gaps.length === 1, "the signal");
  const [gap] = bench.gaps;
  assertEquals([gap?.from, gap?.to, gap?.reason], [
    lastSeenAt,
    bench.clock.now(),
    "the listen key did not exist any more",
  ]);
  bench.peer.open.at(-1)?.send(EVENT);
  await until(() => texts.length === 2, "an event after");
});

test("a lost connection is opened with the key that the exchange has, and the signal says between which times", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const { texts, onData } = collect();
  const stream = bench.manager.createStream({ userData: true, onData });
  await stream.ready;
  const key = keyOf(bench);
  bench.peer.open[0]?.send(EVENT);
  await until(() => texts.length === 1, "an event");
  const lastSeenAt = bench.clock.now();
  bench.clock.advance(4_000);
  bench.peer.open[0]?.destroy();
  await until(() => bench.gaps.length === 1, "the signal");
  const [gap] = bench.gaps;
  assertEquals([gap?.from, gap?.to, gap?.reason], [lastSeenAt, bench.clock.now(), "the connection was lost"]);
  assertEquals([keyOf(bench), count(bench, "POST")], [key, 2]);
  assertEquals(bench.signals.map(({ type }) => type), [
    "CONNECT",
    "FIRST_RECEIVED_DATA",
    "DISCONNECT",
    "CONNECT",
    "USER_DATA_GAP",
  ]);
});

for (const isLate of [true, false]) {
  const which = isLate ? "the old connection is behind" : "the new connection is behind";
  testEachLibrary(
    `no event is missed or comes twice when an old connection is replaced, and ${which}`,
    async (library) => {
      await using bench = await startUserDataBench(library, "binance.com-futures", { rolloverAgeMs: 100_000 });
      const { texts, onData } = collect();
      // The name of a market stream is a name like any other.
      const stream = bench.manager.createStream({ userData: { name: "trade" }, onData });
      await stream.ready;
      bench.clock.advance(98_000);
      await advanceUntil(bench, 50, () => bench.peer.open.length === 2, "the second connection");
      const [before, after] = bench.peer.open;
      const events = [1, 2, 3, 4, 5, 6].map((E) => ({ ...EVENT, E, t: 1 }));
      for (const [index, event] of events.entries()) {
        for (const connection of (index % 2 === 0) === isLate ? [after, before] : [before, after]) {
          connection?.send(event);
        }
        await until(() => texts.length > index, `event ${index}`);
        bench.clock.advance(10);
      }
      await advanceUntil(bench, 50, () => bench.peer.open.length === 1, "the end of the first connection");
      after?.send({ ...EVENT, E: 7 });
      await until(() => texts.some((text) => text.includes('"E":7')), "an event after");
      assertEquals(texts, [...events, { ...EVENT, E: 7 }].map((event) => delivered("trade", event)));
      assertEquals([bench.gaps, stream.statistics.rollovers], [[], 1]);
    },
  );
}

test("when the REST API is down, a connection is opened with the key that there is", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const stream = bench.manager.createStream({ userData: true });
  await stream.ready;
  bench.peer.onRest = () => ({ status: 502, body: {} });
  bench.peer.open[0]?.destroy();
  await until(() => bench.gaps.length === 1, "the reconnect");
  assertStringIncludes(bench.peer.open.at(-1)?.target ?? "", keyOf(bench));
});

test("a listen key that can't be made is asked for again, and a refused API key ends the stream", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  let answers = 0;
  bench.peer.onRest = () =>
    answers++ === 0
      ? { status: 500, body: { code: -1001, msg: "Internal error." } }
      : { status: 401, body: { code: -2015, msg: "Invalid API-key, IP, or permissions for action." } };
  const stream = bench.manager.createStream({ userData: true });
  const error = await assertRejects(() => stream.ready, StreamCrashedError);
  assertStringIncludes(error.message, "Invalid API-key");
  await stream.stop();
  assertEquals(bench.signals.map(({ type }) => type), ["CONNECT_FAILED", "STREAM_UNREPAIRABLE"]);
  assertEquals(stream.state, "crashed");
});

test("a listen key that was given is used as it is, and replaced when it has ended", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  bench.peer.listenKeys.set("main", "GivenKey");
  const stream = bench.manager.createStream({ userData: { listenKey: "GivenKey" } });
  await stream.ready;
  assertStringIncludes(bench.peer.open[0]?.target ?? "", "listenKey=GivenKey&");
  assertEquals(count(bench, "POST"), 0);
  expire(bench);
  await until(() => bench.gaps.length === 1, "the signal");
  assert(keyOf(bench) !== "GivenKey");
  assertStringIncludes(bench.peer.open.at(-1)?.target ?? "", keyOf(bench));
});

test("a listen key is shared with others: it is deleted only if that is asked for", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const first = bench.manager.createStream({ userData: true });
  await first.ready;
  await first.stop();
  assertEquals([count(bench, "DELETE"), bench.peer.listenKeys.size], [0, 1]);
  const second = bench.manager.createStream({ userData: { deleteListenKey: true } });
  await second.ready;
  await second.stop();
  assertEquals([count(bench, "DELETE"), bench.peer.listenKeys.size], [1, 0]);
  bench.clock.advance(60 * MINUTE_MS);
  assertEquals(count(bench, "PUT"), 0);
});

test("keepListenKey: false leaves it to something else to keep the key alive", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const stream = bench.manager.createStream({ userData: { keepListenKey: false } });
  await stream.ready;
  bench.clock.advance(120 * MINUTE_MS);
  assertEquals([count(bench, "PUT"), stream.state], [0, "running"]);
});

testEachLibrary(
  "a listen key is in no signal, no log line, no error and nothing that a stream tells",
  async (library) => {
    await using bench = await startUserDataBench(library, "binance.com-futures", { pingIntervalMs: 5_000 });
    const { texts, onData } = collect();
    const stream = bench.manager.createStream({ userData: true, onData });
    await stream.ready;
    const keys = [keyOf(bench)];
    // Where there are no pings, the question for a sign of life is answered with the key.
    bench.clock.advance(5_000);
    bench.peer.open[0]?.send({ result: [keyOf(bench)], id: 4711 }, { stream: keyOf(bench), data: EVENT });
    await until(() => texts.length === 1, "an event in the combined form");
    expire(bench);
    await until(() => bench.gaps.length === 1, "the new key");
    keys.push(keyOf(bench));
    // Connections that can't be opened, and a stream that crashes.
    bench.peer.onRest = () => ({ status: 401, body: { code: -2015, msg: `Invalid API-key for ${keys.at(-1)}` } });
    bench.peer.open.at(-1)?.destroy();
    await advanceUntil(bench, 50, () => stream.state === "crashed", "the crash");
    await stream.stop();
    const shown = [
      ...bench.log,
      ...bench.signals.map((signal) => inspect(signal, { depth: 9 }) + JSON.stringify(signal)),
      inspect(stream, { depth: 9 }),
      JSON.stringify(stream.info),
      inspect(stream.lastError, { depth: 9 }),
      inspect(bench.manager, { depth: 9 }),
      ...texts,
    ].join("\n");
    for (const key of keys) {
      assert(
        !shown.includes(key),
        `a key is shown: ${shown.slice(shown.indexOf(key) - 200).slice(0, 400)}`,
      );
    }
    assertStringIncludes(shown, "listenKey=***");
  },
);

testEachLibrary("a refusal that repeats the listen key shows nothing of it, wherever it stands", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account({ apiKey: "key", apiSecret: "secret" });
  const logger = memoryLogger();
  const signals: Signal[] = [];
  await using manager = new BinanceWebSocketApiManager({
    exchange: "binance.com-futures",
    websocketLibrary: library,
    websocketBaseUrl: exchange.url,
    restBaseUrl: exchange.restUrl,
    signer: createSigner({ apiKey: "key", apiSecret: "secret" }),
    reconnectMinDelayMs: 20,
    reconnectMaxDelayMs: 50,
    logger,
    onSignal: (signal) => void signals.push(signal),
  });
  const stream = manager.createStream({ userData: true });
  await stream.ready;
  const key = account.listenKey("usdm");
  assert(key !== undefined, "there is a listen key");
  exchange.refuseConnections(404, { body: `<p>Nothing at /private/ws?listenKey=${key}</p>` });
  exchange.killConnections();
  await until(() => signals.some(({ type }) => type === "CONNECT_FAILED"), "the refusal");
  exchange.refuseConnections(undefined);
  await until(() => exchange.connections === 1 && stream.state === "running", "the connection back");
  // So does a close.
  exchange.closeConnections(1008, `${key} is not welcome`);
  await until(() => signals.filter(({ type }) => type === "DISCONNECT").length === 2, "the close");
  const isLogged = () => logger.lines.some((line) => line.includes("connection ended (code 1008, *** is not welcome)"));
  await until(isLogged, "the log line");
  const shown = [
    inspect(signals, { depth: 9 }),
    inspect(stream.lastError, { depth: 9 }),
    inspect(stream.info, { depth: 9 }),
    ...logger.lines,
  ].join("\n");
  assertEquals(shown.includes(key), false);
  if (library === "native") {
    assertStringIncludes(inspect(signals, { depth: 9 }), "Nothing at /private/ws?listenKey=***");
  }
});

test("no part of an error keeps a secret, however it is built", () => {
  const key = "k".repeat(64);
  const cause = new DOMException(`aborted ${key}`, "AbortError");
  const inner = new AggregateError([new TypeError(`fetch ${key}`)], "all failed", { cause });
  const error = new HandshakeRejectedError(`Cannot open /ws/${key}`, {
    status: 404,
    headers: { location: `https://localhost/${key}`, server: "x" },
    body: `nothing at /ws/${key}, <a href="/ws/${key.slice(0, 40)}`,
    cause: inner,
  });
  const cleaned = errorWithoutSecrets(error, [key]);
  assertEquals(cleaned, error);
  assertEquals(error.body, 'nothing at /ws/***, <a href="/ws/***');
  assertEquals(error.headers, { location: "https://localhost/***", server: "x" });
  assertEquals(inspect(cleaned, { depth: 9, showHidden: true }).includes(key), false);
  assertEquals([inner.errors[0].message, cause.message], ["fetch ***", "aborted ***"]);
  const frozen = Object.freeze(new Error(key));
  assertEquals(inspect(errorWithoutSecrets(frozen, [key])).includes(key), false);
});
