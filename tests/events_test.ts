/**
 * The output "typed": what arrives, and what the compiler knows of it.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type {
  AccountEvent,
  BinanceEvent,
  BinanceStream,
  BookTickerEvent,
  ContinuousKlineEvent,
  DataOf,
  DepthUpdateEvent,
  EventOf,
  ExecutionReportEvent,
  KlineEvent,
  LiquidationEvent,
  MarketEvent,
  MarketPayload,
  MarkPriceEvent,
  MiniTickerEvent,
  OrderTradeUpdateEvent,
  PartialDepthEvent,
  PriceKlineEvent,
  SpotBookTickerEvent,
  StreamNames,
  TradeEvent,
  TypedMessage,
  WindowTickerEvent,
} from "@rawtick/binance";
import { parsePrecise } from "@rawtick/binance";
import { allFields, documented, generatedMessages, recorded } from "./event_samples.ts";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

/** True if the compiler takes two types for the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only with types that are the same. */
function same<A, B>(value: Same<A, B>): void {
  assert(value);
}

test("the compiler knows the event of a stream by its name", () => {
  same<EventOf<"btcusdt@trade">, TradeEvent>(true);
  same<EventOf<"BTCUSDT@trade">, TradeEvent>(true);
  same<EventOf<"btcusdt@kline_1m">, KlineEvent>(true);
  same<EventOf<"btcusdt@kline_1d@+08:00">, KlineEvent>(true);
  same<EventOf<"btcusdt_perpetual@continuousKline_1m">, ContinuousKlineEvent>(true);
  same<EventOf<"btcusd@indexPriceKline_1m">, PriceKlineEvent>(true);
  same<EventOf<"btcusdt@depth">, DepthUpdateEvent>(true);
  same<EventOf<"btcusdt@depth@100ms">, DepthUpdateEvent>(true);
  same<EventOf<"btcusdt@depth20@100ms">, PartialDepthEvent | DepthUpdateEvent>(true);
  same<EventOf<"btcusdt@bookTicker">, SpotBookTickerEvent | BookTickerEvent>(true);
  same<EventOf<"btcusdt@ticker_1h">, WindowTickerEvent>(true);
  same<EventOf<"!miniTicker@arr">, readonly MiniTickerEvent[]>(true);
  same<EventOf<"!markPrice@arr@1s">, readonly MarkPriceEvent[]>(true);
  same<EventOf<"!forceOrder@arr">, LiquidationEvent>(true);
  same<EventOf<"!bookTicker">, BookTickerEvent>(true);
  same<EventOf<"!userData@arr">, AccountEvent>(true);
  same<EventOf<"btcusdt@trade" | "btcusdt@kline_1m">, TradeEvent | KlineEvent>(true);
});

test("the compiler knows a channel without its symbol, and falls back to all events for a name that it does not know", () => {
  same<EventOf<StreamNames<string, "trade">>, TradeEvent>(true);
  same<EventOf<StreamNames<"btcusdt@depth", string>>, DepthUpdateEvent>(true);
  same<EventOf<string>, MarketPayload>(true);
  same<EventOf<"btcusdt@brandNew">, MarketPayload>(true);
  same<DataOf<"raw", "btcusdt@trade">, string>(true);
  same<DataOf<"typed", "!userData@arr">["data"], AccountEvent>(true);
  same<TypedMessage<"BTCUSDT@trade">["stream"], "btcusdt@trade">(true);
});

test("the event type tells the events of the union apart", () => {
  same<Extract<MarketEvent, { e: "trade" }>, TradeEvent>(true);
  same<Extract<AccountEvent, { e: "executionReport" }>, ExecutionReportEvent>(true);
  same<Extract<AccountEvent, { e: "ORDER_TRADE_UPDATE" }>, OrderTradeUpdateEvent>(true);
  same<Exclude<BinanceEvent, { readonly e: string }>, SpotBookTickerEvent | PartialDepthEvent>(true);
});

test("the parser of typed events gives what JSON.parse gives, for every event and also for what it does not know", () => {
  const unknown = '{"stream":"x@brandNew","data":{"e":"brandNew","E":1,"zz":[{"y":null}],"constructor":1}}';
  for (const text of [...documented, ...recorded, ...allFields, ...generatedMessages, unknown]) {
    assertEquals(parsePrecise(text), JSON.parse(text));
  }
});

testEachLibrary("a typed stream delivers the event of its stream, with ids beyond 2^53 exact", async (library) => {
  await using bench = await startBench(library, { output: "typed" });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  same<typeof stream, BinanceStream<"typed", "btcusdt@trade">>(true);
  await stream.ready;
  bench.exchange.broadcast(trade(7).text);
  bench.exchange.broadcast(trade(7).text.replace('"t":7', '"t":9007199254740993,"b":1,"zz":{"y":1}'));
  const received: TradeEvent[] = [];
  for await (const { stream: name, data } of stream) {
    same<typeof data, TradeEvent>(true);
    assertEquals(name, "btcusdt@trade");
    if (received.push(data) === 2) break;
  }
  const { data } = JSON.parse(trade(7).text);
  assertEquals(received[0], data);
  const expected: unknown = { ...data, t: "9007199254740993", b: 1, zz: { y: 1 } };
  assertEquals(received[1], expected);
});

testEachLibrary("onData knows the events of several streams and tells them apart", async (library) => {
  const seen: string[] = [];
  await using bench = await startBench(library, {}, { messagesPerSecond: 200 });
  bench.manager.createStream({
    channels: ["trade", "depth5"],
    markets: "btcusdt",
    output: "typed",
    onData: ({ data }) => {
      same<typeof data, TradeEvent | PartialDepthEvent | DepthUpdateEvent>(true);
      if (data.e === "trade") seen.push(`trade ${typeof data.p}`);
      else if (data.e === undefined) seen.push(`depth5 ${data.bids.length}`);
    },
  });
  await until(() => new Set(seen).size === 2, "both kinds");
  assertEquals(new Set(seen), new Set(["trade string", "depth5 5"]));
});

testEachLibrary(
  "events that are not known, answers and what is no JSON do not disturb a typed stream",
  async (library) => {
    await using bench = await startBench(library, { output: "typed", deliverControlResponses: true });
    const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
    await stream.ready;
    const odd = '{"stream":"btcusdt@trade","data":{"e":"brandNew","zz":1}}';
    for (const text of ["{", odd, trade(1).text]) bench.exchange.broadcast(text);
    const received: unknown[] = [];
    for await (const message of stream) if (received.push(message) === 3) break;
    const [answer, ...events] = received;
    assert(typeof answer === "object" && answer !== null && "result" in answer);
    assertEquals(events, [JSON.parse(odd), JSON.parse(trade(1).text)]);
    assertEquals(stream.statistics.invalidMessages, 1);
  },
);

testEachLibrary("ids beyond 2^53 are bigints if the options say so", async (library) => {
  await using bench = await startBench(library, { output: "typed", integers: "bigint" });
  const stream = bench.manager.createStream({ streams: ["btcusdt@trade"] });
  await stream.ready;
  bench.exchange.broadcast(trade(7).text.replace('"t":7', '"t":7,"b":9007199254740993'));
  for await (const { data } of stream) {
    assertEquals([data.t, data.b], [7, 9007199254740993n]);
    break;
  }
});
