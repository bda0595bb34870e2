/**
 * Stream names: how they are written, how channels and markets make them, and which path serves them.
 *
 * @module
 */

import { quoted } from "../base/mod.ts";
import type { Exchange } from "./exchanges.ts";

/** A stream name that can't be used; `message` says what to write instead. */
export class StreamNameError extends Error {}

/** Special streams whose name takes no `@arr`: Binance USD-M and COIN-M "All Book Tickers" and "Contract Info". */
const WITHOUT_ARR = new Set(["!bookTicker", "!contractInfo", "!optionSymbol"]);

/** Channels that mean "the whole market" and pair with special markets such as `!ticker`; `$all` is the reference product's. */
function isWholeMarket(channel: string): boolean {
  return channel === "arr" || channel === "$all" || channel.startsWith("arr@");
}

/**
 * Checks a stream name and writes its symbol in lower case (ASCII letters only: symbols may be Chinese), since an
 * upper-case symbol is acknowledged and then never delivers (Binance web-socket-streams.md, "General WSS information").
 */
export function normalizeStreamName(name: string): string {
  if (!/^[^\s"\\/?#\p{Cc}]+$/u.test(name)) {
    throw new StreamNameError(
      `Cannot use the stream name ${quoted(name)}: expected a name such as "btcusdt@trade" or "!ticker@arr", ` +
        "without spaces, quotes, slashes, ? and #",
    );
  }
  if (name.startsWith("!") || name === "tradingSession") return name;
  const at = name.indexOf("@");
  if (at < 1 || at === name.length - 1 || name.includes("!")) {
    throw new StreamNameError(
      `Cannot use the stream name ${quoted(name)}: expected "<symbol>@<channel>", such as "btcusdt@trade"`,
    );
  }
  return lowerCaseAscii(name.slice(0, at)) + name.slice(at);
}

function lowerCaseAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * The cross product of channels and markets as stream names. Markets with `!` (`!ticker`, `!miniTicker`, …) pair only
 * with the channel `arr` (or `arr@1s`), the others only with other channels; the two may also stand the other way
 * round, as in the reference product (`channels: "!miniTicker", markets: "arr"`).
 */
export function crossProduct(channels: readonly string[], markets: readonly string[]): string[] {
  const names = new Set<string>();
  const unpaired = new Set([...channels, ...markets]);
  const pair = (channel: string, market: string, name: string) => {
    unpaired.delete(channel);
    unpaired.delete(market);
    names.add(normalizeStreamName(name));
  };
  for (const channel of channels) {
    for (const market of markets) {
      if (market.startsWith("!") && isWholeMarket(channel)) {
        pair(channel, market, wholeMarketName(market, channel));
      } else if (channel.startsWith("!") && isWholeMarket(market)) {
        pair(channel, market, wholeMarketName(channel, market));
      } else if (![channel, market].some((part) => part.startsWith("!") || isWholeMarket(part))) {
        pair(channel, market, `${market}@${channel}`);
      }
    }
  }
  // Special streams first: what they need is the most telling.
  for (const rest of [...unpaired].sort((a, b) => Number(b.startsWith("!")) - Number(a.startsWith("!")))) {
    const wanted = rest.startsWith("!")
      ? 'the channel "arr"'
      : isWholeMarket(rest)
      ? 'a market such as "!ticker"'
      : "a partner";
    throw new StreamNameError(
      `Cannot combine ${quoted(rest)} with any of the others: expected ${wanted} beside it; ` +
        "give exact names in `streams` for anything that is not a cross product",
    );
  }
  return [...names];
}

function wholeMarketName(special: string, suffix: string): string {
  if (WITHOUT_ARR.has(special)) return special;
  return `${special}@${suffix === "$all" ? "arr" : suffix}`;
}

/** A path of an exchange that serves some of its streams; `""` where one path serves all. */
export type Route = "" | "public" | "market";

/**
 * The path that serves a stream. A stream subscribed on the wrong path is acknowledged and stays silent, so this
 * decides which connection it belongs to (Binance USD-M "Important WebSocket Change Notice" and each stream's page;
 * `@trade` is undocumented and was seen on /public).
 */
export function routeOf(exchange: Exchange, name: string): Route {
  if (exchange.routing === "single") return "";
  const parts = name.split("@");
  const channel = (name.startsWith("!") ? parts[0] : parts[1]) ?? "";
  return (exchange.routing === "futures" ? FUTURES_PUBLIC : OPTIONS_PUBLIC).test(channel) ? "public" : "market";
}

const FUTURES_PUBLIC = /^(!?bookTicker|depth\d*|rpiDepth|trade)$/;
const OPTIONS_PUBLIC = /^(optionTicker|bookTicker|depth\d*|optionTrade)$/;

/** The URL of a connection in combined form, which carries no streams yet: they are subscribed by messages. */
export function connectionUrl(baseUrl: string, route: Route): string {
  return `${baseUrl}/${route === "" ? "" : `${route}/`}stream?streams=`;
}
