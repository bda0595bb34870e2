/**
 * The streams of the spot market that the generator knows: Binance web-socket-streams.md.
 *
 * @module
 */

import { bookTicker, depthDiff, depthSnapshot } from "./book_messages.ts";
import { isInterval } from "./candles.ts";
import { kline } from "./kline_messages.ts";
import { hundredths } from "./numbers.ts";
import type { StreamContext } from "./stream_context.ts";
import { isInArray, type MessageWriter, splitStreamName, SPOT_SYMBOLS, type StreamKind } from "./stream_kind.ts";
import { miniTicker, ticker } from "./ticker_messages.ts";
import { aggTrade, trade } from "./trade_messages.ts";

const UTC_PLUS_8_MS = 8 * 3_600_000;

/** What a spot stream name stands for; `undefined` for names that would be acknowledged and stay silent. */
export function spotStream(name: string): StreamKind | undefined {
  const parts = splitStreamName(name);
  if (parts === undefined) return undefined;
  const { symbol, channel, modifier } = parts;
  if (symbol.startsWith("!")) return modifier === undefined && channel === "arr" ? allMarket(symbol) : undefined;
  const kind = (stepMs: number, writer: (context: StreamContext) => MessageWriter) => ({ symbol, stepMs, writer });
  if (channel.startsWith("kline_")) {
    const interval = channel.slice("kline_".length);
    if (!isInterval(interval) || (modifier !== undefined && modifier !== "+08:00")) return undefined;
    const zoneMs = modifier === undefined ? 0 : UTC_PLUS_8_MS;
    return kind(interval === "1s" ? 1000 : 2000, kline(interval, zoneMs, klineHead, true));
  }
  const depth = /^depth(5|10|20)?$/.exec(channel);
  if (depth !== null) {
    if (modifier !== undefined && modifier !== "100ms") return undefined;
    const levels = depth[1];
    return kind(
      modifier === undefined ? 1000 : 100,
      levels === undefined ? depthDiff : depthSnapshot(Number(levels)),
    );
  }
  if (modifier !== undefined) return undefined;
  switch (channel) {
    case "trade":
      return kind(100, trade);
    case "aggTrade":
      return kind(100, aggTrade);
    case "bookTicker":
      return kind(100, bookTicker);
    case "miniTicker":
      return kind(1000, miniTicker);
    case "ticker":
      return kind(1000, ticker("24hr"));
    case "ticker_1h":
      return kind(1000, ticker("1h"));
    case "ticker_4h":
      return kind(1000, ticker("4h"));
    case "ticker_1d":
      return kind(1000, ticker("1d"));
    case "avgPrice":
      return kind(1000, avgPrice);
    default:
      return undefined;
  }
}

/** `!ticker@arr` and `!bookTicker` no longer exist on spot. */
function allMarket(symbol: string): StreamKind | undefined {
  switch (symbol) {
    case "!miniTicker":
      return { symbol: "", stepMs: 1000, writer: array("miniTicker", miniTicker) };
    case "!ticker_1h":
      return { symbol: "", stepMs: 1000, writer: array("ticker_1h", ticker("1h")) };
    case "!ticker_4h":
      return { symbol: "", stepMs: 1000, writer: array("ticker_4h", ticker("4h")) };
    case "!ticker_1d":
      return { symbol: "", stepMs: 1000, writer: array("ticker_1d", ticker("1d")) };
    default:
      return undefined;
  }
}

function array(channel: string, writer: (context: StreamContext) => MessageWriter) {
  return (context: StreamContext): MessageWriter => {
    const writers = SPOT_SYMBOLS.map((symbol) => writer(context.sibling(`${symbol}@${channel}`, symbol)));
    return (n) => `[${writers.filter((_, index) => isInArray(context, n, index)).map((write) => write(n)).join(",")}]`;
  };
}

function klineHead(context: StreamContext, n: number): string {
  return `"e":"kline","E":${context.timeMs(n) * context.ticksPerMs},"s":"${context.symbol}"`;
}

function avgPrice(context: StreamContext): MessageWriter {
  return (n) => {
    const time = context.timeMs(n) * context.ticksPerMs;
    return `{"e":"avgPrice","E":${time},"s":"${context.symbol}","i":"5m",` +
      `"w":"${hundredths(context.cents(n))}000000","T":${time - 100 * context.ticksPerMs}}`;
  };
}
