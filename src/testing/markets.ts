/**
 * The markets that the local exchange can play: their limits, their paths, and what each path serves.
 *
 * @module
 */

import { exchangeOf, routeOf } from "../exchange/mod.ts";

/**
 * Which market's rules the local exchange keeps.
 *
 * @example
 * ```ts
 * import { type LocalMarket, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const market: LocalMarket = "futures";
 * await using exchange = await startLocalExchange({ market });
 * console.log(`${exchange.url}/public/stream?streams=btcusdt@bookTicker`);
 * ```
 */
export type LocalMarket = "any" | "spot" | "futures" | "options";

/**
 * What a client may do before its connection is closed or refused.
 *
 * @example
 * ```ts
 * import { type LocalExchangeLimits, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const limits: Partial<LocalExchangeLimits> = { streamsPerConnection: 3, framesPerSecond: Infinity };
 * await using exchange = await startLocalExchange({ limits });
 * console.log(exchange.url);
 * ```
 */
export interface LocalExchangeLimits {
  /**
   * Messages, pings and pongs that a client may send in any 1000 ms; one more, and the connection is closed with 1008
   * `Too many requests`. Default: 5 for spot, 10 for the others (Binance web-socket-streams.md, "WebSocket Limits", and
   * the derivatives' "Connect" pages).
   */
  readonly framesPerSecond: number;
  /**
   * Streams that one connection may carry; one more is answered with code 4, and the connection is closed with 1008
   * `Invalid request`. Default: 200 for options, 1024 for the others.
   */
  readonly streamsPerConnection: number;
  /** Bytes of a control message that are read: the rest is cut off. Default: 4096 (measured on spot). */
  readonly controlMessageBytes: number;
  /**
   * TCP connections that one address may open in any `connectionWindowMs`. The handshakes of more are answered with 429
   * and `Retry-After`; over a tenth more, and the address is banned: 418 and `Retry-After` for `banMs`. Default: 300
   * (Binance web-socket-streams.md, "WebSocket Limits"; the answers are not documented there and are the REST API's).
   */
  readonly connectionAttempts: number;
  /** Length of that window in ms. Default: 300000. */
  readonly connectionWindowMs: number;
  /** Length of the first ban in ms; it doubles with each further one, up to 3 days. Default: 120000. */
  readonly banMs: number;
}

/** What a path serves: all of it, or with futures and options only the streams of a category. */
export type ServedRoute = "all" | "public" | "market" | "private";

/** The ids that control messages may have. */
export type IdRule = "any" | "spot" | "futures" | "options";

/** How a market behaves. */
export interface MarketRules {
  readonly limits: LocalExchangeLimits;
  /** Time between two pings of the exchange in ms. */
  readonly pingIntervalMs: number;
  /** How long a pong may take in ms. */
  readonly pongTimeoutMs: number;
  /** What the path prefix serves (`""` for `/ws` and `/stream` themselves); `undefined` if there is no such path. */
  readonly routeOfPrefix: (prefix: string) => ServedRoute | undefined;
  /** Whether a path that serves `route` delivers the stream. */
  readonly serves: (route: ServedRoute, stream: string) => boolean;
  /** Whose payloads the generator writes for a path that serves `route`. */
  readonly payloadsOf: (prefix: string) => "spot" | "futures" | "any";
  readonly idRule: IdRule;
  /** Whether the query may set `timeUnit`. */
  readonly hasTimeUnit: boolean;
}

/** Largest control message that spot reads, in bytes. */
const CONTROL_MESSAGE_BYTES = 4096;

function limitsOf(key: "binance.com" | "binance.com-futures" | "binance.com-vanilla-options"): LocalExchangeLimits {
  const { maxFramesPerSecond, maxStreamsPerConnection } = exchangeOf(key);
  return {
    framesPerSecond: maxFramesPerSecond,
    streamsPerConnection: maxStreamsPerConnection,
    controlMessageBytes: CONTROL_MESSAGE_BYTES,
    connectionAttempts: 300,
    connectionWindowMs: 300_000,
    banMs: 120_000,
  };
}

/** The paths of the derivatives: Binance USD-M "Important WebSocket Change Notice"; unrouted ones serve public data. */
const DERIVATIVE_PREFIXES: ReadonlyMap<string, ServedRoute> = new Map([
  ["", "public"],
  ["public", "public"],
  ["market", "market"],
  ["private", "private"],
  ["pm", "private"],
  ["pm-classic", "private"],
]);

function derivatives(key: "binance.com-futures" | "binance.com-vanilla-options") {
  const exchange = exchangeOf(key);
  return {
    routeOfPrefix: (prefix: string) => DERIVATIVE_PREFIXES.get(prefix),
    // A private path delivers what a listen key stands for, and nothing of the market.
    serves: (route: ServedRoute, stream: string) =>
      route === "private" ? !/[@!]/.test(stream) : route === routeOf(exchange, stream),
    payloadsOf: () => "futures" as const,
    hasTimeUnit: false,
  };
}

const rules: Record<LocalMarket, MarketRules> = {
  spot: {
    limits: limitsOf("binance.com"),
    pingIntervalMs: 20_000,
    pongTimeoutMs: 60_000,
    routeOfPrefix: (prefix) => prefix === "" ? "all" : undefined,
    serves: () => true,
    payloadsOf: () => "spot",
    idRule: "spot",
    hasTimeUnit: true,
  },
  futures: {
    ...derivatives("binance.com-futures"),
    limits: limitsOf("binance.com-futures"),
    pingIntervalMs: 180_000,
    pongTimeoutMs: 600_000,
    idRule: "futures",
  },
  options: {
    ...derivatives("binance.com-vanilla-options"),
    limits: limitsOf("binance.com-vanilla-options"),
    pingIntervalMs: 300_000,
    pongTimeoutMs: 900_000,
    idRule: "options",
  },
  any: {
    limits: limitsOf("binance.com-futures"),
    pingIntervalMs: 20_000,
    pongTimeoutMs: 60_000,
    routeOfPrefix: () => "all",
    serves: () => true,
    payloadsOf: (prefix) => prefix === "" ? "any" : "futures",
    idRule: "any",
    hasTimeUnit: true,
  },
};

/** The rules of a market. */
export function rulesOf(market: LocalMarket): MarketRules {
  return rules[market];
}
