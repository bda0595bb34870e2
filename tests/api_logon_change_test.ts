/**
 * Who a connection is logged on as changes while it is in use: by the user, or by the exchange.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { createSigner } from "@rawtick/binance";
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
  const [a, b] = ["a", "b"].map((apiKey) => createSigner({ apiKey, privateKey: keyPair("ed25519").privateKey }));
  await using manager = apiManager(server, library, { signer: a! });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  await stream.request("account.status");
  await stream.request("session.logon", {}, { signer: b! });
  await stream.request("account.status");
  await stream.request("account.status", {}, { signer: b! });
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
  const [a, b] = ["a", "b"].map((apiKey) => createSigner({ apiKey, privateKey: keyPair("ed25519").privateKey }));
  await using manager = apiManager(server, library, { signer: a! });
  const stream = manager.createStream({ api: true, logon: true });
  await stream.ready;
  const orders = [1, 2].map(() => stream.request("order.place", ORDER));
  const logon = stream.request("session.logon", {}, { signer: b! });
  const ping = stream.request("ping");
  await until(() => held.length === 2, "both orders");
  held.pop()?.();
  await orders[1];
  assertEquals([server.callsOf("session.logon").length, server.callsOf("ping").length], [1, 0]);
  held.pop()?.();
  await Promise.all([...orders, logon, ping]);
  assertEquals(server.callsOf("session.logon").map(({ params }) => params.apiKey), ["a", "b"]);
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
