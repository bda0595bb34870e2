/**
 * Every method of the tables has an answer of the documented shape on the local exchange, and both count alike.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import {
  ApiError,
  type ApiMethod,
  BinanceWebSocketApiManager,
  coinmMethods,
  createSigner,
  spotMethods,
  usdmMethods,
} from "@rawtick/binance";
import { type LocalApiName, type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { testEachLibrary } from "./support.ts";
import { ApiClient, keyPair, type Message, type Params } from "./api_clients.ts";

const quiet = { messagesPerSecond: 0 };

/** Plausible values of parameters. */
const VALUES: Readonly<Record<string, unknown>> = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "1",
  price: "10",
  interval: "1m",
  cancelReplaceMode: "ALLOW_FAILURE",
  newQty: "0.5",
  windowSize: "1d",
  fromId: 1,
  stopPrice: "90",
  symbols: ["BTCUSDT"],
  aboveType: "LIMIT_MAKER",
  abovePrice: "110",
  belowType: "LIMIT_MAKER",
  belowPrice: "120",
  workingType: "LIMIT",
  workingSide: "BUY",
  workingQuantity: "1",
  workingPrice: "10",
  workingTimeInForce: "GTC",
  pendingType: "MARKET",
  pendingSide: "SELL",
  pendingQuantity: "1",
  pendingAboveType: "LIMIT_MAKER",
  pendingAbovePrice: "110",
  algoType: "CONDITIONAL",
  triggerPrice: "90",
};

/** Parameters that are optional for some methods, and that a plausible request has all the same. */
const ALSO = new Set<string>([
  "price",
  "quantity",
  "timeInForce",
  "windowSize",
  "workingPrice",
  "workingTimeInForce",
  "abovePrice",
  "belowPrice",
]);

/** What the results of the tables' types must have; of lists, their first item. */
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  ServerTime: ["serverTime"],
  ExchangeInfo: ["timezone", "serverTime", "rateLimits", "symbols"],
  OrderBook: ["lastUpdateId", "bids", "asks"],
  Trades: ["id", "price", "qty", "quoteQty", "time", "isBuyerMaker"],
  AggregateTrades: ["a", "p", "q", "f", "l", "T", "m"],
  Klines: ["0", "11"],
  AveragePrice: ["mins", "price", "closeTime"],
  Tickers: ["symbol", "lastPrice", "volume"],
  Prices: ["symbol", "price"],
  BookTickers: ["symbol", "bidPrice", "bidQty", "askPrice", "askQty"],
  Order: ["symbol", "orderId", "clientOrderId"],
  Orders: ["symbol", "orderId", "clientOrderId", "status"],
  CancelReplace: ["cancelResult", "newOrderResult", "cancelResponse", "newOrderResponse"],
  AlgoOrder: ["algoId", "clientAlgoId"],
  OrderList: ["orderListId", "contingencyType", "listStatusType", "listOrderStatus", "listClientOrderId", "orders"],
  OrderLists: ["orderListId", "contingencyType", "listStatusType", "listOrderStatus", "listClientOrderId", "orders"],
  Account: ["canTrade", "updateTime"],
  RateLimits: ["rateLimitType", "interval", "intervalNum", "limit", "count"],
  Session: ["apiKey", "authorizedSince", "connectedSince", "returnRateLimits", "serverTime"],
  Subscription: ["subscriptionId"],
  Subscriptions: ["subscriptionId"],
  ListenKey: ["listenKey"],
};

/** The names that a result lacks: those that are in `SHAPES`, or all if it is no list where it should be one. */
function lacking(returns: string, result: unknown): readonly string[] {
  if (returns === "List") return Array.isArray(result) ? [] : ["a list"];
  const isList = /^(Trades|AggregateTrades|Klines|Orders|OrderLists|RateLimits|Subscriptions)$/.test(returns);
  const first: unknown = Array.isArray(result) ? result[0] : result;
  if ((isList && !Array.isArray(result)) || typeof first !== "object" || first === null) return [`${typeof result}`];
  return (SHAPES[returns] ?? []).filter((name) => !(name in first));
}

