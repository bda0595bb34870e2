/**
 * The streams of the futures markets that the generator knows: Binance USD-M and COIN-M "Websocket Market Streams",
 * with the fields of the merge of both (2026-06).
 *
 * @module
 */

import { bookTicker, depthDiff, depthSnapshot } from "./book_messages.ts";
import { isInterval } from "./candles.ts";
import { kline } from "./kline_messages.ts";
import { hundredths, thousandths } from "./numbers.ts";
import { contractOf, type StreamContext } from "./stream_context.ts";
import { FUTURES_SYMBOLS, isInArray, type MessageWriter, splitStreamName, type StreamKind } from "./stream_kind.ts";
import { miniTicker, ticker } from "./ticker_messages.ts";
import { aggTrade, trade } from "./trade_messages.ts";

const FUNDING_MS = 8 * 3_600_000;
const DEPTH_STEP_MS: Readonly<Record<string, number>> = { "": 250, "500ms": 500, "100ms": 100 };
const MARK_PRICE_STEP_MS: Readonly<Record<string, number>> = { "": 3000, "1s": 1000 };

/** What a futures stream name stands for; `undefined` for names that would be acknowledged and stay silent. */
export function futuresStream(name: string): StreamKind | undefined {
  const parts = splitStreamName(name);
  if (parts === undefined) return undefined;
  const { symbol, channel, modifier = "" } = parts;
  if (symbol.startsWith("!")) return allMarket(symbol, channel, modifier);
  const kind = (stepMs: number, writer: (context: StreamContext) => MessageWriter) => ({ symbol, stepMs, writer });
  const candle = /^(continuousKline|kline)_(.+)$/.exec(channel);
  if (candle !== null) {
    const [, type, interval = ""] = candle;
    if (!isInterval(interval) || modifier !== "") return undefined;
    if (type === "continuousKline") return continuousKline(symbol, interval);
    return interval === "1s" ? undefined : kind(250, kline(interval, 0, klineHead, true));
  }
  const depth = /^depth(5|10|20)?$/.exec(channel);
  if (depth !== null) {
    const stepMs = DEPTH_STEP_MS[modifier];
    if (stepMs === undefined) return undefined;
    return kind(stepMs, depth[1] === undefined ? depthDiff : depthSnapshot(Number(depth[1])));
  }
  if (channel === "markPrice") {
    const stepMs = MARK_PRICE_STEP_MS[modifier];
    return stepMs === undefined ? undefined : kind(stepMs, markPrice);
  }
  if (channel === "rpiDepth") return modifier === "500ms" ? kind(500, depthDiff) : undefined;
  if (modifier !== "") return undefined;
  switch (channel) {
    case "trade":
      return kind(100, trade);
    case "aggTrade":
      return kind(100, aggTrade);
    case "bookTicker":
      return kind(100, bookTicker);
    case "miniTicker":
      return kind(2000, miniTicker);
    case "ticker":
      return kind(2000, ticker("24hr"));
    case "forceOrder":
      return kind(1000, forceOrder);
    default:
      return undefined;
  }
}

function allMarket(symbol: string, channel: string, modifier: string): StreamKind | undefined {
  if (symbol === "!bookTicker") return channel === "" ? rotating(5000, "bookTicker", bookTicker) : undefined;
  if (channel !== "arr") return undefined;
  if (symbol === "!markPrice") {
    const stepMs = MARK_PRICE_STEP_MS[modifier];
    return stepMs === undefined ? undefined : array(stepMs, "markPrice", markPrice);
  }
  if (modifier !== "") return undefined;
  switch (symbol) {
    case "!miniTicker":
      return array(1000, "miniTicker", miniTicker);
    case "!ticker":
      return array(1000, "ticker", ticker("24hr"));
    case "!forceOrder":
      // One object in spite of its name (USD-M "All Market Liquidation Order Streams").
      return rotating(1000, "forceOrder", forceOrder);
    default:
      return undefined;
  }
}

type WriterFactory = (context: StreamContext) => MessageWriter;

function siblings(context: StreamContext, channel: string, writer: WriterFactory): MessageWriter[] {
  return FUTURES_SYMBOLS.map((symbol) => writer(context.sibling(`${symbol}@${channel}`, symbol)));
}

/** A stream whose messages are arrays with a row for each symbol that changed. */
function array(stepMs: number, channel: string, writer: WriterFactory): StreamKind {
  return {
    symbol: "",
    stepMs,
    writer: (context) => {
      const writers = siblings(context, channel, writer);
      return (n) =>
        `[${writers.filter((_, index) => isInArray(context, n, index)).map((write) => write(n)).join(",")}]`;
    },
  };
}

/** A stream whose messages are about one symbol of the market each. */
function rotating(stepMs: number, channel: string, writer: WriterFactory): StreamKind {
  return {
    symbol: "",
    stepMs,
    writer: (context) => {
      const writers = siblings(context, channel, writer);
      return (n) => writers[n % writers.length]?.(n) ?? "";
    },
  };
}

function klineHead(context: StreamContext, n: number): string {
  return `"e":"kline","E":${context.timeMs(n)},"s":"${context.symbol}"`;
}

/** `<pair>_<contractType>@continuousKline_<interval>`: a candle that names the pair and the type of the contract. */
function continuousKline(name: string, interval: string): StreamKind | undefined {
  const match = /^([^_]+)_(perpetual|current_quarter|next_quarter|tradifi_perpetual)$/.exec(name);
  if (match === null) return undefined;
  const [, symbol = "", type = ""] = match;
  const head = (context: StreamContext, n: number) =>
    `"e":"continuous_kline","E":${context.timeMs(n)},"ps":"${context.symbol}","ct":"${type.toUpperCase()}"`;
  return { symbol, stepMs: 250, writer: kline(interval, 0, head, false) };
}

function markPrice(context: StreamContext): MessageWriter {
  const { st } = contractOf(context.symbol);
  return (n) => {
    const cents = context.cents(n);
    const time = context.timeMs(n);
    const price = (value: number) => `"${hundredths(value)}000000"`;
    return `{"e":"markPriceUpdate","E":${time},"s":"${context.symbol}","p":${price(cents)},"ap":${price(cents)},` +
      `"i":${price(cents + context.draw(n, 1) % 20)},"P":${price(cents + context.draw(n, 2) % 50)},` +
      `"r":"0.0000${1000 + context.draw(n, 3) % 9000}","T":${(Math.floor(time / FUNDING_MS) + 1) * FUNDING_MS},` +
      `"st":${st}}`;
  };
}

function forceOrder(context: StreamContext): MessageWriter {
  const { pair, st } = contractOf(context.symbol);
  return (n) => {
    const bits = context.draw(n, 1);
    const price = hundredths(context.cents(n));
    const quantity = thousandths(1 + bits % 10_000);
    const time = context.timeMs(n);
    return `{"e":"forceOrder","E":${time},"o":{"s":"${context.symbol}","ps":"${pair}",` +
      `"S":"${bits > 0x7fffffff ? "SELL" : "BUY"}","o":"LIMIT","f":"IOC","q":"${quantity}","p":"${price}",` +
      `"ap":"${price}","X":"FILLED","l":"${quantity}","z":"${quantity}","T":${time - 5}},"st":${st}}`;
  };
}
