/**
 * Listen tokens of margin accounts: made by REST, given to the WebSocket API.
 *
 * @module
 */

import { ConnectionFailedError } from "../base/mod.ts";
import type { Account } from "./accounts.ts";
import { restCall, type RestSettings } from "./rest_call.ts";

/** A token and how long it is valid, in ms from now. */
export interface ListenToken {
  readonly token: string;
  readonly lifeMs: number;
}

/** Default and upper bound of the validity in ms (Binance margin docs, `POST /sapi/v1/userListenToken`). */
export const MAX_VALIDITY_MS = 86_400_000;

/**
 * Makes a token. The docs don't say how this request is protected; the API key alone is what programs use.
 *
 * @throws What {@linkcode restCall} throws.
 */
export async function makeListenToken(
  account: Account,
  validityMs: number | undefined,
  restBaseUrl: string,
  rest: RestSettings,
  signal: AbortSignal,
): Promise<ListenToken> {
  const { signer, symbol } = account;
  const query: Record<string, string> = symbol === undefined ? {} : { isIsolated: "true", symbol };
  if (validityMs !== undefined) query.validity = String(validityMs);
  const path = "/sapi/v1/userListenToken";
  const answer = await restCall(
    { method: "POST", baseUrl: restBaseUrl, path, query, apiKey: signer.apiKey },
    rest,
    signal,
  );
  const { token, expirationTime } = answer;
  if (typeof token !== "string" || token === "") {
    throw new ConnectionFailedError("Cannot make a listen token: the answer has none");
  }
  const askedMs = validityMs ?? MAX_VALIDITY_MS;
  // The exchange's clock may differ from ours: a life that can't be is not believed.
  const leftMs = typeof expirationTime === "number" ? expirationTime - rest.clock.now() : askedMs;
  return { token, lifeMs: leftMs > 0 ? Math.min(askedMs, leftMs) : askedMs };
}
