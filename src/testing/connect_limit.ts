/**
 * The limit on the attempts to connect of an IP address, and the ban of those who don't keep it.
 *
 * Binance web-socket-streams.md, "WebSocket Limits": 300 in 5 minutes. What a refused handshake looks like is not
 * documented; these are the answers of its REST API (rest-api.md, "IP Limits"): 429, and for those who go on, 418 with
 * bans from 2 minutes to 3 days. Both have `Retry-After` in seconds.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { LocalExchangeLimits } from "./markets.ts";
import type { HttpResponse } from "./server_handshake.ts";

const LONGEST_BAN_MS = 3 * 86_400_000;
/** How far over the limit an address may get before it is banned. */
const BAN_FACTOR = 1.1;

interface Address {
  attempts: number[];
  bannedUntil: number;
  bans: number;
}

/** The attempts of all addresses. */
export class ConnectLimit {
  /** Most attempts of one address in any window. */
  peak = 0;
  readonly #clock: Clock;
  readonly #limits: LocalExchangeLimits;
  readonly #addresses = new Map<string, Address>();

  constructor(clock: Clock, limits: LocalExchangeLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Counts an attempt: a TCP connection, whatever becomes of it. */
  count(ip: string): void {
    const address = this.#addresses.get(ip) ?? { attempts: [], bannedUntil: -Infinity, bans: 0 };
    this.#addresses.set(ip, address);
    const now = this.#clock.monotonic();
    const { connectionWindowMs } = this.#limits;
    address.attempts = address.attempts.filter((at) => now - at < connectionWindowMs);
    address.attempts.push(now);
    this.peak = Math.max(this.peak, address.attempts.length);
  }

  /** The refusal of an address that is over the limit or banned, else `undefined`. */
  refusal(ip: string): HttpResponse | undefined {
    const address = this.#addresses.get(ip);
    const { connectionAttempts, connectionWindowMs, banMs } = this.#limits;
    if (address === undefined || connectionAttempts === Infinity) return undefined;
    const now = this.#clock.monotonic();
    if (now < address.bannedUntil) return refuse(418, address.bannedUntil - now);
    const over = address.attempts.length - connectionAttempts;
    if (over <= 0) return undefined;
    if (address.attempts.length > Math.ceil(connectionAttempts * BAN_FACTOR)) {
      const ms = Math.min(LONGEST_BAN_MS, banMs * 2 ** address.bans++);
      address.bannedUntil = now + ms;
      return refuse(418, ms);
    }
    // The attempt that has to leave the window for one more to be within the limit.
    const oldest = address.attempts[over] ?? now;
    return refuse(429, oldest + connectionWindowMs - now);
  }
}

function refuse(status: 418 | 429, ms: number): HttpResponse {
  // Binance errors.md, -1003.
  const msg = status === 418 ? "Way too many requests; IP banned." : "Too many connection attempts from IP.";
  return {
    status,
    headers: { "Retry-After": String(Math.ceil(ms / 1000)) },
    body: JSON.stringify({ code: -1003, msg }),
  };
}
