/**
 * The requests that wait to be sent: for a connection, or for a rate limit.
 *
 * @module
 */

import { type Clock, RateLimitedError, type Timer } from "../base/mod.ts";
import type { ApiRequest, RequestInit } from "./api_request.ts";
import type { RateLimitBlock } from "./rate_limit_window.ts";
import type { RateLimits } from "./rate_limits.ts";

/** What a queue works with. */
export interface RequestQueueSettings {
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  /** A rate limit that held requests back is over. */
  readonly onWake: () => void;
  /** A request can't wait for its rate limit. */
  readonly onRefused: (request: ApiRequest, error: RateLimitedError) => void;
}

/** Requests in the order of the calls. */
export class RequestQueue {
  readonly #settings: RequestQueueSettings;
  #requests: ApiRequest[] = [];
  #wakeTimer: Timer | undefined;

  constructor(settings: RequestQueueSettings) {
    this.#settings = settings;
  }

  /** How many wait. */
  get length(): number {
    return this.#requests.length;
  }

  /** What keeps a request from being made at all: a rate limit that it can't wait for. */
  refusalOf(init: RequestInit): RateLimitedError | undefined {
    const { rateLimits, clock } = this.#settings;
    const block = rateLimits.blockOf(init.cost);
    return block === undefined || mayWait(init, block, clock) ? undefined : limited(init, block);
  }

  /** Appends a request; an urgent one goes before those that are not. */
  add(request: ApiRequest): void {
    const index = request.init.isUrgent ? this.#requests.findIndex(({ init }) => !init.isUrgent) : -1;
    if (index === -1) this.#requests.push(request);
    else this.#requests.splice(index, 0, request);
  }

  /** Puts requests that were not sent, or had no effect, before all that were made later. */
  putBack(...requests: readonly ApiRequest[]): void {
    if (this.#requests.length === 0) return void (this.#requests = [...requests]);
    for (const request of requests.toReversed()) {
      const index = this.#requests.findIndex(({ init: { isUrgent }, number }) =>
        isUrgent === request.init.isUrgent ? number > request.number : request.init.isUrgent
      );
      if (index === -1) this.#requests.push(request);
      else this.#requests.splice(index, 0, request);
    }
  }

  /** Takes a request out that nobody waits for any more. */
  remove(request: ApiRequest): void {
    const index = this.#requests.indexOf(request);
    if (index !== -1) this.#requests.splice(index, 1);
  }

  /** What is added while `run` runs goes before all that waits. */
  before(run: () => void): void {
    const waited = this.#requests;
    this.#requests = [];
    run();
    this.#requests.push(...waited);
  }

  /** Ends the waiting. */
  clear(): void {
    this.#wakeTimer?.cancel();
    this.#requests = [];
  }

  /** Takes out the first request that no rate limit holds back. */
  next(): ApiRequest | undefined {
    const { clock, rateLimits, onRefused } = this.#settings;
    /** Accounts whose orders wait. */
    let held: Set<string | undefined> | undefined;
    for (let index = 0; index < this.#requests.length; index++) {
      const request = this.#requests[index];
      if (request === undefined) return undefined;
      const { init } = request;
      // After a sleep of the machine the timers may be late; an order that is too old is never sent.
      if (clock.monotonic() >= init.dueAt) continue;
      // Orders of an account keep their order.
      if (held !== undefined && init.cost.orders > 0 && held.has(init.cost.account)) continue;
      const block = rateLimits.blockOf(init.cost);
      if (block === undefined) {
        if (index === 0) this.#requests.shift();
        else this.#requests.splice(index, 1);
        return request;
      }
      if (!mayWait(init, block, clock)) {
        this.#requests.splice(index--, 1);
        onRefused(request, limited(init, block));
        continue;
      }
      this.#wakeTimer?.cancel();
      this.#wakeTimer = clock.setTimer(this.#settings.onWake, block.delayMs);
      // A cancellation must not wait for a limit of orders.
      if (!block.isForOrders) return undefined;
      held ??= new Set();
      held.add(init.cost.account);
    }
    return undefined;
  }
}

function mayWait({ onRateLimit, dueAt }: RequestInit, { delayMs }: RateLimitBlock, clock: Clock): boolean {
  return onRateLimit === "wait" && clock.monotonic() + delayMs < dueAt;
}

function limited({ method }: RequestInit, { delayMs, reason }: RateLimitBlock): RateLimitedError {
  return new RateLimitedError(method, Math.ceil(delayMs), reason);
}