/** A LIMIT order that rests. */
const limit = (symbol: string): Params => ({
  symbol,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "1",
  price: "10",
});
const result = ({ result }: Message) => result as Record<string, unknown>; // the cast: these results are objects

/** What has to be there before a method makes sense, and the parameters that name it. */
async function prepare(api: LocalApiName, method: string, client: ApiClient, exchange: LocalExchange): Promise<Params> {
  const symbol = api === "coinm" ? "BTCUSD_PERP" : "BTCUSDT";
  const place = async () => result(await client.askSigned("order.place", limit(symbol)));
  if (/^(order\.(cancel|status|modify|amend)|openOrders\.cancelAll)/.test(method) || method === "order.amendments") {
    const { orderId } = await place();
    const id = Number(orderId);
    return method === "order.cancelReplace"
      ? { cancelOrderId: id }
      : method.startsWith("openOrders")
      ? {}
      : { orderId: id, ...(method === "order.modify" ? { price: "11" } : {}) };
  }
  if (method === "orderList.cancel" || method === "orderList.status") {
    const params = {
      symbol,
      side: "SELL",
      quantity: "1",
      aboveType: "LIMIT_MAKER",
      abovePrice: "110",
      belowType: "LIMIT_MAKER",
      belowPrice: "120",
    };
    return { orderListId: Number(result(await client.askSigned("orderList.place.oco", params)).orderListId) };
  }
  if (method === "orderList.place.opoco" || method === "orderList.place.otoco") {
    return { workingTimeInForce: "GTC", pendingAbovePrice: "110" };
  }
  if (method === "orderList.place") return { stopPrice: "90" };
  if (method === "algoOrder.place") return { type: "STOP_MARKET", triggerPrice: "90" };
  if (method === "algoOrder.cancel") {
    const params = {
      algoType: "CONDITIONAL",
      symbol,
      side: "SELL",
      type: "STOP_MARKET",
      triggerPrice: "90",
      quantity: "1",
    };
    return { algoId: Number(result(await client.askSigned("algoOrder.place", params)).algoId) };
  }
  if (/^(openOrders\.status|allOrders)$/.test(method)) await place();
  if (/^(openOrderLists\.status|allOrderLists)$/.test(method)) {
    await prepare(api, "orderList.cancel", client, exchange);
    return {};
  }
  if (method === "session.subscriptions") await client.askSigned("userDataStream.subscribe.signature");
  if (method === "userDataStream.subscribe") await client.askSigned("session.logon");
  if (method === "userDataStream.unsubscribe") await client.askSigned("userDataStream.subscribe.signature");
  if (method === "userDataStream.subscribe.listenToken") {
    const response = await fetch(`${exchange.restUrl}/sapi/v1/userListenToken`, {
      method: "POST",
      headers: { "X-MBX-APIKEY": "ed" },
    });
    return { listenToken: (await response.json()).token };
  }
  if (/^userDataStream\.(ping|stop)$/.test(method)) {
    return { listenKey: String(result(await client.ask("userDataStream.start", { apiKey: "ed" })).listenKey) };
  }
  return {};
}

/** A plausible request, with what has to be there before it. */
async function requestOf(
  api: LocalApiName,
  { method, required, optional, alternatives }: ApiMethod,
  client: ApiClient,
  exchange: LocalExchange,
): Promise<Params> {
  const named = await prepare(api, method, client, exchange);
  const also = [...optional, ...alternatives.flat()].filter((name) => ALSO.has(name));
  const params = Object.fromEntries([...required, ...also].map((name) => [name, VALUES[name]]));
  if (api === "coinm" && params.symbol !== undefined) params.symbol = "BTCUSD_PERP";
  if (method === "algoOrder.place") { for (const name of ["price", "timeInForce"]) delete params[name]; }
  Object.assign(params, named);
  for (const names of alternatives) {
    if (!names.some((name) => name in params)) params[names[0] ?? ""] = VALUES[names[0] ?? ""] ?? 1;
  }
  return params as Params; // the cast: the values above
}

