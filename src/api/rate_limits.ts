/**
 * The exchange's rate limits: what of them is used, and how long a request has to wait.
 *
 * @module
 */

import type { ApiRateLimit, Clock } from "../base/mod.ts";

/** What a request costs. */
export interface RequestCost {
  readonly weight: number;
  /** How many orders it counts for. */
  readonly orders: number;
  /** API key of the account whose orders they are. */
  readonly account: string | undefined;
}

/** A request that was sent, as the limits remember it until it is answered. */
export interface Charge {
  readonly cost: RequestCost;
  /** When it was sent, in the exchange's time in ms since 1970. */
  readonly at: number;
  /** What had been sent until then, itself included. */
  readonly spent: Spent;
}

/** Why a request can't be sent now. */
export interface RateLimitBlock {
  /** In how many ms it can. */
  readonly delayMs: number;
  readonly reason: string;
  /** Whether requests that place no order can be sent all the same. */
  readonly isForOrders: boolean;
}

/** The limits that hold until the exchange has told its own: see `defaultRateLimits`. */
export type KnownLimit = Omit<ApiRateLimit, "count">;

interface Spent {
  readonly weight: number;
  readonly requests: number;
  readonly orders: number;
}

interface Window extends KnownLimit {
  readonly lengthMs: number;
  limit: number;
  used: number;
  /** What was sent at its very end, and may be counted in the next one. */
  late: number;
  /** Which window since 1970 that is. */
  index: number;
}

const UNIT_MS: Readonly<Record<string, number>> = { SECOND: 1_000, MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 };
/** A window is waited for a little longer: what is sent at its very start may arrive before it, by the exchange's clock. */
const MARGIN_MS = 50;
/** What is sent this close to the end of a window may arrive in the next one: it is counted in both. */
const LATE_MS = 250;
/** Waits where the exchange names none. Binance rest-api.md, "IP Limits": bans last from 2 minutes to 3 days. */
const LIMITED_MS = 60_000;
const BANNED_MS = 5 * 60_000;

