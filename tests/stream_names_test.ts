/**
 * Stream names: how they are written, where they are served, which never deliver, and which come at fixed times.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { InvalidOptionsError, listOf } from "../src/base/mod.ts";
import {
  channelOf,
  channelsOf,
  checkDeliverable,
  crossProduct,
  type ExchangeKey,
  exchangeKeys,
  exchangeOf,
  expectedIntervalMs,
  isChannel,
  isQuote,
  normalizeStreamName,
  routeOf,
  silenceReason,
  StreamNameError,
  undocumentedWarning,
} from "../src/exchange/mod.ts";

test("channels times markets makes each stream once, with symbols in lower case", () => {
  assertEquals(crossProduct(["trade", "kline_1m", "trade"], ["BTCUSDT", "ethusdt"]), [
    "btcusdt@trade",
    "ethusdt@trade",
    "btcusdt@kline_1m",
    "ethusdt@kline_1m",
  ]);
});

test("special streams pair with the channel arr, in either order, and get @arr only where Binance has it", () => {
  for (
    const [channel, market, name] of [
      ["arr", "!miniTicker", "!miniTicker@arr"],
      ["!miniTicker", "arr", "!miniTicker@arr"],
      ["!ticker", "$all", "!ticker@arr"],
      ["arr", "!ticker_1h", "!ticker_1h@arr"],
      ["arr", "!forceOrder", "!forceOrder@arr"],
      ["arr", "!assetIndex", "!assetIndex@arr"],
      ["arr", "!index", "!index@arr"],
      ["arr@1s", "!markPrice", "!markPrice@arr@1s"],
      ["arr", "!bookTicker", "!bookTicker"],
      ["!contractInfo", "arr", "!contractInfo"],
      ["arr", "!optionSymbol", "!optionSymbol"],
      ["arr", "tradingSession", "tradingSession"],
    ] as const
  ) {
    assertEquals(crossProduct([channel], [market]), [name]);
  }
  assertEquals(crossProduct(["arr", "trade"], ["!ticker", "btcusdt"]), ["!ticker@arr", "btcusdt@trade"]);
  assertThrows(() => crossProduct(["trade"], ["tradingSession"]), StreamNameError, 'expected the channel "arr"');
});

test("channels with a modifier make the names that Binance documents", () => {
  assertEquals(crossProduct(["kline_1d@+08:00", "depth20@100ms"], ["BTCUSDT"]), [
    "btcusdt@kline_1d@+08:00",
    "btcusdt@depth20@100ms",
  ]);
  assertEquals(crossProduct(["continuousKline_1m"], ["BTCUSDT_PERPETUAL"]), ["btcusdt_perpetual@continuousKline_1m"]);
  assertEquals(crossProduct(["optionTicker@251123"], ["BTCUSDT"]), ["btcusdt@optionTicker@251123"]);
});

test("lower case is for ASCII letters of the symbol only", () => {
  assertEquals(normalizeStreamName("BTCUSDT@aggTrade"), "btcusdt@aggTrade");
  assertEquals(normalizeStreamName("BTCUSD_PERP@kline_1M"), "btcusd_perp@kline_1M");
  assertEquals(normalizeStreamName("BTC-251123-126000-C@optionTicker"), "btc-251123-126000-c@optionTicker");
  assertEquals(normalizeStreamName("这是测试币456@trade"), "这是测试币456@trade");
  assertEquals(normalizeStreamName("测试USDT@trade"), "测试usdt@trade");
  assertEquals(normalizeStreamName("ÅÄ@trade"), "ÅÄ@trade");
  // An I is an i also where Turkish is spoken, and the letters that only Turkish has stay.
  assertEquals(normalizeStreamName("BIFIUSDT@trade"), "bifiusdt@trade");
  assertEquals(normalizeStreamName("İI@trade"), "İi@trade");
  for (const name of ["!miniTicker@arr", "!markPrice@arr@1s", "tradingSession", "btcusdt@kline_1m@+08:00"]) {
    assertEquals(normalizeStreamName(name), name);
  }
});

test("what can't be a stream name is refused with what to write instead", () => {
  for (const bad of ["", " ", "a b@trade", 'a"@trade', "a/b@trade", "btcusdt@", "@trade", "a\n@trade", "a?b@c"]) {
    assertThrows(() => normalizeStreamName(bad), StreamNameError, "Cannot use the stream name");
  }
  assertThrows(() => normalizeStreamName("%E6%B5%8Busdt@trade"), StreamNameError, "without percent-encoding");
  assertThrows(() => normalizeStreamName("!userData@arr"), StreamNameError, "account events are not subscribed");
  assertThrows(() => crossProduct(["arr"], ["!userData"]), StreamNameError, "account events are not subscribed");
});

test("the channel of a stream is its name without symbol and modifiers", () => {
  for (
    const [name, channel] of [
      ["btcusdt@trade", "trade"],
      ["btcusdt@depth20@100ms", "depth20"],
      ["btcusdt@kline_1d@+08:00", "kline_1d"],
      ["!markPrice@arr@1s", "!markPrice"],
      ["!bookTicker", "!bookTicker"],
      ["tradingSession", "tradingSession"],
    ] as const
  ) assertEquals(channelOf(name), channel);
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
  assertEquals(routes(["a1B2".repeat(16)]), ["private"]);
  assertEquals(routeOf(exchangeOf("binance.com"), "btcusdt@depth"), "");
  assertEquals(routeOf(exchangeOf("binance.com-coin_futures"), "btcusd_perp@depth"), "");
});

test("options streams go to the path that delivers them", () => {
  const options = exchangeOf("binance.com-vanilla-options");
  for (
    const [name, route] of [
      ["btc-251123-126000-c@optionTicker", "public"],
      ["btcusdt@optionTicker@251123", "public"],
      ["btc-251123-126000-c@depth10@100ms", "public"],
      ["btcusdt@optionTrade", "public"],
      ["btc-251123-126000-c@bookTicker", "public"],
      ["btcusdt@optionMarkPrice", "market"],
      ["btc-251123-126000-c@kline_1m", "market"],
      ["!index@arr", "market"],
      ["!optionSymbol", "market"],
      ["ethusdt@openInterest@221125", "market"],
    ] as const
  ) assertEquals(routeOf(options, name), route, name);
});

test("portfolio margin has no market streams and says so", () => {
  const error = assertThrows(
    () => routeOf(exchangeOf("binance.com-portfolio_margin"), "btcusdt@trade"),
    InvalidOptionsError,
    'Cannot stream "btcusdt@trade" from "binance.com-portfolio_margin", which has account events only',
  );
  assertEquals(error.path, "exchange");
});

test("streams that are acknowledged and never deliver are refused, with what to use instead", () => {
  for (
    const [key, name, instead] of [
      ["binance.com", "!ticker@arr", '"!miniTicker@arr"'],
      ["binance.com-testnet", "!ticker@arr", '"!miniTicker@arr"'],
      ["binance.com", "!bookTicker", '"<symbol>@bookTicker"'],
      ["binance.com-futures", "!bookTicker@arr", '"!bookTicker"'],
      ["binance.com-futures", "!contractInfo@arr", '"!contractInfo"'],
      ["binance.com-vanilla-options", "!optionSymbol@arr", '"!optionSymbol"'],
      ["binance.com-futures", "btcusdt@depth20@250ms", '"btcusdt@depth20"'],
      ["binance.com-coin_futures", "btcusd_perp@depth@250ms", '"btcusd_perp@depth"'],
    ] as const
  ) {
    const exchange = exchangeOf(key);
    const error = assertThrows(() => checkDeliverable(exchange, [name]), InvalidOptionsError, `expected ${instead}`);
    assertEquals(error.path, "streams");
    assertMatch(error.message, new RegExp(`from "${key}"`));
    // What it recommends is a stream that is there.
    if (!instead.includes("<")) assertEquals(undocumentedWarning(exchange, JSON.parse(instead)), undefined, instead);
  }
  const spot = exchangeOf("binance.com");
  const both = assertThrows(
    () => checkDeliverable(spot, ["!ticker@arr", "a@trade", "!bookTicker"]),
    InvalidOptionsError,
  );
  assertEquals(both.errors.length, 2);
});

test("a channel in the wrong case is refused with the right spelling: it would be acknowledged and never deliver", () => {
  for (
    const [key, name, ...spellings] of [
      ["binance.com", "btcusdt@TRADE", "btcusdt@trade"],
      ["binance.com", "btcusdt@bookticker", "btcusdt@bookTicker"],
      ["binance.com", "btcusdt@AggTrade", "btcusdt@aggTrade"],
      ["binance.com", "btcusdt@DEPTH20@100MS", "btcusdt@depth20@100ms"],
      ["binance.com", "ÅÄ@Trade", "ÅÄ@trade"],
      ["binance.com", "btcusdt@KLINE_1H", "btcusdt@kline_1h"],
      ["binance.com", "btcusdt@KLINE_1M", "btcusdt@kline_1m", "btcusdt@kline_1M"],
      ["binance.com", "btcusdt@Kline_1M@+08:00", "btcusdt@kline_1m@+08:00", "btcusdt@kline_1M@+08:00"],
      ["binance.com", "!MINITICKER@ARR", "!miniTicker@arr"],
      ["binance.com", "!TICKER@arr", "!miniTicker@arr"],
      ["binance.com", "!bookticker", "<symbol>@bookTicker"],
      ["binance.us", "!ticker_1D@arr", "!ticker_1d@arr"],
      ["binance.com-futures", "!markprice@arr@1S", "!markPrice@arr@1s"],
      ["binance.com-futures", "!bookticker@arr", "!bookTicker"],
      ["binance.com-futures", "btcusdt@DEPTH20@250MS", "btcusdt@depth20"],
      ["binance.com-futures", "btcusdt_perpetual@continuouskline_1m", "btcusdt_perpetual@continuousKline_1m"],
      ["binance.com-vanilla-options", "eth@OPTIONTICKER@251123", "eth@optionTicker@251123"],
    ] as const
  ) {
    const error = assertThrows(() => checkDeliverable(exchangeOf(key), [name]), InvalidOptionsError);
    assertEquals([...error.message.matchAll(/"([^"]*)"/g)].map(([, text]) => text).slice(0, 2), [name, key]);
    assert(error.message.includes(`expected ${listOf(spellings)}`), error.message);
  }
  // A letter that stands for a minute or a month is right in either case; what is documented nowhere has no right one.
  for (
    const name of ["btcusdt@kline_1m", "btcusdt@kline_1M", "btcusdt@kline_3M@x", "btcusdt@NONSENSE", "btcusdt@M@M"]
  ) {
    assertEquals(silenceReason(exchangeOf("binance.com"), name), undefined);
  }
});

test("the channels of an exchange that are named are those that it documents", () => {
  for (const key of exchangeKeys) {
    const exchange = exchangeOf(key);
    const channels = channelsOf(exchange);
    assertEquals(channels.length > 10, exchange.market !== "none", key);
    for (const channel of channels) {
      const text = channel.replace("<yymmdd>", "251123").replace("<interval>", "1h").replace("1h@+", "1d@+");
      if (!text.startsWith("arr")) {
        assertEquals(undocumentedWarning(exchange, `x@${text}`), undefined, `${key} ${text}`);
      }
      assert(isChannel(exchange, channel.startsWith("arr") ? channel : text), `${key} ${text}`);
    }
  }
  const spot = exchangeOf("binance.com");
  assertEquals(channelsOf(spot).slice(0, 7), [
    "aggTrade",
    "trade",
    "blockTrade",
    "bookTicker",
    "avgPrice",
    "depth",
    "depth@100ms",
  ]);
  for (const text of ["", "tade", "kline", "kline_<interval>", "arr@1s", "Arr", "markPrice", "x@trade"]) {
    assertEquals(isChannel(spot, text), false, text);
  }
});

test("what is retired on spot is served elsewhere", () => {
  for (
    const [key, name] of [
      ["binance.us", "!ticker@arr"],
      ["binance.com-futures", "!ticker@arr"],
      ["binance.com-futures", "!bookTicker"],
      ["binance.com-coin_futures", "!bookTicker"],
    ] as const
  ) {
    assertEquals(silenceReason(exchangeOf(key), name), undefined);
    assertEquals(undocumentedWarning(exchangeOf(key), name), undefined);
  }
});

/** Names from the documents of each market, with the time in ms between two messages where one is documented. */
const documented: Partial<Record<ExchangeKey, Record<string, number | undefined>>> = {
  "binance.com": {
    "btcusdt@trade": undefined,
    "btcusdt@aggTrade": undefined,
    "btcusdt@blockTrade": undefined,
    "btcusdt@referencePrice": undefined,
    "btcusdt@kline_1s": undefined,
    "btcusdt@kline_1d@+08:00": undefined,
    "btcusdt@ticker_4h": undefined,
    "btcusdt@avgPrice": undefined,
    "btcusdt@depth10@100ms": undefined,
    "btcusdt@bookTicker": undefined,
    "!miniTicker@arr": 1000,
    "!ticker_1h@arr": 1000,
  },
  "binance.us": { "!ticker@arr": undefined, "!miniTicker@arr": undefined, "btcusd@trade": undefined },
  "trbinance.com": { "btctry@trade": undefined },
  "binance.com-futures": {
    "btcusdt@markPrice": 3000,
    "btcusdt@markPrice@1s": 1000,
    "!markPrice@arr": 3000,
    "!markPrice@arr@1s": 1000,
    "!ticker@arr": 1000,
    "!bookTicker": 5000,
    "!forceOrder@arr": undefined,
    "!contractInfo": undefined,
    "!assetIndex@arr": 1000,
    "btcusd@assetIndex": 1000,
    "defiusdt@compositeIndex": 1000,
    "tradingSession": 1000,
    "btcusdt@rpiDepth@500ms": undefined,
    "btcusdt_250926@aggTrade": undefined,
    "btcusdt_perpetual@continuousKline_1s": undefined,
    "btcusdt@depth20@500ms": undefined,
    "btcusdt@trade": undefined,
  },
  "binance.com-coin_futures": {
    "btcusd@indexPrice": 3000,
    "btcusd@indexPrice@1s": 1000,
    "btcusd_perp@markPrice@1s": 1000,
    "btcusd@markPrice": 3000,
    "btcusd@indexPriceKline_1m": undefined,
    "btcusd_perp@markPriceKline_1m": undefined,
    "!bookTicker": undefined,
    "!miniTicker@arr": 1000,
  },
  "binance.com-vanilla-options": {
    "btcusdt@optionMarkPrice": 1000,
    "!index@arr": 1000,
    "ethusdt@openInterest@221125": 60_000,
    "ethusdt@optionOpenInterest@221125": 60_000,
    "btcusdt@optionTicker@251123": undefined,
    "btc-251123-126000-c@depth@500ms": undefined,
    "!optionSymbol": undefined,
  },
};

