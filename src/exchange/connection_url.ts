/**
 * The URL of a stream connection, and the unit of time that it may ask for.
 *
 * @module
 */

import { InvalidOptionsError, quoted } from "../base/mod.ts";
import type { Exchange } from "./exchanges.ts";
import type { Route } from "./routes.ts";

/**
 * Unit of the times in messages (Binance web-socket-streams.md, "General WSS information": `timeUnit`).
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type TimeUnit } from "@rawtick/binance";
 *
 * const timeUnit: TimeUnit = "microsecond";
 * await using manager = new BinanceWebSocketApiManager({ exchange: "binance.com", timeUnit });
 * ```
 */
export type TimeUnit = "millisecond" | "microsecond";

/** All units of time. */
export const timeUnits: readonly TimeUnit[] = ["millisecond", "microsecond"];

/**
 * Throws if the exchange can't deliver times in this unit. Every exchange has milliseconds; microseconds are only
 * documented for the streams of binance.com's spot market (web-socket-streams.md, "General WSS information").
 *
 * @throws {InvalidOptionsError} with the path `timeUnit`.
 */
export function checkTimeUnit(exchange: Exchange, timeUnit: TimeUnit): void {
  if (timeUnit === "millisecond" || exchange.hasTimeUnit) return;
  throw new InvalidOptionsError(
    `Cannot have times in microseconds from ${quoted(exchange.key)}: expected "millisecond", ` +
      "or one of the spot exchanges of binance.com",
    { path: "timeUnit" },
  );
}

/** What a connection's URL can say besides its path. */
export interface ConnectionUrlOptions {
  /** Names of streams that are subscribed from the start. Default: none; they are subscribed by messages. */
  readonly streams?: readonly string[];
  /** Unit of times, see {@linkcode checkTimeUnit}. Default: `"millisecond"`, which is not written. */
  readonly timeUnit?: TimeUnit;
}

/**
 * The URL of a connection in combined form. No streams at the beginning is a form that the exchange takes: Binance's own
 * JavaScript connector opens its connections so, also with a time unit behind it. A URL ends at about 8000 characters,
 * which is why many streams are better subscribed by messages.
 */
export function connectionUrl(baseUrl: string, route: Route, options: ConnectionUrlOptions = {}): string {
  const { streams = [], timeUnit = "millisecond" } = options;
  const path = route === "" ? "stream" : `${route}/stream`;
  const unit = timeUnit === "millisecond" ? "" : `&timeUnit=${timeUnit.toUpperCase()}`;
  return `${baseUrl}/${path}?streams=${streams.map(encodeStreamName).join("/")}${unit}`;
}

/**
 * A stream name as it stands in a URL: UTF-8 percent-encoded, `@` and `:` as they are. In a SUBSCRIBE message it stands
 * raw (spot change log of 2025-12: URLs may be encoded; that messages are echoed byte by byte was measured).
 */
export function encodeStreamName(name: string): string {
  return encodeURIComponent(name).replaceAll("%40", "@").replaceAll("%3A", ":");
}
