/**
 * Which path of an exchange serves a stream.
 *
 * @module
 */

import { InvalidOptionsError, quoted } from "../base/mod.ts";
import type { Exchange } from "./exchanges.ts";
import { channelOf } from "./stream_names.ts";

/** A path of an exchange that serves some of its streams; `""` where one path serves all. */
export type Route = "" | "public" | "market" | "private";

const FUTURES_PUBLIC = /^(!?bookTicker|depth\d*|rpiDepth|trade)$/;
const OPTIONS_PUBLIC = /^(optionTicker|bookTicker|depth\d*|optionTrade)$/;
/** A listen key can be subscribed like a stream. Binance's have 64 characters. */
const LISTEN_KEY = /^[A-Za-z0-9]{40,}$/;

/**
 * The path that serves a stream. A stream subscribed on the wrong path is acknowledged and stays silent, so this
 * decides which connection it belongs to (Binance USD-M "Important WebSocket Change Notice" and each stream's page).
 * `@trade` of USD-M is not documented; it was measured on `/public`, while the reference product asks `/market` for it.
 *
 * @throws {InvalidOptionsError} with the path `exchange`, if the exchange has no market streams.
 */
export function routeOf(exchange: Exchange, name: string): Route {
  if (exchange.market === "none") {
    throw new InvalidOptionsError(
      `Cannot stream ${quoted(name)} from ${quoted(exchange.key)}, which has account events only: ` +
        'expected an exchange with market data, such as "binance.com-futures"',
      { path: "exchange" },
    );
  }
  if (exchange.routing === "single") return "";
  if (LISTEN_KEY.test(name)) return "private";
  return (exchange.routing === "futures" ? FUTURES_PUBLIC : OPTIONS_PUBLIC).test(channelOf(name)) ? "public" : "market";
}
