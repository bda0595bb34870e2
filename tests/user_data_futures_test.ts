/**
 * Account events of the exchanges with listen keys: futures, COIN-M, options, portfolio margin, binance.us.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type ExchangeKey, InvalidOptionsError } from "@rawtick/binance";
import { testEachLibrary, until } from "./support.ts";
import {
  collect,
  count,
  delivered,
  EVENT,
  expire,
  keyOf,
  otherSigner,
  startUserDataBench,
  type UserDataBench,
} from "./user_data_support.ts";

const MINUTE_MS = 60_000;

testEachLibrary(
  "account events come over a connection with a listen key, under the name of the account",
  async (library) => {
    await using bench = await startUserDataBench(library, "binance.com-futures");
    const { texts, onData } = collect();
    const stream = bench.manager.createStream({ userData: { name: "main" }, onData });
    assertEquals(stream.state, "starting");
    await stream.ready;
    const [connection] = bench.peer.open;
    assertStringIncludes(connection?.target ?? "", `/private/ws?listenKey=${keyOf(bench)}&events=ORDER_TRADE_UPDATE/`);
    assertStringIncludes(connection?.target ?? "", "listenKeyExpired");
    assertEquals(bench.peer.rest.map(({ method, path, apiKey, query }) => [method, path, apiKey, query.size]), [
      ["POST", "/fapi/v1/listenKey", "main", 0],
    ]);
    connection?.send(EVENT);
    await until(() => texts.length === 1, "the event");
    assertEquals(texts, [delivered("main", EVENT)]);
    assertEquals([stream.state, stream.accounts.map(({ name, state, events }) => [name, state, events])], [
      "running",
      [["main", "running", 1]],
    ]);
  },
);

const PLACES: [ExchangeKey, rest: string, target: string][] = [
  ["binance.com-coin_futures", "/dapi/v1/listenKey", "/ws/"],
  ["binance.com-vanilla-options", "/eapi/v1/listenKey", "/private/ws/"],
  ["binance.com-portfolio_margin", "/papi/v1/listenKey", "/ws/"],
  ["binance.us", "/api/v3/userDataStream", "/ws/"],
];

for (const [exchange, path, target] of PLACES) {
  test(`listen keys of ${exchange} are made, kept alive and used where it has them`, async () => {
    await using bench = await startUserDataBench("builtin", exchange);
    const stream = bench.manager.createStream({ userData: { deleteListenKey: true } });
    await stream.ready;
    const key = keyOf(bench);
    assertEquals(bench.peer.open.map((connection) => connection.target), [`${target}${key}`]);
    bench.clock.advance(25 * MINUTE_MS);
    await until(() => count(bench, "PUT") === 1, "the keep-alive");
    await stream.stop();
    assertEquals(bench.peer.restLines, [`POST ${path}`, `PUT ${path}`, `DELETE ${path}`]);
    // Only binance.us wants to be told which one (binance.us user-data-stream.md).
    const named = exchange === "binance.us" ? key : null;
    assertEquals(bench.peer.rest.map(({ query }) => query.get("listenKey")), [null, named, named]);
  });
}

test("several accounts have a connection each, and one that expires does not disturb the others", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const { texts, onData } = collect();
  const userData = { name: "main", accounts: [{ name: "hedge", signer: otherSigner }] };
  const stream = bench.manager.createStream({ userData, onData });
  await stream.ready;
  assertEquals(bench.peer.open.length, 2);
  expire(bench, "other");
  await until(() => bench.gaps.length === 1, "the signal");
  assertEquals(bench.gaps.map(({ account }) => account), ["hedge"]);
  for (const connection of bench.peer.open) connection.send(EVENT);
  await until(() => texts.filter((text) => text.includes("ACCOUNT_UPDATE")).length === 2, "both events");
  assertEquals(texts.slice(1).sort(), [delivered("hedge", EVENT), delivered("main", EVENT)]);
});

test("only the types of events that are wanted come", async () => {
  await using futures = await startUserDataBench("builtin", "binance.com-futures");
  const stream = futures.manager.createStream({ userData: { events: ["ORDER_TRADE_UPDATE"] } });
  await stream.ready;
  assertStringIncludes(futures.peer.open[0]?.target ?? "", "&events=ORDER_TRADE_UPDATE/listenKeyExpired");
  await using coin = await startUserDataBench("builtin", "binance.com-coin_futures");
  const { texts, onData } = collect();
  const other = coin.manager.createStream({ userData: { events: ["ORDER_TRADE_UPDATE"] }, onData });
  await other.ready;
  coin.peer.open[0]?.send(EVENT, { e: "ORDER_TRADE_UPDATE" });
  await until(() => texts.length > 0, "an event");
  assertEquals(texts, [delivered("userData", { e: "ORDER_TRADE_UPDATE" })]);
});

test("options that the exchange can't do are errors", async () => {
  await using bench = await startUserDataBench("builtin", "binance.com-futures");
  const { manager } = bench;
  const refused = (userData: object, path: string) => {
    const error = assertThrows(() => manager.createStream({ userData }), InvalidOptionsError);
    assertEquals(error.path, path);
    return error;
  };
  refused({ via: "signature" }, "userData.via");
  refused({ symbol: "BTCUSDT" }, "userData.symbol");
  refused({ accounts: [{ name: "userData", signer: otherSigner }] }, "userData.accounts");
  refused({ accounts: [{ name: "twin" }] }, "userData.accounts");
  refused({ events: [] }, "userData.events");
  const error = refused({ listenKey: "a secret!" }, "userData.listenKey");
  assert(!error.message.includes("a secret!"));
});

testEachLibrary("a stream can be stopped at every step, and leaves no timer and no connection", async (library) => {
  for (const exchange of ["binance.com-futures", "binance.com", "binance.com-margin"] as const) {
    const steps: [name: string, arrange: (bench: UserDataBench) => void, isThere: (bench: UserDataBench) => boolean][] =
      [
        ["at once", () => {}, () => true],
        [
          "REST",
          ({ peer }) => peer.onRest = () => "silence",
          ({ peer }) => exchange === "binance.com" || peer.rest.length > 0,
        ],
        ["request", ({ peer }) => peer.onCall = () => "silence", ({ peer }) => peer.connections.length > 0],
        ["running", () => {}, ({ manager }) => manager.userDataStreams[0]?.state === "running"],
        ["failures", ({ peer }) => {
          peer.onRest = () => ({ status: 503, body: {} });
          peer.onCall = () => ({ status: 500, error: { code: -1001, msg: "Internal error." } });
        }, ({ log }) => log.some((line) => line.startsWith("warn"))],
      ];
    for (const [name, arrange, isThere] of steps) {
      await using bench = await startUserDataBench(library, exchange);
      arrange(bench);
      const stream = bench.manager.createStream({ userData: true });
      await until(() => isThere(bench), `${exchange}: ${name}`);
      await bench.manager.stopManager();
      assertEquals([exchange, name, bench.clock.pendingTimers, stream.state], [exchange, name, 0, "stopped"]);
      assertEquals(bench.manager.userDataStreams, []);
      await until(() => bench.peer.open.length === 0, `${exchange}: ${name}: no connection`);
    }
  }
});