test("streams that come at fixed times have their documented interval, and others have none", () => {
  // The cast restores what `Object.entries` forgets.
  for (const [key, names] of Object.entries(documented) as [ExchangeKey, Record<string, number | undefined>][]) {
    for (const [name, intervalMs] of Object.entries(names)) {
      assertEquals(expectedIntervalMs(exchangeOf(key), name), intervalMs, `${name} of ${key}`);
      assertEquals(undocumentedWarning(exchangeOf(key), name), undefined, `${name} of ${key}`);
      assertEquals(silenceReason(exchangeOf(key), name), undefined, `${name} of ${key}`);
    }
  }
});

test("a stream that the exchange does not document is warned of, not refused", () => {
  for (
    const [key, name] of [
      ["binance.com", "btcusdt@markPrice"],
      ["binance.com", "btcusdt@kline_2m"],
      ["binance.com", "btcusdt@depth15"],
      ["binance.com", "!markPrice@arr"],
      ["binance.com-futures", "btcusdt@avgPrice"],
      ["binance.com-futures", "btcusdt@kline_1s"],
      ["binance.com-futures", "!forceOrder"],
      ["binance.com-coin_futures", "btcusd_perp@rpiDepth@500ms"],
      ["binance.com-vanilla-options", "btc-251123-126000-c@kline_8h"],
    ] as const
  ) {
    checkDeliverable(exchangeOf(key), [name]);
    assertMatch(undocumentedWarning(exchangeOf(key), name) ?? "", /is not documented for .* never sends anything$/);
    assertEquals(expectedIntervalMs(exchangeOf(key), name), undefined);
  }
  assert(exchangeKeys.every((key) => undocumentedWarning(exchangeOf(key), "btcusdt@nonsense") !== undefined));
});

test("a quote is a stream of one symbol whose messages say everything anew, and no other is conflated", () => {
  const quotes = [
    "btcusdt@bookTicker",
    "btcusdt@miniTicker",
    "btcusdt@ticker",
    "btcusdt@ticker_4h",
    "btcusdt@depth5",
    "btcusdt@depth20@100ms",
    "btcusdt@avgPrice",
    "btcusdt@referencePrice",
    "btcusdt@markPrice@1s",
    "btcusd@indexPrice",
    "btc-251123-126000-c@optionTicker",
    "btc-251123-126000-c@depth10@500ms",
  ];
  const others = [
    "btcusdt@trade",
    "btcusdt@aggTrade",
    "btcusdt@depth",
    "btcusdt@depth@100ms",
    "btcusdt@kline_1m",
    "btcusdt@forceOrder",
    "!bookTicker",
    "!miniTicker@arr",
    "!ticker_1h@arr",
    "!markPrice@arr@1s",
    "eth@optionTicker@220930",
    "btcusdt@optionMarkPrice",
    "tradingSession",
  ];
  assertEquals([...quotes, ...others].filter(isQuote), quotes);
});
