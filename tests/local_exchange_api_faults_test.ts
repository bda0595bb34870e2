/**
 * How requests to the local exchange's WebSocket APIs go wrong on demand: lost, late, cut off at each step.
 *
 * @module
 */

import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { ApiClient, HMAC_KEY, refusal } from "./api_clients.ts";
import { Client } from "./exchange_clients.ts";

const quiet = { messagesPerSecond: 0 };
const LIMIT = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "1", price: "10" };

test("faults fall upon the requests they are meant for, and say what was obeyed", async () => {
  await using exchange = await startLocalExchange(quiet);
  const account = exchange.account(HMAC_KEY);
  const place = (client: ApiClient, id: string) => client.sendSigned("order.place", { ...LIMIT, newClientOrderId: id });
  const { api } = exchange;

  await using client = await ApiClient.open(exchange);
  api.disturb("ignore", { method: "order.place" });
  api.disturb("dropAnswer", { method: "order.place" });
  place(client, "ignored");
  place(client, "dropped");
  assertEquals((await client.ask("ping")).status, 200, "the next answer that comes is another one's");
  assertEquals([...account.placements], [["dropped", 1]]);

  const error = { status: 504, code: -1007, msg: "Timeout waiting for response from backend server." };
  api.disturb("error", { method: "order.place", error, obey: true });
  api.disturb("error", { method: "order.place" });
  assertEquals(refusal(await client.answer(place(client, "obeyed"))), [504, -1007]);
  assertEquals(refusal(await client.answer(place(client, "refused"))), [500, -1001]);
  assertEquals([account.placements.get("obeyed"), account.placements.get("refused")], [1, undefined]);

  for (
    const [kind, isPlaced, answers] of [["killBefore", false, 0], ["killBeforeAnswer", true, 0], [
      "killAfterAnswer",
      true,
      1,
    ]] as const
  ) {
    await using doomed = await ApiClient.open(exchange);
    await using watcher = await ApiClient.open(exchange);
    await doomed.askSigned("userDataStream.subscribe.signature");
    await watcher.askSigned("userDataStream.subscribe.signature");
    api.disturb(kind, { method: "order.place" });
    place(doomed, kind);
    const [code] = await doomed.client.closed;
    assertEquals(code, 1006);
    assertEquals(doomed.client.received.length - 1, answers, `${kind}: no event came on the connection that was cut`);
    assertEquals(account.placements.has(kind), isPlaced);
    if (isPlaced) assertEquals((await watcher.events(1))[0]?.c, kind, "others are told");
    assertEquals(api.requests.at(-1)?.status, answers === 1 ? 200 : 0);
  }
  assertThrows(() => api.disturb("ignore", { count: 0 }), RangeError, "Cannot disturb 0 requests");
});

test("answers and events come late or in the other order on demand", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ ...quiet, clock });
  const account = exchange.account(HMAC_KEY);
  await using client = await ApiClient.open(exchange);
  const timestamp = clock.now();
  await client.askSigned("userDataStream.subscribe.signature", { timestamp });
  exchange.api.delayAnswers(1000);
  client.send("ping");
  await exchange.waitFor(() => exchange.api.requests.length === 2);
  exchange.api.delayAnswers(0);
  assertEquals((await client.ask("time")).status, 200);
  assertEquals(client.messages.at(-1)?.id, 3, "the later request was answered first");
  clock.advance(1000);
  assertEquals((await client.next()).id, 2);
  exchange.api.eventsFirst(true);
  const id = client.sendSigned("order.place", { ...LIMIT, timestamp });
  assertEquals([(await client.next()).event?.e, (await client.next()).event?.e], [
    "executionReport",
    "outboundAccountPosition",
  ]);
  assertEquals((await client.next()).id, id);
  exchange.api.delayEvents(500);
  account.deposit("BTC", "1");
  exchange.api.delayEvents(0);
  account.sendEvent({ e: "last", E: 1 });
  assertEquals((await client.ask("ping")).status, 200);
  clock.advance(500);
  assertEquals((await client.events(3)).map(({ e }) => e), ["balanceUpdate", "outboundAccountPosition", "last"]);
  exchange.api.dropEvents(1);
  account.deposit("BTC", "1");
  assertEquals((await client.events(1))[0]?.e, "outboundAccountPosition");
});

test("serverShutdown comes as an event without a subscription", async () => {
  await using exchange = await startLocalExchange(quiet);
  await using client = await Client.open(exchange, "/ws-api/v3");
  const done = exchange.serverShutdown();
  assertEquals(JSON.parse(String(await client.next())).event.e, "serverShutdown");
  await done;
});

test("what comes on a connection after the request that it is cut for is not obeyed", async () => {
  await using exchange = await startLocalExchange(quiet);
  const account = exchange.account(HMAC_KEY);
  for (const kind of ["killBefore", "killBeforeAnswer", "killAfterAnswer"] as const) {
    await using client = await ApiClient.open(exchange);
    exchange.api.disturb(kind);
    client.sendSigned("order.place", { ...LIMIT, newClientOrderId: kind });
    client.sendSigned("order.place", { ...LIMIT, newClientOrderId: `after-${kind}` });
    await client.client.closed;
  }
  assertEquals([...account.placements.keys()], ["killBeforeAnswer", "killAfterAnswer"]);
  exchange.api.disturb("ignore");
  exchange.api.settle();
  await using client = await ApiClient.open(exchange);
  assertEquals((await client.ask("ping")).status, 200, "what was settled doesn't come");
});

test("a connection on which an unknown key is used can be closed, as it was seen on the testnet", async () => {
  await using exchange = await startLocalExchange(quiet);
  exchange.api.closeOnBadKey(true);
  await using client = await ApiClient.open(exchange);
  assertEquals(refusal(await client.askSigned("account.status")), [401, -2015]);
  assertEquals(await client.client.closed, [1008, "disconnected"]);
});

test("a new connection has nothing of the old one: no session, no subscriptions", async () => {
  await using exchange = await startLocalExchange(quiet);
  const account = exchange.account(HMAC_KEY);
  await using old = await ApiClient.open(exchange);
  assertEquals((await old.askSigned("userDataStream.subscribe.signature")).result, { subscriptionId: 0 });
  exchange.killConnections();
  await exchange.waitFor(() => account.subscriptions === 0);
  await using client = await ApiClient.open(exchange);
  account.deposit("USDT", "1");
  assertEquals((await client.ask("session.subscriptions")).result, []);
  assertEquals(client.messages.length, 1, "nothing is sent later");
  assertEquals((await client.askSigned("userDataStream.subscribe.signature")).result, { subscriptionId: 0 });
  account.endSubscriptions();
  assertEquals((await client.events(1))[0]?.e, "eventStreamTerminated");
});
