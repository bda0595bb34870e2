/**
 * The limit on a client's frames in any second.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

const WINDOW_MS = 1000;

/** A strict rolling window: not a bucket that fills up again while it is in use. */
export class FrameWindow {
  /** Most frames in any second so far. */
  peak = 0;
  readonly #clock: Clock;
  readonly #limit: number;
  #times: number[] = [];
  /** Where the frames of the last second begin. */
  #first = 0;

  /** Creates a window that allows `limit` frames. */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts a frame; returns whether it is within the limit. */
  take(): boolean {
    const now = this.#clock.monotonic();
    const times = this.#times;
    times.push(now);
    while (now - (times[this.#first] ?? now) >= WINDOW_MS) this.#first++;
    const count = times.length - this.#first;
    this.peak = Math.max(this.peak, count);
    // Only now and then, so that a client without a limit may flood.
    if (this.#first > count + 100) {
      this.#times = times.slice(this.#first);
      this.#first = 0;
    }
    return count <= this.#limit;
  }
}
