/**
 * The WebSocket APIs of the local exchange as its user sees them: what was asked, and what goes wrong.
 *
 * @module
 */

import type { ApiDisturbance, ApiDisturbOptions } from "./faults.ts";
import type { LocalApiRequest } from "./request_record.ts";
import type { LocalRestRequest, RestFaultOptions } from "./rest.ts";
import type { LocalApiName } from "./venue.ts";

/**
 * Limits of a WebSocket API that differ from Binance's.
 *
 * @example
 * ```ts
 * import { type LocalApiLimits, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const limits: LocalApiLimits = { weightPerMinute: 100, ordersPer10Seconds: 5 };
 * await using exchange = await startLocalExchange();
 * exchange.api.limit("spot", limits);
 * ```
 */
export interface LocalApiLimits {
  /** Weight per calendar minute. Default: 6000 for spot, 2400 for the others. */
  readonly weightPerMinute?: number;
  /** Requests over the weight in one minute that are answered with 429; one more, and the address is banned. Default: 10. */
  readonly refusalsBeforeBan?: number;
  /** Orders per account and ten seconds. Default: 50 for spot, 300 for USD-M, none for COIN-M. */
  readonly ordersPer10Seconds?: number;
  /** Orders per account and minute. Default: 1200 for the derivatives, none for spot. */
  readonly ordersPerMinute?: number;
  /** Orders per account and day. Default: 160000 for spot, none for the others. */
  readonly ordersPerDay?: number;
}

/**
 * The WebSocket APIs of a local exchange, and its REST endpoints for listen keys: counters and faults.
 *
 * @example An order whose answer never comes
 * ```ts
 * import { type LocalExchangeApi, startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const api: LocalExchangeApi = exchange.api;
 * api.disturb("dropAnswer", { method: "order.place" });
 * ```
 */
export interface LocalExchangeApi {
  /** Every request to a WebSocket API, in the order in which they came. */
  readonly requests: readonly LocalApiRequest[];
  /** Every request to a REST endpoint of listen keys, in the order in which they came. */
  readonly restRequests: readonly LocalRestRequest[];
  /** The methods that an API answers, without `v3/`. */
  methods(api: LocalApiName): ReadonlySet<string>;
  /** The weight that was used in the present minute. */
  usedWeight(api: LocalApiName): number;
  /** When a ban ends, in ms since 1970; `undefined` if there is none. */
  bannedUntil(api: LocalApiName): number | undefined;
  /** Bans all clients for `ms`: 418 for requests, handshakes and REST. 0 lifts the ban. Default: on spot. */
  ban(ms: number, api?: LocalApiName): void;
  /** Sets limits of an API; limits of orders that are not given are none. */
  limit(api: LocalApiName, limits: LocalApiLimits): void;
  /**
   * Moves the price of a symbol: orders that it crosses fill, those that wait for it are triggered. Before the first
   * call a symbol has no price: LIMIT orders rest whatever their price, MARKET orders fill at 100.
   *
   * @param price A plain decimal.
   * @param api Default: `"spot"`.
   */
  setPrice(symbol: string, price: string, api?: LocalApiName): void;
  /** The id of the next order, such as one beyond 2^53. Default: on spot. */
  nextOrderId(id: bigint, api?: LocalApiName): void;
  /** How far the exchange's time is ahead of the clock's, in ms; less than 0 if it is behind. Default: 0. */
  clockOffsetMs: number;
  /**
   * Lets requests go wrong. Several orders are carried out in the order in which they were given.
   *
   * @throws {RangeError} if the count is no integer that is at least 1.
   */
  disturb(what: ApiDisturbance, options?: ApiDisturbOptions): void;
  /** Forgets the disturbances that have not come. */
  settle(): void;
  /** Answers every request `ms` later; it is obeyed at once. */
  delayAnswers(ms: number): void;
  /** Sends account events `ms` later, in their order. */
  delayEvents(ms: number): void;
  /** Loses the next `count` deliveries of account events: one for each subscription or listen key. */
  dropEvents(count: number): void;
  /** Sends account events before the answer of the request that causes them. Binance promises neither order. */
  eventsFirst(on: boolean): void;
  /** Closes connections on which an unknown key was used, after the answer (measured on the testnet). Default: false. */
  closeOnBadKey(on: boolean): void;
  /** Whether spot has listen keys, by REST and by the WebSocket API, as on Binance.US. Default: false. */
  spotListenKeys(on: boolean): void;
  /**
   * Lets requests by REST go wrong.
   *
   * @throws {RangeError} if the count is no integer that is at least 1.
   */
  failRest(options?: RestFaultOptions): void;
}
