/**
 * Which streams a market is known to serve, and which of them come at fixed times whatever happens there.
 *
 * @module
 */

import { quoted } from "../base/mod.ts";
import type { Exchange, Market } from "./exchanges.ts";
import { textsOf } from "./pattern_texts.ts";

/** A kind of stream. */
interface StreamKind {
  /** Matches the name from its first `@` on; the whole name of streams without a symbol. */
  readonly pattern: RegExp;
  /** Time between two messages in ms, where they come whatever happens. */
  readonly intervalMs?: number;
}

/** A kind that is only pushed when something happens, or whose documents leave that open. */
const onEvent = (pattern: RegExp): StreamKind => ({ pattern });
const every = (intervalMs: number, pattern: RegExp): StreamKind => ({ pattern, intervalMs });

/** Spot: Binance web-socket-streams.md, "Detailed Stream information". */
const SPOT: readonly StreamKind[] = [
  // Prints, book changes and averages come "in real time" or as changes.
  onEvent(/^@(aggTrade|trade|blockTrade|bookTicker|avgPrice|depth(5|10|20)?(@100ms)?)$/),
  // 1000 ms, but nothing says that an unchanged one is pushed again, nor for a symbol without a reference price.
  onEvent(/^@(miniTicker|ticker(_(1h|4h|1d))?|referencePrice)$/),
  onEvent(/^@kline_(1s|1m|3m|5m|15m|30m|1h|2h|4h|6h|8h|12h|1d|3d|1w|1M)(@\+08:00)?$/),
  // Arrays of all symbols that changed within the second: in a whole market there are always some.
  every(1000, /^!(miniTicker|ticker_(1h|4h|1d))@arr$/),
];

/**
 * binance.us documents `!ticker@arr` (2024-06); of TR nothing is documented, but that names are as on spot. Both markets
 * are thin: seconds may pass without any change.
 */
const SPOT_OF_BEFORE: readonly StreamKind[] = [
  onEvent(/^!((miniTicker|ticker(_(1h|4h|1d))?)@arr|bookTicker)$/),
  ...SPOT,
];

/** What USD-M and COIN-M share: the pages of both below "Websocket Market Streams". */
const FUTURES: readonly StreamKind[] = [
  // `trade` is not documented, but served (measured).
  onEvent(/^@(aggTrade|trade|bookTicker|forceOrder|miniTicker|ticker|depth(5|10|20)?(@(100|500)ms)?)$/),
  // Every 250 ms "if existing".
  onEvent(/^@kline_(1m|3m|5m|15m|30m|1h|2h|4h|6h|8h|12h|1d|3d|1w|1M)$/),
  onEvent(/^@continuousKline_(1s|1m|3m|5m|15m|30m|1h|2h|4h|6h|8h|12h|1d|3d|1w|1M)$/),
  every(3000, /^@markPrice$/),
  every(1000, /^@markPrice@1s$/),
  every(1000, /^!(miniTicker|ticker)@arr$/),
  // Silent while nobody is liquidated; pushed when a contract is listed, settled or changed.
  onEvent(/^(!forceOrder@arr|!contractInfo)$/),
];

const USDM: readonly StreamKind[] = [
  ...FUTURES,
  onEvent(/^@rpiDepth@500ms$/),
  every(3000, /^!markPrice@arr$/),
  every(1000, /^!markPrice@arr@1s$/),
  every(5000, /^!bookTicker$/),
  every(1000, /^(@compositeIndex|@assetIndex|!assetIndex@arr|tradingSession)$/),
];

const COINM: readonly StreamKind[] = [
  ...FUTURES,
  every(3000, /^@indexPrice$/),
  every(1000, /^@indexPrice@1s$/),
  // In real time on COIN-M.
  onEvent(/^!bookTicker$/),
  onEvent(/^@(indexPriceKline|markPriceKline)_(1m|3m|5m|15m|30m|1h|2h|4h|6h|8h|12h|1d|3d|1w|1M)$/),
];

