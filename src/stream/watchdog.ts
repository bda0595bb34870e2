/**
 * Notices a connection that has died without a word.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";

/** What a watchdog watches, and what it does. */
export interface WatchdogOptions {
  readonly clock: Clock;
  /** How long in ms nothing may come before the peer is asked for a sign of life. */
  readonly intervalMs: number;
  /** How long in ms the sign of life may take. */
  readonly timeoutMs: number;
  /** A number that changes with everything that is received. Compared once per interval, so that messages cost nothing. */
  readonly activity: () => number;
  /** Asks the peer for a sign of life; returns in how many ms that may be done if it can't be now, else 0. */
  readonly probe: () => number;
  /** Called once when it did not come. */
  readonly onDead: () => void;
}

/** Asks for a sign of life when nothing was received for a while. Anything that is received counts as one. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #timer: Timer;

  /** Starts watching. */
  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#timer = this.#wait();
  }

  /** Stops watching. */
  stop(): void {
    this.#timer.cancel();
  }

  #wait(): Timer {
    const { clock, intervalMs, timeoutMs, activity, probe, onDead } = this.#options;
    const before = activity();
    const ask = (): void => {
      if (activity() !== before) {
        this.#timer = this.#wait();
        return;
      }
      const delayMs = probe();
      this.#timer = delayMs > 0 ? clock.setTimer(ask, delayMs) : clock.setTimer(giveUp, timeoutMs);
    };
    const giveUp = (): void => {
      if (activity() === before) onDead();
      else this.#timer = this.#wait();
    };
    return clock.setTimer(ask, intervalMs);
  }
}
