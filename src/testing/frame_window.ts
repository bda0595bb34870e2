/**
 * The limit on a client's frames in any second.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

const WINDOW_MS = 1000;

/** A strict rolling window: not a bucket that fills up again while it is in use. */
export class FrameWindow {
  readonly #clock: Clock;
  readonly #limit: number;
  #times: number[] = [];

  /** Creates a window that allows `limit` frames. */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts a frame; returns whether it is within the limit. */
  take(): boolean {
    if (this.#limit === Infinity) return true;
    const now = this.#clock.monotonic();
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS);
    this.#times.push(now);
    return this.#times.length <= this.#limit;
  }
}
