/**
 * Stream names: how they are written, and how channels and markets make them.
 *
 * @module
 */

import { quoted } from "../base/mod.ts";

/** A stream name that can't be used; `message` says what to write instead. */
export class StreamNameError extends Error {}

/** Special streams whose name takes no `@arr`, each with a page of its own in Binance's documents. */
export const WITHOUT_ARR: ReadonlySet<string> = new Set([
  "!bookTicker",
  "!contractInfo",
  "!optionSymbol",
  "tradingSession",
]);

/** Channels that mean "the whole market" and pair with special markets such as `!ticker`; `$all` is the reference product's. */
function isWholeMarket(channel: string): boolean {
  return channel === "arr" || channel === "$all" || channel.startsWith("arr@");
}

/** Whether a name stands for the whole market instead of a symbol. */
function isSpecial(name: string): boolean {
  return name.startsWith("!") || name === "tradingSession";
}

/**
 * What a stream is about, without its symbol and its modifiers: `btcusdt@depth20@100ms` is `depth20`, `!ticker@arr` is
 * `!ticker`, and a name without any `@`, such as `tradingSession`, is itself.
 */
export function channelOf(name: string): string {
  const [first = "", second] = name.split("@", 2);
  return isSpecial(first) || second === undefined ? first : second;
}

/**
 * Checks a stream name and writes its symbol in lower case, since an upper-case symbol is acknowledged and then never
 * delivers (Binance web-socket-streams.md, "General WSS information"). Only A to Z are changed, the same in every locale:
 * symbols may be Chinese.
 *
 * @throws {StreamNameError} if it can't be one.
 */
export function normalizeStreamName(name: string): string {
  if (!/^[^\s"\\/?#\p{Cc}]+$/u.test(name)) {
    throw new StreamNameError(
      `Cannot use the stream name ${quoted(name)}: expected a name such as "btcusdt@trade" or "!miniTicker@arr", ` +
        "without spaces, quotes, slashes, ? and #",
    );
  }
  if (name.includes("%")) {
    throw new StreamNameError(
      `Cannot use the stream name ${
        quoted(name)
      }: expected it as it is, without percent-encoding, which is done for you`,
    );
  }
  if (name.split("@", 1)[0]?.toLowerCase() === "!userdata") {
    throw new StreamNameError(
      `Cannot use the stream name ${quoted(name)}: expected a market stream; account events are not subscribed by name`,
    );
  }
  if (isSpecial(name)) return name;
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
 * The cross product of channels and markets as stream names. Special markets (`!miniTicker`, `!bookTicker`,
 * `tradingSession`, …) pair only with the channel `arr` (or `arr@1s`), the others only with other channels; the two may
 * also stand the other way round, as in the reference product (`channels: "!miniTicker", markets: "arr"`).
 *
 * @throws {StreamNameError} if one of them pairs with nothing, or makes a name that can't be used.
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
      if (isSpecial(market) && isWholeMarket(channel)) {
        pair(channel, market, wholeMarketName(market, channel));
      } else if (isSpecial(channel) && isWholeMarket(market)) {
        pair(channel, market, wholeMarketName(channel, market));
      } else if (![channel, market].some((part) => isSpecial(part) || isWholeMarket(part))) {
        pair(channel, market, `${market}@${channel}`);
      }
    }
  }
  // Special streams first: what they need is the most telling.
  for (const rest of [...unpaired].sort((a, b) => Number(isSpecial(b)) - Number(isSpecial(a)))) {
    const wanted = isSpecial(rest)
      ? 'the channel "arr"'
      : isWholeMarket(rest)
      ? 'a market such as "!miniTicker"'
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
