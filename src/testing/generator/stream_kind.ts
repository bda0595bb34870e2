/**
 * What a stream name stands for: its symbol, its pace, and the function that writes its messages.
 *
 * @module
 */

import type { StreamContext } from "./stream_context.ts";

/** Writes message `n` of a stream in its raw form, as JSON. */
export type MessageWriter = (n: number) => string;

/** A stream that the generator knows. */
export interface StreamKind {
  /** Symbol as in the stream name; `""` for streams of the whole market. */
  readonly symbol: string;
  /** Time between two messages in ms, which their times show. */
  readonly stepMs: number;
  /** Creates the writer for a stream of this kind. */
  readonly writer: (context: StreamContext) => MessageWriter;
}

/** A stream name in its parts: `btcusdt@kline_1m@+08:00` is the symbol, the channel and one modifier. */
export interface StreamNameParts {
  readonly symbol: string;
  readonly channel: string;
  readonly modifier: string | undefined;
}

/** Splits a stream name; `undefined` if it has an upper-case symbol, which never delivers, or too many parts. */
export function splitStreamName(name: string): StreamNameParts | undefined {
  const [symbol = "", channel = "", modifier, ...rest] = name.split("@");
  if (rest.length > 0 || symbol === "" || (!symbol.startsWith("!") && /[A-Z]/.test(symbol))) return undefined;
  return { symbol, channel, modifier };
}

/** The symbols of the streams of a whole market. */
export const SPOT_SYMBOLS: readonly string[] = [
  "btcusdt",
  "ethusdt",
  "bnbusdt",
  "solusdt",
  "xrpusdt",
  "dogeusdt",
  "adausdt",
  "trxusdt",
  "linkusdt",
  "ltcusdt",
  "bnbbtc",
  "ethbtc",
];

/** The same of the futures market, which carries USD-M and COIN-M contracts mixed since 2026-06. */
export const FUTURES_SYMBOLS: readonly string[] = [...SPOT_SYMBOLS.slice(0, 10), "btcusd_perp", "ethusd_perp"];

/** A symbol whose row is in message `n` of an array stream: only changed symbols are, and at least one. */
export function isInArray(context: StreamContext, n: number, index: number): boolean {
  return index === n % 10 || context.draw(n, 100 + index) % 4 !== 0;
}
