/**
 * What the exchange's refusal of a request means for that request.
 *
 * @module
 */

import type { ApiError } from "../base/mod.ts";
import type { ApiRequest } from "./api_request.ts";
import { INVALID_TIMESTAMP } from "./passing.ts";

/** What can be mended before a request that was refused is sent again: the logon of the connection, or our clock. */
export type Refusal = "logon" | "clock";

/** A method that needs a session was called without one (seen, not documented). */
const NO_SESSION = -1193;
/** "Mandatory parameter '%s' was not sent" (Binance errors.md): a request without a logon lacks its key and its signature. */
const MISSING_PARAMETER = -1102;
/** Unexpected response, and timeout: "execution status unknown" (Binance errors.md). */
const UNKNOWN_CODES = [-1006, -1007];
/** Overloaded: the request was not executed (errors.md), whatever its status is. */
const OVERLOADED = -1008;

/**
 * What it was refused for, if that can be mended; `undefined` if it can't. The exchange checks both before it executes
 * anything, so such a request had no effect.
 */
export function refusalOf(error: ApiError, request: ApiRequest): Refusal | undefined {
  if (request.isByLogon && saysLoggedOff(error)) return "logon";
  if (error.apiCode === INVALID_TIMESTAMP && request.isSigned) return "clock";
  return undefined;
}

function saysLoggedOff({ status, apiCode, msg }: ApiError): boolean {
  if (apiCode === MISSING_PARAMETER) return /\b(?:apiKey|signature)\b/.test(msg);
  return status === 401 || apiCode === NO_SESSION;
}

/** Whether not even the exchange knows if it took effect (web-socket-api.md, "Status codes": 5xx). */
export function isOutcomeUnknown({ status, apiCode }: ApiError): boolean {
  if (apiCode === OVERLOADED) return false;
  return status >= 500 || (apiCode !== undefined && UNKNOWN_CODES.includes(apiCode));
}
