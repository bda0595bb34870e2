/**
 * Who a connection is logged on as changes while it is in use: by the user, or by the exchange.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { ApiError, createSigner, RequestOutcomeUnknownError, RequestTimeoutError, type Signer } from "@rawtick/binance";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { keyPair } from "./api_clients.ts";
import { apiManager, startApiServer } from "./api_server.ts";
import { testEachLibrary, until } from "./support.ts";

const ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.001",
  price: "90",
} as const;

/** The exchange's words for a request without a logon. */
const MISSING = "Mandatory parameter 'apiKey' was not sent, was empty/null, or malformed.";

/** A signer that can log on. */
function signerOf(apiKey: string): Signer {
  return createSigner({ apiKey, privateKey: keyPair("ed25519").privateKey });
}

/** An account whose key can log on. */
function accountOn(exchange: LocalExchange, apiKey: string) {
  const { publicKey, privateKey } = keyPair("ed25519");
  const account = exchange.account({ apiKey, publicKey, balances: { USDT: "100000" } });
  return { account, signer: createSigner({ apiKey, privateKey }) };
}

/** How often each method came. */
function counts(exchange: LocalExchange, method: string): number {
  return exchange.api.requests.filter((request) => request.method === method).length;
}

testEachLibrary(
  "after a logon with another key, every order still is one of the account that is meant",
  async (library) => {
    await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
    const [a, b] = [accountOn(exchange, "a"), accountOn(exchange, "b")];
    await using manager = apiManager(exchange, library, { signer: a.signer });
    const stream = manager.createStream({ api: true, logon: true });
    await stream.ready;
    const { spot } = manager.api;
    const place = (newClientOrderId: string, options = {}) => spot.orderPlace({ ...ORDER, newClientOrderId }, options);
    // One is on its way while the logon is, one before, one after its answer.
    const before = place("before");
    const logon = spot.sessionLogon({}, { signer: b.signer });
    const meanwhile = place("meanwhile");
    await Promise.all([before, logon, meanwhile]);
    await place("after");
    await place("of-b", { signer: b.signer });
    await stream.request("v3/session.logon", {}, { signer: a.signer });
    await place("a-again");
    await place("of-b-again", { signer: b.signer });
    const ids = ["before", "meanwhile", "after", "a-again"];
    assertEquals([...a.account.placements.keys()], ids);
    assertEquals([...b.account.placements.keys()], ["of-b", "of-b-again"]);
    assertEquals(stream.state, "running");
  },
);

testEachLibrary("while another key is logged on, requests are signed", async (library) => {
  await using server = await startApiServer();
  const [a, b] = [signerOf("a"), signerOf("b")];
  await using manager = apiManager(server, library, { signer: a });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  await stream.request("account.status");
  await stream.request("session.logon", {}, { signer: b });
  await stream.request("account.status");
  await stream.request("account.status", {}, { signer: b });
  const keys = server.callsOf("account.status").map(({ params }) => params.apiKey);
  assertEquals(keys, [undefined, "a", "b"]);
});

testEachLibrary("a logon with another key does not overtake orders that rely on the one before", async (library) => {
  const held: (() => void)[] = [];
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "order.place") return false;
    held.push(() => reply.result({}));
    return true;
  });
  const [a, b] = [signerOf("a"), signerOf("b")];
  await using manager = apiManager(server, library, { signer: a });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  const orders = [1, 2].map(() => stream.request("order.place", ORDER));
  const logon = stream.request("session.logon", {}, { signer: b });
  const ping = stream.request("ping");
  await until(() => held.length === 2, "both orders");
  held.pop()?.();
  await orders[1];
  assertEquals([server.callsOf("session.logon").length, server.callsOf("ping").length], [1, 0]);
  held.pop()?.();
  await Promise.all([...orders, logon, ping]);
  assertEquals(server.callsOf("session.logon").map(({ params }) => params.apiKey), ["a", "b"]);
});

testEachLibrary(
  "an order that is never answered holds up the logon of another key no longer than itself",
  async (library) => {
    await using server = await startApiServer(({ method }) => method === "order.place");
    const signer = signerOf("a");
    await using manager = apiManager(server, library, { signer });
    const stream = manager.createStream({ api: true, logon: true });
    await stream.ready;
    const order = assertRejects(
      () => stream.request("order.place", ORDER, { timeoutMs: 3_000 }),
      RequestOutcomeUnknownError,
    );
    await until(() => server.callsOf("order.place").length === 1, "the order");
    const logon = stream.request("session.logon", {}, { signer: signerOf("b"), timeoutMs: 20_000 });
    const behind = stream.request("ping", {}, { timeoutMs: 20_000 });
    await order;
    await Promise.all([logon, behind]);
    assertEquals(server.callsOf("session.logon").length, 2);
  },
);

