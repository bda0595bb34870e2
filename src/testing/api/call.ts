/**
 * One request on its way through the exchange: what the methods see.
 *
 * @module
 */

import type { Account } from "./account.ts";
import type { ApiKey } from "./keys.ts";
import type { RateLimit } from "./rate_windows.ts";
import type { RequestParams } from "./request.ts";
import type { ApiConnection } from "./api_connection.ts";
import type { Venue } from "./venue.ts";

/** What a method is given. */
export interface Call {
  /** The exchange's time in ms. */
  readonly now: number;
  readonly params: RequestParams;
  readonly venue: Venue;
  readonly connection: ApiConnection;
  /**
   * The key that authorised the request: its own, or the session's.
   *
   * @throws {ApiFault} if none did.
   */
  readonly key: ApiKey;
  /** The account of the key. @throws {ApiFault} if there is none. */
  readonly account: Account;
  /** The limits of the API. */
  readonly limits: readonly RateLimit[];
}

/** A method of the WebSocket API. */
export interface Method {
  /** Whether a signature, only a key, or nothing is asked for. */
  readonly security: "NONE" | "SIGNED" | "API_KEY";
  /** The request weight. */
  readonly weight: number | ((params: RequestParams) => number);
  /** Whether the weight is given back when it succeeds (Binance CHANGELOG.md, 2026-04-02). */
  readonly isFreeOnSuccess?: boolean;
  /** What it counts as towards the limits of orders. Default: 0. */
  readonly orders?: number;
  /** Parameters without which it is refused with -1102, in the order in which they are looked for. */
  readonly required?: readonly string[];
  /** If given, any other parameter is refused with -1104. */
  readonly only?: readonly string[];
  /** Carries it out. @throws {ApiFault} if it is refused. */
  run(call: Call): unknown;
}
