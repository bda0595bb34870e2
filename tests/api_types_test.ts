/**
 * What the types of the API functions let through: `deno check` is the test, since a comment that expects an error is
 * itself an error where there is none. Running it only sees that the functions are there.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  type ApiResults,
  bindApi,
  type FuturesApi,
  futuresMethodSpecs,
  type SpotApi,
  spotMethodSpecs,
} from "../src/api/mod.ts";

/** Whether two types are the same, `any` and `unknown` told apart from everything else. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles for `true` only. */
const isTrue = <T extends true>(value: T): T => value;

async function typesOfSpot(spot: SpotApi, price: string | undefined): Promise<void> {
  const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", quantity: 0.001 } as const;
  const time = await spot.time();
  isTrue<Same<typeof time, ApiResults["ServerTime"]>>(true);
  isTrue<Same<typeof time.serverTime, number>>(true);
  const placed = await spot.orderPlace({ ...order, price, timeInForce: "GTC", recvWindow: 1000, brandNew: true });
  isTrue<Same<typeof placed.orderId, number | string | bigint>>(true);
  isTrue<Same<typeof spot.createOrder, typeof spot.orderPlace>>(true);
  await spot.orderPlace({ symbol: "BTCUSDT", side: "BUY", type: "A_NEW_TYPE", quoteOrderQty: 50n });
  await spot.orderStatus({ symbol: "BTCUSDT", orderId: "9223372036854775807" });
  await spot.exchangeInfo();
  await spot.ticker({ symbols: ["BTCUSDT"], returnRateLimits: false });
  await spot.orderListPlaceOco({ ...order, aboveType: "LIMIT_MAKER", belowType: "STOP_LOSS", abovePrice: "70000" });
  await spot.orderTest(order, { timeoutMs: 1000, signal: AbortSignal.timeout(1000) });

  // @ts-expect-error `side` is missing
  await spot.orderPlace({ symbol: "BTCUSDT", type: "LIMIT", quantity: 1 });
  // @ts-expect-error neither `quantity` nor `quoteOrderQty`
  await spot.orderPlace({ symbol: "BTCUSDT", side: "BUY", type: "LIMIT" });
  // @ts-expect-error `side` is `BUY` or `SELL`
  await spot.orderPlace({ ...order, side: "LONG" });
  // @ts-expect-error a number, a bigint or a text
  await spot.orderPlace({ ...order, price: true });
  // @ts-expect-error an object can't be sent
  await spot.orderPlace({ ...order, brandNew: {} });
  // @ts-expect-error no id of the order
  await spot.orderStatus({ symbol: "BTCUSDT" });
  // @ts-expect-error neither `symbol` nor `symbols`
  await spot.ticker({ windowSize: "1h" });
  // @ts-expect-error `symbol` is missing
  await spot.depth();
  // @ts-expect-error there is no such method on spot
  await spot.orderModify(order);
  // @ts-expect-error there is no such option
  await spot.time({}, { timeout: 5 });
}

async function typesOfFutures(futures: FuturesApi): Promise<void> {
  await futures.accountPosition({ pair: "BTCUSD" });
  await futures.accountPosition({ symbol: "BTCUSDT" });
  await futures.accountStatusV2();
  await futures.orderPlace({ symbol: "BTCUSDT", side: "SELL", type: "MARKET", quantity: 1, reduceOnly: "true" });
  await futures.modifyOrder({ symbol: "BTCUSDT", side: "SELL", quantity: 1, price: 2, orderId: 3 });
  const { listenKey } = await futures.userDataStreamStart();
  isTrue<Same<typeof listenKey, string>>(true);

  // @ts-expect-error no id of the order
  await futures.algoOrderCancel({});
  // @ts-expect-error no price
  await futures.orderModify({ symbol: "BTCUSDT", side: "SELL", quantity: 1, orderId: 3 });
  // @ts-expect-error spot only
  await futures.exchangeInfo();
}

test("what the types promise is called as they say", async () => {
  const called: string[] = [];
  const send = (method: { readonly method: string }) => {
    called.push(method.method);
    return Promise.resolve({ listenKey: "" });
  };
  const spot = bindApi(spotMethodSpecs, send);
  const futures = bindApi(futuresMethodSpecs, send);
  // They stop at the first call that the types rightly refuse.
  const ends = await Promise.allSettled([typesOfSpot(spot, undefined), typesOfFutures(futures)]);
  assertEquals(ends.map(({ status }) => status), ["rejected", "rejected"]);
  assertEquals(called.filter((name) => name === "order.place").length, 3);
});
