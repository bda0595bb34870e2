/**
 * The rate limits that hold until the exchange has told its own with an answer.
 *
 * @module
 */

import type { Market } from "../exchange/mod.ts";
import type { KnownLimit } from "./rate_limit_window.ts";

function limit(rateLimitType: string, intervalNum: number, interval: string, limit: number): KnownLimit {
  return { rateLimitType, interval, intervalNum, limit };
}

/** Binance web-socket-api.md, "General information on rate limits"; RAW_REQUESTS: change log. */
const SPOT: readonly KnownLimit[] = [
  limit("REQUEST_WEIGHT", 1, "MINUTE", 6_000),
  limit("RAW_REQUESTS", 5, "MINUTE", 300_000),
  limit("ORDERS", 10, "SECOND", 50),
  limit("ORDERS", 1, "DAY", 160_000),
];

/** USD-M and COIN-M "WebSocket API General Info". */
const FUTURES: readonly KnownLimit[] = [
  limit("REQUEST_WEIGHT", 1, "MINUTE", 2_400),
  limit("ORDERS", 10, "SECOND", 300),
  limit("ORDERS", 1, "MINUTE", 1_200),
];

/** binance.us web-socket-api.md. */
const US: readonly KnownLimit[] = [limit("REQUEST_WEIGHT", 1, "MINUTE", 1_200)];

/** The limits of a market. */
export function defaultRateLimits(market: Market): readonly KnownLimit[] {
  if (market === "spot") return SPOT;
  return market === "usdm" || market === "coinm" ? FUTURES : US;
}

/** What opening a connection weighs (web-socket-api.md, "IP Limits"; futures "WebSocket API General Info"). */
export function connectWeight(market: Market): number {
  return market === "usdm" || market === "coinm" ? 5 : 2;
}
