/**
 * The seeded generator: its messages are Binance-shaped and prove that none is lost, doubled or reordered.
 *
 * @module
 */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { generateMessage, type GenerateOptions } from "@rawtick/binance/testing";

// deno-lint-ignore no-explicit-any -- tests read payloads of any shape
type Payload = any;

function message(stream: string, n: number, options?: GenerateOptions): Payload {
  const text = generateMessage(stream, n, options);
  assert(text !== undefined, `${stream} is not generated`);
  return JSON.parse(text);
}

function messages(stream: string, count: number, options?: GenerateOptions): Payload[] {
  return Array.from({ length: count }, (_, n) => message(stream, n, options));
}

const spot = { market: "spot" } as const;
const futures = { market: "futures" } as const;

const SHAPES: [stream: string, market: "spot" | "futures", keys: string][] = [
  ["btcusdt@trade", "spot", "e,E,s,t,p,q,T,m,M"],
  ["btcusdt@aggTrade", "spot", "e,E,s,a,p,q,f,l,T,m,M"],
  ["btcusdt@kline_1m", "spot", "e,E,s,k"],
  ["btcusdt@kline_1d@+08:00", "spot", "e,E,s,k"],
  ["btcusdt@miniTicker", "spot", "e,E,s,c,o,h,l,v,q"],
  ["btcusdt@ticker", "spot", "e,E,s,p,P,w,x,c,Q,b,B,a,A,o,h,l,v,q,O,C,F,L,n"],
  ["btcusdt@ticker_1h", "spot", "e,E,s,p,P,o,h,l,c,w,v,q,O,C,F,L,n"],
  ["btcusdt@bookTicker", "spot", "u,s,b,B,a,A"],
  ["btcusdt@avgPrice", "spot", "e,E,s,i,w,T"],
  ["btcusdt@depth20@100ms", "spot", "lastUpdateId,bids,asks"],
  ["btcusdt@depth@100ms", "spot", "e,E,s,U,u,b,a"],
  ["btcusdt@trade", "futures", "e,E,T,s,t,p,q,X,m,st"],
  ["btcusdt@aggTrade", "futures", "e,E,a,s,p,q,nq,f,l,T,m,st"],
  ["btcusd_perp@aggTrade", "futures", "e,E,a,s,p,q,f,l,T,m,st"],
  ["btcusdt@markPrice@1s", "futures", "e,E,s,p,ap,i,P,r,T,st"],
  ["btcusdt@kline_1m", "futures", "e,E,s,k"],
  ["btcusdt_perpetual@continuousKline_1m", "futures", "e,E,ps,ct,k"],
  ["btcusdt@miniTicker", "futures", "e,E,s,c,o,h,l,v,q,ps,st"],
  ["btcusdt@ticker", "futures", "e,E,s,p,P,w,c,Q,o,h,l,v,q,O,C,F,L,n,ps,st"],
  ["btcusdt@bookTicker", "futures", "e,u,s,ps,b,B,a,A,T,E,st"],
  ["!bookTicker", "futures", "e,u,s,ps,b,B,a,A,T,E,st"],
  ["btcusdt@forceOrder", "futures", "e,E,o,st"],
  ["!forceOrder@arr", "futures", "e,E,o,st"],
  ["btcusdt@depth5@500ms", "futures", "e,E,T,s,ps,U,u,pu,b,a,st"],
  ["btcusdt@depth", "futures", "e,E,T,s,U,u,pu,b,a"],
];

test("each stream has the fields of Binance's documents and captures, in their order", () => {
  for (const [stream, market, keys] of SHAPES) {
    assertEquals(Object.keys(message(stream, 3, { market })).join(), keys, `${market} ${stream}`);
  }
  assertEquals(Object.keys(message("btcusdt@kline_1m", 0, spot).k).join(), "t,T,s,i,f,L,o,c,h,l,v,n,x,q,V,Q,B");
  assertEquals(
    Object.keys(message("btcusdt_perpetual@continuousKline_1m", 0, futures).k).join(),
    "t,T,i,f,L,o,c,h,l,v,n,x,q,V,Q,B",
  );
  assertEquals(Object.keys(message("btcusdt@forceOrder", 0, futures).o).join(), "s,ps,S,o,f,q,p,ap,X,l,z,T");
});

