/**
 * What callers say about a request, and what an API stream tells the parts of this package that build on it.
 *
 * @module
 */

import type { ApiRateLimit } from "../base/mod.ts";
import type { CloseInfo } from "../transport/portable.ts";
import type { Params } from "./params.ts";
import type { Signer } from "./signer.ts";

/**
 * How a method is protected (Binance web-socket-api.md, "Request security"): not at all, by the API key alone, or by a key
 * and a signature.
 *
 * @example
 * ```ts
 * import type { ApiSecurity } from "@rawtick/binance";
 *
 * const security: ApiSecurity = "SIGNED";
 * console.log(security);
 * ```
 */
export type ApiSecurity = "NONE" | "API_KEY" | "SIGNED";

/**
 * What a full rate limit does to a request: `"wait"` sends it when the window is over, if that is within its timeout, and
 * `"error"` rejects it at once.
 *
 * @example
 * ```ts
 * import type { RateLimitPolicy } from "@rawtick/binance";
 *
 * const policy: RateLimitPolicy = "error";
 * console.log(policy);
 * ```
 */
export type RateLimitPolicy = "wait" | "error";

/**
 * What an API stream has to know of a method; the tables of methods have it.
 *
 * @example
 * ```ts
 * import type { ApiMethodFacts } from "@rawtick/binance";
 *
 * const facts: ApiMethodFacts = { security: "NONE", changesState: false, weight: () => 1, orders: 0 };
 * console.log(facts.weight({}));
 * ```
 */
export interface ApiMethodFacts {
  /** How it is protected. */
  readonly security: ApiSecurity;
  /** Whether it may do something that a second time would do again: such a request is never sent twice. */
  readonly changesState: boolean;
  /** Its weight with these parameters. */
  weight(params: Params): number;
  /** How many orders it counts for. */
  readonly orders: number;
}

/**
 * Options of one request.
 *
 * @example
 * ```ts
 * import type { ApiRequestOptions } from "@rawtick/binance";
 *
 * const options: ApiRequestOptions = { timeoutMs: 2_000, signal: AbortSignal.timeout(1_500), id: "my-order-1" };
 * console.log(options.id);
 * ```
 */
export interface ApiRequestOptions {
  /**
   * Longest time in ms from the call to the answer, 1 to 86400000: it is also how long a request may wait for a connection
   * or for a rate limit before it is sent. Default: the manager's `apiTimeoutMs`.
   */
  readonly timeoutMs?: number;
  /** Ends the wait. A request that was not sent yet is then never sent. */
  readonly signal?: AbortSignal;
  /** Id of the request: an integer, or up to 36 of `a-z A-Z 0-9 - _`. Default: a number that counts up. */
  readonly id?: string | number;
  /** Signs this request for another account. Default: the stream's signer. */
  readonly signer?: Signer;
  /** What a full rate limit does. Default: the manager's `onRateLimit`. */
  readonly onRateLimit?: RateLimitPolicy;
  /** What is known of a method that is not in the table. Default: unsigned, weight 1, and never sent twice. */
  readonly facts?: Partial<ApiMethodFacts>;
}

/**
 * What an API stream tells the streams of account events that run over it. Nothing here may throw.
 *
 * @example
 * ```ts
 * import type { ApiStreamListener } from "@rawtick/binance";
 *
 * const listener: ApiStreamListener = {
 *   onConnect: () => console.log("requests can be sent"),
 *   onDisconnect: ({ code }) => console.log("lost", code),
 *   onEvent: (subscriptionId, text) => console.log(subscriptionId, text),
 *   onEnd: ({ message }) => console.log(message),
 * };
 * console.log(listener);
 * ```
 */
export interface ApiStreamListener {
  /**
   * The connection is open and, with the option `logon`, logged on: requests can be sent, and those made in here go before
   * all that have waited. Comes again after each reconnect, after a new logon on the same connection, and at once from
   * `attachUserData()` if it is so already.
   */
  onConnect(): void;
  /** A connection that was open has ended. `lastReceivedAt`: when the last message came, in ms since 1970. */
  onDisconnect(close: CloseInfo, lastReceivedAt: number): void;
  /** An account event, `text` being the JSON of the event alone; synchronously, in the order of the wire. */
  onEvent(subscriptionId: number | undefined, text: string): void;
  /** The stream has ended: it was stopped, or can't be repaired. Nothing comes after it. */
  onEnd(reason: Error): void;
}

/**
 * Options of a request of a stream of account events, which has to know more.
 *
 * @example
 * ```ts
 * import type { InternalRequestOptions } from "@rawtick/binance";
 *
 * const options: InternalRequestOptions = { isUrgent: true, onResult: (result) => console.log(result) };
 * console.log(options.isUrgent);
 * ```
 */
export interface InternalRequestOptions extends ApiRequestOptions {
  /** Told the result before anything that came after it is looked at; the promise is settled a little later. Must not throw. */
  readonly onResult?: (result: unknown) => void;
  /** Whether it goes before all that wait. Default: false. */
  readonly isUrgent?: boolean;
}

/**
 * Counters of an API stream since it was created.
 *
 * @example
 * ```ts
 * import type { ApiStreamStatistics } from "@rawtick/binance";
 *
 * const isBusy = ({ waiting, inFlight }: ApiStreamStatistics) => waiting + inFlight > 100;
 * console.log(isBusy);
 * ```
 */
export interface ApiStreamStatistics {
  /** When the stream was created, in ms since 1970. */
  readonly createdAt: number;
  /** Requests that were asked for. */
  readonly requests: number;
  /** Frames that were sent with one: more than `requests` if some were sent again. */
  readonly sent: number;
  /** Answers with a result. */
  readonly results: number;
  /** Answers with an error. */
  readonly errors: number;
  /** Requests without effect that were sent again, since their connection was lost. */
  readonly retries: number;
  /** Requests of which nobody knows whether they took effect. */
  readonly unknownOutcomes: number;
  /** Requests that were not answered, or not sent, in time. */
  readonly timeouts: number;
  /** Answers that belong to no request that waits for one. */
  readonly unmatched: number;
  /** Account events that came. */
  readonly events: number;
  /** Requests that wait to be sent. */
  readonly waiting: number;
  /** Requests that were sent and not answered. */
  readonly inFlight: number;
  /** How often the connection was opened again after it was lost. */
  readonly reconnects: number;
  /** How often the connection was replaced before the exchange would have cut it. */
  readonly rollovers: number;
  /** Age in ms of the connection; 0 while there is none. */
  readonly ageMs: number;
  /** Round trip in ms of the last ping; `undefined` before the first, and where the library has no pings. */
  readonly latencyMs: number | undefined;
  /** How far in ms the exchange's clock is ahead of ours; `undefined` before it was measured. */
  readonly timeOffsetMs: number | undefined;
  /** What is known of the rate limits of this address and, for orders, of the stream's account. */
  readonly rateLimits: readonly ApiRateLimit[];
}
