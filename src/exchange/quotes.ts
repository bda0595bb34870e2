/**
 * Which streams are quotes: each message replaces the one before, so that only the newest matters.
 *
 * @module
 */

import { channelOf } from "./stream_names.ts";

const QUOTES =
  /^(bookTicker|miniTicker|ticker(_(1h|4h|1d))?|depth(5|10|20)|avgPrice|referencePrice|markPrice|indexPrice|optionTicker)$/;
/** An option, such as `btc-251123-126000-c`; by an underlying, `optionTicker` is about many of them. */
const OPTION = /^[^@]*-[^@]*@/;

/**
 * Whether each message of a stream says everything that the one before said: best bid and ask, tickers, partial depth, and
 * prices, each of one symbol (their pages in Binance's documents). Those of a whole market are none, since each of their
 * messages is about other symbols; and neither are trades, depth updates, nor candles, whose last message closes them.
 */
export function isQuote(stream: string): boolean {
  const channel = channelOf(stream);
  if (stream.startsWith("!") || !stream.includes("@") || !QUOTES.test(channel)) return false;
  return channel !== "optionTicker" || OPTION.test(stream);
}
