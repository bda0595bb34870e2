/**
 * The life of an order at the local exchange, cut off at each step: what the caller is told, and how often it was placed.
 *
 * @module
 */

import { assertEquals, assertInstanceOf } from "@std/assert";
import {
  ApiError,
  BinanceWebSocketApiManager,
  createSigner,
  RawtickError,
  RequestOutcomeUnknownError,
} from "@rawtick/binance";
import { type ApiDisturbance, type ApiDisturbOptions, startLocalExchange } from "@rawtick/binance/testing";
import { HMAC_KEY } from "./api_clients.ts";
import { testEachLibrary, until } from "./support.ts";

const LIMIT = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "1",
  price: "10",
} as const;
const unsure = { status: 504, code: -1007, msg: "Timeout waiting for response from backend server." };
const refused = { status: 400, code: -2010, msg: "Account has insufficient balance for requested action." };

/** What goes wrong, whether the order is placed all the same, and what the caller is told. */
const STEPS: [what: ApiDisturbance | undefined, isPlaced: boolean, told: string, options?: ApiDisturbOptions][] = [
  [undefined, true, "done"],
  ["ignore", false, "REQUEST_OUTCOME_UNKNOWN"],
  ["dropAnswer", true, "REQUEST_OUTCOME_UNKNOWN"],
  ["killBefore", false, "REQUEST_OUTCOME_UNKNOWN"],
  ["killBeforeAnswer", true, "REQUEST_OUTCOME_UNKNOWN"],
  ["killAfterAnswer", true, "done"],
  ["error", false, "API_ERROR", { error: refused }],
  ["error", false, "REQUEST_OUTCOME_UNKNOWN", { error: unsure }],
  ["error", true, "REQUEST_OUTCOME_UNKNOWN", { error: unsure, obey: true }],
];

testEachLibrary("an order is placed once at most, and who is not told can find out", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const account = exchange.account(HMAC_KEY);
  await using manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    websocketApiBaseUrl: exchange.url,
    reconnectMinDelayMs: 5,
    signer: createSigner(HMAC_KEY),
    onRateLimited: "wait",
  });
  const stream = manager.createStream({ api: true });
  let cuts = 0;
  for (const [what, isPlaced, told, options] of STEPS) {
    // A connection that was cut looks like one for a moment longer.
    await until(() => stream.isReady && stream.statistics.reconnects === cuts, "a connection");
    if (what?.startsWith("kill")) cuts++;
    const label = `${what} ${JSON.stringify(options)}`;
    if (what !== undefined) exchange.api.disturb(what, { method: "order.place", ...options });
    // What is not answered is waited for only briefly.
    const timeoutMs = what === "ignore" || what === "dropAnswer" ? 150 : 5_000;
    const error = await manager.api.spot.orderPlace(LIMIT, { timeoutMs }).then(() => undefined, (error) => error);
    assertEquals(error instanceof RawtickError ? error.code : "done", told, label);
    const asked = exchange.api.requests.filter(({ method }) => method === "order.place");
    if (!(error instanceof RequestOutcomeUnknownError)) continue;
    const { clientOrderId: origClientOrderId = "" } = error;
    assertEquals(account.placements.get(origClientOrderId) ?? 0, isPlaced ? 1 : 0, label);
    const found = await manager.api.spot.orderStatus({ symbol: "BTCUSDT", origClientOrderId }).catch((error) => error);
    if (isPlaced) assertEquals(found.clientOrderId, origClientOrderId, label);
    else {
      assertInstanceOf(found, ApiError, label);
      assertEquals(found.apiCode, -2013, label);
    }
    assertEquals(exchange.api.requests.filter(({ method }) => method === "order.place").length, asked.length, label);
  }
  const orders = exchange.api.requests.filter(({ method }) => method === "order.place");
  assertEquals(orders.length, STEPS.length);
  assertEquals([...account.placements.values()], STEPS.filter(([, isPlaced]) => isPlaced).map(() => 1));
});

testEachLibrary(
  "an order whose connection is cut after the answer is known, and the missing events are signalled",
  async (library) => {
    await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
    const account = exchange.account(HMAC_KEY);
    const gaps: string[] = [];
    await using manager = new BinanceWebSocketApiManager({
      websocketLibrary: library,
      websocketApiBaseUrl: exchange.url,
      reconnectMinDelayMs: 5,
      signer: createSigner(HMAC_KEY),
      onSignal: (signal) => {
        if (signal.type === "USER_DATA_GAP") gaps.push(signal.reason);
      },
    });
    const api = manager.createStream({ api: true });
    const events: string[] = [];
    const userData = manager.createStream({ userData: { api }, onData: (text) => void events.push(text) });
    await userData.ready;
    exchange.api.disturb("killAfterAnswer", { method: "order.place" });
    const { status } = await manager.api.spot.orderPlace({ ...LIMIT, newClientOrderId: "lost" });
    assertEquals(status, "NEW");
    await until(() => gaps.length === 1, "the signal");
    assertEquals(events.filter((text) => text.includes('"lost"')), []);
    await manager.api.spot.orderPlace({ ...LIMIT, newClientOrderId: "seen" });
    await until(() => events.some((text) => text.includes('"c":"seen"')), "the event of the next order");
    assertEquals(account.placements, new Map([["lost", 1], ["seen", 1]]));
  },
);
