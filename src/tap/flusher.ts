/**
 * When what has come is handed to the clients: at once while it is calm, in larger pieces under load.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";

/** Something that has events for clients. */
export interface Flushable {
  /** Hands them out. */
  flush(): void;
}

/** Flushes feeds that have something new, all at the same time and not too often. */
export class Flusher {
  readonly #clock: Clock;
  readonly #intervalMs: () => number;
  #waiting = new Set<Flushable>();
  #isScheduled = false;
  #timer: Timer | undefined;
  #lastAt = -Infinity;

  /** @param intervalMs Shortest time in ms between two flushes. */
  constructor(clock: Clock, intervalMs: () => number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Flushes a feed soon: with all that comes in the same turn. */
  add(feed: Flushable): void {
    this.#waiting.add(feed);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const waitMs = this.#lastAt + this.#intervalMs() - this.#clock.monotonic();
    if (waitMs > 0) this.#timer = this.#clock.setTimer(() => this.#flush(), waitMs);
    else queueMicrotask(() => this.#flush());
  }

  /** Flushes nothing any more. */
  stop(): void {
    this.#timer?.cancel();
    this.#waiting.clear();
  }

  #flush(): void {
    const feeds = this.#waiting;
    this.#waiting = new Set();
    this.#isScheduled = false;
    this.#lastAt = this.#clock.monotonic();
    for (const feed of feeds) feed.flush();
  }
}
