/**
 * Listen tokens of the local exchange, and signatures by REST.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { API_KEY, API_SECRET, ApiClient, hmac, HMAC_KEY, refusal, rest } from "./api_clients.ts";

const quiet = { messagesPerSecond: 0 };

test("a listen token subscribes for its time, is extended by a new one, and ends with eventStreamTerminated", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ ...quiet, clock });
  const account = exchange.account(HMAC_KEY);
  await using client = await ApiClient.open(exchange);
  const path = "/sapi/v1/userListenToken";
  const token = async (validity: number) => (await rest(exchange, "POST", `${path}?validity=${validity}`))[1];
  const subscribe = (listenToken: unknown) =>
    client.ask("userDataStream.subscribe.listenToken", { listenToken: String(listenToken) });
  assertEquals((await rest(exchange, "POST", `${path}?isIsolated=TRUE`))[1].code, -1102);
  assertEquals(refusal(await subscribe("nonsense")), [400, -1209]);
  const first = await token(10_000);
  assertEquals(first.expirationTime, clock.now() + 10_000);
  assertEquals((await subscribe(first.token)).result, {
    subscriptionId: 0,
    expirationTime: (clock.now() + 10_000) * 1000,
  });
  clock.advance(9000);
  const second = await token(10_000);
  assertEquals((await subscribe(second.token)).result, {
    subscriptionId: 0,
    expirationTime: (clock.now() + 10_000) * 1000,
  });
  clock.advance(9000);
  account.deposit("USDT", "1");
  assertEquals((await client.events(2)).map(({ e }) => e), ["balanceUpdate", "outboundAccountPosition"]);
  clock.advance(1000);
  assertEquals((await client.events(1))[0]?.e, "eventStreamTerminated");
  assertEquals([account.subscriptions, refusal(await subscribe(second.token))[1]], [0, -1209]);
  const third = await token(10_000);
  assertEquals((await subscribe(third.token)).status, 200);
  account.endTokens();
  assertEquals((await client.events(1))[0]?.e, "eventStreamTerminated");
});

test("REST signatures are made of what was sent, in its order", async () => {
  await using exchange = await startLocalExchange(quiet);
  exchange.account(HMAC_KEY);
  const query = `validity=1000&timestamp=${Date.now()}`;
  const signature = hmac(API_SECRET)(query);
  assertEquals((await rest(exchange, "POST", `/sapi/v1/userListenToken?${query}&signature=${signature}`))[0], 200);
  assertEquals(
    (await rest(exchange, "POST", `/sapi/v1/userListenToken?${query}&x=1&signature=${signature}`))[1].code,
    -1022,
  );
  const body = `validity=1000&signature=${hmac(API_SECRET)("validity=1000")}`;
  const response = await fetch(`${exchange.restUrl}/sapi/v1/userListenToken`, {
    method: "POST",
    body,
    headers: { "X-MBX-APIKEY": API_KEY },
  });
  assertEquals([response.status, typeof (await response.json()).token], [200, "string"]);
});
