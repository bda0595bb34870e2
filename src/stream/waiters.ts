/**
 * Those who wait for the exchange to have done something with streams.
 *
 * @module
 */

import type { ControlMethod } from "../exchange/mod.ts";

/** What somebody waits for. */
export interface Wait {
  readonly method: ControlMethod;
  readonly streams: readonly string[];
}

interface Waiter extends Wait {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Everyone who waits. Each is told once. */
export class Waiters {
  #waiters: Waiter[] = [];

  /** Waits until one of the others is called for this. */
  add(method: ControlMethod, streams: readonly string[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push({ method, streams, resolve, reject });
    return promise;
  }

  /** It is done. */
  resolveWhere(isMeant: (wait: Wait) => boolean): void {
    for (const { resolve } of this.#take(isMeant)) resolve();
  }

  /** It will not be done. */
  rejectWhere(isMeant: (wait: Wait) => boolean, error: Error): void {
    for (const { reject } of this.#take(isMeant)) reject(error);
  }

  /** Taken out first: who is told may come back at once. */
  #take(isMeant: (wait: Wait) => boolean): Waiter[] {
    if (this.#waiters.length === 0) return [];
    const { meant = [], others = [] } = Object.groupBy(this.#waiters, (waiter) => isMeant(waiter) ? "meant" : "others");
    this.#waiters = others;
    return meant;
  }
}