/** Options: the pages below options-trading "Websocket Market Streams". */
const OPTIONS: readonly StreamKind[] = [
  onEvent(/^@(bookTicker|optionTrade|optionTicker(@\d{6})?|depth(5|10|20)?@(100|500)ms)$/),
  onEvent(/^@kline_(1m|3m|5m|15m|30m|1h|2h|4h|6h|12h|1d|3d|1w)$/),
  onEvent(/^!optionSymbol$/),
  every(1000, /^(@optionMarkPrice|!index@arr)$/),
  // One page has both names.
  every(60_000, /^@(optionOpenInterest|openInterest)@\d{6}$/),
];

const kinds: Record<Market, readonly StreamKind[]> = {
  spot: SPOT,
  us: SPOT_OF_BEFORE,
  tr: SPOT_OF_BEFORE,
  usdm: USDM,
  coinm: COINM,
  options: OPTIONS,
  none: [],
};

/** What patterns match: all but the symbol. */
function tailOf(name: string): string {
  return name.startsWith("!") || !name.includes("@") ? name : name.slice(name.indexOf("@"));
}

function kindOf({ market }: Exchange, name: string): StreamKind | undefined {
  const tail = tailOf(name);
  return kinds[market].find(({ pattern }) => pattern.test(tail));
}

/**
 * How a stream is written that differs from documented ones only by upper and lower case, which Binance tells apart in all
 * but the symbol: `btcusdt@KLINE_1M` is `btcusdt@kline_1m` or `btcusdt@kline_1M`. None for all others.
 */
export function spellingsOf(exchange: Exchange, name: string): string[] {
  if (kindOf(exchange, name) !== undefined) return [];
  const tail = tailOf(name);
  return kinds[exchange.market].flatMap(({ pattern }) => {
    if (!new RegExp(pattern.source, "i").test(tail)) return [];
    const words = [...new Set(pattern.source.match(/[A-Za-z]+/g))];
    let tails = [""];
    for (const part of tail.split(/([A-Za-z]+)/)) {
      const same = words.filter((word) => word.toLowerCase() === part.toLowerCase());
      tails = tails.flatMap((start) => (same.length > 0 ? same : [part]).map((word) => start + word));
    }
    return tails.filter((spelling) => pattern.test(spelling))
      .map((spelling) => name.slice(0, name.length - tail.length) + spelling);
  });
}

/**
 * What stands behind the first `@` of the names of an exchange's streams, such as `trade`, `depth@100ms`, `arr` or
 * `arr@1s`; `<interval>` is that of candles and tickers.
 */
export function channelsOf({ market }: Exchange): string[] {
  const names = kinds[market].flatMap(({ pattern }) => textsOf(pattern)).filter((name) => name.includes("@"));
  const channels = names.map((name) => name.slice(name.indexOf("@") + 1));
  return [...new Set(channels.map((channel) => channel.replace(/_\d+[a-zA-Z](?=@|$)/, "_<interval>")))];
}

/** Whether a documented stream of an exchange has this behind the first `@` of its name. */
export function isChannel(exchange: Exchange, text: string): boolean {
  return kindOf(exchange, `@${text}`) !== undefined || (text.startsWith("arr") && channelsOf(exchange).includes(text));
}

/**
 * Time in ms between two messages of a stream that comes at fixed times whatever happens in its market; `undefined` for
 * one that is only pushed when something happens, or whose documents don't say. One message that is late proves nothing:
 * silence of a multiple of this is suspicious.
 */
export function expectedIntervalMs(exchange: Exchange, name: string): number | undefined {
  return kindOf(exchange, name)?.intervalMs;
}

/**
 * A warning for a stream that is not documented for this exchange: it is asked for all the same, since Binance adds
 * streams, but it will be acknowledged and stay silent if there is none. `undefined` for the documented ones.
 */
export function undocumentedWarning(exchange: Exchange, name: string): string | undefined {
  if (kindOf(exchange, name) !== undefined) return undefined;
  return `The stream ${quoted(name)} is not documented for ${quoted(exchange.key)}: ` +
    "if there is none, Binance acknowledges it and never sends anything";
}
