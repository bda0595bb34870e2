/**
 * What is known of Binance: its exchanges and their limits, URLs, control messages and their answers.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InvalidOptionsError } from "../src/base/mod.ts";
import {
  checkTimeUnit,
  connectionUrl,
  controlMessage,
  type ExchangeKey,
  exchangeKeys,
  exchangeOf,
  isCertainlyData,
  isServerShutdown,
  parseControlResponse,
  splitIntoMessages,
} from "../src/exchange/mod.ts";

test("every exchange of the reference product is there, with secure addresses", () => {
  assertEquals(exchangeKeys.length, 14);
  for (const key of exchangeKeys) {
    const { streamBaseUrl, websocketApiUrl, restBaseUrl } = exchangeOf(key);
    assert(/^wss:\/\/[a-z.-]+(:9443)?(\/pm)?$/.test(streamBaseUrl), streamBaseUrl);
    assert(websocketApiUrl === undefined || /^wss:\/\/[a-z.-]+\/ws-[fd]?api\/v[13]$/.test(websocketApiUrl), key);
    assert(/^https:\/\/[a-z.-]+$/.test(restBaseUrl), restBaseUrl);
  }
  // What the reference product has wrong, or has not: facts of Binance's own pages.
  assertEquals(exchangeOf("binance.com-coin_futures").restBaseUrl, "https://dapi.binance.com");
  assertEquals(exchangeOf("binance.com-coin_futures").websocketApiUrl, "wss://ws-dapi.binance.com/ws-dapi/v1");
  assertEquals(exchangeOf("binance.us").websocketApiUrl, "wss://ws-api.binance.us/ws-api/v3");
  assertEquals(exchangeOf("binance.com-testnet").streamBaseUrl, "wss://stream.testnet.binance.vision");
  assertEquals(exchangeOf("binance.com-vanilla-options").streamBaseUrl, "wss://fstream.binance.com");
  for (const key of ["binance.com-vanilla-options", "binance.com-portfolio_margin"] as const) {
    assertEquals(exchangeOf(key).websocketApiUrl, undefined);
  }
});

test("every exchange says what one connection may do, and for how long", () => {
  const limitsOf = (key: ExchangeKey) => {
    const { maxStreamsPerConnection, maxFramesPerSecond, serverPingIntervalMs, serverPongTimeoutMs } = exchangeOf(key);
    return [maxStreamsPerConnection, maxFramesPerSecond, serverPingIntervalMs / 1000, serverPongTimeoutMs / 1000];
  };
  const spot = [1024, 5, 20, 60];
  const futures = [1024, 10, 180, 600];
  for (
    const [key, expected] of [
      ["binance.com", spot],
      ["binance.com-testnet", spot],
      ["binance.com-margin", spot],
      ["binance.com-isolated_margin-testnet", spot],
      ["binance.com-futures", futures],
      ["binance.com-futures-testnet", futures],
      ["binance.com-coin_futures", futures],
      ["binance.com-vanilla-options", [200, 10, 300, 900]],
      ["binance.us", [1024, 5, 180, 600]],
    ] as const
  ) assertEquals(limitsOf(key), [...expected], key);
  for (const key of exchangeKeys) {
    const { connectBudget, maxConnectionAgeMs } = exchangeOf(key);
    assertEquals(maxConnectionAgeMs, 86_400_000);
    assertEquals([connectBudget.attempts, connectBudget.windowMs], [300, 300_000]);
  }
  assert(exchangeOf("binance.com").connectBudget.isDocumented);
  assert(!exchangeOf("binance.com-futures").connectBudget.isDocumented);
});

test("a connection's URL names the path, encodes streams, and asks for microseconds", () => {
  const spot = "wss://stream.binance.com:9443";
  assertEquals(connectionUrl(spot, ""), `${spot}/stream?streams=`);
  assertEquals(connectionUrl(spot, "", { timeUnit: "millisecond" }), `${spot}/stream?streams=`);
  assertEquals(connectionUrl(spot, "", { timeUnit: "microsecond" }), `${spot}/stream?streams=&timeUnit=MICROSECOND`);
  assertEquals(
    connectionUrl("wss://fstream.binance.com", "market"),
    "wss://fstream.binance.com/market/stream?streams=",
  );
  const streams = ["这是测试币456@trade", "btcusdt@kline_1d@+08:00", "!miniTicker@arr", "btcusd_perp@depth"];
  const url = connectionUrl(spot, "", { streams, timeUnit: "microsecond" });
  assertEquals(
    url,
    `${spot}/stream?streams=%E8%BF%99%E6%98%AF%E6%B5%8B%E8%AF%95%E5%B8%81456@trade/` +
      "btcusdt@kline_1d@%2B08:00/!miniTicker@arr/btcusd_perp@depth&timeUnit=MICROSECOND",
  );
  // What a WebSocket client does with it changes nothing, and the exchange reads the names back.
  assertEquals(new URL(url).href, url);
  assertEquals(new URL(url).searchParams.get("streams")?.split("/"), streams);
});

test("microseconds are refused where there are none, and milliseconds are everywhere", () => {
  for (const key of exchangeKeys) {
    const exchange = exchangeOf(key);
    checkTimeUnit(exchange, "millisecond");
    if (exchange.market === "spot") checkTimeUnit(exchange, "microsecond");
    else {
      const error = assertThrows(() => checkTimeUnit(exchange, "microsecond"), InvalidOptionsError, `"${key}"`);
      assertEquals(error.path, "timeUnit");
    }
  }
});

test("a notice of shutdown is seen in its three shapes, and in nothing else", () => {
  for (
    const notice of [
      '{"e":"serverShutdown","E":1770123456789}',
      '{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1770123456789}}',
      '{"event":{"e":"serverShutdown","E":1770123456789}}',
    ]
  ) assert(isServerShutdown(notice), notice);
  for (
    const other of [
      "",
      "{",
      '{"e":"serverShutdownX","E":1}',
      '{"e":"serverTime","E":1}',
      '{"e":"24hrTicker","E":1}',
      '{"stream":"!miniTicker@arr","data":[]}',
      '{"stream":"serverShutdown@trade","data":{"e":"serverShutdown"}}',
      '{"stream":"btcusdt@trade","data":{"e":"serverShutdown","E":1}}',
      '{"subscriptionId":0,"event":{"e":"executionReport","E":1}}',
      '{"event":{"e":"strangeEvent","E":1}}',
      '{"result":["!serverShutdown"],"id":1}',
      '[{"e":"serverShutdown"}]',
    ]
  ) assert(!isServerShutdown(other), other);
});

test("control messages stay under 4096 bytes and lose no stream, whatever the names", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 700 }), (names) => {
      const groups = splitIntoMessages(names);
      assertEquals(groups.flat(), names);
      for (const group of groups) {
        const text = controlMessage("UNSUBSCRIBE", group, Number.MAX_SAFE_INTEGER);
        assert(new TextEncoder().encode(text).length < 4096 - 8);
      }
    }),
    { numRuns: 50 },
  );
  // Exact multiples of a batch must not make an empty one, or none (reference product, defect 9.1).
  for (const count of [0, 1, 350, 351, 700, 702]) {
    const groups = splitIntoMessages(Array.from({ length: count }, (_, i) => `symbol${i}@trade`));
    assertEquals(groups.flat().length, count);
    assert(groups.every((group) => group.length > 0));
  }
});

test("answers are told from data by their first characters", () => {
  for (
    const data of [
      '{"stream":"btcusdt@trade","data":{"result":null,"id":1,"error":{}}}',
      '{"e":"trade","E":1,"result":null}',
    ]
  ) assert(isCertainlyData(data));
  for (
    const [text, expected] of [
      ['{"result":null,"id":1}', { id: 1, result: null }],
      ['{"result":["a@b"],"id":2}', { id: 2, result: ["a@b"] }],
      ['{"id":3,"result":null}', { id: 3, result: null }],
      ['{"error":{"code":2,"msg":"bad"},"id":4}', { id: 4, error: { code: 2, msg: "bad" } }],
      ['{"error":{"code":3,"msg":"bad"}}', { id: undefined, error: { code: 3, msg: "bad" } }],
      ['{"error":{"code":4,"msg":"bad"},"id":null}', { id: undefined, error: { code: 4, msg: "bad" } }],
      ['{"code": 2, "msg": "bad","id": 5}', { id: 5, error: { code: 2, msg: "bad" } }],
    ] as const
  ) {
    assertEquals(isCertainlyData(text), false);
    assertEquals(parseControlResponse(text), expected);
  }
  for (
    const data of [
      '[{"e":"24hrMiniTicker"}]',
      '{"u":1,"s":"BNBUSDT"}',
      '{"lastUpdateId":1,"bids":[]}',
      '{"result":',
      "",
      "{",
      "null",
    ]
  ) {
    assertEquals(parseControlResponse(data), undefined, data);
  }
});
