/**
 * The timers of one connection, which end with it.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";

/** Timers that have not fired. */
export class SessionTimers {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();

  /** Creates a connection without timers. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does something `ms` later, if there still is a connection. */
  later(ms: number, action: () => void): void {
    const timer = this.#clock.setTimer(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
  }

  /** Adds one that is to end with the connection too. */
  add(timer: Timer): void {
    this.#timers.add(timer);
  }

  /** Ends all. */
  cancel(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
