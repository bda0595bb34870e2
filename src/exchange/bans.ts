/**
 * How long the exchange wants nothing of an address that it has limited or banned.
 *
 * @module
 */

/** Where it names no time. */
const LIMITED_MS = 60_000;
const BANNED_MS = 5 * 60_000;
/** Binance rest-api.md, "IP Limits": bans last from 2 minutes to 3 days. */
const LONGEST_MS = 3 * 86_400_000;

/** For how long in ms nothing may be sent after status 429 or 418; `namedMs` is what the exchange has said, if anything. */
export function banMs(status: number, namedMs: number | undefined): number {
  return Math.min(namedMs ?? (status === 418 ? BANNED_MS : LIMITED_MS), LONGEST_MS);
}
