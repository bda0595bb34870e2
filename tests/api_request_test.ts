/**
 * Requests over the WebSocket API: answers, errors, signatures, the exchange's clock, waits that end early.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects, assertThrows } from "@std/assert";
import {
  ApiError,
  BinanceWebSocketApiManager,
  createSigner,
  InvalidOptionsError,
  RequestOutcomeUnknownError,
  RequestTimeoutError,
  type Signer,
  UnknownStreamError,
} from "@rawtick/binance";
import { apiManager, type ApiReply, startApiServer } from "./api_server.ts";
import { testEachLibrary, until } from "./support.ts";

const API_KEY = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A";
const SECRET = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
const hmac = createSigner({ apiKey: API_KEY, apiSecret: SECRET });
const ORDER = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" };

testEachLibrary("a request gets the result of its own answer, in whatever order answers come", async (library) => {
  const held: [number, ApiReply][] = [];
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "depth") return false;
    held.push([Number(call.params.limit), reply]);
    if (held.length === 3) { for (const [limit, reply] of held.reverse()) reply.result({ limit }); }
    return true;
  });
  await using manager = apiManager(server, library);
  const stream = manager.createStream({ api: true });
  const results = await Promise.all([5, 10, 20].map((limit) => stream.request("depth", { symbol: "BTCUSDT", limit })));
  assertEquals(results, [{ limit: 5 }, { limit: 10 }, { limit: 20 }]);
  assertEquals(stream.state, "running");
  assertEquals(stream.statistics.results, 3);
});

testEachLibrary("order ids beyond 2^53 arrive exact, as texts or as bigints", async (library) => {
  await using server = await startApiServer((call, reply) => {
    reply.send(`{"id":${call.id},"status":200,"result":{"orderId":8389766145050669870,"tradeId":17}}`);
    return true;
  });
  for (const [integers, orderId] of [["string", "8389766145050669870"], ["bigint", 8389766145050669870n]] as const) {
    await using manager = apiManager(server, library, { integers });
    const result = await manager.createStream({ api: true }).request("avgPrice", { symbol: "BTCUSDT" });
    assertEquals(result, { orderId, tradeId: 17 });
  }
});

testEachLibrary("an error of the exchange is an ApiError with everything that it says", async (library) => {
  const limits = [{ rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: 6000, count: 70 }];
  await using server = await startApiServer((call, reply) => {
    reply.send(JSON.stringify({
      id: call.id,
      status: 400,
      error: { code: -1121, msg: "Invalid symbol.", data: { hint: 1 } },
      rateLimits: limits,
    }));
    return true;
  });
  await using manager = apiManager(server, library);
  manager.createStream({ api: true });
  const error = await assertRejects(() => manager.api.spot.avgPrice({ symbol: "NOPE" }), ApiError, "Invalid symbol.");
  assertEquals([error.code, error.status, error.apiCode, error.msg], ["API_ERROR", 400, -1121, "Invalid symbol."]);
  assertEquals([error.data, error.rateLimits, error.method], [{ hint: 1 }, limits, "avgPrice"]);
});

testEachLibrary("a signed request has the exchange's time and the signature of what is sent", async (library) => {
  await using server = await startApiServer();
  server.offsetMs = 3_600_000;
  await using manager = apiManager(server, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  await stream.request("order.test", { ...ORDER, quantity: 0.0000001 });
  const [call] = server.callsOf("order.test");
  const { signature, ...params } = call?.params ?? {};
  assertEquals([params.apiKey, params.quantity], [API_KEY, "0.0000001"]);
  assert(Math.abs(Number(params.timestamp) - Date.now() - 3_600_000) < 2_000, `timestamp ${params.timestamp}`);
  const payload = Object.entries(params).sort(([a], [b]) => a < b ? -1 : 1).map(([name, value]) => `${name}=${value}`);
  assertEquals(signature, createHmac("sha256", SECRET).update(payload.join("&")).digest("hex"));
  const { timeOffsetMs = 0 } = stream.statistics;
  assert(Math.abs(timeOffsetMs - 3_600_000) < 2_000, `offset ${timeOffsetMs}`);
});

testEachLibrary("a request that the exchange finds too old is sent again by its clock, once", async (library) => {
  let refused = 0;
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "order.place" || refused++ > 0) return false;
    server.offsetMs = -60_000;
    reply.error(400, -1021, "Timestamp for this request is outside of the recvWindow.");
    return true;
  });
  await using manager = apiManager(server, library, { signer: hmac });
  const stream = manager.createStream({ api: true });
  await stream.request("order.place", ORDER);
  const [first, second] = server.callsOf("order.place").map(({ params }) => params);
  assertEquals(server.callsOf("order.place").length, 2);
  const movedMs = Number(second?.timestamp) - Number(first?.timestamp);
  assert(Math.abs(movedMs + 60_000) < 5_000, `moved by ${movedMs}`);
  assert(first?.signature !== second?.signature);
  assertEquals(first?.newClientOrderId, second?.newClientOrderId);
});

testEachLibrary("new orders get a client order id, and a request without a key needs none", async (library) => {
  await using server = await startApiServer();
  await using manager = apiManager(server, library, { signer: hmac });
  manager.createStream({ api: true });
  await manager.api.spot.orderPlace({ ...ORDER, side: "BUY", type: "MARKET" });
  await manager.api.spot.orderPlace({ ...ORDER, side: "BUY", type: "MARKET", newClientOrderId: "mine" });
  await manager.api.spot.time();
  const [made, given] = server.callsOf("order.place").map(({ params }) => params.newClientOrderId);
  assertMatch(String(made), /^[\w-]{10,36}$/);
  assertEquals(given, "mine");
  assertEquals(server.callsOf("time").at(-1)?.params, {});
});

testEachLibrary(
  "a request without an answer ends with its timeout; one that could act has an unknown outcome",
  async (library) => {
    await using server = await startApiServer(({ method }) => method !== "time");
    await using manager = apiManager(server, library, { signer: hmac, apiTimeoutMs: 100 });
    const stream = manager.createStream({ api: true });
    await stream.ready;
    const timeout = await assertRejects(() => stream.request("ping"), RequestTimeoutError, "within 100 ms");
    assertEquals(timeout.wasSent, true);
    const unknown = await assertRejects(
      () => stream.request("order.place", { ...ORDER, newClientOrderId: "mine" }, { timeoutMs: 50, id: "o-1" }),
      RequestOutcomeUnknownError,
    );
    assertEquals([unknown.id, unknown.clientOrderId, unknown.method], ["o-1", "mine", "order.place"]);
    assertInstanceOf(unknown.cause, RequestTimeoutError);
  },
);

testEachLibrary(
  "an abort ends the wait: what was not sent never is, an order that was has an unknown outcome",
  async (library) => {
    await using server = await startApiServer(({ method }) => method !== "time");
    await using manager = apiManager(server, library, { signer: hmac });
    const stream = manager.createStream({ api: true });
    const reason = new Error("changed my mind");
    const early = new AbortController();
    const waiting = stream.request("order.place", ORDER, { signal: early.signal });
    early.abort(reason);
    assertEquals(await waiting.catch((error) => error), reason);
    assertEquals(await stream.request("ping", {}, { signal: early.signal }).catch((error) => error), reason);
    await stream.ready;
    const late = new AbortController();
    const [order, ping] = [
      stream.request("order.place", { ...ORDER, side: "SELL" }, { signal: late.signal }),
      stream.request("ping", {}, { signal: late.signal }),
    ];
    await until(() => server.callsOf("ping").length === 1, "the ping");
    late.abort(reason);
    assertEquals((await assertRejects(() => order, RequestOutcomeUnknownError)).cause, reason);
    assertEquals(await ping.catch((error) => error), reason);
    assertEquals(server.callsOf("order.place").map(({ params }) => params.side), ["SELL"]);
  },
);

testEachLibrary("a late answer goes to the rings, and its id is not free before it has come", async (library) => {
  const late: ApiReply[] = [];
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "ping" || late.length > 0) return false;
    late.push(reply);
    return true;
  });
  await using manager = apiManager(server, library);
  const stream = manager.createStream({ api: true, label: "orders" });
  await assertRejects(() => stream.request("ping", {}, { id: "a", timeoutMs: 50 }), RequestTimeoutError);
  await assertRejects(
    () => stream.request("ping", {}, { id: "a" }),
    InvalidOptionsError,
    "no request without an answer",
  );
  await assertRejects(() => stream.request("ping", {}, { id: "not ok!" }), InvalidOptionsError, "1 to 36");
  late[0]?.result({});
  await until(() => manager.results.length === 1, "the late answer in the results");
  const [record] = manager.results;
  assertEquals([record?.streamLabel, record?.text], ["orders", '{"id":"a","status":200,"result":{}}']);
  await stream.request("ping", {}, { id: "a" });
  server.push('{"id":null,"status":400,"error":{"code":-1135,"msg":"Invalid JSON"}}');
  await until(() => manager.errors.length === 1, "the nameless error in the errors");
  assertEquals(stream.statistics.unmatched, 2);
});

testEachLibrary("functions find the only API stream, or the one that is named", async (library) => {
  await using server = await startApiServer();
  await using manager = apiManager(server, library);
  await assertRejects(() => manager.api.spot.time(), InvalidOptionsError, "without an API stream");
  const first = manager.createStream({ api: true, label: "first" });
  assertEquals(typeof (await manager.api.spot.time()).serverTime, "number");
  const second = manager.createStream({ api: true, label: "second" });
  await assertRejects(() => manager.api.spot.time(), InvalidOptionsError, "which of 2 API streams");
  for (const stream of ["second", second.id, second]) await manager.api.spot.time({}, { stream });
  assertEquals([first.statistics.results, second.statistics.results], [1, 3]);
  await assertRejects(() => manager.api.spot.time({}, { stream: "third" }), UnknownStreamError);
  await assertRejects(() => manager.api.futures.time(), InvalidOptionsError, "expected `api.spot`");
  await manager.stopStream(first);
  assertEquals(typeof (await manager.api.spot.time()).serverTime, "number");
  assertEquals(manager.apiStreams, [second]);
});

test("what can't work is said at once", async () => {
  const make = (options: object) =>
    new BinanceWebSocketApiManager({ websocketApiBaseUrl: "ws://127.0.0.1:1", ...options });
  const api = { api: true } as const;
  await using none = new BinanceWebSocketApiManager({ exchange: "trbinance.com" });
  assertThrows(() => none.createStream(api), InvalidOptionsError, "expected an exchange with a WebSocket API");
  await using half = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
  assertThrows(() => half.createStream(api), InvalidOptionsError, "expected `websocketApiBaseUrl` as well");
  await using manager = make({ signer: hmac });
  assertThrows(() => manager.createStream({ ...api, logon: true }), InvalidOptionsError, "Ed25519");
  assertThrows(() => make({ signer: {} as Signer }), InvalidOptionsError, "createSigner()");
  assertThrows(
    () => manager.createStream({ ...api, key: 1 } as typeof api),
    InvalidOptionsError,
    "Unknown option `key`",
  );
  await using keyless = make({});
  const stream = keyless.createStream(api);
  const error = await assertRejects(() => stream.request("account.status"), InvalidOptionsError, "without an API key");
  assertEquals(error.path, "signer");
  await assertRejects(() => stream.request("time", {}, { timeoutMs: 0 }), InvalidOptionsError, "timeoutMs");
});

test("what a request is made with is checked, so that nothing is of no effect", async () => {
  await using manager = new BinanceWebSocketApiManager({ websocketApiBaseUrl: "ws://127.0.0.1:1", signer: hmac });
  const stream = manager.createStream({ api: true });
  const refused = async (path: string, words: string, ...given: readonly unknown[]) => {
    // The casts are the point: what a user without types may write.
    const [method, params, options] = given as Parameters<typeof stream.request>;
    const error = await assertRejects(() => stream.request(method, params, options), InvalidOptionsError, words);
    assertEquals(error.path, path);
  };
  await refused("", "an object with the parameters", "time", null);
  await refused("", "an object with the parameters", "time", "BTCUSDT");
  await refused("", "an object with the options", "time", {}, null);
  await refused("method", "the name of a method", undefined);
  await refused("timeout", "did you mean `timeoutMs`?", "time", {}, { timeout: 5 });
  await refused("signed", '`facts: { security: "SIGNED" }`', "new.method", {}, { signed: true });
  await refused("recvWindow", "among the parameters", "account.status", {}, { recvWindow: 5 });
  await refused("stream", "the functions of `manager.api`", "time", {}, { stream: "orders" });
  await refused("colour", 'expected "timeoutMs", "signal"', "time", {}, { colour: "red" });
  await refused("signal", "an AbortSignal", "time", {}, { signal: 5 });
  await refused("signer", "createSigner()", "account.status", {}, { signer: { apiKey: "key" } });
  await refused("onRateLimit", '"wait" or "error"', "time", {}, { onRateLimit: "never" });
  await refused("facts", '"SIGNED"', "new.method", {}, { facts: { security: "USER_DATA" } });
  await refused("facts", "`weight` (a function)", "new.method", {}, { facts: { weight: 5 } });
  await refused("facts", "`weight` (a function)", "new.method", {}, { facts: { secruity: "SIGNED" } });
  await refused("facts", "at least 0", "new.method", {}, { facts: { weight: () => undefined } });
  const { spot } = manager.api;
  const call = (options: unknown) => () => spot.time({}, options as { timeoutMs: number });
  await assertRejects(call({ timeout: 5 }), InvalidOptionsError, "did you mean `timeoutMs`?");
  await assertRejects(call(null), InvalidOptionsError, "an object with the options");
  assertEquals(stream.statistics.waiting, 0);
});

testEachLibrary("account events come as they are, whatever surrounds them", async (library) => {
  await using server = await startApiServer();
  await using manager = apiManager(server, library);
  const stream = manager.createStream({ api: true });
  const events: [number | undefined, string][] = [];
  let connects = 0;
  await stream.ready;
  const detach = stream.attachUserData({
    onConnect: () => void connects++,
    onDisconnect: () => {},
    onEvent: (id, text) => void events.push([id, text]),
    onEnd: () => {},
  });
  assertEquals(connects, 1);
  const event = '{"e":"executionReport","i":9007199254740993,"c":"}\\"subscriptionId\\":7"}';
  server.push(`{"subscriptionId":3,"event":${event}}`);
  server.push(`{ "event": ${event}, "subscriptionId": 4 }`);
  server.push(`{"event":${event}}`);
  await until(() => events.length === 3, "three events");
  assertEquals(events, [[3, event], [4, event], [undefined, event]]);
  detach();
  assertEquals(stream.statistics.events, 3);
});

test("a parameter that can't be sent is told at once, also where there never is a connection", async () => {
  await using manager = new BinanceWebSocketApiManager({ websocketApiBaseUrl: "ws://127.0.0.1:1", signer: hmac });
  const stream = manager.createStream({ api: true });
  const before = performance.now();
  for (const price of [NaN, Infinity]) {
    const error = await assertRejects(() => stream.request("order.place", { ...ORDER, price }), TypeError);
    assertMatch(error.message, /price/);
  }
  assert(performance.now() - before < 1_000, "not after the timeout of 10 s");
  assertEquals(stream.statistics.timeouts, 0);
});
