/**
 * The functions that are made from the tables of methods: their names, what they send, what they refuse.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  type ApiFunctionOptions,
  type ApiMethod,
  bindApi,
  coinmMethods,
  type FuturesApi,
  futuresMethodSpecs,
  type Params,
  type SpotApi,
  spotMethods,
  spotMethodSpecs,
  usdmMethods,
} from "../src/api/mod.ts";
import { InvalidOptionsError } from "../src/base/mod.ts";

/** What a sender was given. */
interface Sent {
  readonly method: ApiMethod;
  readonly params: Params;
  readonly options: ApiFunctionOptions;
}

/** The functions over a sender that notes what it is given and answers with the name of the method. */
function recorded(): { spot: SpotApi; futures: FuturesApi; sent: Sent[] } {
  const sent: Sent[] = [];
  const send = (method: ApiMethod, params: Params, options: ApiFunctionOptions) => {
    sent.push({ method, params, options });
    return Promise.resolve(method.method);
  };
  return { spot: bindApi(spotMethodSpecs, send), futures: bindApi(futuresMethodSpecs, send), sent };
}

/** The functions as a user without types sees them. */
function untyped(api: SpotApi | FuturesApi): Readonly<Record<string, (params?: unknown) => Promise<unknown>>> {
  // The cast: the test calls every function with whatever it needs.
  return api as unknown as Readonly<Record<string, (params?: unknown) => Promise<unknown>>>;
}

/** What a method needs, each with some value. */
function needed({ required, alternatives }: ApiMethod): Record<string, string> {
  return Object.fromEntries(
    [...required, ...alternatives.flatMap((group) => group.slice(-1))].map((one) => [one, "1"]),
  );
}

test("every method is sent by its function and by its aliases, and by no other name", async () => {
  const { spot, futures, sent } = recorded();
  for (const [api, methods] of [[spot, spotMethods], [futures, usdmMethods]] as const) {
    const names = new Set(Object.keys(api));
    for (const method of methods.values()) {
      for (const name of [method.functionName, ...method.aliases]) {
        assertEquals(await untyped(api)[name]?.(needed(method)), method.method, name);
        assertEquals(sent.pop()?.params, needed(method));
        names.delete(name);
      }
    }
    assertEquals([...names], []);
  }
  for (const { method } of coinmMethods.values()) assert(usdmMethods.has(method), method);
});

test("the names of the reference product are there", () => {
  const { spot, futures } = recorded();
  const spotNames =
    "ping getServerTime getExchangeInfo getOrderBook getRecentTrades getHistoricalTrades getAggregateTrades getKlines getUiKlines getCurrentAveragePrice getListenKey getAccountStatus getUnfilledOrderCount getOrder getOpenOrders createOrder createTestOrder cancelOrder cancelOpenOrders cancelAndReplaceOrder";
  assertEquals(spotNames.split(" ").filter((name) => !(name in spot)), []);
  const futuresNames =
    "ping getServerTime getOrderBook getTickerPrice getTickerOrderBook getAccountBalance getAccountPosition getAccountStatus createOrder modifyOrder cancelOrder getOrder getListenKey";
  assertEquals(futuresNames.split(" ").filter((name) => !(name in futures)), []);
  assertStrictEquals(spot.createOrder, spot.orderPlace);
});

test("parameters that are in no table are sent, and the options are handed on", async () => {
  const { spot, sent } = recorded();
  const options: ApiFunctionOptions = { timeoutMs: 1000, stream: "orders", id: "mine" };
  const params = { symbol: "BTCUSDT", side: "BUY", type: "NEW_TYPE", quantity: 0.001, newParameter: true } as const;
  await spot.orderPlace(params, options);
  assertStrictEquals(sent[0]?.params, params);
  assertStrictEquals(sent[0]?.options, options);
  await spot.time();
  assertEquals(sent[1]?.params, {});
});

test("a required parameter that is missing is an error before anything is sent", async () => {
  const { spot, futures, sent } = recorded();
  for (const [api, methods] of [[spot, spotMethods], [futures, usdmMethods]] as const) {
    for (const method of methods.values()) {
      for (const missing of method.required) {
        for (const value of [undefined, null, ""]) {
          const params = { ...needed(method), [missing]: value };
          const call = async () => await untyped(api)[method.functionName]?.(params);
          const error = await assertRejects(
            call,
            InvalidOptionsError,
            `Cannot send "${method.method}" without "${missing}"`,
          );
          assertEquals(error.path, missing);
        }
      }
      for (const group of method.alternatives) {
        const params = { ...needed(method), ...Object.fromEntries(group.map((one) => [one, undefined])) };
        const call = async () => await untyped(api)[method.functionName]?.(params);
        const error = await assertRejects(call, InvalidOptionsError, `"${method.method}" without`);
        for (const one of group) assert(error.message.includes(`"${one}"`), error.message);
      }
    }
  }
  assertEquals(sent, []);
});

test("all required parameters that are missing are named at once", async () => {
  const { spot, sent } = recorded();
  await assertRejects(
    () => untyped(spot).orderPlace?.({ symbol: "BTCUSDT" }) ?? Promise.resolve(),
    InvalidOptionsError,
    'Cannot send "order.place" without "side" and "type"',
  );
  await assertRejects(
    () => untyped(spot).orderStatus?.({ symbol: "BTCUSDT" }) ?? Promise.resolve(),
    InvalidOptionsError,
    'Cannot send "order.status" without "orderId" or "origClientOrderId"',
  );
  for (const wrong of ["BTCUSDT", null, ["BTCUSDT"], 1]) {
    await assertRejects(
      () => untyped(spot).depth?.(wrong) ?? Promise.resolve(),
      InvalidOptionsError,
      'Cannot send "depth": expected an object',
    );
  }
  assertEquals(sent, []);
});

test("0 and false are values, not missing ones", async () => {
  const { spot, sent } = recorded();
  await spot.blockTradesHistorical({ symbol: "BTCUSDT", fromId: 0 });
  assertEquals(sent[0]?.params, { symbol: "BTCUSDT", fromId: 0 });
});

test("the functions can't be replaced, and the sender's error arrives as it is", async () => {
  const failure = new Error("not sent");
  const spot = bindApi(spotMethodSpecs, () => Promise.reject(failure));
  assert(Object.isFrozen(spot));
  assertStrictEquals(await spot.time().catch((error: unknown) => error), failure);
});
