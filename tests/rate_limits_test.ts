/**
 * Rate limits: windows by the exchange's clock, its own counts, bans, and what a full window does to requests.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ApiError, type ApiRateLimit, createSigner, RateLimitedError } from "@rawtick/binance";
import { ManualClock } from "@rawtick/binance/testing";
import type { KnownLimit } from "../src/api/rate_limit_window.ts";
import { RateLimits } from "../src/api/rate_limits.ts";
import { apiManager, startApiServer } from "./api_server.ts";
import { testEachLibrary, until } from "./support.ts";

const signer = createSigner({ apiKey: "key", apiSecret: "secret" });
const ORDER = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" };

const weightPerMinute = (limit: number): KnownLimit => ({
  rateLimitType: "REQUEST_WEIGHT",
  interval: "MINUTE",
  intervalNum: 1,
  limit,
});
const ordersPer10s = (limit: number): KnownLimit => ({
  rateLimitType: "ORDERS",
  interval: "SECOND",
  intervalNum: 10,
  limit,
});
const cost = (weight: number, orders = 0, account: string | undefined = undefined) => ({ weight, orders, account });

/** A minute begins at 0. */
const MINUTE = 1_770_000_000_000 - 1_770_000_000_000 % 60_000;

test("windows end with the exchange's minute, not a minute after the first request", () => {
  const clock = new ManualClock(MINUTE + 57_000);
  const limits = new RateLimits(clock, () => 1_000, [weightPerMinute(100)]);
  limits.charge(cost(90));
  assertEquals(limits.blockOf(cost(10)), undefined);
  // Two seconds are left by the exchange's clock, and a little more is waited.
  assertEquals(limits.blockOf(cost(11))?.delayMs, 2_050);
  clock.advance(2_050);
  assertEquals(limits.blockOf(cost(100)), undefined);
});

test("the exchange's count replaces ours, and what was sent since is added to it", () => {
  const clock = new ManualClock(MINUTE);
  const limits = new RateLimits(clock, () => 0, [weightPerMinute(100)]);
  const first = limits.charge(cost(10));
  limits.charge(cost(20));
  limits.answered(first, [{ ...weightPerMinute(120), count: 50 }], false);
  assertEquals(limits.snapshot(undefined), [{ ...weightPerMinute(120), count: 70 }]);
});

test("an answer to a request of the last window says nothing of this one", () => {
  const clock = new ManualClock(MINUTE + 59_000);
  const limits = new RateLimits(clock, () => 0, [weightPerMinute(100)]);
  const late = limits.charge(cost(1));
  clock.advance(1_010);
  limits.answered(late, [{ ...weightPerMinute(100), count: 99 }], false);
  assertEquals(limits.snapshot(undefined)[0]?.count, 0);
});

test("what is sent at the very end of a window counts in the next one too, since it may arrive there", () => {
  const clock = new ManualClock(MINUTE + 59_990);
  const limits = new RateLimits(clock, () => 0, [weightPerMinute(100)]);
  limits.charge(cost(3));
  clock.advance(20);
  assertEquals(limits.snapshot(undefined)[0]?.count, 3);
  clock.advance(60_000);
  assertEquals(limits.snapshot(undefined)[0]?.count, 0);
});

test("orders are counted by account, and do not hold back what places none", () => {
  const clock = new ManualClock(MINUTE);
  const limits = new RateLimits(clock, () => 0, [weightPerMinute(100), ordersPer10s(2)]);
  limits.charge(cost(1, 2, "a"));
  const block = limits.blockOf(cost(1, 1, "a"));
  assertEquals([block?.delayMs, block?.isForOrders], [10_050, true]);
  assertEquals(limits.blockOf(cost(1, 1, "b")), undefined);
  assertEquals(limits.blockOf(cost(1)), undefined);
});

test("what is free if it succeeds is given back, unless the exchange tells its count", () => {
  const clock = new ManualClock(MINUTE);
  const limits = new RateLimits(clock, () => 0, [weightPerMinute(100)]);
  limits.answered(limits.charge(cost(5)), [], true);
  assertEquals(limits.snapshot(undefined)[0]?.count, 0);
  limits.answered(limits.charge(cost(5)), [{ ...weightPerMinute(100), count: 3 }], true);
  assertEquals(limits.snapshot(undefined)[0]?.count, 3);
});

test("a ban without a time lasts 5 minutes, a limit 1 minute, and the longer one counts", () => {
  const clock = new ManualClock(MINUTE);
  const limits = new RateLimits(clock, () => 500, []);
  limits.refused(418, undefined);
  limits.refused(429, undefined);
  assertEquals(limits.pauseMs, 300_000);
  limits.refused(418, clock.now() + 500 + 400_000);
  assertEquals(limits.pauseMs, 400_050);
});

