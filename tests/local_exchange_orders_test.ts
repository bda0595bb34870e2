/**
 * Orders on the local exchange: how they fill, what is answered, which events come in which order.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { startLocalExchange } from "@rawtick/binance/testing";
import { API_KEY, API_SECRET, ApiClient, hmac, HMAC_KEY, type Message, type Params, refusal } from "./api_clients.ts";
import { Client } from "./exchange_clients.ts";

const quiet = { messagesPerSecond: 0 };
const order = { symbol: "BTCUSDT", side: "BUY" };
const limit = (id: string, price = "10", more: Params = {}): Params => ({
  ...order,
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "1",
  price,
  newClientOrderId: id,
  ...more,
});

type Event = Record<string, unknown>;
const result = ({ result }: Message) => result as Record<string, unknown>; // the cast: the documented shapes are objects

/** An exchange, a client that subscribed the account's events, and the account. */
async function start() {
  const exchange = await startLocalExchange(quiet);
  const account = exchange.account(HMAC_KEY);
  const client = await ApiClient.open(exchange);
  assertEquals((await client.askSigned("userDataStream.subscribe.signature")).status, 200);
  return { exchange, account, client };
}

/** What matters of an event. */
function brief(event: Event): unknown[] {
  switch (event.e) {
    case "executionReport":
      return [event.c, event.x, event.X];
    case "outboundAccountPosition":
      return ["balances"];
    case "listStatus":
      return ["list", event.l];
    default:
      return [event.e];
  }
}

test("a LIMIT order rests, is filled in parts and at last, and tells so in order", async () => {
  const { exchange, account, client } = await start();
  await using _exchange = exchange;
  const placed = await client.askSigned("order.place", limit("one"));
  const { orderId, status, fills, origQty } = result(placed);
  assertEquals([orderId, status, fills, origQty], [4293153, "NEW", [], "1.00000000"]);
  assertEquals((await client.events(2)).map(brief), [["one", "NEW", "NEW"], ["balances"]]);
  assertEquals(account.balance("USDT"), "999990");
  assertEquals(refusal(await client.askSigned("order.place", limit("one"))), [400, -2010], "one at a time");
  assert(account.fill("one", { quantity: "0.25" }));
  assert(account.fill(4293153n));
  const events = await client.events(4);
  assertEquals(events.map(brief), [
    ["one", "TRADE", "PARTIALLY_FILLED"],
    ["balances"],
    ["one", "TRADE", "FILLED"],
    ["balances"],
  ]);
  assertEquals([events[0]?.l, events[0]?.z, events[2]?.l, events[2]?.z, events[2]?.Z], [
    "0.25000000",
    "0.25000000",
    "0.75000000",
    "1.00000000",
    "10.00000000",
  ]);
  assert(!account.fill("one"));
  const [shown] = account.orders();
  assertEquals([shown?.status, shown?.executed, account.balance("USDT"), account.balance("BTC")], [
    "FILLED",
    "1",
    "999990",
    "1000000.999",
  ]);
  assertEquals(
    (await client.askSigned("myTrades", { symbol: "BTCUSDT" })).result,
    (await client.askSigned("myTrades", { symbol: "BTCUSDT", orderId: 4293153 })).result,
  );
  await client.askSigned("order.place", limit("one"));
  assertEquals(account.placements.get("one"), 2, "what was placed twice is counted twice");
  await client[Symbol.asyncDispose]();
});

test("prices that are moved across orders fill them, and MARKET orders fill at once", async () => {
  const { exchange, account, client } = await start();
  await using _exchange = exchange;
  await client.askSigned("order.place", limit("low", "90"));
  await client.askSigned("order.place", limit("high", "110"));
  exchange.api.setPrice("BTCUSDT", "100");
  assertEquals(account.orders().map(({ status }) => status), ["NEW", "FILLED"]);
  const now = result(await client.askSigned("order.place", { ...order, type: "MARKET", quoteOrderQty: "50" }));
  assertEquals([now.status, now.executedQty, now.cummulativeQuoteQty], ["FILLED", "0.50000000", "50.00000000"]);
  const taker = result(await client.askSigned("order.place", limit("taker", "120")));
  assertEquals([taker.status, taker.cummulativeQuoteQty], ["FILLED", "100.00000000"]);
  assertEquals(
    result(await client.askSigned("order.place", limit("ioc", "80", { timeInForce: "IOC" }))).status,
    "EXPIRED",
  );
  const maker = { ...order, type: "LIMIT_MAKER", quantity: "1", price: "105" };
  assertEquals(refusal(await client.askSigned("order.place", maker)), [400, -2010]);
  const stop = { ...order, side: "SELL", type: "STOP_LOSS", quantity: "1", stopPrice: "95", newClientOrderId: "stop" };
  assertEquals(result(await client.askSigned("order.place", stop)).status, undefined, "an ACK");
  exchange.api.setPrice("BTCUSDT", "96");
  assertEquals(account.orders().at(-1)?.status, "NEW");
  exchange.api.setPrice("BTCUSDT", "94");
  assertEquals(account.orders().at(-1)?.status, "FILLED");
  assertEquals(refusal(await client.askSigned("order.place", { ...stop, stopPrice: "99" })), [400, -2010]);
  await client[Symbol.asyncDispose]();
});

