/**
 * The exchange's rate limits: what of them is used, and how long a request has to wait.
 *
 * @module
 */

import type { ApiRateLimit, Clock } from "../base/mod.ts";
import { banMs } from "../exchange/mod.ts";
import {
  add,
  fullest,
  type KnownLimit,
  MARGIN_MS,
  newWindow,
  type RateLimitBlock,
  type RequestCost,
  roll,
  shortest,
  UNIT_MS,
  type Window,
} from "./rate_limit_window.ts";

/** A request that was sent, as the limits remember it until it is answered. */
export interface Charge {
  readonly cost: RequestCost;
  /** When it was sent, in the exchange's time in ms since 1970. */
  readonly at: number;
  /** What had been sent until then, itself included. */
  readonly spent: Spent;
}

interface Spent {
  readonly weight: number;
  readonly requests: number;
  readonly orders: number;
}

/** The window of orders that is assumed where no other is known. */
const UNNAMED_ORDERS: KnownLimit = { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 50 };

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
    this.pause(status, banMs(status, retryAt === undefined ? undefined : retryAt - this.#now() + MARGIN_MS));
  }

  /**
   * The exchange has refused an order of an account (Binance errors.md, -1015): its orders wait for the end of the window
   * that is full, and nothing else does.
   *
   * @param msg The exchange's words, which name the window: "Too many new orders; current limit is 50 orders per 10 SECOND."
   * Without, it is the shortest one.
   */
  ordersRefused(account: string, msg: string): void {
    const { windows } = this.#account(account);
    const told = orderLimitIn(msg);
    const now = this.#now();
    for (const window of windows) roll(window, now);
    const named = told && this.#windowOf(windows, told);
    if (named === undefined && windows.some(({ used, limit }) => used >= limit)) return;
    if (named !== undefined && told !== undefined) named.limit = told.limit;
    const window = named ?? shortest(windows) ?? this.#windowOf(windows, UNNAMED_ORDERS);
    if (window !== undefined) window.used = Math.max(window.used, window.limit);
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

  #newWindow(limit: KnownLimit): Window {
    return newWindow(limit, this.#now());
  }
}

/** The limit that words name: "50 orders per 10 SECOND", or of futures "300 orders per TEN_SECONDS", "1200 orders per MINUTE". */
function orderLimitIn(msg: string): KnownLimit | undefined {
  const [, limit, count = "1", interval] = /(\d+) orders? per (?:(\d+|TEN)[ _])?([A-Z]+?)S?\b/.exec(msg) ?? [];
  if (limit === undefined || interval === undefined || !Object.hasOwn(UNIT_MS, interval)) return undefined;
  return { rateLimitType: "ORDERS", interval, intervalNum: count === "TEN" ? 10 : Number(count), limit: Number(limit) };
}
