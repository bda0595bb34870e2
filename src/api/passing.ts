/**
 * Which refusals of the exchange may be over a moment later.
 *
 * @module
 */

/** Binance errors.md: the clocks differ. */
export const INVALID_TIMESTAMP = -1021;

/** Binance errors.md: the exchange is at fault, wants less, or the clocks differ; it may go well the next time. */
const PASSING_CODES: readonly (number | undefined)[] = [
  ...[-1000, -1001, -1003, -1006, -1007, -1008, -1016, -1034],
  INVALID_TIMESTAMP,
];
/** The API key, its signature or what it may do: it will not go better. */
const KEY_CODES: readonly (number | undefined)[] = [-1002, -1022, -2008, -2014, -2015];

/**
 * Whether a refusal with this status and code may pass. A 403 that says nothing of the key is the firewall's (Binance
 * web-socket-api.md and rest-api.md: "WAF Limit"), which looks at the moment, not at the key.
 *
 * @param code The exchange's own code, if there is one.
 */
export function isPassing(status: number, code: number | undefined): boolean {
  if (PASSING_CODES.includes(code)) return true;
  if (status === 403) return !KEY_CODES.includes(code);
  return status >= 500 || status === 408 || status === 418 || status === 429;
}
