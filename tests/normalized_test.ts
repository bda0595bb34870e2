/**
 * The output "normalized": long names, and nothing that gets lost.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { type NormalizedMessage, normalizeEvent } from "@rawtick/binance";
import { ACCOUNT_NAMES, MARKET_NAMES, PART_NAMES } from "../src/events/names.ts";
import { normalizeMessage } from "../src/events/normalize.ts";
import { allFields, documented, generatedMessages, recorded } from "./event_samples.ts";
import { startBench, testEachLibrary, trade } from "./support.ts";

/** Every value that is no object, sorted: what must not get lost. Levels of order books are values too. */
function leavesOf(value: unknown): string[] {
  const leaves: string[] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) leaves.push(JSON.stringify(part) ?? "undefined");
    else Object.values(part).forEach(visit);
  };
  visit(value);
  return leaves.sort();
}

/** The leaves of a normalized message without those that were added. */
function withoutAdded(message: NormalizedMessage, added: readonly string[]): string[] {
  const rest = leavesOf(message);
  for (const value of added) {
    const at = rest.indexOf(JSON.stringify(value) ?? "");
    assert(at >= 0, `added: ${value}`);
    rest.splice(at, 1);
  }
  return rest;
}

/** All names of fields, also of the objects within. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...namesIn(part)]);
}

test("a trade has the names that UnicornFy gives it", () => {
  assertEquals(normalizeMessage(JSON.parse(trade(7).text)), {
    stream_type: "btcusdt@trade",
    event_type: "trade",
    event_time: 1672515782143,
    symbol: "BTCUSDT",
    trade_id: 7,
    price: "0.001",
    quantity: "100",
    trade_time: 1672515782143,
    is_market_maker: true,
    ignore: true,
  });
});

test("no field of any event is lost, and each has a long name", () => {
  for (const text of allFields) {
    const event = JSON.parse(text);
    const message = normalizeEvent(event, "x@y");
    // Where there is a type, it is the one of the event; account events are known by the account instead of the stream.
    const isAccount = message.stream_type === "!userData@arr";
    const added = [message.stream_type, ...(isAccount ? ["x@y"] : [])];
    if (event.e === undefined) added.push(message.event_type);
    if (message.event_type === "depth") added.push("X");
    assertEquals(withoutAdded(message, added), leavesOf(event), text);
    assertEquals(
      namesIn(message).filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) || name.length < 4),
      [],
      text,
    );
  }
});

test("no message of the documents, the recordings and the local exchange loses anything", () => {
  for (const text of [...documented, ...recorded, ...generatedMessages]) {
    const message = JSON.parse(text);
    const normalized = normalizeMessage(message);
    const rest = leavesOf(normalized);
    for (const leaf of leavesOf(message)) {
      const at = rest.indexOf(leaf);
      assert(at >= 0, `${leaf} is in ${text}`);
      rest.splice(at, 1);
    }
    assert(rest.length <= 4, `only the names of the stream and the event, its symbol and level are added: ${rest}`);
    const short = namesIn(normalized).filter((name) => /^[A-Za-z]{1,2}$/.test(name));
    assertEquals(short, [], text);
  }
});

test("no event calls two of its fields the same, also with the fields of an order among its own", () => {
  for (const [event, text] of Object.entries({ ...MARKET_NAMES, ...ACCOUNT_NAMES, ...PART_NAMES })) {
    const dissolved = [...text.matchAll(/\*(\w+)/g)].map(([, part = ""]) => PART_NAMES[part] ?? "");
    // Only one of them is ever there.
    const variants = dissolved.length === 0 ? [""] : dissolved;
    for (const variant of variants) {
      const names = [...`${text} ${variant}`.matchAll(/=(\w+)/g)].map(([, name]) => name);
      assertEquals(names.filter((name, index) => names.indexOf(name) !== index), [], event);
    }
  }
});

test("the compiler knows every long name", () => {
  const source = ["names", "fields", "message"]
    .map((file) => readFileSync(new URL(`../src/events/normalized_${file}.ts`, import.meta.url), "utf8")).join("\n");
  for (const text of Object.values({ ...MARKET_NAMES, ...ACCOUNT_NAMES, ...PART_NAMES })) {
    for (const [, name = "", sign] of text.matchAll(/=(\w+)(\*?)/g)) {
      if (sign === "") assert(source.includes(`| "${name}"`) || source.includes(`readonly ${name}?`), name);
    }
  }
});

test("whatever an event contains arrives, under names that are free", () => {
  const types = Object.keys({ ...MARKET_NAMES, ...ACCOUNT_NAMES }).flatMap((events) => events.split("|"));
  const letters = [..."abcdefghiklmnopqrstuvwxACEFLMOPQSTUVXZ"];
  const name = fc.oneof(
    fc.constantFrom(
      ...letters,
      "symbol",
      "price",
      "stream_type",
      "event_type",
      "data",
      "account",
      "zz",
      "zz_",
      "ac",
      "so",
    ),
    fc.string(),
  );
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const object = fc.dictionary(name, value, { maxKeys: 8 });
  const event = fc.dictionary(name, fc.oneof(value, object, fc.array(object, { maxLength: 3 })), { maxKeys: 12 });
  fc.assert(fc.property(fc.constantFrom(...types, "brandNew"), event, (type, fields) => {
    const given = JSON.parse(JSON.stringify({ ...fields, e: type }));
    const message = normalizeEvent(given);
    assertEquals(withoutAdded(message, [message.stream_type]), leavesOf(given));
  }));
});

test("a field called like a method or a prototype is an ordinary field", () => {
  const event = JSON.parse('{"e":"trade","constructor":1,"__proto__":2,"toString":3,"p":"1"}');
  const message = normalizeEvent(event);
  assertEquals(Object.entries(message), [
    ["stream_type", ""],
    ["event_type", "trade"],
    ["constructor", 1],
    ["__proto__", 2],
    ["toString", 3],
    ["price", "1"],
  ]);
  assertEquals(normalizeEvent({ e: "constructor", s: "x" }), { stream_type: "", event_type: "constructor", s: "x" });
});

test("an unknown event keeps its fields, and an unknown field its name", () => {
  assertEquals(normalizeEvent({ e: "brandNew", E: 1, s: "X", zz: { p: 1 } }, "x@brandNew"), {
    stream_type: "x@brandNew",
    event_type: "brandNew",
    event_time: 1,
    s: "X",
    zz: { p: 1 },
  });
  assertEquals(normalizeEvent({ e: "trade", s: "X", symbol: "Y", k: 1 }, "x@trade"), {
    stream_type: "x@trade",
    event_type: "trade",
    symbol: "X",
    symbol_: "Y",
    k: 1,
  });
});

test("partial depth and the spot market's best bid and ask get the type that Binance leaves out", () => {
  const levels = { lastUpdateId: 1, bids: [["1", "2"]], asks: [] };
  assertEquals(normalizeEvent(levels, "这是测试币456usdt@depth20@100ms"), {
    stream_type: "这是测试币456usdt@depth20@100ms",
    event_type: "depth",
    symbol: "这是测试币456USDT",
    depth_level: 20,
    last_update_id: 1,
    bids: [["1", "2"]],
    asks: [],
  });
  const quote = normalizeEvent({ u: 1, s: "BNBUSDT", b: "1", B: "2", a: "3", A: "4" }, "bnbusdt@bookTicker");
  assertEquals([quote.event_type, quote.best_bid_price, quote.best_ask_quantity], ["bookTicker", "1", "4"]);
  const snapshot = { e: "depthUpdate", E: 1, T: 1, s: "BTCUSDT", U: 1, u: 2, pu: 0, b: [], a: [] };
  assertEquals(normalizeEvent(snapshot, "btcusdt@depth5").depth_level, 5);
  assertEquals(normalizeEvent(snapshot, "btcusdt@depth@100ms").depth_level, undefined);
});

test("an array becomes one message with its rows in `data`", () => {
  const row = { e: "24hrMiniTicker", E: 1, s: "BNBBTC", c: "2" };
  const named = { event_type: "24hrMiniTicker", event_time: 1, symbol: "BNBBTC", close_price: "2" };
  assertEquals(normalizeMessage({ stream: "!miniTicker@arr", data: [row, row] }), {
    stream_type: "!miniTicker@arr",
    event_type: "24hrMiniTicker",
    data: [named, named],
  });
  assertEquals(normalizeMessage({ stream: "!miniTicker@arr", data: [] }), {
    stream_type: "!miniTicker@arr",
    event_type: "!miniTicker",
    data: [],
  });
});

test("the fields of an order stand beside those of its event, and its account is named", () => {
  const event = { e: "ORDER_TRADE_UPDATE", E: 2, T: 1, o: { s: "BTCUSDT", i: 8886774, X: "NEW", zz: 1 }, zz: 2 };
  assertEquals(normalizeMessage({ stream: "account1", data: event }), {
    stream_type: "!userData@arr",
    event_type: "ORDER_TRADE_UPDATE",
    account: "account1",
    event_time: 2,
    transaction_time: 1,
    symbol: "BTCUSDT",
    order_id: 8886774,
    current_order_status: "NEW",
    zz: 1,
    zz_: 2,
  });
  assertEquals(normalizeMessage({ subscriptionId: 3, event: { e: "balanceUpdate", a: "BTC", d: "1" } }), {
    stream_type: "!userData@arr",
    event_type: "balanceUpdate",
    asset: "BTC",
    balance_delta: "1",
    subscription_id: 3,
  });
});

test("account data of options has its own names under a type that futures have too", () => {
  assertEquals(normalizeEvent({ e: "ACCOUNT_UPDATE", E: 1, eq: "1", m: "2", i: "3" }), {
    stream_type: "!userData@arr",
    event_type: "ACCOUNT_UPDATE",
    event_time: 1,
    account_equity: "1",
    position_value: "2",
    initial_margin: "3",
  });
});

test("what is no event stays as it is", () => {
  for (const text of ['{"result":null,"id":1}', '{"error":{"code":2,"msg":"x"},"id":1}', "null", "7", '"x"', "{}"]) {
    assertEquals(normalizeMessage(JSON.parse(text)), JSON.parse(text));
  }
});

testEachLibrary("a normalized stream delivers long names, and ids beyond 2^53 exact", async (library) => {
  await using bench = await startBench(library, { output: "normalized", deliverControlResponses: true });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.broadcast("{");
  bench.exchange.broadcast(trade(7).text.replace('"t":7', '"t":9007199254740993'));
  const received: NormalizedMessage[] = [];
  for await (const message of stream) if (received.push(message) === 2) break;
  const [answer, event] = received;
  assertStringIncludes(JSON.stringify(answer), '"result":null');
  assertEquals([event?.stream_type, event?.trade_id, event?.price], ["btcusdt@trade", "9007199254740993", "0.001"]);
  assertEquals(stream.statistics.invalidMessages, 1);
});