test("prices and quantities are strings with the market's decimals, ids and times are integers, flags are booleans", () => {
  const { p, q, t, E, m } = message("btcusdt@trade", 5, spot);
  assert(/^\d+\.\d{8}$/.test(p) && /^\d+\.\d{8}$/.test(q), `${p} ${q}`);
  assert(Number.isInteger(t) && Number.isInteger(E) && typeof m === "boolean");
  assert(/^\d+\.\d{2}$/.test(message("btcusdt@trade", 5, futures).p));
  assertEquals(String(E).length, 13);
});

test("the same seed, stream and number always give the same text, another seed or stream another one", () => {
  for (const [stream, market] of SHAPES) {
    for (const n of [0, 1, 12_345, 4_294_967_299]) {
      const text = generateMessage(stream, n, { market, seed: 7 });
      generateMessage(stream, n + 1, { market, seed: 7 });
      assertEquals(generateMessage(stream, n, { market, seed: 7 }), text);
      assertNotEquals(generateMessage(stream, n, { market, seed: 8 }), text);
    }
  }
  assertNotEquals(generateMessage("btcusdt@trade", 0), generateMessage("ethusdt@trade", 0));
});

test("every message of a stream differs from the one before", () => {
  for (const [stream, market] of SHAPES) {
    for (let n = 0; n < 50; n++) {
      assertNotEquals(generateMessage(stream, n, { market }), generateMessage(stream, n + 1, { market }), stream);
    }
  }
});

for (const options of [spot, futures]) {
  test(`${options.market}: trade ids grow by 1, and aggregate trades cover trades without a gap`, () => {
    messages("btcusdt@trade", 200, options).reduce((before, { t }) => {
      assert(before === undefined || t === before + 1);
      return t;
    }, undefined);
    messages("btcusdt@aggTrade", 200, options).reduce((before, trade) => {
      assert(before === undefined || (trade.a === before.a + 1 && trade.f === before.l + 1 && trade.l >= trade.f));
      return trade;
    }, undefined);
  });

  test(`${options.market}: book ids grow`, () => {
    messages("btcusdt@bookTicker", 200, options).reduce((before, { u }) => {
      assert(u > before);
      return u;
    }, 0);
  });

  test(`${options.market}: a candle has its bounds, follows the one before, and only its last message is closed`, () => {
    let before: Payload;
    for (const { E, k } of messages("btcusdt@kline_1m", 500, options)) {
      assertEquals(k.T - k.t, 59_999);
      assert(k.t % 60_000 === 0 && k.t <= E && E <= k.T);
      assertEquals(k.n, k.L - k.f + 1);
      const [open, close, high, low] = [k.o, k.c, k.h, k.l].map(Number) as [number, number, number, number];
      assert(high >= open && high >= close && low <= open && low <= close && low > 0);
      if (before !== undefined) {
        assertEquals(k.t === before.t, !before.x, "a candle changes after its closed message and only then");
        assertEquals(k.f, before.x ? before.L + 1 : before.f);
      }
      before = k;
    }
  });
}

test("spot depth diffs continue each other: U is the last u + 1", () => {
  messages("btcusdt@depth@100ms", 300, spot).reduce((before, { U, u }) => {
    assert(u >= U && (before === 0 || U === before + 1));
    return u;
  }, 0);
});

test("futures depth diffs name the diff before in pu, and their ids jump", () => {
  let jumps = 0;
  messages("btcusdt@depth@100ms", 300, futures).reduce((before, { U, u, pu }) => {
    assert(U > pu && u >= U && (before === 0 || pu === before));
    if (U !== pu + 1) jumps++;
    return u;
  }, 0);
  assert(jumps > 100);
});

test("depth diffs also remove levels", () => {
  for (const options of [spot, futures]) {
    const levels = messages("btcusdt@depth", 100, options).flatMap(({ b, a }) => [...b, ...a]);
    assert(levels.some(([, quantity]) => Number(quantity) === 0));
    assert(levels.every(([price]) => Number(price) > 0));
  }
});

test("partial depth has all levels, the best first, and the book is not crossed", () => {
  for (const levels of [5, 10, 20]) {
    for (const { bids, asks } of messages(`btcusdt@depth${levels}`, 20, spot)) {
      assertEquals([bids.length, asks.length], [levels, levels]);
      const prices = [...bids.toReversed(), ...asks].map(([price]) => Number(price));
      assertEquals(prices, prices.toSorted((a, b) => a - b));
      assertEquals(new Set(prices).size, 2 * levels);
    }
  }
});

