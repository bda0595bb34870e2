/**
 * The seeded generator: message `n` of a stream depends on nothing but the seed, the stream's name and `n`.
 *
 * @module
 */

import { futuresStream } from "./futures_streams.ts";
import { spotStream } from "./spot_streams.ts";
import { createContext, type Shape } from "./stream_context.ts";
import type { MessageWriter } from "./stream_kind.ts";

/**
 * How `generateMessage` shapes a message.
 *
 * @example
 * ```ts
 * import { type GenerateOptions, generateMessage } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const options: GenerateOptions = { market: "futures", seed: 7 };
 * assertEquals(JSON.parse(generateMessage("btcusdt@bookTicker", 0, options) ?? "").e, "bookTicker");
 * ```
 */
export interface GenerateOptions {
  /** The seed; another one gives other prices and ids. An integer. Default: 1. */
  readonly seed?: number;
  /**
   * Whose payload to write. `"any"` writes that of spot, and that of futures where spot has no such stream or the
   * symbol is a contract's (`btcusd_perp`, `btc-251123-126000-c`). Default: `"any"`.
   */
  readonly market?: "spot" | "futures" | "any";
  /** Unit of the times in the message; only spot can do microseconds. Default: `"MILLISECOND"`. */
  readonly timeUnit?: "MILLISECOND" | "MICROSECOND";
}

/**
 * Message `n` of a stream as the local exchange's generator sends it, in its raw form. The same arguments always give
 * the same text, so a test can compute what must have arrived. Ids grow without a gap: `t` of trade and `a` of aggTrade
 * by 1, `U` of a spot depth diff is the `u` before + 1, `pu` of a futures diff is the `u` before.
 *
 * @param stream Stream name, such as `"btcusdt@trade"`.
 * @param n Number of the message, from 0.
 * @returns The message, or `undefined` for a stream that the exchange would acknowledge and never serve.
 *
 * @example
 * ```ts
 * import { generateMessage } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const [first, second] = [0, 1].map((n) => JSON.parse(generateMessage("btcusdt@trade", n) ?? ""));
 * assertEquals(first.s, "BTCUSDT");
 * assertEquals(second.t, first.t + 1);
 * assertEquals(generateMessage("BTCUSDT@trade", 0), undefined);
 * ```
 */
export function generateMessage(stream: string, n: number, options: GenerateOptions = {}): string | undefined {
  const { seed = 1, market = "any", timeUnit = "MILLISECOND" } = options;
  const key = `${seed} ${market} ${timeUnit} ${stream}`;
  let write = writers.get(key);
  if (write === undefined) {
    write = messageWriter(stream, { seed, market, isMicroseconds: timeUnit === "MICROSECOND" })?.write;
    if (write === undefined) return undefined;
    if (writers.size >= MAXIMUM_WRITERS) writers.clear();
    writers.set(key, write);
  }
  return write(n);
}

/** Writers of `generateMessage`, since tests ask for message after message of a stream. */
const writers = new Map<string, MessageWriter>();
const MAXIMUM_WRITERS = 256;

/** What `messageWriter` needs to know besides the name. */
export interface WriterOptions {
  readonly seed: number;
  readonly market: "spot" | "futures" | "any";
  readonly isMicroseconds: boolean;
}

/** The writer of a stream's messages; `undefined` for a stream that stays silent. */
export function messageWriter(name: string, options: WriterOptions): { write: MessageWriter } | undefined {
  const shape = shapeOf(name, options.market);
  const kind = shape === "spot" ? spotStream(name) : futuresStream(name);
  if (kind === undefined) return undefined;
  const ticksPerMs = options.isMicroseconds && shape === "spot" ? 1000 : 1;
  const context = createContext(name, kind.symbol, kind.stepMs, { seed: options.seed, shape, ticksPerMs });
  return { write: kind.writer(context) };
}

/** A futures contract such as `btcusd_perp` or `btcusdt_250926`, or an option such as `btc-251123-126000-c`. */
const CONTRACT = /^[^@]+(?:_(?:perp|\d{6})|-\d{6}-[^@]+-[cp])@/;

function shapeOf(name: string, market: WriterOptions["market"]): Shape {
  if (market !== "any") return market;
  return CONTRACT.test(name) || spotStream(name) === undefined ? "futures" : "spot";
}
