/**
 * What is known of Binance: stream names, routes, control messages and their answers.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  connectionUrl,
  controlMessage,
  crossProduct,
  exchangeKeys,
  exchangeOf,
  isCertainlyData,
  normalizeStreamName,
  parseControlResponse,
  routeOf,
  splitIntoMessages,
} from "../src/exchange/mod.ts";

test("channels times markets makes each stream once, with symbols in lower case", () => {
  assertEquals(crossProduct(["trade", "kline_1m", "trade"], ["BTCUSDT", "ethusdt"]), [
    "btcusdt@trade",
    "ethusdt@trade",
    "btcusdt@kline_1m",
    "ethusdt@kline_1m",
  ]);
});

test("special streams pair with the channel arr, in either order", () => {
  for (
    const [channel, market, name] of [
      ["arr", "!miniTicker", "!miniTicker@arr"],
      ["!miniTicker", "arr", "!miniTicker@arr"],
      ["!ticker", "$all", "!ticker@arr"],
      ["arr@1s", "!markPrice", "!markPrice@arr@1s"],
      ["arr", "!bookTicker", "!bookTicker"],
      ["!contractInfo", "arr", "!contractInfo"],
    ] as const
  ) {
    assertEquals(crossProduct([channel], [market]), [name]);
  }
  assertEquals(crossProduct(["arr", "trade"], ["!ticker", "btcusdt"]), ["!ticker@arr", "btcusdt@trade"]);
});

test("lower case is for ASCII letters of the symbol only", () => {
  assertEquals(normalizeStreamName("BTCUSDT@aggTrade"), "btcusdt@aggTrade");
  assertEquals(normalizeStreamName("BTCUSD_PERP@kline_1M"), "btcusd_perp@kline_1M");
  assertEquals(normalizeStreamName("这是测试币456@trade"), "这是测试币456@trade");
  assertEquals(normalizeStreamName("ÅÄ@trade"), "ÅÄ@trade");
  assertEquals(normalizeStreamName("!miniTicker@arr"), "!miniTicker@arr");
  assertEquals(normalizeStreamName("btcusdt@kline_1m@+08:00"), "btcusdt@kline_1m@+08:00");
  for (const bad of ["", " ", "a b@trade", 'a"@trade', "a/b@trade", "btcusdt@", "@trade", "a\n@trade", "a?b@c"]) {
    assertThrows(() => normalizeStreamName(bad), Error, "Cannot use the stream name");
  }
});

test("futures streams go to the path that delivers them", () => {
  const futures = exchangeOf("binance.com-futures");
  const routes = (names: string[]) => names.map((name) => routeOf(futures, name));
  const publicNames = [
    "btcusdt@bookTicker",
    "!bookTicker",
    "btcusdt@depth",
    "btcusdt@depth20@100ms",
    "btcusdt@rpiDepth@500ms",
    "btcusdt@trade",
  ];
  const marketNames = [
    "btcusdt@aggTrade",
    "btcusdt@markPrice@1s",
    "!markPrice@arr",
    "btcusdt@kline_1m",
    "!ticker@arr",
    "!forceOrder@arr",
    "!contractInfo",
    "tradingSession",
    "btcusdt_perpetual@continuousKline_1m",
    "!assetIndex@arr",
  ];
  assertEquals(routes(publicNames), publicNames.map(() => "public"));
  assertEquals(routes(marketNames), marketNames.map(() => "market"));
  assertEquals(routeOf(exchangeOf("binance.com"), "btcusdt@depth"), "");
  assertEquals(routeOf(exchangeOf("binance.com-coin_futures"), "btcusd_perp@depth"), "");
  const options = exchangeOf("binance.com-vanilla-options");
  assertEquals(["btc-251123-126000-c@optionTicker", "btcusdt@optionMarkPrice"].map((name) => routeOf(options, name)), [
    "public",
    "market",
  ]);
});

test("every exchange has a secure base URL and limits", () => {
  for (const key of exchangeKeys) {
    const { streamBaseUrl, maxFramesPerSecond, maxStreamsPerConnection } = exchangeOf(key);
    assert(/^wss:\/\/[a-z.-]+(:9443)?$/.test(streamBaseUrl), streamBaseUrl);
    assert([5, 10].includes(maxFramesPerSecond) && [200, 1024].includes(maxStreamsPerConnection));
  }
  assertEquals(
    connectionUrl("wss://fstream.binance.com", "market"),
    "wss://fstream.binance.com/market/stream?streams=",
  );
  assertEquals(connectionUrl("wss://stream.binance.com:9443", ""), "wss://stream.binance.com:9443/stream?streams=");
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
