/**
 * Which streams are meant: exact names, or channels times markets.
 *
 * @module
 */

import * as z from "zod/mini";
import { checkedOptions, InvalidOptionsError, MaximumSubscriptionsExceededError, throwProblems } from "../base/mod.ts";
import {
  checkDeliverable,
  crossProduct,
  type Exchange,
  normalizeStreamName,
  routeOf,
  StreamNameError,
} from "../exchange/mod.ts";

/**
 * Which streams are meant: either exact names in `streams`, or the cross product of `channels` and `markets`. Symbols
 * are written in lower case for you. Special streams pair with the channel `arr`: `{ channels: "arr", markets: "!miniTicker" }`
 * means `!miniTicker@arr`.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamSelection } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * const selection: StreamSelection = { channels: ["trade", "kline_1m"], markets: ["BTCUSDT"] };
 * const stream = manager.createStream(selection);
 * assertEquals(stream.subscriptions, ["btcusdt@trade", "btcusdt@kline_1m"]);
 * ```
 */
export interface StreamSelection<S extends string = string, C extends string = string> {
  /** Exact names of Binance's streams, such as `"btcusdt@trade"` or `"!miniTicker@arr"`. Not together with the other two. */
  readonly streams?: S | readonly S[];
  /**
   * Channels, such as `"trade"`, `"kline_1m"`, `"depth20@100ms"` or `"arr"`, in Binance's own upper and lower case:
   * `"kline_1M"` is a month. Needs `markets`.
   */
  readonly channels?: C | readonly C[];
  /** Symbols in either case, such as `"btcusdt"`, or special streams such as `"!miniTicker"`. Needs `channels`. */
  readonly markets?: string | readonly string[];
}

const EXPECTED = "a name or a list of names, none of them empty";
const name = z.string(EXPECTED).check(z.minLength(1, EXPECTED));
const names = z.optional(z.union([name, z.array(name).check(z.minLength(1, EXPECTED))], EXPECTED));

/** The shape of a selection, for schemas that contain one. */
export const selectionShape: {
  readonly streams: typeof names;
  readonly channels: typeof names;
  readonly markets: typeof names;
} = { streams: names, channels: names, markets: names };

const schema = z.strictObject(selectionShape, "an object with `streams`, or with `channels` and `markets`");

/**
 * The names of the streams that a selection means, after a check of its form.
 *
 * @throws {InvalidOptionsError} if it can't be used.
 */
export function checkedNames(selection: StreamSelection): string[] {
  return namesOf(checkedOptions(schema, selection, Object.keys(selectionShape)));
}

/**
 * Throws if the exchange would stay silent about a stream, or if these need more connections to one path than are allowed.
 *
 * @throws {InvalidOptionsError} if the exchange acknowledges one and never sends anything.
 * @throws {MaximumSubscriptionsExceededError} if they do.
 */
export function checkStreams(exchange: Exchange, streams: readonly string[], maxLinks: number): void {
  checkDeliverable(exchange, streams);
  const { key, maxStreamsPerConnection } = exchange;
  for (const group of Map.groupBy(new Set(streams), (stream) => routeOf(exchange, stream)).values()) {
    if (group.length > maxStreamsPerConnection * maxLinks) {
      throw new MaximumSubscriptionsExceededError(key, group.length, maxStreamsPerConnection * maxLinks);
    }
  }
}

/**
 * The names of the streams that a selection means, as Binance writes them, without duplicates.
 *
 * @throws {InvalidOptionsError} if it does not say which, or a name can't be used.
 */
export function namesOf({ streams, channels, markets }: StreamSelection): string[] {
  if (
    streams === undefined
      ? channels === undefined || markets === undefined
      : channels !== undefined || markets !== undefined
  ) {
    throw new InvalidOptionsError(
      "Cannot tell which streams are meant: expected either `streams`, or both `channels` and `markets`",
      { path: streams === undefined ? (channels === undefined ? "channels" : "markets") : "streams" },
    );
  }
  if (streams === undefined) return checked("markets", () => crossProduct(listed(channels), listed(markets)));
  const problems: InvalidOptionsError[] = [];
  const normalized = listed(streams).flatMap((name, index) => {
    try {
      return checked(typeof streams === "string" ? "streams" : `streams[${index}]`, () => [normalizeStreamName(name)]);
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      problems.push(error);
      return [];
    }
  });
  if (problems.length > 0) throwProblems(problems);
  return [...new Set(normalized)];
}

function listed(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === "string" ? [value] : value ?? [];
}

function checked<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof StreamNameError) throw new InvalidOptionsError(error.message, { path });
    throw error;
  }
}
