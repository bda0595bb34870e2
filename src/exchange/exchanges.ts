/**
 * The exchanges: where their streams are and what one connection may do there.
 *
 * @module
 */

/**
 * The key of an exchange, as in the option `exchange`. `"binance.com-portfolio_margin"` has account events only, no
 * market streams.
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
  | "binance.com-portfolio_margin"
  | "binance.us"
  | "trbinance.com";

/** How the streams of an exchange are spread over paths: one path for all, or `/public` and `/market` by stream name. */
export type Routing = "single" | "futures" | "options";

/** Which market streams there are: each market has its own list, see `served_streams.ts`. */
export type Market = "spot" | "us" | "tr" | "usdm" | "coinm" | "options" | "none";

/** Attempts to connect that an IP address may make. */
export interface ConnectBudget {
  /** Attempts in any window. */
  readonly attempts: number;
  /** Length of the window in ms. */
  readonly windowMs: number;
  /** Whether the exchange documents it; if not, spot's limit is assumed. */
  readonly isDocumented: boolean;
}

/** What an exchange is. */
export interface Exchange {
  readonly key: ExchangeKey;
  /** Which market streams there are; `"none"` for account events only. */
  readonly market: Market;
  /** Base URL of the streams, without a trailing slash. */
  readonly streamBaseUrl: string;
  /** URL of the WebSocket API, `undefined` where there is none. */
  readonly websocketApiUrl: string | undefined;
  /** Base URL of the REST API, without `/api/v3`, `/fapi/v1`, … and without a trailing slash. */
  readonly restBaseUrl: string;
  readonly routing: Routing;
  /** Whether times can be had in microseconds. */
  readonly hasTimeUnit: boolean;
  /** Streams that one connection may carry. */
  readonly maxStreamsPerConnection: number;
  /** Frames (control messages, pings and pongs) that the exchange takes from one connection in any second. */
  readonly maxFramesPerSecond: number;
  /** Attempts to connect that the exchange takes from an IP address. */
  readonly connectBudget: ConnectBudget;
  /** How long a connection lasts at most, in ms; then the exchange cuts it. */
  readonly maxConnectionAgeMs: number;
  /** How often the exchange sends a ping, in ms. */
  readonly serverPingIntervalMs: number;
  /** How long the exchange waits for the pong, in ms. */
  readonly serverPongTimeoutMs: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** The same everywhere: "General WSS information" of spot, "Connect" pages of the derivatives. */
const DAY_MS = 24 * 60 * MINUTE_MS;

const DOCUMENTED_BUDGET: ConnectBudget = { attempts: 300, windowMs: 5 * MINUTE_MS, isDocumented: true };
/** Derivatives, binance.us and TR document none. */
const ASSUMED_BUDGET: ConnectBudget = { ...DOCUMENTED_BUDGET, isDocumented: false };

/** Spot: Binance web-socket-streams.md, "General WSS information" and "WebSocket Limits". */
const SPOT = {
  market: "spot",
  routing: "single",
  hasTimeUnit: true,
  maxStreamsPerConnection: 1024,
  maxFramesPerSecond: 5,
  connectBudget: DOCUMENTED_BUDGET,
  maxConnectionAgeMs: DAY_MS,
  serverPingIntervalMs: 20 * SECOND_MS,
  serverPongTimeoutMs: MINUTE_MS,
  streamBaseUrl: "wss://stream.binance.com:9443",
  websocketApiUrl: "wss://ws-api.binance.com/ws-api/v3",
  restBaseUrl: "https://api.binance.com",
} as const;

/** Spot testnet: testnet/general-info.md; the bare host of before 2025 answers 404. */
const SPOT_TESTNET = {
  ...SPOT,
  streamBaseUrl: "wss://stream.testnet.binance.vision",
  websocketApiUrl: "wss://ws-api.testnet.binance.vision/ws-api/v3",
  restBaseUrl: "https://testnet.binance.vision",
} as const;

/**
 * USD-M and COIN-M: derivatives "Connect" and "General Info" pages. 200 streams became 1024 (derivatives change log);
 * the reference product still has 200.
 */
const FUTURES = {
  hasTimeUnit: false,
  maxStreamsPerConnection: 1024,
  maxFramesPerSecond: 10,
  connectBudget: ASSUMED_BUDGET,
  maxConnectionAgeMs: DAY_MS,
  serverPingIntervalMs: 3 * MINUTE_MS,
  serverPongTimeoutMs: 10 * MINUTE_MS,
} as const;

/** Options: options-trading "Connect" page. There is no WebSocket API. */
const OPTIONS = {
  ...FUTURES,
  market: "options",
  routing: "options",
  websocketApiUrl: undefined,
  maxStreamsPerConnection: 200,
  serverPingIntervalMs: 5 * MINUTE_MS,
  serverPongTimeoutMs: 15 * MINUTE_MS,
} as const;

/** binance.us web-socket-streams.md (2024-06): the rules of spot before 2025, without time unit. */
const US = {
  ...SPOT,
  market: "us",
  hasTimeUnit: false,
  connectBudget: ASSUMED_BUDGET,
  serverPingIntervalMs: 3 * MINUTE_MS,
  serverPongTimeoutMs: 10 * MINUTE_MS,
} as const;

const table: Record<ExchangeKey, Omit<Exchange, "key">> = {
  "binance.com": SPOT,
  "binance.com-testnet": SPOT_TESTNET,
  // Margin accounts trade on the spot market and see its data.
  "binance.com-margin": SPOT,
  "binance.com-margin-testnet": SPOT_TESTNET,
  "binance.com-isolated_margin": SPOT,
  "binance.com-isolated_margin-testnet": SPOT_TESTNET,
  "binance.com-futures": {
    ...FUTURES,
    market: "usdm",
    routing: "futures",
    streamBaseUrl: "wss://fstream.binance.com",
    websocketApiUrl: "wss://ws-fapi.binance.com/ws-fapi/v1",
    restBaseUrl: "https://fapi.binance.com",
  },
  "binance.com-futures-testnet": {
    ...FUTURES,
    market: "usdm",
    routing: "futures",
    // USD-M "General Info"; the reference product has the older stream.binancefuture.com.
    streamBaseUrl: "wss://fstream.binancefuture.com",
    websocketApiUrl: "wss://testnet.binancefuture.com/ws-fapi/v1",
    restBaseUrl: "https://demo-fapi.binance.com",
  },
  "binance.com-coin_futures": {
    ...FUTURES,
    market: "coinm",
    // COIN-M "Connect": no paths by category here.
    routing: "single",
    streamBaseUrl: "wss://dstream.binance.com",
    // COIN-M "WebSocket API General Info"; the reference product has none, and the REST host of USD-M.
    websocketApiUrl: "wss://ws-dapi.binance.com/ws-dapi/v1",
    restBaseUrl: "https://dapi.binance.com",
  },
  "binance.com-vanilla-options": {
    ...OPTIONS,
    // Without the reference product's "/public": the path depends on the stream.
    streamBaseUrl: "wss://fstream.binance.com",
    restBaseUrl: "https://eapi.binance.com",
  },
  "binance.com-vanilla-options-testnet": {
    ...OPTIONS,
    streamBaseUrl: "wss://fstream.binancefuture.com",
    restBaseUrl: "https://testnet.binancefuture.com",
  },
  "binance.com-portfolio_margin": {
    ...FUTURES,
    // Portfolio Margin "User Data Streams": `/pm/ws/<listenKey>` is all there is.
    market: "none",
    routing: "single",
    streamBaseUrl: "wss://fstream.binance.com/pm",
    websocketApiUrl: undefined,
    restBaseUrl: "https://papi.binance.com",
  },
  "binance.us": {
    ...US,
    streamBaseUrl: "wss://stream.binance.us:9443",
    // binance.us web-socket-api.md; the reference product has none.
    websocketApiUrl: "wss://ws-api.binance.us/ws-api/v3",
    restBaseUrl: "https://api.binance.us",
  },
  // Not documented in English: addresses as communities report them (the reference product has the older
  // stream-cloud.trbinance.com), and the more patient of the known ping rules.
  "trbinance.com": {
    ...US,
    market: "tr",
    streamBaseUrl: "wss://stream-cloud.binance.tr",
    websocketApiUrl: undefined,
    // Where market data is; orders have a host and paths of their own.
    restBaseUrl: "https://api.binance.me",
  },
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
