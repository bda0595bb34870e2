/**
 * Account events of real orders on the local exchange, which checks every signature: they go on whatever ends, and the signal
 * says between which times some may have been missed.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  BinanceWebSocketApiManager,
  createSigner,
  type ExchangeKey,
  InvalidOptionsError,
  type Signal,
  type Signer,
  type UserDataGapSignal,
} from "@rawtick/binance";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { memoryLogger, testEachLibrary, until } from "./support.ts";
import { collect } from "./user_data_support.ts";

/** RFC 8032, test 1. */
const PRIVATE_KEY =
  "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----";
const PUBLIC_KEY =
  "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----";
const SECRET = { apiKey: "main", apiSecret: "secret-of-one-account" };
const ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "1",
  price: "100",
} as const;

/** A manager on a local exchange. */
function managerFor(library: WebSocketLibrary, exchange: LocalExchange, key: ExchangeKey) {
  const signals: Signal[] = [];
  const manager = new BinanceWebSocketApiManager({
    exchange: key,
    websocketLibrary: library,
    websocketBaseUrl: exchange.url,
    websocketApiBaseUrl: exchange.url,
    restBaseUrl: exchange.url.replace("ws:", "http:"),
    reconnectMinDelayMs: 20,
    logger: memoryLogger(),
    onSignal: (signal) => void signals.push(signal),
  });
  const gaps = (): UserDataGapSignal[] => signals.filter((signal) => signal.type === "USER_DATA_GAP");
  return { manager, signals, gaps };
}

testEachLibrary("a spot order is reported, and the next one after the connection was lost", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account(SECRET);
  const { manager, gaps } = managerFor(library, exchange, "binance.com");
  await using _manager = manager;
  const signer = createSigner(SECRET);
  const { texts, onData } = collect();
  const stream = manager.createStream({ userData: { signer }, onData });
  const api = manager.createStream({ api: true, signer });
  await stream.ready;
  const report = (id: string) => texts.some((text) => text.includes("executionReport") && text.includes(`"c":"${id}"`));
  await manager.api.spot.orderPlace({ ...ORDER, newClientOrderId: "first" }, { stream: api });
  await until(() => report("first"), "the first report");
  exchange.killConnections();
  await until(() => gaps().length === 1, "the signal");
  await manager.api.spot.orderPlace({ ...ORDER, newClientOrderId: "second" }, { stream: api });
  await until(() => report("second"), "the second report");
  const [gap] = gaps();
  assertEquals([gap?.account, gap?.reason], ["userData", "the connection was lost"]);
  assert(gap !== undefined && gap.from <= gap.to && gap.to - gap.from < 10_000);
  assertEquals([account.placements.get("first"), account.placements.get("second"), account.subscriptions], [1, 1, 1]);
});

testEachLibrary("a logon that is revoked while events come: they go on, and the signal says so", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account({ apiKey: "ed", publicKey: PUBLIC_KEY });
  const { manager, gaps } = managerFor(library, exchange, "binance.com");
  await using _manager = manager;
  const { texts, onData } = collect();
  const signer = createSigner({ apiKey: "ed", privateKey: PRIVATE_KEY });
  const stream = manager.createStream({ userData: { signer, via: "logon" }, onData });
  await stream.ready;
  account.deposit("BTC", "1");
  await until(() => texts.some((text) => text.includes('"d":"1')), "an event before");
  account.logOff();
  await until(() => gaps().length === 1, "the signal");
  account.deposit("BTC", "2");
  await until(() => texts.some((text) => text.includes('"d":"2')), "an event after");
  assertEquals(gaps().map(({ reason }) => reason), ["the exchange ended the logon"]);
  const methods = exchange.api.requests.map(({ method }) => method);
  assertEquals(methods.filter((method) => method === "session.logon").length, 2);
  assertEquals([stream.state, account.subscriptions], ["running", 1]);
});

testEachLibrary("a key that is revoked for good ends the stream, loudly", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account({ apiKey: "ed", publicKey: PUBLIC_KEY });
  const { manager, signals } = managerFor(library, exchange, "binance.com");
  await using _manager = manager;
  const signer = createSigner({ apiKey: "ed", privateKey: PRIVATE_KEY });
  const stream = manager.createStream({ userData: { signer, via: "logon" } });
  await stream.ready;
  account.revoke();
  account.logOff();
  await until(() => stream.state === "crashed", "the end");
  await stream.stop();
  assertEquals(signals.at(-1)?.type, "STREAM_UNREPAIRABLE");
  assertStringIncludes(String(stream.lastError), "Invalid API-key");
});

testEachLibrary("a listen token that ends while events come: they go on, and the signal says so", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account(SECRET);
  const { manager, gaps } = managerFor(library, exchange, "binance.com-margin");
  await using _manager = manager;
  const { texts, onData } = collect();
  const stream = manager.createStream({ userData: { signer: createSigner(SECRET) }, onData });
  await stream.ready;
  account.deposit("BTC", "1");
  await until(() => texts.some((text) => text.includes('"d":"1')), "an event before");
  account.endTokens();
  await until(() => gaps().length === 1, "the signal");
  account.deposit("BTC", "2");
  await until(() => texts.some((text) => text.includes('"d":"2')), "an event after");
  assertEquals(gaps().map(({ reason }) => reason), ["the exchange ended the listen token"]);
});

testEachLibrary("a listen key that expires while events come: they go on, and the signal says so", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account(SECRET);
  const { manager, gaps } = managerFor(library, exchange, "binance.com-futures");
  await using _manager = manager;
  const { texts, onData } = collect();
  const signer = createSigner(SECRET);
  const stream = manager.createStream({ userData: { signer }, onData });
  const api = manager.createStream({ api: true, signer });
  await stream.ready;
  const report = (id: string) =>
    texts.some((text) => text.includes("ORDER_TRADE_UPDATE") && text.includes(`"c":"${id}"`));
  await manager.api.futures.orderPlace({ ...ORDER, newClientOrderId: "first" }, { stream: api });
  await until(() => report("first"), "the first report");
  const before = account.listenKey("usdm");
  assert(account.expireListenKey("usdm"));
  await until(() => gaps().length === 1, "the signal");
  await manager.api.futures.orderPlace({ ...ORDER, newClientOrderId: "second" }, { stream: api });
  await until(() => report("second"), "the second report");
  assertEquals(gaps().map(({ reason }) => reason), ["the listen key expired"]);
  const after = account.listenKey("usdm");
  assert(before !== undefined && after !== undefined && before !== after);
  assertStringIncludes(texts.join("\n"), '"listenKeyExpired"');
  assert(!texts.join("\n").includes(before));
});

testEachLibrary("events by logon are not delivered under the name of another account", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account({ apiKey: "ed", publicKey: PUBLIC_KEY });
  const { manager } = managerFor(library, exchange, "binance.com");
  await using _manager = manager;
  const signer = createSigner({ apiKey: "ed", privateKey: PRIVATE_KEY });
  const other = createSigner({ apiKey: "other", privateKey: PRIVATE_KEY });
  const api = manager.createStream({ api: true, logon: true, signer });
  const create = (signer: Signer) => () => manager.createStream({ userData: { api, via: "logon", name: "b", signer } });
  const error = assertThrows(create(other), InvalidOptionsError, 'or `via: "signature"`');
  assertEquals([error.path, manager.userDataStreams], ["userData.signer", []]);
  // Another signer with the same key is the same account.
  await create(createSigner({ apiKey: "ed", privateKey: PRIVATE_KEY }))().ready;
  assertEquals(account.subscriptions, 1);
});
