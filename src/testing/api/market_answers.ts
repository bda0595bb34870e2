/**
 * Market data as the WebSocket APIs answer it: of the documented shape, made up from one price per symbol.
 *
 * @module
 */

import type { Call } from "./call.ts";
import { decimal, formatDecimal, formatShort } from "./decimal.ts";
import { symbolOf } from "./order_params.ts";

type Json = Record<string, unknown>;

/** Length of the intervals of candles in ms. */
const INTERVAL_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
/** Most rows that one answer carries here, so that 1000 of them don't slow a test down. */
const MOST_ROWS = 20;
const TICK = decimal("0.01");

function rows(call: Call, standard: number = 500): number {
  return Math.max(1, Math.min(MOST_ROWS, call.params.number("limit") ?? standard));
}

/** `depth`. */
export function depth(call: Call): Json {
  const price = call.venue.engine.price(symbolOf(call.params));
  const level = (step: number) => [formatDecimal(price + BigInt(step) * TICK), "1.00000000"];
  const levels = Array.from({ length: rows(call, 100) }, (_, index) => index + 1);
  return { lastUpdateId: call.now, bids: levels.map((step) => level(-step)), asks: levels.map(level) };
}

/** `trades.recent`, `trades.historical`. */
export function trades(call: Call): Json[] {
  const price = formatDecimal(call.venue.engine.price(symbolOf(call.params)));
  const from = call.params.number("fromId") ?? 0;
  return Array.from({ length: rows(call) }, (_, index) => ({
    id: from + index,
    price,
    qty: "1.00000000",
    quoteQty: price,
    time: call.now,
    isBuyerMaker: index % 2 === 0,
    isBestMatch: true,
  }));
}

/** `trades.aggregate`. */
export function aggregates(call: Call): Json[] {
  const p = formatDecimal(call.venue.engine.price(symbolOf(call.params)));
  const from = call.params.number("fromId") ?? 0;
  return Array.from({ length: rows(call) }, (_, index) => ({
    a: from + index,
    p,
    q: "1.00000000",
    f: from + index,
    l: from + index,
    T: call.now,
    m: index % 2 === 0,
    M: true,
  }));
}

/** `klines`, `uiKlines`. */
export function klines(call: Call): unknown[] {
  const price = formatDecimal(call.venue.engine.price(symbolOf(call.params)));
  const [, count = "1", unit = "m"] = /^(\d+)([smhdw])$/.exec(call.params.text("interval") ?? "") ?? [];
  const length = Number(count) * (INTERVAL_MS[unit] ?? 60_000);
  const count_ = rows(call);
  const last = Math.floor(call.now / length) * length;
  return Array.from({ length: count_ }, (_, index) => {
    const open = last - (count_ - 1 - index) * length;
    return [open, price, price, price, price, "1.00000000", open + length - 1, price, 1, "0.50000000", price, "0"];
  });
}

/** `avgPrice`. */
export function averagePrice(call: Call): Json {
  return { mins: 5, price: formatDecimal(call.venue.engine.price(symbolOf(call.params))), closeTime: call.now };
}

/** One object for `symbol`, an array for `symbols` or for all. */
export function eachSymbol(call: Call, all: readonly string[], row: (symbol: string) => Json): unknown {
  const { params } = call;
  if (params.text("symbol") !== undefined) return row(symbolOf(params));
  return (params.list("symbols") ?? all).map(row);
}

/** A row of `ticker.24hr`, `ticker.tradingDay` and `ticker`. */
export function tickerRow(call: Call, symbol: string): Json {
  const price = formatDecimal(call.venue.engine.price(symbol));
  const mini = {
    symbol,
    openPrice: price,
    highPrice: price,
    lowPrice: price,
    lastPrice: price,
    volume: "1000.00000000",
    quoteVolume: "1000.00000000",
    openTime: call.now - 86_400_000,
    closeTime: call.now,
    firstId: 0,
    lastId: 999,
    count: 1000,
  };
  if (call.params.text("type") === "MINI") return mini;
  return { ...mini, priceChange: "0.00000000", priceChangePercent: "0.000", weightedAvgPrice: price };
}

/** A row of `ticker.price`. */
export function priceRow(call: Call, symbol: string): Json {
  const price = call.venue.engine.price(symbol);
  if (call.venue.name === "spot") return { symbol, price: formatDecimal(price) };
  return { symbol, price: formatShort(price), time: call.now };
}

/** A row of `ticker.book`. */
export function bookRow(call: Call, symbol: string): Json {
  const price = call.venue.engine.price(symbol);
  const format = call.venue.name === "spot" ? formatDecimal : formatShort;
  const row = {
    symbol,
    bidPrice: format(price - TICK),
    bidQty: "1.00000000",
    askPrice: format(price + TICK),
    askQty: "1.00000000",
  };
  return call.venue.name === "spot" ? row : { ...row, lastUpdateId: call.now, time: call.now };
}

/** `exchangeInfo`. */
export function exchangeInfo(call: Call, all: readonly string[], assets: (symbol: string) => Json): Json {
  const symbol = call.params.text("symbol");
  const symbols = symbol === undefined ? call.params.list("symbols") ?? all : [symbolOf(call.params)];
  return {
    timezone: "UTC",
    serverTime: call.now,
    rateLimits: call.limits,
    exchangeFilters: [],
    symbols: symbols.map((name) => ({ symbol: name, status: "TRADING", ...assets(name) })),
    sors: [],
  };
}
