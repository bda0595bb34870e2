/**
 * What the messages of one stream share: its symbol, the numbers drawn for it, its prices, its times, its ids.
 *
 * @module
 */

import { hashText, mix } from "./numbers.ts";

/** Time of message 0 of every stream, in ms: a whole hour (2025-10-09T08:00:00Z), so that candles start at it. */
export const FIRST_EVENT_TIME = 1_759_996_800_000;

/** Whether messages are shaped as on the spot or as on the futures market. */
export type Shape = "spot" | "futures";

/** What the messages of one stream share. */
export interface StreamContext {
  readonly shape: Shape;
  /** Symbol in upper case, as payloads have it. */
  readonly symbol: string;
  /** Time between two messages in ms. */
  readonly stepMs: number;
  /** 1000 where times are microseconds, else 1. */
  readonly ticksPerMs: number;
  /** Random-looking 32 bits for message `n`; `salt` gives another number for the same message. */
  draw(n: number, salt: number): number;
  /** Time of message `n` in ms. */
  timeMs(n: number): number;
  /** Price of message `n` in hundredths, always over 100. */
  cents(n: number): number;
  /** The id before the stream's first one: 10 digits, the same for all streams of a symbol. */
  readonly idBase: number;
  /** The context of another stream of the same exchange with the same pace. */
  sibling(name: string, symbol: string): StreamContext;
}

/** Creates the context of the stream `name`. */
export function createContext(
  name: string,
  symbol: string,
  stepMs: number,
  options: { seed: number; shape: Shape; ticksPerMs: number },
): StreamContext {
  const upper = symbol.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
  const ofStream = hashText(name, options.seed);
  const ofSymbol = hashText(upper, options.seed);
  const baseCents = 10_000 + ofSymbol % 7_000_000;
  const spread = Math.floor(baseCents / 50);
  return {
    shape: options.shape,
    ticksPerMs: options.ticksPerMs,
    symbol: upper,
    stepMs,
    draw: (n, salt) => mix(ofStream + salt, n),
    timeMs: (n) => FIRST_EVENT_TIME + n * stepMs,
    cents: (n) => baseCents + mix(ofSymbol, n) % spread,
    idBase: 1_000_000_000 + ofSymbol,
    sibling: (otherName, otherSymbol) => createContext(otherName, otherSymbol, stepMs, options),
  };
}

/** Contract fields of futures payloads: the pair, and 1 for USD-M or 2 for COIN-M (merge of the two, 2026-06). */
export function contractOf(symbol: string): { pair: string; st: 1 | 2 } {
  const underscore = symbol.indexOf("_");
  if (underscore < 0) return { pair: symbol, st: 1 };
  const pair = symbol.slice(0, underscore);
  return { pair, st: pair.endsWith("USD") ? 2 : 1 };
}