test("an account that can't pay is refused, and nothing is placed", async () => {
  await using exchange = await startLocalExchange(quiet);
  const account = exchange.account({ ...HMAC_KEY, balances: { USDT: "15" } });
  await using client = await ApiClient.open(exchange);
  assertEquals((await client.askSigned("order.place", limit("a"))).status, 200);
  const poor = await client.askSigned("order.place", limit("b"));
  assertEquals(poor.error, { code: -2010, msg: "Account has insufficient balance for requested action." });
  assertEquals([...account.placements.keys()], ["a"]);
  assertEquals(exchange.api.requests.map(({ clientOrderId }) => clientOrderId), ["a", "b"]);
  await client.askSigned("order.cancel", { symbol: "BTCUSDT", origClientOrderId: "a" });
  assertEquals([account.balance("USDT"), account.orders().length], ["15", 1]);
});

test("cancel, cancel-and-replace and amend answer and tell what they did", async () => {
  const { exchange, account, client } = await start();
  await using _exchange = exchange;
  await client.askSigned("order.place", limit("a"));
  const amended = result(
    await client.askSigned("order.amend.keepPriority", { symbol: "BTCUSDT", origClientOrderId: "a", newQty: "0.5" }),
  );
  assertEquals((amended.amendedOrder as Event).qty, "0.50000000"); // the cast: the documented shape
  const canceled = result(
    await client.askSigned("order.cancel", { symbol: "BTCUSDT", origClientOrderId: "a", newClientOrderId: "bye" }),
  );
  assertEquals([canceled.origClientOrderId, canceled.clientOrderId, canceled.status], ["a", "bye", "CANCELED"]);
  assertEquals(client.messages.filter(({ event }) => event !== undefined).map(({ event }) => brief(event!)), [
    ["a", "NEW", "NEW"],
    ["balances"],
    ["a", "REPLACED", "NEW"],
    ["balances"],
  ]);
  const [report] = await client.events(1);
  assertEquals([report?.c, report?.C, report?.x], ["bye", "a", "CANCELED"]);
  assertEquals(refusal(await client.askSigned("order.cancel", { symbol: "BTCUSDT", origClientOrderId: "a" })), [
    400,
    -2011,
  ]);
  assertEquals(refusal(await client.askSigned("order.status", { symbol: "BTCUSDT", orderId: 1 })), [400, -2013]);

  const replace = (id: string, old: string, mode: string, more: Params = {}) =>
    client.askSigned("order.cancelReplace", {
      ...limit(id),
      cancelOrigClientOrderId: old,
      cancelReplaceMode: mode,
      ...more,
    });
  await client.askSigned("order.place", limit("b"));
  assertEquals(result(await replace("c", "b", "STOP_ON_FAILURE")).newOrderResult, "SUCCESS");
  const stopped = await replace("d", "b", "STOP_ON_FAILURE");
  assertEquals([...refusal(stopped), stopped.error?.data?.newOrderResult], [400, -2022, "NOT_ATTEMPTED"]);
  const halved = await replace("e", "b", "ALLOW_FAILURE");
  assertEquals([...refusal(halved), halved.error?.data?.newOrderResult], [409, -2021, "SUCCESS"]);
  const partial = await replace("f", "c", "STOP_ON_FAILURE", { quantity: "10000000" });
  assertEquals([...refusal(partial), partial.error?.data?.cancelResult], [409, -2021, "SUCCESS"]);
  assertEquals([...account.placements], [["a", 1], ["b", 1], ["c", 1], ["e", 1]]);
  const all = (await client.askSigned("openOrders.cancelAll", { symbol: "BTCUSDT" })).result as Event[]; // the cast: a list
  assertEquals(all.map(({ origClientOrderId }) => origClientOrderId), ["e"]);
  await client[Symbol.asyncDispose]();
});

