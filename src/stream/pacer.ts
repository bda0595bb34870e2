/**
 * Keeps the frames that we send to one connection below the exchange's limit.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

/**
 * The exchange counts control messages, pings and pongs over any second. The window is a little longer here, because
 * frames that left a second apart may arrive closer together.
 */
const WINDOW_MS = 1_100;

/** A strict rolling window: a bucket that lets a burst through would breach it. */
export class Pacer {
  readonly #clock: Clock;
  /** When the last frames were sent; as many as are allowed in a window, oldest at `#next`. */
  readonly #sentAt: number[];
  #next = 0;

  /**
   * One frame of the exchange's limit is left for what can't be planned: the pongs that answer the exchange's pings,
   * which most runtimes send without telling.
   */
  constructor(clock: Clock, maxFramesPerSecond: number) {
    this.#clock = clock;
    this.#sentAt = new Array(Math.max(1, maxFramesPerSecond - 1)).fill(-Infinity);
  }

  /** How long in ms the next frame has to wait; 0 if it may go now. */
  get delayMs(): number {
    const oldest = this.#sentAt[this.#next] ?? -Infinity;
    return Math.max(0, oldest + WINDOW_MS - this.#clock.monotonic());
  }

  /** Tells that a frame was sent. */
  note(): void {
    this.#sentAt[this.#next] = this.#clock.monotonic();
    this.#next = (this.#next + 1) % this.#sentAt.length;
  }
}
