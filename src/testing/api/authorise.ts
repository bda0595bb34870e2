/**
 * Who may ask: keys, signatures, times (Binance web-socket-api.md, "Request security" and "Session Authentication").
 *
 * @module
 */

import type { ApiConnection } from "./api_connection.ts";
import { ApiFault, badKey, missing } from "./api_fault.ts";
import type { Method } from "./call.ts";
import { parseDecimal } from "./decimal.ts";
import type { ApiKey } from "./keys.ts";
import type { RequestParams } from "./request.ts";

/** Keys by name. */
export type KeyLookup = (apiKey: string) => ApiKey | undefined;

const DEFAULT_WINDOW_MS = 5000;
const LONGEST_WINDOW_MS = 60_000;
const MOST_AHEAD_MS = 1000;
/** Timestamps from here on are in µs: as ms it would be the year 5138. */
const FIRST_US = 1e14;

/**
 * The key that a request is made with; `undefined` if it needs none.
 *
 * @throws {ApiFault} if it has none, or may not.
 */
export function authorise(
  name: string,
  method: Method,
  params: RequestParams,
  connection: ApiConnection,
  keys: KeyLookup,
  now: number,
): ApiKey | undefined {
  const apiKey = params.text("apiKey");
  const isOwn = apiKey !== undefined || params.text("signature") !== undefined || name === "session.logon";
  const { logon } = connection;
  if (logon !== undefined && !isOwn && logon.key.isRevoked) {
    connection.logOut();
    throw badKey({ hasId: false });
  }
  if (method.security === "NONE") return undefined;
  if (logon !== undefined && !isOwn) {
    if (method.security === "SIGNED") checkTime(params, now);
    return logon.key;
  }
  if (apiKey === undefined) return missing("apiKey");
  // Binance errors.md, -2014: what can't be a key at all.
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(apiKey)) throw new ApiFault(-2014, "API-key format invalid.", { status: 401 });
  const key = keys(apiKey);
  if (key === undefined || key.isRevoked) throw badKey();
  if (method.security === "API_KEY") return key;
  const timestamp = params.required("timestamp");
  const signature = params.required("signature");
  checkTime(params.with({ timestamp }), now);
  if (!key.verifies(params.payload, signature)) {
    throw new ApiFault(-1022, "Signature for this request is not valid.");
  }
  return key;
}

/** @throws {ApiFault} -1021 if the request is too old or too new, -1131 if it asks for too long a window. */
function checkTime(params: RequestParams, now: number): void {
  const sent = Number(params.integer("timestamp") ?? missing("timestamp"));
  const timestamp = sent >= FIRST_US ? sent / 1000 : sent;
  const window = params.text("recvWindow");
  if (window !== undefined && (!/^\d{1,5}(?:\.\d{1,3})?$/.test(window) || parseDecimal(window) === undefined)) {
    throw new ApiFault(-1131, "recvWindow must be less than 60000");
  }
  const windowMs = window === undefined ? DEFAULT_WINDOW_MS : Number(window);
  if (windowMs > LONGEST_WINDOW_MS) throw new ApiFault(-1131, "recvWindow must be less than 60000");
  if (timestamp >= now + MOST_AHEAD_MS) {
    throw new ApiFault(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  }
  if (now - timestamp > windowMs) {
    throw new ApiFault(-1021, "Timestamp for this request is outside of the recvWindow.");
  }
}
