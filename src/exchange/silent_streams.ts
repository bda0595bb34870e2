/**
 * Streams that are known to be acknowledged and never to deliver.
 *
 * @module
 */

import { InvalidOptionsError, listOf, quoted, throwProblems } from "../base/mod.ts";
import type { Exchange } from "./exchanges.ts";
import { channelsOf, isChannel, spellingsOf } from "./served_streams.ts";
import { normalizeStreamName, StreamNameError, WITHOUT_ARR } from "./stream_names.ts";

/**
 * Why a stream is known to be acknowledged by the exchange and then never to deliver, with what to use instead;
 * `undefined` for all others.
 */
export function silenceReason(exchange: Exchange, name: string): string | undefined {
  const { key, market } = exchange;
  const refuse = (reason: string) => `Cannot stream ${quoted(name)} from ${quoted(key)}: ${reason}`;
  // What would be silent as well if its upper and lower case were right.
  const plain = name.toLowerCase();
  if (market === "spot" && plain === "!ticker@arr") {
    // Spot change log: deprecated 2025-11-14, retired 2026-03-26.
    return refuse('Binance retired it in 2026; expected "!miniTicker@arr", or "!ticker_1h@arr", "_4h" or "_1d"');
  }
  if (market === "spot" && plain === "!bookticker") {
    return refuse('Binance retired it; expected "<symbol>@bookTicker" for each symbol');
  }
  const withoutArr = [...WITHOUT_ARR].find((special) => plain === `${special.toLowerCase()}@arr`);
  if (withoutArr !== undefined) return refuse(`expected ${quoted(withoutArr)}`);
  // Measured on USD-M: the default speed has no name.
  if ((market === "usdm" || market === "coinm") && /@depth(5|10|20)?@250ms$/.test(plain)) {
    const rest = name.slice(0, -"@250ms".length);
    return refuse(`expected ${quoted(spellingsOf(exchange, rest)[0] ?? rest)}, which has this speed`);
  }
  const spellings = spellingsOf(exchange, name);
  // By no document: but `kline_1m` and `kline_1M` differ by nothing else.
  if (spellings.length > 0) return refuse(`expected ${listOf(spellings)}, since channels are case-sensitive`);
  return undefined;
}

/**
 * Throws if one of these streams is known never to deliver: the exchange acknowledges it like any other, and would leave
 * its reader waiting.
 *
 * @throws {InvalidOptionsError} with the path `streams`; several problems come together.
 */
export function checkDeliverable(exchange: Exchange, names: Iterable<string>): void {
  const problems = [...names].flatMap((name) => {
    const reason = silenceReason(exchange, name);
    return reason === undefined ? [] : [new InvalidOptionsError(reason, { path: "streams" })];
  });
  if (problems.length > 0) throwProblems(problems);
}

/**
 * Throws if one of these times can be about no stream: each is by the name of a stream as Binance writes it, or by what
 * stands behind the first `@` of it.
 *
 * @throws {InvalidOptionsError} with a path below `silenceMs`; several problems come together.
 */
export function checkSilenceTimes(exchange: Exchange, times: Readonly<Record<string, number>>): void {
  const problems = Object.keys(times).flatMap((name) => {
    const reason = unmatchedReason(exchange, name);
    if (reason === undefined) return [];
    const message = `Cannot use ${quoted(name)} in \`silenceMs\`: ${reason}`;
    return [new InvalidOptionsError(message, { path: `silenceMs.${name}` })];
  });
  if (problems.length > 0) throwProblems(problems);
}

function unmatchedReason(exchange: Exchange, name: string): string | undefined {
  const { key, market } = exchange;
  if (market === "none") return `${quoted(key)} has no market streams`;
  if (isChannel(exchange, name)) return undefined;
  const spellings = spellingsOf(exchange, `@${name}`).map((spelling) => spelling.slice(1));
  if (spellings.length > 0) return `expected ${listOf(spellings)}, since channels are case-sensitive`;
  const channels = channelsOf(exchange);
  try {
    const right = normalizeStreamName(name);
    if (!isLikeChannel(channels, name)) {
      return right === name ? silenceReason(exchange, name) : `expected ${quoted(right)}`;
    }
  } catch (error) {
    if (!(error instanceof StreamNameError)) throw error;
  }
  return `expected the whole name of a stream, or a channel of ${quoted(key)}: ${listOf(channels, "or", 50)}`;
}

/** Whether a text that could be the name of a stream is rather meant as a channel, such as `depth20@1s` and `dpeth@100ms`. */
function isLikeChannel(channels: readonly string[], text: string): boolean {
  const [head = "", tail = ""] = text.split(/@(.*)/s);
  if (/^(\d+m?s|[+-]\d+:\d+)$/.test(tail)) return !text.startsWith("!");
  const wordOf = (name: string) => /^[a-z]*/i.exec(name)?.[0].toLowerCase();
  return channels.some((channel) => wordOf(channel) === wordOf(head) && /^[a-z]+(\d+|_\w+)?$/i.test(head));
}
