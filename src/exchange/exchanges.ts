/**
 * The exchanges: where their streams are and what one connection may do there.
 *
 * @module
 */

/**
 * The key of an exchange, as in the option `exchange`.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type ExchangeKey } from "@rawtick/binance";
 *
 * const exchange: ExchangeKey = "binance.com-futures";
 * await using manager = new BinanceWebSocketApiManager({ exchange });
 * ```
 */
export type ExchangeKey =
  | "binance.com"
  | "binance.com-testnet"
  | "binance.com-margin"
  | "binance.com-margin-testnet"
  | "binance.com-isolated_margin"
  | "binance.com-isolated_margin-testnet"
  | "binance.com-futures"
  | "binance.com-futures-testnet"
  | "binance.com-coin_futures"
  | "binance.com-vanilla-options"
  | "binance.com-vanilla-options-testnet"
  | "binance.us"
  | "trbinance.com";

/** How the streams of an exchange are spread over paths: one path for all, or `/public` and `/market` by stream name. */
export type Routing = "single" | "futures" | "options";

/** What an exchange is. */
export interface Exchange {
  readonly key: ExchangeKey;
  /** Base URL of the market streams, without a trailing slash. */
  readonly streamBaseUrl: string;
  readonly routing: Routing;
  /** Streams that one connection may carry. */
  readonly maxStreamsPerConnection: number;
  /** Frames (control messages, pings and pongs) that the exchange takes from one connection in any second. */
  readonly maxFramesPerSecond: number;
}

/** Spot's limits: Binance web-socket-streams.md, "WebSocket Limits". */
const SPOT = { routing: "single", maxStreamsPerConnection: 1024, maxFramesPerSecond: 5 } as const;
/** USD-M and COIN-M limits: derivatives "Connect" pages; 200 became 1024 (derivatives change log). */
const FUTURES = { maxStreamsPerConnection: 1024, maxFramesPerSecond: 10 } as const;
/** Options limits: options-trading "Connect" page. */
const OPTIONS = { routing: "options", maxStreamsPerConnection: 200, maxFramesPerSecond: 10 } as const;

const SPOT_URL = "wss://stream.binance.com:9443";
const SPOT_TESTNET_URL = "wss://stream.testnet.binance.vision";

const table: Record<ExchangeKey, Omit<Exchange, "key">> = {
  "binance.com": { ...SPOT, streamBaseUrl: SPOT_URL },
  "binance.com-testnet": { ...SPOT, streamBaseUrl: SPOT_TESTNET_URL },
  "binance.com-margin": { ...SPOT, streamBaseUrl: SPOT_URL },
  "binance.com-margin-testnet": { ...SPOT, streamBaseUrl: SPOT_TESTNET_URL },
  "binance.com-isolated_margin": { ...SPOT, streamBaseUrl: SPOT_URL },
  "binance.com-isolated_margin-testnet": { ...SPOT, streamBaseUrl: SPOT_TESTNET_URL },
  "binance.com-futures": { ...FUTURES, routing: "futures", streamBaseUrl: "wss://fstream.binance.com" },
  "binance.com-futures-testnet": { ...FUTURES, routing: "futures", streamBaseUrl: "wss://fstream.binancefuture.com" },
  "binance.com-coin_futures": { ...FUTURES, routing: "single", streamBaseUrl: "wss://dstream.binance.com" },
  "binance.com-vanilla-options": { ...OPTIONS, streamBaseUrl: "wss://fstream.binance.com" },
  "binance.com-vanilla-options-testnet": { ...OPTIONS, streamBaseUrl: "wss://fstream.binancefuture.com" },
  "binance.us": { ...SPOT, streamBaseUrl: "wss://stream.binance.us:9443" },
  "trbinance.com": { ...SPOT, streamBaseUrl: "wss://stream-cloud.binance.tr" },
};

/** All exchange keys, in the order of the table. */
// The cast restores what `Object.keys` forgets: the table has exactly the keys of ExchangeKey.
export const exchangeKeys: readonly ExchangeKey[] = Object.keys(table) as ExchangeKey[];

/** Whether `key` is the key of an exchange. */
export function isExchangeKey(key: string): key is ExchangeKey {
  return Object.hasOwn(table, key);
}

/** The exchange with this key. */
export function exchangeOf(key: ExchangeKey): Exchange {
  return { key, ...table[key] };
}