/**
 * The limits of one IP address and of the accounts behind it, shared by all API streams of a manager. Windows start at full
 * seconds, minutes, hours and days of the exchange's clock (Binance web-socket-api.md, "Rate limits").
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #offsetMs: () => number;
  readonly #defaults: readonly KnownLimit[];
  readonly #shared: Window[] = [];
  readonly #accounts = new Map<string, { windows: Window[]; orders: number }>();
  #weight = 0;
  #requests = 0;
  #blockedUntil = -Infinity;
  #blockReason = "";

  /**
   * @param offsetMs How far in ms the exchange's clock is ahead.
   * @param defaults The limits that hold until the exchange has told others.
   */
  constructor(clock: Clock, offsetMs: () => number, defaults: readonly KnownLimit[]) {
    this.#clock = clock;
    this.#offsetMs = offsetMs;
    this.#defaults = defaults;
    for (const limit of defaults) if (limit.rateLimitType !== "ORDERS") this.#shared.push(this.#newWindow(limit));
  }

  /** What keeps a request of this cost from being sent now; `undefined` if nothing does. */
  blockOf(cost: RequestCost): RateLimitBlock | undefined {
    const pauseMs = this.pauseMs;
    if (pauseMs > 0) return { delayMs: pauseMs, reason: this.#blockReason, isForOrders: false };
    const now = this.#now();
    const full = fullest(this.#shared, now, cost);
    if (full !== undefined || cost.orders === 0 || cost.account === undefined) return full;
    return fullest(this.#account(cost.account).windows, now, cost);
  }

  /** For how long in ms nothing may be sent at all, since the exchange has asked for that; 0 if it has not. */
  get pauseMs(): number {
    return Math.max(0, this.#blockedUntil - this.#clock.monotonic());
  }

  /** Tells that a request was sent; what is returned goes to {@linkcode answered}. */
  charge(cost: RequestCost): Charge {
    const at = this.#now();
    const { weight, orders, account } = cost;
    this.#weight += weight;
    this.#requests++;
    for (const window of this.#shared) add(window, at, cost);
    let sentOrders = 0;
    if (orders > 0 && account !== undefined) {
      const known = this.#account(account);
      sentOrders = known.orders += orders;
      for (const window of known.windows) add(window, at, cost);
    }
    return { cost, at, spent: { weight: this.#weight, requests: this.#requests, orders: sentOrders } };
  }

  /**
   * Takes over what the exchange counts: that of its answer, and what was sent after the request that it answers. An answer
   * to a request of an earlier window says nothing of the present one.
   *
   * @param isFree Whether the exchange charges no weight for it after all.
   */
  answered(charge: Charge, limits: readonly ApiRateLimit[], isFree: boolean): void {
    const now = this.#now();
    const { cost: { account, orders, weight }, at, spent } = charge;
    if (isFree) this.#refund(weight, at, now);
    for (const told of limits) {
      const isOfAccount = told.rateLimitType === "ORDERS";
      if (isOfAccount && account === undefined) continue;
      const known = isOfAccount && account !== undefined ? this.#account(account) : undefined;
      const window = this.#windowOf(known?.windows ?? this.#shared, told);
      if (window === undefined) continue;
      window.limit = told.limit;
      roll(window, now);
      if (Math.floor(at / window.lengthMs) !== window.index) continue;
      const since = known !== undefined
        ? orders === 0 ? 0 : known.orders - spent.orders
        : told.rateLimitType === "REQUEST_WEIGHT"
        ? this.#weight - spent.weight
        : this.#requests - spent.requests;
      window.used = told.count + since;
    }
  }

  #refund(weight: number, at: number, now: number): void {
    for (const window of this.#shared) {
      if (window.rateLimitType !== "REQUEST_WEIGHT") continue;
      roll(window, now);
      if (Math.floor(at / window.lengthMs) === window.index) window.used = Math.max(0, window.used - weight);
    }
  }

  /**
   * The exchange has limited (429) or banned (418) this address: nothing is sent until `retryAt`.
   *
   * @param retryAt The exchange's time in ms since 1970; `undefined` if it has named none: 1 min for 429, 5 min for 418.
   */
  refused(status: number, retryAt: number | undefined): void {
    const ms = retryAt === undefined ? (status === 418 ? BANNED_MS : LIMITED_MS) : retryAt - this.#now() + MARGIN_MS;
    this.pause(status, ms);
  }

  /** Nothing is sent for `ms`, since the exchange has answered with this status. */
  pause(status: number, ms: number): void {
    const until = this.#clock.monotonic() + ms;
    if (until <= this.#blockedUntil) return;
    this.#blockedUntil = until;
    this.#blockReason = status === 418
      ? "the exchange has banned this address (418)"
      : `the exchange limits this address (${status})`;
  }

  /** What is known of the limits, those of `account` included. */
  snapshot(account: string | undefined): ApiRateLimit[] {
    const now = this.#now();
    const windows = account === undefined ? this.#shared : [...this.#shared, ...this.#account(account).windows];
    return windows.map((window) => {
      roll(window, now);
      const { rateLimitType, interval, intervalNum, limit, used } = window;
      return { rateLimitType, interval, intervalNum, limit, count: used };
    });
  }

  #now(): number {
    return this.#clock.now() + this.#offsetMs();
  }

  #account(apiKey: string): { windows: Window[]; orders: number } {
    let account = this.#accounts.get(apiKey);
    if (account === undefined) {
      const windows = this.#defaults.filter((limit) => limit.rateLimitType === "ORDERS")
        .map((limit) => this.#newWindow(limit));
      this.#accounts.set(apiKey, account = { windows, orders: 0 });
    }
    return account;
  }

  /** The window that the exchange means; a new one if it was not known. `undefined` if it can't be understood. */
  #windowOf(windows: Window[], told: KnownLimit): Window | undefined {
    for (const window of windows) {
      if (
        window.intervalNum === told.intervalNum && window.interval === told.interval &&
        window.rateLimitType === told.rateLimitType
      ) return window;
    }
    if (UNIT_MS[told.interval] === undefined || !(told.intervalNum > 0)) return undefined;
    const window = this.#newWindow(told);
    windows.push(window);
    return window;
  }

  #newWindow({ rateLimitType, interval, intervalNum, limit }: KnownLimit): Window {
    const lengthMs = intervalNum * (UNIT_MS[interval] ?? 60_000);
    return {
      rateLimitType,
      interval,
      intervalNum,
      limit,
      lengthMs,
      used: 0,
      late: 0,
      index: Math.floor(this.#now() / lengthMs),
    };
  }
}

function amountOf(window: Window, cost: RequestCost): number {
  switch (window.rateLimitType) {
    case "REQUEST_WEIGHT":
      return cost.weight;
    case "ORDERS":
      return cost.orders;
    case "RAW_REQUESTS":
      return 1;
    default:
      return 0;
  }
}

function roll(window: Window, now: number): void {
  const index = Math.floor(now / window.lengthMs);
  if (index === window.index) return;
  window.used = index === window.index + 1 ? window.late : 0;
  window.late = 0;
  window.index = index;
}

function add(window: Window, now: number, cost: RequestCost): void {
  roll(window, now);
  const amount = amountOf(window, cost);
  window.used += amount;
  if ((window.index + 1) * window.lengthMs - now < LATE_MS) window.late += amount;
}

/** The full window that lasts longest; what is more than a whole window is let through when it is empty. */
function fullest(windows: readonly Window[], now: number, cost: RequestCost): RateLimitBlock | undefined {
  let longest: RateLimitBlock | undefined;
  for (const window of windows) {
    const amount = amountOf(window, cost);
    if (amount === 0) continue;
    roll(window, now);
    if (window.used + amount <= window.limit || window.used === 0) continue;
    const delayMs = (window.index + 1) * window.lengthMs - now + MARGIN_MS;
    if (longest !== undefined && longest.delayMs >= delayMs) continue;
    const { rateLimitType, interval, intervalNum, limit, used } = window;
    longest = {
      delayMs,
      reason: `${used} of ${limit} are used of the limit ${rateLimitType} in ${intervalNum} ${interval}`,
      isForOrders: rateLimitType === "ORDERS",
    };
  }
  return longest;
}
