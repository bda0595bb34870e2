/**
 * Sequences: the numbers by which messages are ordered and holes are seen, on documented, generated and recorded messages.
 *
 * @module
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { generateMessage, parseRecording } from "@rawtick/binance/testing";
import { follows, type Sequence, sequenceOf } from "../src/exchange/mod.ts";

const consecutive = (first: number, last = first): Sequence => ({ kind: "consecutive", first, last });
const increasing = (last: number): Sequence => ({ kind: "increasing", first: last, last });

test("the number that orders a stream is found in the messages of Binance's documents", () => {
  const E = 1672515782136;
  const rows: readonly (readonly [string, unknown, Sequence])[] = [
    ["bnbbtc@trade", { e: "trade", E, t: 12345, T: E }, consecutive(12345)],
    ["bnbbtc@aggTrade", { e: "aggTrade", E, a: 777, f: 100, l: 105 }, consecutive(777)],
    ["bnbbtc@depth@100ms", { e: "depthUpdate", E, U: 157, u: 160, b: [], a: [] }, consecutive(157, 160)],
    ["btcusdt@depth", { e: "depthUpdate", E, U: 157, u: 160, pu: 149 }, { ...consecutive(157, 160), previous: 149 }],
    ["btcusdt@rpiDepth@500ms", { e: "depthUpdate", E, U: 7, u: 9, pu: 5 }, { ...consecutive(7, 9), previous: 5 }],
    ["bnbbtc@depth20", { lastUpdateId: 160, bids: [], asks: [] }, increasing(160)],
    // A snapshot, although it looks like a diff: nothing is lost when one is missing.
    ["btcusdt@depth20@100ms", { e: "depthUpdate", E, U: 3, u: 11757092625654, pu: 2 }, increasing(11757092625654)],
    ["bnbusdt@bookTicker", { u: 400900217, s: "BNBUSDT", b: "1" }, increasing(400900217)],
    ["btcusdt@bookTicker", { e: "bookTicker", u: 400900217, E }, increasing(400900217)],
    ["bnbbtc@blockTrade", { e: "blockTrade", E, t: 582 }, increasing(582)],
    ["bazusd@referencePrice", { e: "referencePrice", r: null, t: 1770313263917 }, increasing(1770313263917)],
    ["bnbbtc@kline_1m", { e: "kline", E, k: { t: 1672515780000, x: false } }, increasing(E)],
    ["btcusdt_perpetual@continuousKline_1m", { e: "continuous_kline", E, k: { t: 1 } }, increasing(E)],
    ["btcusdt@markPrice@1s", { e: "markPriceUpdate", E, T: E + 1 }, increasing(E)],
    ["bnbbtc@ticker", { e: "24hrTicker", E, O: 0, C: 86400000 }, increasing(E)],
    ["btcusdt@forceOrder", { e: "forceOrder", E, o: {} }, increasing(E)],
    ["btc-251123-126000-c@optionTrade", { e: "trade", E, t: 9 }, increasing(9)],
    ["!miniTicker@arr", [{ E: E - 900 }, { E }, { E: E - 5 }, { s: "no time" }], increasing(E)],
    ["btcusdt@optionMarkPrice", [{ s: "BTC-251123-126000-C", E }], increasing(E)],
    // Microseconds have 16 digits.
    ["bnbbtc@avgPrice", { e: "avgPrice", E: 1693907033000123 }, increasing(1693907033000123)],
  ];
  for (const [stream, data, expected] of rows) assertEquals(sequenceOf(stream, data), expected, stream);
});

test("what nothing orders has no sequence", () => {
  const E = 1672515782136;
  const rows: readonly (readonly [string, unknown])[] = [
    // One event of any symbol at a time.
    ["!bookTicker", { e: "bookTicker", u: 5, E }],
    ["!forceOrder@arr", { e: "forceOrder", E, o: {} }],
    ["!contractInfo", { e: "contractInfo", E }],
    ["tradingSession", { e: "EquityUpdate", E }],
    ["btcusdt@optionTrade", { e: "trade", E, t: 9 }],
    ["btcusdt@optionTicker@251123", { e: "24hrTicker", E }],
    // An account: different events do not come in the order of their times.
    ["a1B2".repeat(16), { e: "ORDER_TRADE_UPDATE", E }],
    // No number, or none that is exact.
    ["bnbbtc@trade", { e: "trade", E, t: "12345" }],
    ["bnbbtc@trade", { e: "trade", E, t: 2 ** 53 }],
    ["bnbbtc@depth", { e: "depthUpdate", E, U: 1 }],
    ["bnbbtc@kline_1m", {}],
    ["!miniTicker@arr", []],
    ["bnbbtc@trade", null],
    ["bnbbtc@trade", undefined],
    ["bnbbtc@trade", "text"],
  ];
  for (const [stream, data] of rows) assertEquals(sequenceOf(stream, data), undefined, stream);
});

test("a hole is seen in consecutive streams only, and an overlap is none", () => {
  const futures = (first: number, last: number, previous: number) => ({ ...consecutive(first, last), previous });
  for (
    const [before, next, expected] of [
      [consecutive(1), consecutive(2), true],
      [consecutive(1), consecutive(3), false],
      [consecutive(1, 10), consecutive(11, 12), true],
      [consecutive(1, 10), consecutive(8, 12), true],
      [consecutive(1, 10), consecutive(12, 13), false],
      // Ids of futures jump; what counts is the id of the message before.
      [futures(1, 10, 0), futures(500, 510, 10), true],
      [futures(1, 10, 0), futures(11, 20, 11), false],
      [futures(1, 10, 0), futures(5, 20, 4), true],
      [increasing(1), increasing(99), true],
    ] as const
  ) assertEquals(follows(before, next), expected, JSON.stringify([before, next]));
});

test("generated streams are free of gaps, and one message left out is a gap", () => {
  for (
    const [stream, market] of [
      ["btcusdt@trade", "spot"],
      ["btcusdt@aggTrade", "spot"],
      ["btcusdt@depth@100ms", "spot"],
      ["btcusdt@trade", "futures"],
      ["btcusdt@aggTrade", "futures"],
      ["btcusdt@depth@100ms", "futures"],
      ["btcusdt@rpiDepth@500ms", "futures"],
    ] as const
  ) {
    const sequences = Array.from({ length: 200 }, (_, n) => {
      const sequence = sequenceOf(stream, JSON.parse(generateMessage(stream, n, { market }) ?? "null"));
      assert(sequence?.kind === "consecutive", stream);
      return sequence;
    });
    for (const [n, next] of sequences.entries()) {
      const [twoBefore, before] = [sequences[n - 2], sequences[n - 1]];
      assert(before === undefined || (follows(before, next) && next.last > before.last), `${stream} ${n}`);
      assert(twoBefore === undefined || !follows(twoBefore, next), `${stream} ${n}`);
    }
  }
});

const folder = process.env.RAWTICK_RECORDINGS ?? fileURLToPath(new URL("../../shared/recordings/", import.meta.url));
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".ndjson")) : [];

if (files.length === 0) {
  test("recorded streams are in order and free of gaps", {
    skip: "no recordings: set RAWTICK_RECORDINGS to their folder",
  });
}

for (const file of files) {
  test(`every stream of the recording ${file} is in order and free of gaps`, () => {
    let before = new Map<string, Sequence[]>();
    let compared = 0;
    let holes = 0;
    for (const row of parseRecording(readFileSync(`${folder}/${file}`, "utf8")).rows) {
      // Each connection begins anew.
      if ("url" in row) before = new Map();
      if ("url" in row || "http" in row) continue;
      const { stream, data } = JSON.parse(row.text);
      const next = sequenceOf(stream, data);
      assert(next !== undefined, row.text);
      const [last, secondLast] = before.get(stream) ?? [];
      if (last !== undefined) {
        assert(follows(last, next), `gap in ${stream} between ${last.last} and ${row.text}`);
        assert(next.kind === "consecutive" ? next.last > last.last : next.last >= last.last, `order of ${row.text}`);
        compared++;
        if (next.kind === "consecutive" && secondLast !== undefined) {
          assert(!follows(secondLast, next), `a hole in ${stream} before ${row.text} would not be seen`);
          holes++;
        }
        before.set(stream, [next, last]);
      } else {
        before.set(stream, [next]);
      }
    }
    assert(compared > 100 && holes > 100, `${compared} pairs, ${holes} holes`);
  });
}
