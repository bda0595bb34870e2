/**
 * Limits whose windows begin with the calendar's minutes, hours and days (Binance web-socket-api.md, "How to interpret
 * rate limits").
 *
 * @module
 */

import { ApiFault } from "./api_fault.ts";

/** A limit, as `exchangeInfo` and `rateLimits` name it. */
export interface RateLimit {
  readonly rateLimitType: "REQUEST_WEIGHT" | "ORDERS";
  readonly interval: "SECOND" | "MINUTE" | "HOUR" | "DAY";
  readonly intervalNum: number;
  readonly limit: number;
}

/** A limit and what was used of it in the present window. */
export interface RateUsage extends RateLimit {
  readonly count: number;
}

const LENGTH_MS = { SECOND: 1_000, MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 };

/** Counts one limit. */
export class RateWindow {
  /** The limit; it may be changed while it counts. */
  limit: RateLimit;
  #window = -1;
  #count = 0;

  /** Creates a counter that stands at 0. */
  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** How much was used of the window that `now` lies in. */
  count(now: number): number {
    this.#turn(now);
    return this.#count;
  }

  /** Adds `amount`, which may be negative: what was charged and is given back. */
  add(amount: number, now: number): void {
    this.#turn(now);
    this.#count = Math.max(0, this.#count + amount);
  }

  /** When the window that `now` lies in ends, in ms. */
  endsAt(now: number): number {
    return (Math.floor(now / this.#lengthMs) + 1) * this.#lengthMs;
  }

  /** As it stands in answers. */
  usage(now: number): RateUsage {
    return { ...this.limit, count: this.count(now) };
  }

  get #lengthMs(): number {
    return LENGTH_MS[this.limit.interval] * this.limit.intervalNum;
  }

  #turn(now: number): void {
    const window = Math.floor(now / this.#lengthMs);
    if (window !== this.#window) this.#count = 0;
    this.#window = window;
  }
}

/** The weight of one address on one API, and its bans. */
export class WeightGuard {
  /** The window of the weight. */
  readonly window: RateWindow;
  /** Refused requests of a window after which the address is banned. */
  refusalsBeforeBan = 10;
  readonly #firstBanMs: number;
  #bans = 0;
  #bannedUntil = 0;
  #refusals = 0;
  #refusedWindow = 0;

  /** Creates a guard; the first ban takes `firstBanMs`, each further one twice as long. */
  constructor(limit: RateLimit, firstBanMs: number) {
    this.window = new RateWindow(limit);
    this.#firstBanMs = firstBanMs;
  }

  /** When the ban ends, in ms; `undefined` if there is none. */
  bannedUntil(now: number): number | undefined {
    return now < this.#bannedUntil ? this.#bannedUntil : undefined;
  }

  /** Bans the address for `ms`, or lifts its ban with 0. */
  ban(ms: number, now: number): void {
    this.#bannedUntil = now + ms;
  }

  /**
   * Charges a request.
   *
   * @throws {ApiFault} with 418 while the address is banned, with 429 if the weight doesn't fit into the window.
   */
  charge(weight: number, now: number): void {
    this.#checkBan(now);
    const { window } = this;
    if (window.count(now) + weight <= window.limit.limit) return window.add(weight, now);
    const endsAt = window.endsAt(now);
    if (this.#refusedWindow !== endsAt) this.#refusals = 0;
    this.#refusedWindow = endsAt;
    if (++this.#refusals > this.refusalsBeforeBan) {
      this.#refusals = 0;
      this.ban(this.#firstBanMs * 2 ** this.#bans++, now);
      this.#checkBan(now);
    }
    const { limit, interval, intervalNum } = window.limit;
    throw new ApiFault(
      -1003,
      `Too much request weight used; current limit is ${limit} request weight per ${intervalNum} ${interval}. ` +
        "Please use WebSocket Streams for live updates to avoid polling the API.",
      { status: 429, data: { serverTime: now, retryAfter: endsAt } },
    );
  }

  #checkBan(now: number): void {
    const retryAfter = this.bannedUntil(now);
    if (retryAfter === undefined) return;
    throw new ApiFault(
      -1003,
      `Way too much request weight used; IP banned until ${retryAfter}. ` +
        "Please use WebSocket Streams for live updates to avoid bans.",
      { status: 418, data: { serverTime: now, retryAfter }, close: true },
    );
  }
}

/**
 * Charges orders to the windows of an account.
 *
 * @throws {ApiFault} with 429 and -1015 if they don't fit into one.
 */
export function chargeOrders(windows: readonly RateWindow[], orders: number, now: number): void {
  const full = windows.find((window) => window.count(now) + orders > window.limit.limit);
  if (full !== undefined) {
    const { limit, interval, intervalNum } = full.limit;
    throw new ApiFault(
      -1015,
      `Too many new orders; current limit is ${limit} orders per ${intervalNum} ${interval}.`,
      { status: 429, data: { serverTime: now, retryAfter: full.endsAt(now) } },
    );
  }
  for (const window of windows) window.add(orders, now);
}
