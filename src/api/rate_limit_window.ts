/**
 * One window of a rate limit: how much of it is used, and how long it lasts.
 *
 * @module
 */

import type { ApiRateLimit } from "../base/mod.ts";

/** What a request costs. */
export interface RequestCost {
  readonly weight: number;
  /** How many orders it counts for. */
  readonly orders: number;
  /** API key of the account whose orders they are. */
  readonly account: string | undefined;
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

/** A limit with what is used of it now. */
export interface Window extends KnownLimit {
  readonly lengthMs: number;
  limit: number;
  used: number;
  /** What was sent at its very end, and may be counted in the next one. */
  late: number;
  /** Which window since 1970 that is. */
  index: number;
}

/** Lengths of the units that the exchange names. */
export const UNIT_MS: Readonly<Record<string, number>> = {
  SECOND: 1_000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
};
/** A window is waited for a little longer: what is sent at its very start may arrive before it, by the exchange's clock. */
export const MARGIN_MS = 50;
/** What is sent this close to the end of a window may arrive in the next one: it is counted in both. */
const LATE_MS = 250;

/** An empty window. */
export function newWindow({ rateLimitType, interval, intervalNum, limit }: KnownLimit, now: number): Window {
  const lengthMs = intervalNum * (UNIT_MS[interval] ?? 60_000);
  const index = Math.floor(now / lengthMs);
  return { rateLimitType, interval, intervalNum, limit, lengthMs, used: 0, late: 0, index };
}

/** The one that ends most often. */
export function shortest(windows: readonly Window[]): Window | undefined {
  return windows.reduce<Window | undefined>((a, b) => a === undefined || b.lengthMs < a.lengthMs ? b : a, undefined);
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

/** Goes on to the window that it is now. */
export function roll(window: Window, now: number): void {
  const index = Math.floor(now / window.lengthMs);
  if (index === window.index) return;
  window.used = index === window.index + 1 ? window.late : 0;
  window.late = 0;
  window.index = index;
}

/** Counts what was sent. */
export function add(window: Window, now: number, cost: RequestCost): void {
  roll(window, now);
  const amount = amountOf(window, cost);
  window.used += amount;
  if ((window.index + 1) * window.lengthMs - now < LATE_MS) window.late += amount;
}

/** The full window that lasts longest; what is more than a whole window is let through when it is empty. */
export function fullest(windows: readonly Window[], now: number, cost: RequestCost): RateLimitBlock | undefined {
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