test("too many orders fill the window that the exchange names, of that account alone", () => {
  const clock = new ManualClock(MINUTE);
  const perDay: KnownLimit = { ...ordersPer10s(160_000), interval: "DAY", intervalNum: 1 };
  const limits = new RateLimits(clock, () => 0, [weightPerMinute(100), ordersPer10s(50), perDay]);
  limits.ordersRefused("a", "Too many new orders; current limit is 50 orders per 10 SECOND.");
  assertEquals(limits.blockOf(cost(1, 1, "a"))?.delayMs, 10_050);
  assertEquals([limits.blockOf(cost(1, 1, "b")), limits.blockOf(cost(1)), limits.pauseMs], [undefined, undefined, 0]);
  clock.advance(10_050);
  assertEquals(limits.blockOf(cost(1, 1, "a")), undefined);
  limits.ordersRefused("a", "Too many new orders.");
  assertEquals(limits.blockOf(cost(1, 1, "a"))?.delayMs, 10_000);
  limits.ordersRefused("b", "Too many new orders; current limit is 200000 orders per 1 DAY.");
  assert((limits.blockOf(cost(1, 1, "b"))?.delayMs ?? 0) > 10_050, "until the day ends");
  const unknown = new RateLimits(clock, () => 0, []);
  unknown.ordersRefused("a", "Too many new orders.");
  assertEquals([unknown.blockOf(cost(1, 1, "a"))?.delayMs, unknown.blockOf(cost(1))], [10_000, undefined]);
});

testEachLibrary(
  "too many orders without a time to wait until hold back orders, and no cancellation",
  async (library) => {
    await using server = await startApiServer((call, reply) => {
      if (call.method !== "order.place") return false;
      reply.error(429, -1015, "Too many new orders; current limit is 160000 orders per 1 DAY.");
      return true;
    });
    await using manager = apiManager(server, library, { signer });
    const stream = manager.createStream({ api: true });
    await assertRejects(() => stream.request("order.place", ORDER), ApiError, "Too many new orders");
    await stream.request("order.cancel", { symbol: "BTCUSDT", orderId: 1 }, { onRateLimit: "error" });
    const held = await assertRejects(() => stream.request("order.place", ORDER, { timeoutMs: 100 }), RateLimitedError);
    assert(held.message.includes("1 DAY"), held.message);
    const other = createSigner({ apiKey: "other", apiSecret: "secret" });
    await assertRejects(() => stream.request("order.place", ORDER, { signer: other }), ApiError, "Too many new orders");
    assertEquals(server.callsOf("order.place").length, 2);
  },
);

testEachLibrary(
  "429 and 418 stop all sending until the time that they name, on all streams of the manager",
  async (library) => {
    for (const status of [429, 418]) {
      let arrivedAt: number[] = [];
      let retryAt = 0;
      await using server = await startApiServer((call, reply) => {
        arrivedAt.push(Date.now());
        if (call.method !== "depth") return false;
        retryAt = Date.now() + 400;
        reply.error(status, -1003, "Way too much request weight used.", { retryAfter: retryAt });
        return true;
      });
      await using manager = apiManager(server, library, { signer });
      const [first, second] = [manager.createStream({ api: true }), manager.createStream({ api: true })];
      await Promise.all([first.ready, second.ready]);
      const error = await assertRejects(() => first.request("depth", { symbol: "BTCUSDT" }), ApiError);
      assertEquals([error.status, error.data], [status, { retryAfter: retryAt }]);
      arrivedAt = [];
      const limited = await assertRejects(() => second.request("ping", {}, { timeoutMs: 100 }), RateLimitedError);
      assert(limited.retryAfterMs > 100 && limited.retryAfterMs <= 460, `${limited.retryAfterMs} ms`);
      await assertRejects(() => second.request("ping", {}, { onRateLimit: "error" }), RateLimitedError, String(status));
      await Promise.all([second.request("ping"), first.request("order.place", ORDER)]);
      assertEquals(arrivedAt.length, 2);
      for (const at of arrivedAt) assert(at >= retryAt, `${retryAt - at} ms too early`);
    }
  },
);

