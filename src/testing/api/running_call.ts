/**
 * A request that is being carried out.
 *
 * @module
 */

import type { Account } from "./account.ts";
import type { ApiConnection } from "./api_connection.ts";
import { missing } from "./api_fault.ts";
import type { Call } from "./call.ts";
import type { ApiKey } from "./keys.ts";
import type { RateLimit } from "./rate_windows.ts";
import type { ApiRequest } from "./request.ts";
import type { Venue } from "./venue.ts";

/** A request that is being carried out. */
export class RunningCall implements Call {
  readonly connection: ApiConnection;
  readonly venue: Venue;
  readonly params: ApiRequest["params"];
  readonly now: number;
  /** The key that the request was found to be made with. */
  authorised: ApiKey | undefined;

  /** Creates a call that nobody has authorised. */
  constructor(connection: ApiConnection, request: ApiRequest, now: number) {
    this.connection = connection;
    this.venue = connection.venue;
    this.params = request.params;
    this.now = now;
  }

  get key(): ApiKey {
    return this.authorised ?? missing("apiKey");
  }

  get account(): Account {
    return this.key.account;
  }

  get limits(): readonly RateLimit[] {
    return this.venue.limits;
  }

  /** Whether the answer is to carry the limits. */
  get wantsLimits(): boolean {
    const wanted = this.params.text("returnRateLimits");
    return wanted === undefined ? this.connection.returnRateLimits : wanted === "true";
  }
}