test("of an OCO list one order ends the other, and an OTO list places its second order when the first is filled", async () => {
  const { exchange, account, client } = await start();
  await using _exchange = exchange;
  const oco = {
    symbol: "BTCUSDT",
    side: "SELL",
    quantity: "1",
    listClientOrderId: "oco",
    aboveType: "LIMIT_MAKER",
    abovePrice: "110",
    aboveClientOrderId: "above",
    belowType: "STOP_LOSS",
    belowStopPrice: "90",
    belowClientOrderId: "below",
  };
  const placed = result(await client.askSigned("orderList.place.oco", oco));
  assertEquals([placed.contingencyType, (placed.orderReports as Event[]).map(({ status }) => status)], ["OCO", [
    "NEW",
    "NEW",
  ]]); // the cast: a list
  assertEquals((await client.events(4)).map(brief), [["list", "EXEC_STARTED"], ["above", "NEW", "NEW"], [
    "below",
    "NEW",
    "NEW",
  ], ["balances"]]);
  exchange.api.setPrice("BTCUSDT", "111");
  assertEquals((await client.events(4)).map(brief), [["below", "EXPIRED", "EXPIRED"], ["above", "TRADE", "FILLED"], [
    "list",
    "ALL_DONE",
  ], ["balances"]]);
  const oto = {
    symbol: "BTCUSDT",
    listClientOrderId: "oto",
    workingType: "LIMIT",
    workingSide: "BUY",
    workingPrice: "100",
    workingQuantity: "1",
    workingTimeInForce: "GTC",
    workingClientOrderId: "work",
    pendingType: "LIMIT",
    pendingSide: "SELL",
    pendingPrice: "200",
    pendingQuantity: "1",
    pendingTimeInForce: "GTC",
    pendingClientOrderId: "wait",
  };
  await client.askSigned("orderList.place.oto", oto);
  assertEquals(account.orders().slice(2).map(({ status }) => status), ["NEW", "PENDING_NEW"]);
  account.fill("work");
  assertEquals(account.orders().slice(2).map(({ status }) => status), ["FILLED", "NEW"]);
  assertEquals(
    (await client.askSigned("orderList.cancel", { symbol: "BTCUSDT", listClientOrderId: "oto" })).status,
    200,
  );
  assertEquals(account.orders().at(-1)?.status, "CANCELED");
  assertEquals((await client.askSigned("orderList.status", { origClientOrderId: "oto" })).status, 200);
  assertEquals(refusal(await client.askSigned("orderList.cancel", { symbol: "BTCUSDT", listClientOrderId: "oto" })), [
    400,
    -2011,
  ]);
  await client[Symbol.asyncDispose]();
});

test("ids beyond 2^53 are written exactly", async () => {
  const { exchange, client } = await start();
  await using _exchange = exchange;
  exchange.api.nextOrderId(8389766145050669870n);
  await client.askSigned("order.place", limit("large"));
  await client.events(1);
  assertEquals(client.client.received.filter((text) => String(text).includes("8389766145050669870")).length, 2);
  const params = JSON.stringify({ apiKey: API_KEY, orderId: 0, symbol: "BTCUSDT", timestamp: Date.now() }).replace(
    ":0,",
    ":8389766145050669870,",
  );
  const payload = params.replaceAll(/[{}"]/g, "").replaceAll(",", "&").replaceAll(":", "=");
  const signature = hmac(API_SECRET)(payload);
  client.client.send(`{"id":99,"method":"order.status","params":${params.slice(0, -1)},"signature":"${signature}"}}`);
  assertEquals((await client.answer(99)).status, 200);
  await client[Symbol.asyncDispose]();
});

test("futures orders are modified, canceled and expired with their events, and make positions", async () => {
  await using exchange = await startLocalExchange(quiet);
  const account = exchange.account(HMAC_KEY);
  await using client = await ApiClient.open(exchange, "/ws-fapi/v1");
  const { listenKey } = result(await client.ask("userDataStream.start", { apiKey: API_KEY }));
  await using stream = await Client.open(exchange, `/private/ws/${listenKey}`);
  await client.askSigned("order.place", limit("a"));
  const named = { symbol: "BTCUSDT", origClientOrderId: "a" };
  const modified = await client.askSigned("order.modify", { ...named, side: "BUY", quantity: "2", price: "11" });
  assertEquals([result(modified).price, result(modified).origQty], ["11", "2"]);
  const same = await client.askSigned("order.modify", { ...named, side: "BUY", quantity: "2", price: "11" });
  assertEquals(refusal(same), [400, -5027]);
  assertEquals(result(await client.askSigned("order.cancel", named)).status, "CANCELED");
  await client.askSigned("order.place", limit("b"));
  assert(account.expireOrder("b", "usdm"));
  const updates = (await stream.take(5)).map((text) => JSON.parse(String(text)).o);
  assertEquals(updates.map(({ c, x, X, p }) => [c, x, X, p]), [
    ["a", "NEW", "NEW", "10"],
    ["a", "AMENDMENT", "NEW", "11"],
    ["a", "CANCELED", "CANCELED", "11"],
    ["b", "NEW", "NEW", "10"],
    ["b", "EXPIRED", "EXPIRED", "10"],
  ]);
  const market = { symbol: "BTCUSDT", type: "MARKET" };
  exchange.api.setPrice("BTCUSDT", "100", "usdm");
  await client.askSigned("order.place", { ...market, side: "BUY", quantity: "1" });
  exchange.api.setPrice("BTCUSDT", "200", "usdm");
  await client.askSigned("order.place", { ...market, side: "BUY", quantity: "1" });
  const positions = async () => (await client.askSigned("account.position")).result as Event[]; // the cast: a list
  const shown = ({ positionAmt, entryPrice }: Event) => [positionAmt, entryPrice];
  assertEquals((await positions()).map(shown), [["2", "150.00000000"]]);
  await client.askSigned("order.place", { ...market, side: "SELL", quantity: "3" });
  assertEquals((await positions()).map(shown), [["-1", "200.00000000"]]);
});
