/**
 * The tables of methods against what Binance documents, and the document against the tables.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type ApiMethods, coinmMethods, type Params, spotMethods, usdmMethods } from "../src/api/mod.ts";
import { apiDocument } from "../tools/api_document.ts";

/** A line of the facts: methods, permission and security, weight with no parameters beyond the required ones, orders. */
type Fact = readonly [methods: string, access: string, security: string, weight: number, orders?: number];

/** Binance web-socket-api.md; orders as it says beside each weight. */
const SPOT: readonly Fact[] = [
  ["ping time", "NONE", "NONE", 1],
  ["exchangeInfo", "NONE", "NONE", 20],
  ["executionRules", "NONE", "NONE", 40],
  ["depth", "NONE", "NONE", 5],
  ["trades.recent trades.historical blockTrades.historical", "NONE", "NONE", 25],
  ["trades.aggregate", "NONE", "NONE", 4],
  ["klines uiKlines avgPrice referencePrice referencePrice.calculation", "NONE", "NONE", 2],
  ["ticker.24hr", "NONE", "NONE", 80],
  ["ticker.tradingDay ticker", "NONE", "NONE", 200],
  ["ticker.price ticker.book", "NONE", "NONE", 4],
  ["session.logon", "SESSION", "SIGNED", 2],
  ["session.status session.logout session.subscriptions", "SESSION", "NONE", 2],
  ["userDataStream.subscribe userDataStream.unsubscribe", "USER_STREAM", "NONE", 2],
  ["userDataStream.subscribe.signature", "USER_STREAM", "SIGNED", 2],
  ["userDataStream.subscribe.listenToken", "USER_STREAM", "NONE", 2],
  ["userDataStream.start userDataStream.ping userDataStream.stop", "USER_STREAM", "API_KEY", 2],
  ["order.place order.cancelReplace sor.order.place orderList.place", "TRADE", "SIGNED", 1, 1],
  ["orderList.place.oco orderList.place.oto orderList.place.opo", "TRADE", "SIGNED", 1, 2],
  ["orderList.place.otoco orderList.place.opoco", "TRADE", "SIGNED", 1, 3],
  ["order.test sor.order.test order.cancel openOrders.cancelAll orderList.cancel", "TRADE", "SIGNED", 1],
  ["order.amend.keepPriority", "TRADE", "SIGNED", 4],
  ["account.status allOrders allOrderLists myTrades myAllocations account.commission", "USER_DATA", "SIGNED", 20],
  ["order.status orderList.status order.amendments", "USER_DATA", "SIGNED", 4],
  ["openOrders.status", "USER_DATA", "SIGNED", 80],
  ["openOrderLists.status", "USER_DATA", "SIGNED", 6],
  ["account.rateLimits.orders myFilters", "USER_DATA", "SIGNED", 40],
  ["myPreventedMatches", "USER_DATA", "SIGNED", 2],
];
const FUTURES: readonly Fact[] = [
  ["ping time", "NONE", "NONE", 1],
  ["order.place", "TRADE", "SIGNED", 0, 1],
  ["order.cancel", "TRADE", "SIGNED", 1],
  ["order.status", "USER_DATA", "SIGNED", 1],
  ["account.position account.balance account.status", "USER_DATA", "SIGNED", 5],
  ["userDataStream.start userDataStream.ping userDataStream.stop", "USER_STREAM", "API_KEY", 1],
  ["session.logon", "SESSION", "SIGNED", 2],
  ["session.status session.logout", "SESSION", "NONE", 2],
];
const USDM: readonly Fact[] = [
  ...FUTURES,
  ["depth", "NONE", "NONE", 10],
  ["ticker.price", "NONE", "NONE", 2],
  ["ticker.book", "NONE", "NONE", 5],
  ["order.modify algoOrder.place", "TRADE", "SIGNED", 0, 1],
  ["algoOrder.cancel", "TRADE", "SIGNED", 1],
  ["v2/account.position v2/account.balance v2/account.status", "USER_DATA", "SIGNED", 5],
];
const COINM: readonly Fact[] = [...FUTURES, ["order.modify", "TRADE", "SIGNED", 1, 1]];

const TABLES: readonly (readonly [string, ApiMethods, readonly Fact[]])[] = [
  ["spot", spotMethods, SPOT],
  ["USD-M", usdmMethods, USDM],
  ["COIN-M", coinmMethods, COINM],
];