const APIS = [["spot", "/ws-api/v3", spotMethods], ["usdm", "/ws-fapi/v1", usdmMethods], [
  "coinm",
  "/ws-dapi/v1",
  coinmMethods,
]] as const;

for (const [api, path, methods] of APIS) {
  test(`${api}: every method of the table has an answer, the weight of the table and its count of orders`, async () => {
    await using exchange = await startLocalExchange(quiet);
    exchange.api.spotListenKeys(true);
    const pair = keyPair("ed25519");
    exchange.account({ apiKey: "ed", publicKey: pair.publicKey });
    const failures: unknown[] = [];
    for (const spec of methods.values()) {
      const { method, security, weight, freeIfSuccessful, orders, returns } = spec;
      await using client = await ApiClient.open(exchange, path, { apiKey: "ed", sign: pair.sign });
      const sent = await requestOf(api, spec, client, exchange);
      const before = exchange.api.usedWeight(api);
      const answer = security === "SIGNED"
        ? await client.askSigned(method, sent)
        : await client.ask(method, security === "API_KEY" ? { ...sent, apiKey: "ed" } : sent);
      const charged = exchange.api.usedWeight(api) - before;
      const expected = freeIfSuccessful ? 0 : weight(sent);
      if (answer.status !== 200) failures.push([method, answer.error, sent]);
      else if (lacking(returns, answer.result).length > 0) failures.push([method, lacking(returns, answer.result)]);
      else if (charged !== expected) failures.push([method, "weight", charged, expected]);
      const hasOrders = answer.rateLimits?.some(({ rateLimitType }) => rateLimitType === "ORDERS") ?? false;
      if (answer.status === 200 && hasOrders !== orders > 0) failures.push([method, "orders", hasOrders, orders]);
    }
    assertEquals(failures, []);
    assertEquals(
      [...exchange.api.methods(api)].filter((method) => !methods.has(method)),
      [],
      "the exchange has no others",
    );
  });
}

const EXCHANGES = { spot: "binance.com", usdm: "binance.com-futures", coinm: "binance.com-coin_futures" } as const;
/** What the state of a connection that serves all methods in turn makes of some; all others succeed. */
const EXPECTED_ERRORS: Readonly<Record<string, number>> = { "userDataStream.subscribe": -1193 };

for (const [api, path, methods] of APIS) {
  testEachLibrary(`${api}: every function of the manager is sent once and answered`, async (library) => {
    await using exchange = await startLocalExchange(quiet);
    exchange.api.spotListenKeys(true);
    const { publicKey, privateKey, sign } = keyPair("ed25519");
    exchange.account({ apiKey: "ed", publicKey });
    await using client = await ApiClient.open(exchange, path, { apiKey: "ed", sign });
    await using manager = new BinanceWebSocketApiManager({
      exchange: EXCHANGES[api],
      websocketLibrary: library,
      websocketApiBaseUrl: exchange.url,
      restBaseUrl: exchange.restUrl,
      signer: createSigner({ apiKey: "ed", privateKey }),
    });
    await manager.createStream({ api: true }).ready;
    // The cast: the functions are called by the names in the table.
    const functions = (api === "spot" ? manager.api.spot : manager.api.futures) as unknown as Record<
      string,
      (params: Params) => Promise<unknown>
    >;
    const failures: unknown[] = [];
    for (const spec of methods.values()) {
      const { method, functionName } = spec;
      const params = await requestOf(api, spec, client, exchange);
      const sent = () => exchange.api.requests.filter((request) => request.method === method).length;
      const before = sent();
      const outcome = await functions[functionName]?.(params).then(() => undefined, (error: unknown) => error);
      const code = outcome instanceof ApiError ? outcome.apiCode : outcome;
      if (code !== EXPECTED_ERRORS[method]) failures.push([method, outcome]);
      if (sent() !== before + 1) failures.push([method, "sent", sent() - before]);
    }
    assertEquals(failures, []);
  });
}