test("all-market streams are arrays of changed symbols, but the liquidations of all are single objects", () => {
  for (
    const [stream, market, event] of [
      ["!miniTicker@arr", "spot", "24hrMiniTicker"],
      ["!ticker_1h@arr", "spot", "1hTicker"],
      ["!miniTicker@arr", "futures", "24hrMiniTicker"],
      ["!ticker@arr", "futures", "24hrTicker"],
      ["!markPrice@arr@1s", "futures", "markPriceUpdate"],
    ] as const
  ) {
    const sizes = new Set<number>();
    for (const rows of messages(stream, 20, { market })) {
      assert(Array.isArray(rows) && rows.length > 0);
      assertEquals(new Set(rows.map(({ s }) => s)).size, rows.length);
      for (const { e } of rows) assertEquals(e, event);
      sizes.add(rows.length);
    }
    assert(sizes.size > 1, "only changed symbols");
  }
  assertEquals(message("!forceOrder@arr", 0, futures).e, "forceOrder");
});

test("futures arrays carry USD-M and COIN-M rows", () => {
  const rows: Payload[] = messages("!ticker@arr", 10, futures).flat();
  assertEquals(new Set(rows.map(({ st }) => st)), new Set([1, 2]));
  assert(rows.some(({ s, ps, st }) => s === "BTCUSD_PERP" && ps === "BTCUSD" && st === 2));
});

test("times are in microseconds on demand, on spot only", () => {
  const micro = { ...spot, timeUnit: "MICROSECOND" } as const;
  const { E, T } = message("btcusdt@trade", 1, micro);
  assertEquals([String(E).length, String(T).length], [16, 16]);
  const { k } = message("btcusdt@kline_1m", 1, micro);
  assertEquals(k.T - k.t, 59_999_999);
  assertEquals(String(message("btcusdt@trade", 1, { ...futures, timeUnit: "MICROSECOND" }).E).length, 13);
});

test("a day in another time zone, a week and a month start where Binance starts them", () => {
  const start = (stream: string) => new Date(message(stream, 0, spot).k.t).toISOString();
  assertEquals(start("btcusdt@kline_1d"), "2025-10-09T00:00:00.000Z");
  assertEquals(start("btcusdt@kline_1d@+08:00"), "2025-10-08T16:00:00.000Z");
  assertEquals(start("btcusdt@kline_1w"), "2025-10-06T00:00:00.000Z");
  assertEquals(start("btcusdt@kline_1M"), "2025-10-01T00:00:00.000Z");
  assertEquals(new Date(message("btcusdt@kline_1M", 0, spot).k.T).toISOString(), "2025-10-31T23:59:59.999Z");
});

test("names that Binance acknowledges and never serves have no messages", () => {
  for (
    const stream of ["BTCUSDT@trade", "btcusdt@nothing", "btcusdt@depth20@250ms", "btcusdt@kline_7m", "!x@arr", "a"]
  ) {
    for (const market of ["spot", "futures", "any"] as const) {
      assertEquals(generateMessage(stream, 0, { market }), undefined, `${market} ${stream}`);
    }
  }
  for (const stream of ["!ticker@arr", "!bookTicker", "btcusdt@markPrice", "btcusdt@depth@500ms"]) {
    assertEquals(generateMessage(stream, 0, spot), undefined, `spot has no ${stream}`);
  }
  for (const stream of ["btcusdt@avgPrice", "btcusdt@kline_1s", "btcusdt@kline_1d@+08:00", "btcusdt@ticker_1h"]) {
    assertEquals(generateMessage(stream, 0, futures), undefined, `futures has no ${stream}`);
  }
});

test("without a market, a name means spot, and futures where only that has it or the symbol is a contract", () => {
  assertEquals(message("btcusdt@trade", 0), message("btcusdt@trade", 0, spot));
  assertEquals(message("btcusdt@markPrice", 0), message("btcusdt@markPrice", 0, futures));
  assertEquals(message("btcusd_perp@trade", 0), message("btcusd_perp@trade", 0, futures));
  assertEquals(message("btcusdt_250926@aggTrade", 0).st, 1);
});

test("a Chinese symbol stays as it is but for its Latin letters", () => {
  assertEquals(message("这是测试币usdt@trade", 0).s, "这是测试币USDT");
});