for (const [name, methods, facts] of TABLES) {
  test(`the table of ${name} has every method with its permission, security, weight and orders, and no other`, () => {
    const expected = facts.flatMap(([names, access, security, weight, orders = 0]) =>
      names.split(" ").map((method) => [method, { access, security, weight, orders }] as const)
    );
    const found = [...methods.values()].map((method) => {
      const { access, security, orders } = method;
      return [method.method, { access, security, weight: method.weight({}), orders }] as const;
    });
    assertEquals(Object.fromEntries(found), Object.fromEntries(expected));
  });

  test(`in the table of ${name} what trades or ends something changes state, and what asks or tests doesn't`, () => {
    const changing = [...methods.values()].filter(({ changesState }) => changesState).map(({ method }) => method);
    const expected = [...methods.values()].filter(({ method, access }) =>
      access === "TRADE" ? !method.endsWith(".test") : /\.(stop|logout|subscribe.*|unsubscribe)$/.test(method)
    );
    assertEquals(changing, expected.map(({ method }) => method));
  });

  test(`the functions of ${name} have names of their own, and so have the aliases`, () => {
    const names = [...methods.values()].flatMap(({ functionName, aliases }) => [functionName, ...aliases]);
    assertEquals(names.filter((one, index) => names.indexOf(one) !== index), []);
    assertEquals(names.filter((one) => !/^[a-z][A-Za-z0-9]*$/.test(one)), []);
  });

  test(`no parameter of ${name} is listed twice, and none that the stream adds`, () => {
    for (const { method, required, optional, alternatives } of methods.values()) {
      const all = [...required, ...optional, ...alternatives.flat()] as string[];
      assertEquals(all.length, new Set(all).size, method);
      assert(!all.some((one) => ["apiKey", "timestamp", "signature", "recvWindow"].includes(one)), method);
    }
  });
}

/** A rule for a weight: method, parameters, weight. */
type Weight = readonly [method: string, params: Params, weight: number];

/** `count` symbols. */
const symbols = (count: number): Params => ({ symbols: Array.from({ length: count }, (_, index) => `S${index}`) });

function checkWeights(methods: ApiMethods, weights: readonly Weight[]): void {
  for (const [method, params, weight] of weights) {
    assertEquals(
      methods.get(method)?.weight(params),
      weight,
      `${method} with ${Object.entries(params).join(" ").slice(0, 60)}`,
    );
  }
}

test("the weights of spot follow the parameters", () => {
  const symbol = "BTCUSDT";
  checkWeights(spotMethods, [
    ["depth", { symbol }, 5],
    ["depth", { symbol, limit: 100 }, 5],
    ["depth", { symbol, limit: 101 }, 25],
    ["depth", { symbol, limit: "500" }, 25],
    ["depth", { symbol, limit: 501 }, 50],
    ["depth", { symbol, limit: 1000n }, 50],
    ["depth", { symbol, limit: 1001 }, 250],
    ["depth", { symbol, limit: 5000 }, 250],
    ["executionRules", { symbol }, 2],
    ["executionRules", symbols(3), 6],
    ["executionRules", symbols(21), 40],
    ["ticker.24hr", { symbol }, 2],
    ["ticker.24hr", symbols(20), 2],
    ["ticker.24hr", symbols(21), 40],
    ["ticker.24hr", symbols(100), 40],
    ["ticker.24hr", symbols(101), 80],
    ["ticker.tradingDay", { symbol }, 4],
    ["ticker.tradingDay", symbols(50), 200],
    ["ticker.tradingDay", symbols(51), 200],
    ["ticker", { symbol }, 4],
    ["ticker", symbols(2), 8],
    ["ticker", symbols(100), 200],
    ["ticker.price", { symbol }, 2],
    ["ticker.price", symbols(1), 4],
    ["ticker.book", { symbol }, 2],
    ["ticker.book", symbols(2), 4],
    ["order.test", { computeCommissionRates: true }, 20],
    ["order.test", { computeCommissionRates: false }, 1],
    ["sor.order.test", { computeCommissionRates: true }, 20],
    ["openOrders.status", { symbol }, 6],
    ["myTrades", { symbol, orderId: 1 }, 5],
    ["myPreventedMatches", { symbol, preventedMatchId: 1 }, 2],
    ["myPreventedMatches", { symbol, orderId: 1 }, 20],
  ]);
});

test("the weights of futures follow the parameters", () => {
  const symbol = "BTCUSDT";
  checkWeights(usdmMethods, [
    ["depth", { symbol, limit: 5 }, 2],
    ["depth", { symbol, limit: 50 }, 2],
    ["depth", { symbol, limit: 100 }, 5],
    ["depth", { symbol, limit: 500 }, 10],
    ["depth", { symbol, limit: 1000 }, 20],
    ["ticker.price", { symbol }, 1],
    ["ticker.book", { symbol }, 2],
  ]);
});

test("on spot what trades costs no weight if it succeeds, and nothing else is free", () => {
  const free = [...spotMethods.values()].filter(({ freeIfSuccessful }) => freeIfSuccessful);
  const trading = [...spotMethods.values()].filter(({ access, method }) =>
    access === "TRADE" && !method.endsWith(".test")
  );
  assertEquals(free.map(({ method }) => method), trading.map(({ method }) => method));
  assertEquals([...usdmMethods.values(), ...coinmMethods.values()].filter((method) => method.freeIfSuccessful), []);
});

test("only the subscription without a signature needs a logon", () => {
  const needing = [...spotMethods.values()].filter(({ needsLogon }) => needsLogon);
  assertEquals(needing.map(({ method }) => method), ["userDataStream.subscribe"]);
});

test("docs/websocket_api.md is what the tables say", () => {
  const url = new URL("../docs/websocket_api.md", import.meta.url);
  assertEquals(readFileSync(url, "utf8"), apiDocument(), "Run tools/api_document.ts");
});