testEachLibrary("a logon that can't be sent in time holds up nothing else", async (library) => {
  await using server = await startApiServer((call) => call.method === "order.place");
  await using manager = apiManager(server, library, { signer: signerOf("a") });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  const order = stream.request("order.place", ORDER);
  const logon = stream.request("session.logon", {}, { signer: signerOf("b"), timeoutMs: 50 });
  const ping = stream.request("ping");
  const error = await assertRejects(() => logon, RequestTimeoutError);
  assertEquals(error.wasSent, false);
  await ping;
  await Promise.all([assertRejects(() => order, RequestOutcomeUnknownError), stream.stop()]);
});

testEachLibrary("events by logon are those of their account, also after another key has logged on", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const [a, b] = [accountOn(exchange, "a"), accountOn(exchange, "b")];
  await using manager = apiManager(exchange, library, { signer: a.signer });
  const api = manager.createStream({ api: true, logon: true });
  await api.ready;
  await manager.api.spot.sessionLogon({}, { signer: b.signer });
  const stream = manager.createStream({ userData: { api, via: "logon" } });
  await stream.ready;
  assertEquals([a.account.subscriptions, b.account.subscriptions], [1, 0]);
  assertEquals(counts(exchange, "session.logon"), 3);
});

testEachLibrary("a logon that the exchange ends is renewed, and no request is refused for it", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const { account, signer } = accountOn(exchange, "a");
  await using manager = apiManager(exchange, library, { signer });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  account.logOff();
  const ids = ["o1", "o2", "o3", "o4"];
  const orders = ids.map((newClientOrderId) => manager.api.spot.orderPlace({ ...ORDER, newClientOrderId }));
  await Promise.all([...orders, manager.api.spot.accountStatus()]);
  assertEquals([...account.placements], ids.map((id) => [id, 1]));
  assertEquals([counts(exchange, "session.logon"), stream.state], [2, "running"]);
});

testEachLibrary("orders that a lost logon refuses are sent once more, in their order", async (library) => {
  let isLoggedOn = true;
  await using server = await startApiServer((call, reply) => {
    if (call.method === "session.logon") isLoggedOn = true;
    if (call.method !== "order.place") return false;
    const isFirst = server.callsOf("order.place").length === 1;
    // Binance web-socket-api.md, "Authorize API key": after a revocation, the first refusal has no id.
    if (isFirst) reply.send('{"id":null,"status":401,"error":{"code":-2015,"msg":"Invalid API-key."}}');
    else if (!isLoggedOn) reply.error(400, -1102, MISSING);
    isLoggedOn &&= !isFirst;
    return !isLoggedOn;
  });
  await using manager = apiManager(server, library, { signer: signerOf("a") });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  const ids = ["o1", "o2", "o3", "o4"];
  await Promise.all(ids.map((newClientOrderId) => stream.request("order.place", { ...ORDER, newClientOrderId })));
  const sent = server.callsOf("order.place").map(({ params }) => params.newClientOrderId);
  assertEquals(sent, [...ids, ...ids]);
  assertEquals([server.callsOf("session.logon").length, server.connections], [2, 1]);
});

testEachLibrary("an order that is overtaken by the user's logout is sent once more, signed", async (library) => {
  let refuse: (() => void) | undefined;
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "order.place" || call.params.signature !== undefined) return false;
    refuse = () => reply.error(400, -1102, MISSING);
    return true;
  });
  await using manager = apiManager(server, library, { signer: signerOf("a") });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  const order = stream.request("order.place", ORDER);
  await stream.request("session.logout");
  await until(() => refuse !== undefined, "the order");
  refuse?.();
  await order;
  assertEquals(server.callsOf("order.place").map(({ params }) => params.apiKey), [undefined, "a"]);
  assertEquals(server.callsOf("session.logon").length, 1);
});

testEachLibrary("a parameter that is missing is no reason to log on again", async (library) => {
  await using server = await startApiServer((call, reply) => {
    if (call.method !== "order.place") return false;
    reply.error(400, -1102, "Mandatory parameter 'price' was not sent, was empty/null, or malformed.");
    return true;
  });
  await using manager = apiManager(server, library, { signer: signerOf("a") });
  const stream = manager.createStream({ api: true, logon: true });
  await assertRejects(() => stream.request("order.place", ORDER), ApiError, "'price'");
  assertEquals([server.callsOf("order.place").length, server.callsOf("session.logon").length], [1, 1]);
});

testEachLibrary("after a logout of the user's own, requests are signed until the next logon", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const { account, signer } = accountOn(exchange, "a");
  await using manager = apiManager(exchange, library, { signer });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  const { spot } = manager.api;
  await Promise.all([spot.sessionLogout(), spot.orderPlace({ ...ORDER, newClientOrderId: "o1" })]);
  await spot.orderPlace({ ...ORDER, newClientOrderId: "o2" });
  assertEquals([counts(exchange, "session.logon"), stream.isLoggedOnAs(signer)], [1, false]);
  await spot.sessionLogon();
  await spot.orderPlace({ ...ORDER, newClientOrderId: "o3" });
  assertEquals([...account.placements.keys()], ["o1", "o2", "o3"]);
  assertEquals([counts(exchange, "session.logon"), stream.isLoggedOnAs(signer)], [2, true]);
});
