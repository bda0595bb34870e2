/**
 * Listen keys of the local exchange, and the account events that come by them.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { API_KEY, ApiClient, HMAC_KEY, refusal, rest } from "./api_clients.ts";
import { Client } from "./exchange_clients.ts";

const quiet = { messagesPerSecond: 0 };
const HOUR_MS = 3_600_000;

test("a listen key is the same on every POST, is kept by PUT, and is gone after an hour or DELETE", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ ...quiet, clock });
  const account = exchange.account(HMAC_KEY);
  for (
    const [path, product, kept] of [
      ["/fapi/v1/listenKey", "usdm", true],
      ["/dapi/v1/listenKey", "coinm", true],
      ["/eapi/v1/listenKey", "options", false],
      ["/papi/v1/listenKey", "portfolioMargin", false],
    ] as const
  ) {
    assertEquals((await rest(exchange, "PUT", path))[1].code, -1125);
    const [status, { listenKey, expiration }] = await rest(exchange, "POST", path);
    assertEquals([status, expiration], [200, product === "options" ? clock.now() + HOUR_MS : undefined]);
    assertMatch(String(listenKey), /^[A-Za-z0-9]{64}$/);
    assertEquals(account.listenKey(product), listenKey);
    clock.advance(HOUR_MS - 1);
    assertEquals(await rest(exchange, "PUT", path), [200, kept ? { listenKey } : {}]);
    clock.advance(HOUR_MS - 1);
    assertEquals((await rest(exchange, "POST", path))[1].listenKey, listenKey);
    clock.advance(HOUR_MS);
    assertEquals(account.listenKey(product), undefined);
    assertNotEquals((await rest(exchange, "POST", path))[1].listenKey, listenKey);
    assertEquals(await rest(exchange, "DELETE", path), [200, {}]);
    assertEquals((await rest(exchange, "DELETE", path))[0], 400);
  }
  assertEquals(exchange.api.restRequests.length, 7 * 4);
});

test("keys that are unknown, revoked or missing, and paths that are gone, are refused", async () => {
  await using exchange = await startLocalExchange(quiet);
  const account = exchange.account(HMAC_KEY);
  assertEquals(await rest(exchange, "POST", "/fapi/v1/listenKey", ""), [401, {
    code: -2014,
    msg: "API-key format invalid.",
  }]);
  assertEquals((await rest(exchange, "POST", "/fapi/v1/listenKey", "other"))[1].code, -2015);
  assertEquals((await rest(exchange, "GET", "/fapi/v1/listenKey"))[0], 405);
  assertEquals((await rest(exchange, "POST", "/api/v3/userDataStream"))[0], 410);
  assertEquals((await rest(exchange, "POST", "/sapi/v1/userDataStream"))[0], 410);
  assertEquals(
    await fetch(`${exchange.restUrl}/fapi/v1/nonsense`).then(async (
      response,
    ) => (await response.text(), response.status)),
    400,
  );
  exchange.api.spotListenKeys(true);
  assertEquals((await rest(exchange, "POST", "/api/v3/userDataStream"))[0], 200);
  account.revoke();
  assertEquals((await rest(exchange, "PUT", "/api/v3/userDataStream"))[0], 401);
});

test("a REST request can fail as it is told, obeyed or not, and over its weight gets 429 with Retry-After", async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12, 0, 50));
  await using exchange = await startLocalExchange({ ...quiet, clock });
  const account = exchange.account(HMAC_KEY);
  const path = "/fapi/v1/listenKey";
  exchange.api.failRest({ status: 503, body: "{}", method: "PUT" });
  exchange.api.failRest({ status: 0, method: "POST", obey: true });
  await assertRejects(() => rest(exchange, "POST", path));
  assert(account.listenKey("usdm") !== undefined, "it was obeyed");
  assertEquals((await rest(exchange, "POST", path))[0], 200);
  assertEquals(await rest(exchange, "PUT", path), [503, {}]);
  assertEquals((await rest(exchange, "PUT", path))[0], 200);
  exchange.api.failRest({ status: 502, body: "{}", delayMs: 1000 });
  const late = rest(exchange, "POST", path);
  await exchange.waitFor(() => exchange.api.restRequests.length === 5);
  clock.advance(1000);
  assertEquals(await late, [502, {}]);
  exchange.api.limit("usdm", { weightPerMinute: 3 });
  const response = await fetch(exchange.restUrl + path, { method: "PUT", headers: { "X-MBX-APIKEY": API_KEY } });
  assertEquals([response.status, response.headers.get("retry-after"), (await response.json()).code], [
    429,
    "9",
    -1003,
  ]);
});

test("account events of futures come by every form of URL, filtered by events=, and stop when the key expires", async () => {
  await using exchange = await startLocalExchange({ ...quiet, market: "futures" });
  const account = exchange.account(HMAC_KEY);
  const [, { listenKey }] = await rest(exchange, "POST", "/fapi/v1/listenKey");
  await using byPath = await Client.open(exchange, `/private/ws/${listenKey}`);
  await using byQuery = await Client.open(
    exchange,
    `/private/ws?listenKey=${listenKey}&events=ACCOUNT_UPDATE/listenKeyExpired`,
  );
  await using combined = await Client.open(exchange, `/private/stream?streams=`);
  await combined.ask(`{"method":"SUBSCRIBE","params":["${listenKey}"],"id":1}`);
  await using stranger = await Client.open(exchange, `/private/ws/${"x".repeat(64)}`);
  await using client = await ApiClient.open(exchange, "/ws-fapi/v1");
  const order = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "2" };
  const placed = (await client.askSigned("order.place", order)).result as Record<string, unknown>; // the cast: an order
  assertEquals([placed.status, placed.avgPrice, placed.cumQuote], ["FILLED", "100", "200"]);
  const types = (texts: readonly unknown[]) =>
    texts.map((text) => JSON.parse(String(text))).map((event) => [event.e, event.o?.x]);
  const all = [["ORDER_TRADE_UPDATE", "NEW"], ["ORDER_TRADE_UPDATE", "TRADE"], ["TRADE_LITE", undefined], [
    "ACCOUNT_UPDATE",
    undefined,
  ]];
  assertEquals(types(await byPath.take(4)), all);
  assertEquals(types(await byQuery.take(1)), [["ACCOUNT_UPDATE", undefined]]);
  await combined.take(3);
  const wrapped = JSON.parse(String(await combined.next()));
  assertEquals([wrapped.stream, wrapped.data.e, wrapped.data.a.P[0].pa], [listenKey, "ACCOUNT_UPDATE", "2"]);
  const algo = {
    algoType: "CONDITIONAL",
    symbol: "BTCUSDT",
    side: "SELL",
    type: "STOP_MARKET",
    triggerPrice: "90",
    quantity: "2",
  };
  assertEquals((await client.askSigned("algoOrder.place", algo)).status, 200);
  assertEquals(refusal(await client.askSigned("order.place", { ...algo, stopPrice: "90" })), [400, -4120]);
  exchange.api.setPrice("BTCUSDT", "89", "usdm");
  assertEquals(types(await byPath.take(6)), [
    ["ALGO_UPDATE", undefined],
    ["ALGO_UPDATE", undefined],
    ["ORDER_TRADE_UPDATE", "NEW"],
    ["ORDER_TRADE_UPDATE", "TRADE"],
    ["TRADE_LITE", undefined],
    ["ACCOUNT_UPDATE", undefined],
  ]);
  assertEquals(types(await byQuery.take(1)), [["ACCOUNT_UPDATE", undefined]]);
  assert(account.expireListenKey("usdm"));
  assertEquals(JSON.parse(String(await byQuery.next())).listenKey, listenKey);
  assertEquals(types(await byPath.take(1)), [["listenKeyExpired", undefined]]);
  await client.askSigned("order.place", order);
  assertEquals(
    await byPath.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}'),
    `{"result":["${listenKey}"],"id":1}`,
    "it stays open and silent",
  );
  assertEquals(stranger.received, []);
  assertEquals((await rest(exchange, "PUT", "/fapi/v1/listenKey"))[1].code, -1125);
});

test("portfolio margin is told of both futures, and COIN-M of its own with an alias", async () => {
  await using exchange = await startLocalExchange(quiet);
  exchange.account(HMAC_KEY);
  const [, pm] = await rest(exchange, "POST", "/papi/v1/listenKey");
  const [, coin] = await rest(exchange, "POST", "/dapi/v1/listenKey");
  await using all = await Client.open(exchange, `/pm/ws/${pm.listenKey}`);
  await using own = await Client.open(exchange, `/ws/${coin.listenKey}`);
  for (const [path, symbol] of [["/ws-fapi/v1", "BTCUSDT"], ["/ws-dapi/v1", "BTCUSD_PERP"]] as const) {
    await using client = await ApiClient.open(exchange, path);
    await client.askSigned("order.place", {
      symbol,
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: "1",
      price: "9",
    });
  }
  assertEquals((await all.take(2)).map((text) => JSON.parse(String(text)).fs), ["UM", "CM"]);
  assertEquals(JSON.parse(String(await own.next())).i, "local1");
});

test("listen keys by the WebSocket API are those of REST", async () => {
  await using exchange = await startLocalExchange(quiet);
  const account = exchange.account(HMAC_KEY);
  await using client = await ApiClient.open(exchange, "/ws-fapi/v1");
  assertEquals(refusal(await client.ask("userDataStream.start")), [400, -1102]);
  const started = (await client.ask("userDataStream.start", { apiKey: API_KEY })).result;
  assertEquals(started, { listenKey: account.listenKey("usdm") });
  assertEquals((await rest(exchange, "POST", "/fapi/v1/listenKey"))[1], started);
  assertEquals((await client.ask("userDataStream.stop", { apiKey: API_KEY })).result, {});
  assertEquals(refusal(await client.ask("userDataStream.ping", { apiKey: API_KEY })), [400, -1125]);
  assertEquals(account.forgetListenKey("usdm"), false);
  await using spot = await ApiClient.open(exchange);
  assertEquals(refusal(await spot.ask("userDataStream.start", { apiKey: API_KEY })), [400, -1020], "Binance.US only");
});

test("Binance.US has listen keys on spot, whose events come bare, and by the WebSocket API too", async () => {
  await using exchange = await startLocalExchange({ ...quiet, market: "spot" });
  const account = exchange.account(HMAC_KEY);
  exchange.api.spotListenKeys(true);
  await using client = await ApiClient.open(exchange);
  const { listenKey } = (await client.ask("userDataStream.start", { apiKey: API_KEY })).result as { listenKey: string }; // the cast: the documented shape
  await using stream = await Client.open(exchange, `/ws/${listenKey}`);
  await client.askSigned("order.place", {
    symbol: "BTCUSDT",
    side: "BUY",
    type: "MARKET",
    quantity: "1",
    newClientOrderId: "us",
  });
  const events = (await stream.take(3)).map((text) => JSON.parse(String(text)));
  assertEquals(events.map(({ e, x }) => [e, x]), [["executionReport", "NEW"], ["executionReport", "TRADE"], [
    "outboundAccountPosition",
    undefined,
  ]]);
  assert(account.forgetListenKey("spot"));
  assertEquals(refusal(await client.ask("userDataStream.ping", { apiKey: API_KEY, listenKey })), [400, -1125]);
});

test("listenKeyExpired has the time as text on options, and names no key on portfolio margin", async () => {
  const clock = new ManualClock(1_700_000_000_000);
  await using exchange = await startLocalExchange({ ...quiet, clock });
  const account = exchange.account(HMAC_KEY);
  for (
    const [path, product, event] of [
      [
        "/eapi/v1/listenKey",
        "options",
        (listenKey: unknown) => ({ e: "listenKeyExpired", E: "1700000000000", listenKey }),
      ],
      ["/papi/v1/listenKey", "portfolioMargin", () => ({ e: "listenKeyExpired", E: 1_700_000_000_000 })],
    ] as const
  ) {
    const [, { listenKey }] = await rest(exchange, "POST", path);
    await using stream = await Client.open(exchange, `/private/ws/${listenKey}`);
    account.sendEvent({ e: "riskLevelChange", E: 1 }, product);
    assertEquals(await stream.next(), '{"e":"riskLevelChange","E":1}');
    account.expireListenKey(product);
    assertEquals(JSON.parse(String(await stream.next())), event(listenKey));
  }
});
