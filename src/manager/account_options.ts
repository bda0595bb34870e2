/**
 * The options that are about requests and account events: of a manager, and of the streams for them.
 *
 * @module
 */

import type { RateLimitPolicy, Signer } from "../api/mod.ts";
import type { DataOf, Output } from "../stream/mod.ts";
import type { UserDataOptions, UserDataStream } from "../user_data/mod.ts";
import type { MarketManagerOptions, StreamOptions } from "./options.ts";

/**
 * Options of {@linkcode BinanceWebSocketApiManager}. Checked at construction: unknown names, wrong types and impossible
 * combinations are errors, all reported at once.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type ManagerOptions } from "@rawtick/binance";
 *
 * const options: ManagerOptions = {
 *   exchange: "binance.com",
 *   websocketLibrary: "native",
 *   output: "json",
 *   onSignal: (signal) => console.log(signal.type, signal.streamLabel),
 * };
 * await using manager = new BinanceWebSocketApiManager(options);
 * ```
 */
export interface ManagerOptions<O extends Output = Output> extends MarketManagerOptions<O> {
  /**
   * Signs the requests of API streams, and asks for account events, unless a stream has another one: from
   * {@linkcode createSigner}. Default: none.
   */
  readonly signer?: Signer;
  /**
   * URL of the WebSocket API instead of the exchange's own, such as `"ws://127.0.0.1:8765"`: `ws:` or `wss:`, without query;
   * its path, such as `/ws-api/v3`, may be left out. Has to be given with `websocketBaseUrl`, so that nobody trades on the
   * real exchange by mistake. Not for exchanges without a WebSocket API, as all options of requests. Default: the exchange's
   * own.
   */
  readonly websocketApiBaseUrl?: string;
  /**
   * Base URL of the REST API, for listen keys and listen tokens, instead of the exchange's own: `http:` or `https:`, without
   * query and without `/api/v3`, `/fapi/v1`, …. Has to be given with `websocketBaseUrl`, as `websocketApiBaseUrl` has.
   * Default: the exchange's own.
   */
  readonly restBaseUrl?: string;
  /**
   * Longest time in ms from a request over an API stream to its answer, 1 to 86400000, the wait for a connection or a rate
   * limit included. Default: 10000, as long as the exchange itself works on one at most.
   */
  readonly apiTimeoutMs?: number;
  /**
   * What a rate limit that is used up does to a request: `"wait"` sends it when the window is over, if that is within its
   * timeout, and rejects it at once if it is not; `"error"` always rejects it. Default: `"wait"`.
   */
  readonly onRateLimit?: RateLimitPolicy;
  /**
   * Whether answers carry the rate limits. Without them, what is used of the limits is an estimate from the table of methods
   * and does not see what other programs use. Default: as the exchange does by itself, true.
   */
  readonly returnRateLimits?: boolean;
}

/** What a manager for market data alone does not have. */
export type AccountOption = Exclude<keyof ManagerOptions, keyof MarketManagerOptions>;

/**
 * Options of a stream of requests.
 *
 * @example
 * ```ts
 * import { type ApiStreamOptions, BinanceWebSocketApiManager, createSigner } from "@rawtick/binance";
 *
 * const signer = createSigner({ apiKey: "the API key", apiSecret: "the secret" });
 * const options: ApiStreamOptions = { api: true, label: "orders", signer };
 * await using manager = new BinanceWebSocketApiManager({ websocketApiBaseUrl: "ws://127.0.0.1:1" });
 * manager.createStream(options);
 * ```
 */
export interface ApiStreamOptions {
  /** Makes it a stream of requests. */
  readonly api: true;
  /** A name of yours, for `options.stream` of a request, signals and logs. Default: none. */
  readonly label?: string;
  /** Signs its requests. Default: the manager's. */
  readonly signer?: Signer;
  /**
   * Whether each connection logs on with `session.logon` before anything else is sent, so that requests need no signature of
   * their own: Ed25519 keys only. A logon that the exchange ends is renewed; after a `session.logout` of yours, or a logon
   * with another key, each request is signed until the stream's own key is logged on again. Default: false.
   */
  readonly logon?: boolean;
}

/**
 * Options of a stream of account events: whose, and how they are delivered.
 *
 * @example
 * ```ts
 * import { createSigner, type UserDataStreamOptions } from "@rawtick/binance";
 *
 * const signer = createSigner({ apiKey: "the API key", apiSecret: "the secret" });
 * const options: UserDataStreamOptions<"json"> = {
 *   userData: { signer },
 *   output: "json",
 *   onData: ({ stream, data }) => console.log(stream, data.e),
 * };
 * console.log(options.output);
 * ```
 */
export interface UserDataStreamOptions<O extends Output = Output> extends
  Pick<
    StreamOptions<O>,
    "label" | "output" | "onCallbackError" | "maxConcurrentCallbacks" | "streamBuffer" | "bufferSize" | "overflow"
  > {
  /** Whose events, and how they are asked for; true for those of the manager's `signer`. */
  readonly userData: true | UserDataOptions;
  /** Takes the events, as the manager's `onData` takes messages. Default: none, they are buffered to be read. */
  readonly onData?: (data: DataOf<O, "!userData@arr">, stream: UserDataStream<O>) => unknown;
}
