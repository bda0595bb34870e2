/**
 * The WebSocket APIs of the local exchange: envelopes, keys, signatures, times, sessions, limits and bans.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";
import { ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { API_KEY, ApiClient, hmac, HMAC_KEY, keyPair, refusal } from "./api_clients.ts";

const quiet = { messagesPerSecond: 0 };
const LIMIT = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "1", price: "10" };

test("the signatures of Binance's HMAC examples are accepted, and no other ones", async () => {
  const order = { symbol: "BTCUSDT", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  const vectors = [
    [
      1645423376532,
      { ...order, quantity: "0.01000000", price: "52000.00", recvWindow: 100 },
      "aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24",
    ],
    [
      1645423376532,
      { ...order, symbol: "１２３４５６", side: "BUY", quantity: "1.00000000", price: "0.10000000", recvWindow: 5000 },
      "b33892ae8e687c939f4468c6268ddd4c40ac1af18ad19a064864c47bae0752cd",
    ],
    [
      1660801715431,
      { ...order, quantity: "0.00847000", price: "23416.10000000" },
      "15af09e41c36f3cc61378c2fbe2c33719a03dd5eba8d0f9206fbda44de717c88",
    ],
  ] as const;
  for (const [timestamp, params, signature] of vectors) {
    await using exchange = await startLocalExchange({ ...quiet, clock: new ManualClock(timestamp) });
    exchange.account(HMAC_KEY);
    await using client = await ApiClient.open(exchange);
    const all = { ...params, apiKey: API_KEY, timestamp };
    const wrong = signature.replace(/.$/, (digit) => digit === "0" ? "1" : "0");
    assertEquals(refusal(await client.ask("order.place", { ...all, signature: wrong })), [400, -1022]);
    assertEquals((await client.ask("order.place", { ...all, signature })).status, 200);
    const other = { ...all, signature: signature.toUpperCase(), newClientOrderId: "unsigned" };
    assertEquals(refusal(await client.ask("order.place", other)), [400, -1022], "every parameter is signed");
    const subscribe = {
      apiKey: API_KEY,
      timestamp,
      signature: hmac(HMAC_KEY.apiSecret)(`apiKey=${API_KEY}&timestamp=${timestamp}`),
    };
    assertEquals((await client.ask("userDataStream.subscribe.signature", subscribe)).result, { subscriptionId: 0 });
  }
});

test("the Ed25519 vector of session.logon and a made RSA key are accepted", async () => {
  const timestamp = 1649729878532;
  await using exchange = await startLocalExchange({ ...quiet, clock: new ManualClock(timestamp) });
  // RFC 8032 7.1, test 1.
  const spki = Buffer.from(
    "302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "hex",
  );
  const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" }).export({ type: "spki", format: "pem" });
  exchange.account({ apiKey: API_KEY, publicKey: publicKey.toString() });
  await using client = await ApiClient.open(exchange);
  const signature = "763GJeFgG09B/06V/dq24cLu6f0R57whgDMyOCubDex4CTTElmDgPSIQqLdOsvW5TBxyaaFotVCI8tUmQMChAA==";
  const logon = await client.ask("session.logon", { apiKey: API_KEY, timestamp, signature });
  assertEquals(logon.result, {
    apiKey: API_KEY,
    authorizedSince: timestamp,
    connectedSince: timestamp,
    returnRateLimits: true,
    serverTime: timestamp,
    userDataStream: false,
  });
  const rsa = keyPair("rsa");
  exchange.account({ apiKey: "rsa-key", publicKey: rsa.publicKey });
  await using other = await ApiClient.open(exchange, "/ws-api/v3", { apiKey: "rsa-key", sign: rsa.sign });
  assertEquals((await other.askSigned("account.status", { timestamp })).status, 200);
  const { signature: good, ...rest } = other.signed({ timestamp });
  assertEquals(refusal(await other.ask("account.status", { ...rest, signature: `A${String(good).slice(1)}` })), [
    400,
    -1022,
  ]);
  assertEquals(refusal(await other.ask("account.status", { ...rest, signature: "no base64!" })), [400, -1022]);
});

test("times, keys and parameters that are wrong get the documented errors", async () => {
  const now = 1_700_000_000_000;
  await using exchange = await startLocalExchange({ ...quiet, clock: new ManualClock(now) });
  exchange.account(HMAC_KEY);
  await using client = await ApiClient.open(exchange);
  const status = (params: Record<string, string | number>) => client.askSigned("account.status", params);
  for (const timestamp of [now, now + 999, now - 5000, (now - 5000) * 1000]) {
    assertEquals((await status({ timestamp })).status, 200);
  }
  const ahead = await status({ timestamp: now + 1000 });
  assertEquals(ahead.error, { code: -1021, msg: "Timestamp for this request was 1000ms ahead of the server's time." });
  const late = await status({ timestamp: now - 5001 });
  assertEquals(late.error, { code: -1021, msg: "Timestamp for this request is outside of the recvWindow." });
  assertEquals((await status({ timestamp: now - 5001, recvWindow: 60_000 })).status, 200);
  assertEquals((await status({ timestamp: now, recvWindow: "0.5" })).status, 200);
  assertEquals(refusal(await status({ timestamp: now, recvWindow: 60_001 })), [400, -1131]);
  exchange.api.clockOffsetMs = 10_000;
  assertEquals(refusal(await status({ timestamp: now })), [400, -1021]);
  exchange.api.clockOffsetMs = 0;
  assertEquals(refusal(await status({ timestamp: now, apiKey: "unknown" })), [401, -2015]);
  assertEquals(refusal(await status({ timestamp: now, apiKey: "not a key" })), [401, -2014]);
  const { signature: _signature, ...unsigned } = client.signed({ timestamp: now });
  const lacking = await client.ask("account.status", unsigned);
  assertEquals(lacking.error, {
    code: -1102,
    msg: "Mandatory parameter 'signature' was not sent, was empty/null, or malformed.",
  });
  const place = async (params: Record<string, string>) =>
    refusal(await client.askSigned("order.place", { ...LIMIT, timestamp: now, ...params }));
  assertEquals(await place({ symbol: "btcusdt" }), [400, -1121]);
  assertEquals(await place({ symbol: "" }), [400, -1102]);
  assertEquals(await place({ price: "" }), [400, -1102]);
  assertEquals(await place({ quantity: "1e-7" }), [400, -1100]);
  assertEquals(await place({ quantity: "0.000000001" }), [400, -1111]);
  assertEquals(await place({ side: "HOLD" }), [400, -1117]);
  assertEquals(await place({ type: "NONE" }), [400, -1116]);
  assertEquals(await place({ newClientOrderId: "a b" }), [400, -1100]);
  assertEquals(refusal(await client.ask("session.status", { stray: 1 })), [400, -1104]);
  assertEquals(refusal(await client.ask("order.nonsense")), [400, -1020]);
  assertEquals(exchange.api.requests.length, 23);
});

test("what can't be read is answered without an id, and the third time the connection is closed", async () => {
  await using exchange = await startLocalExchange(quiet);
  await using client = await ApiClient.open(exchange);
  assertEquals(JSON.parse(String(await client.client.ask('{"id":12345678901234567890,"method":"ping"}'))).status, 200);
  assert(String(client.client.received[0]).startsWith('{"id":12345678901234567890,"status":200,"result":{},'));
  for (const text of ["{", '{"id":"a b","method":"ping"}', '{"id":1,"method":"ping","params":[]}']) {
    const answer = JSON.parse(String(await client.client.ask(text)));
    assertEquals([answer.id, answer.status, answer.error.code], [null, 400, -1135]);
  }
  assertEquals(await client.client.closed, [1008, "disconnected"]);
});

test("limits are shown unless the URL or the request says no, and times are in µs if the URL says so", async () => {
  await using exchange = await startLocalExchange({ ...quiet, clock: new ManualClock(1_700_000_000_000) });
  await using shown = await ApiClient.open(exchange);
  assertEquals((await shown.ask("time", { returnRateLimits: false })).rateLimits, undefined);
  await using hidden = await ApiClient.open(exchange, "/ws-api/v3?returnRateLimits=false&timeUnit=MICROSECOND");
  const answer = await hidden.ask("time");
  assertEquals([answer.rateLimits, answer.result], [undefined, { serverTime: 1_700_000_000_000_000 }]);
  // Two handshakes of 2, three requests of 1.
  assertEquals((await hidden.ask("time", { returnRateLimits: true })).rateLimits?.[0]?.count, 7);
});

test("weight beyond the limit of a calendar minute gets 429, and who goes on is banned and cut off", async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12, 0, 59));
  await using exchange = await startLocalExchange({ ...quiet, clock, limits: { banMs: 120_000 } });
  exchange.api.limit("spot", { weightPerMinute: 10, refusalsBeforeBan: 2 });
  await using client = await ApiClient.open(exchange);
  assertEquals((await client.ask("depth", { symbol: "BTCUSDT" })).rateLimits?.[0]?.count, 7);
  const endsAt = Date.UTC(2026, 0, 1, 12, 1);
  const limited = await client.ask("depth", { symbol: "BTCUSDT" });
  assertEquals(refusal(limited), [429, -1003]);
  assertEquals(limited.error?.data, { serverTime: clock.now(), retryAfter: endsAt });
  assertEquals((await client.ask("ping")).status, 200, "what fits is answered");
  clock.advance(1000);
  assertEquals((await client.ask("depth", { symbol: "BTCUSDT" })).rateLimits?.[0]?.count, 5, "a new minute");
  const answers = [];
  for (let request = 0; request < 3; request++) answers.push(await client.ask("exchangeInfo"));
  assertEquals(answers.map(({ status }) => status), [429, 429, 418]);
  assertEquals(answers[2]?.error?.data, { serverTime: clock.now(), retryAfter: clock.now() + 120_000 });
  assertEquals(await client.client.closed, [1008, "disconnected"]);
});

test("while an address is banned, handshakes and REST are refused with Retry-After", async () => {
  const clock = new ManualClock(0);
  await using exchange = await startLocalExchange({ ...quiet, clock });
  await using client = await ApiClient.open(exchange);
  exchange.api.ban(5000);
  assertEquals(refusal(await client.ask("ping")), [418, -1003]);
  assertEquals(await client.client.closed, [1008, "disconnected"]);
  const response = await fetch(`${exchange.restUrl}/api/v3/time`);
  assertEquals([response.status, response.headers.get("retry-after"), (await response.json()).code], [418, "5", -1003]);
  const refused = await ApiClient.open(exchange).then(() => false, () => true);
  assertEquals([refused, exchange.handshakes.at(-1)?.status], [true, 418]);
  await using futures = await ApiClient.open(exchange, "/ws-fapi/v1");
  assertEquals((await futures.ask("ping")).status, 200, "each API has its own");
  clock.advance(5000);
  await using again = await ApiClient.open(exchange);
  assertEquals((await again.ask("ping")).status, 200);
});

test("orders are counted by account in windows of the calendar, and are free of weight if they succeed", async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12, 0, 8));
  await using exchange = await startLocalExchange({ ...quiet, clock });
  exchange.api.limit("spot", { ordersPer10Seconds: 2, ordersPerDay: 4 });
  exchange.account(HMAC_KEY);
  await using client = await ApiClient.open(exchange);
  const place = () => client.askSigned("order.place", { ...LIMIT, timestamp: clock.now() });
  const first = await place();
  assertEquals(first.rateLimits?.map(({ rateLimitType, count, limit }) => [rateLimitType, count, limit]), [
    ["ORDERS", 1, 2],
    ["ORDERS", 1, 4],
    ["REQUEST_WEIGHT", 2, 6000],
  ]);
  await place();
  const limited = await place();
  assertEquals(refusal(limited), [429, -1015]);
  assertEquals(limited.error?.data?.retryAfter, Date.UTC(2026, 0, 1, 12, 0, 10));
  assertEquals(exchange.api.usedWeight("spot"), 3, "failures pay");
  clock.advance(2000);
  await place();
  await place();
  clock.advance(10_000);
  assertEquals((await place()).error?.data?.retryAfter, Date.UTC(2026, 0, 2));
  const usage = (await client.askSigned("account.rateLimits.orders", { timestamp: clock.now() })).result;
  assertEquals((usage as { count: number }[]).map(({ count }) => count), [0, 4]); // the cast: the documented shape
});

test("a session stands for the key until it is logged off, revoked or replaced", async () => {
  await using exchange = await startLocalExchange(quiet);
  const pair = keyPair("ed25519");
  const account = exchange.account({ apiKey: "ed-key", publicKey: pair.publicKey });
  exchange.account(HMAC_KEY);
  await using client = await ApiClient.open(exchange, "/ws-api/v3", { apiKey: "ed-key", sign: pair.sign });
  const timestamp = Date.now();
  assertEquals(refusal(await client.ask("account.status", { timestamp })), [400, -1102]);
  assertEquals(refusal(await client.ask("userDataStream.subscribe")), [400, -1193]);
  await using byHmac = await ApiClient.open(exchange);
  const refused = await byHmac.askSigned("session.logon");
  assertEquals([refused.status, refused.error], [400, { code: -2028, msg: "HMAC-SHA-256 API key is not supported." }]);
  assertEquals((await client.askSigned("session.logon")).status, 200);
  assertEquals((await client.ask("account.status", { timestamp })).status, 200);
  assertEquals(refusal(await client.ask("account.status")), [400, -1102], "the timestamp stays");
  assertEquals((await client.ask("userDataStream.subscribe")).result, { subscriptionId: 0 });
  const state = (await client.ask("session.status")).result as Record<string, unknown>; // the cast: the documented shape
  assertEquals([state.apiKey, state.userDataStream], ["ed-key", true]);
  const own = byHmac.signed({});
  assertEquals((await client.ask("account.status", own)).status, 200, "an own key goes before the session's");
  account.revoke();
  assertEquals((await client.events(1))[0]?.e, "eventStreamTerminated");
  const revoked = await client.ask("account.status", { timestamp });
  assertEquals([revoked.id, ...refusal(revoked)], [null, 401, -2015]);
  assertEquals((await client.ask("session.status")).result, {
    ...state,
    apiKey: null,
    authorizedSince: null,
    userDataStream: null,
    serverTime: (client.messages.at(-1)?.result as { serverTime: number }).serverTime,
  }); // the cast: as above
  account.restore();
  assertEquals((await client.askSigned("session.logon")).status, 200);
  account.logOff();
  assertEquals(refusal(await client.ask("account.status", { timestamp })), [400, -1102]);
  assertEquals((await client.askSigned("session.logon")).status, 200);
  const out = (await client.ask("session.logout")).result as Record<string, unknown>; // the cast: the documented shape
  assertEquals(out.apiKey, null);
});

test("subscriptions of account events are numbered, counted once per account, and end with eventStreamTerminated", async () => {
  await using exchange = await startLocalExchange(quiet);
  const first = exchange.account(HMAC_KEY);
  const second = exchange.account({ apiKey: "second", apiSecret: "secret" });
  await using client = await ApiClient.open(exchange);
  await using other = await ApiClient.open(exchange, "/ws-api/v3", { apiKey: "second", sign: hmac("secret") });
  const subscribe = "userDataStream.subscribe.signature";
  assertEquals((await client.askSigned(subscribe)).result, { subscriptionId: 0 });
  assertEquals(refusal(await client.askSigned(subscribe)), [400, -2035]);
  assertEquals((await client.ask(subscribe, other.signed({}))).result, { subscriptionId: 1 });
  assertEquals((await client.ask("session.subscriptions")).result, [{ subscriptionId: 0 }, { subscriptionId: 1 }]);
  second.deposit("USDT", "5");
  assertEquals((await client.next()).subscriptionId, 1);
  assertEquals((await client.next()).event?.e, "outboundAccountPosition");
  first.sendEvent({ e: "externalLockUpdate", E: 1, a: "USDT", d: "1", T: 1 });
  assertEquals((await client.next()).subscriptionId, 0);
  assertEquals(refusal(await client.ask("userDataStream.unsubscribe", { subscriptionId: 7 })), [400, -2036]);
  assertEquals((await client.ask("userDataStream.unsubscribe", { subscriptionId: 0 })).result, {});
  const ended = await client.next();
  assertEquals([ended.subscriptionId, ended.event?.e], [0, "eventStreamTerminated"]);
  assertEquals([first.subscriptions, second.subscriptions], [0, 1]);
  assertEquals((await client.askSigned(subscribe)).result, { subscriptionId: 2 });
  client.client.close();
  await exchange.waitFor(() => second.subscriptions === 0);
});