test("a time beyond all bans is cut to the longest ban, and all ways to name a window of orders are understood", () => {
  const clock = new ManualClock(MINUTE);
  const banned = new RateLimits(clock, () => 0, []);
  banned.refused(418, Date.parse("2099-01-01"));
  assertEquals(banned.pauseMs, 3 * 86_400_000);
  const cases = [
    ["50 orders per 10 SECOND.", "SECOND", 10],
    ["300 orders per TEN_SECONDS.", "SECOND", 10],
    ["1200 orders per MINUTE.", "MINUTE", 1],
  ] as const;
  for (const [words, interval, intervalNum] of cases) {
    const windows = [ordersPer10s(1_000), { ...ordersPer10s(2_000), interval: "MINUTE", intervalNum: 1 }];
    const limits = new RateLimits(clock, () => 0, windows);
    limits.ordersRefused("key", `Too many new orders; current limit is ${words}`);
    const full = limits.snapshot("key").filter(({ count, limit }) => count === limit);
    assertEquals(full.map((window) => [window.interval, window.intervalNum]), [[interval, intervalNum]], words);
  }
});

testEachLibrary(
  "nothing connects in a ban that the stream knows of, and requests wait for its end",
  async (library) => {
    let retryAt = 0;
    let connectedAt = 0;
    await using server = await startApiServer((call, reply) => {
      if (call.connection > 1) connectedAt ||= Date.now();
      if (call.method !== "depth") return false;
      retryAt = Date.now() + 700;
      reply.error(418, -1003, "Way too much request weight used; IP banned.", { retryAfter: retryAt });
      return true;
    });
    await using manager = apiManager(server, library, { signer });
    const stream = manager.createStream({ api: true });
    await stream.ready;
    await assertRejects(() => stream.request("depth", { symbol: "BTCUSDT" }), ApiError);
    // The connections of a banned address are closed, too.
    server.kill();
    await until(() => !stream.isReady, "the connection lost");
    const { state, stateReason } = stream;
    await stream.request("ping", {}, { timeoutMs: 20_000 });
    assertEquals([state, server.connections], ["restarting", 2]);
    assertMatch(stateReason ?? "", /^the connection ended/);
    assert(connectedAt >= retryAt, `${retryAt - connectedAt} ms too early`);
  },
);

testEachLibrary("a full window holds requests back until it ends, in their order", async (library) => {
  const limit: ApiRateLimit = { ...ordersPer10s(2), intervalNum: 1, count: 0 };
  const arrivals: [string, number][] = [];
  await using server = await startApiServer((call, reply) => {
    if (call.method === "time") return false;
    arrivals.push([String(call.params.newClientOrderId ?? call.method), Date.now()]);
    const second = Math.floor(Date.now() / 1_000);
    const count = arrivals.filter(([id, at]) => id.startsWith("o") && Math.floor(at / 1_000) === second).length;
    const isOrder = call.method === "order.place";
    if (isOrder && count > 2) reply.error(400, -1015, "Too many new orders.");
    else reply.result({}, isOrder ? { rateLimits: [{ ...limit, count }] } : {});
    return true;
  });
  await using manager = apiManager(server, library, { signer });
  const stream = manager.createStream({ api: true });
  await stream.request("order.place", { ...ORDER, newClientOrderId: "o0" });
  const ids = ["o1", "o2", "o3", "o4", "o5"];
  const orders = ids.map((newClientOrderId) => stream.request("order.place", { ...ORDER, newClientOrderId }));
  await stream.request("order.cancel", { symbol: "BTCUSDT", orderId: 1 });
  const cancelledAt = arrivals.findIndex(([id]) => id === "order.cancel");
  await Promise.all(orders);
  assertEquals(arrivals.filter(([id]) => id.startsWith("o") && id.length === 2).map(([id]) => id), ["o0", ...ids]);
  assert(cancelledAt < 4, "the cancellation has waited for a limit of orders");
});

testEachLibrary("a single order does not overtake a list of two that waits for its window", async (library) => {
  const limit: ApiRateLimit = { ...ordersPer10s(3), intervalNum: 1, count: 2 };
  await using server = await startApiServer((call, reply) => {
    if (call.method === "time") return false;
    reply.result({}, call.params.newClientOrderId === "first" ? { rateLimits: [limit] } : {});
    return true;
  });
  await using manager = apiManager(server, library, { signer });
  const stream = manager.createStream({ api: true });
  await stream.ready;
  // From the beginning of a window on, so that all of them are made in it.
  await new Promise((resolve) => setTimeout(resolve, 1_000 - Date.now() % 1_000));
  await stream.request("order.place", { ...ORDER, newClientOrderId: "first" });
  const list = stream.request("orderList.place.oco", { symbol: "BTCUSDT" });
  await Promise.all([list, stream.request("order.place", ORDER)]);
  const methods = server.calls.map(({ method }) => method).filter((method) => method !== "time");
  assertEquals(methods, ["order.place", "orderList.place.oco", "order.place"]);
});
