/**
 * Where time comes from, so that a day fits into a test.
 *
 * @module
 */

/**
 * A timer that has not fired yet.
 *
 * @example
 * ```ts
 * import { ManualClock, type Timer } from "@rawtick/binance/testing";
 *
 * const timer: Timer = new ManualClock().setTimer(() => {}, 1_000);
 * timer.cancel();
 * ```
 */
export interface Timer {
  /** Stops the timer; does nothing if it has fired. */
  cancel(): void;
}

/**
 * The time and its timers.
 *
 * @example
 * ```ts
 * import { type Clock, ManualClock } from "@rawtick/binance/testing";
 *
 * const clock: Clock = new ManualClock(0);
 * console.log(clock.now());
 * ```
 */
export interface Clock {
  /** Wall-clock time in ms since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Time in ms that never goes back, from an arbitrary start: for durations and rate limits. */
  monotonic(): number;
  /** Calls `callback` once after `ms`, or earlier if that is more than 24 days. */
  setTimer(callback: () => void, ms: number): Timer;
}

/** Longest time in ms that the runtimes' timers can wait; they fire at once for a longer one. */
const LONGEST_MS = 2 ** 31 - 1;
/** Times from here on are rounded up to whole seconds, shorter ones to whole ms. */
const LONG_MS = 10_000;

/**
 * Few different times, none too short: Deno 2.9 keeps a list in memory for each time that a timer was ever set to, until
 * that time has passed, also if the timer was cancelled. With random times of a day, each timer would leave one.
 */
function whole(ms: number): number {
  return ms < LONG_MS ? Math.ceil(ms) : Math.min(Math.ceil(ms / 1_000) * 1_000, LONGEST_MS);
}

/** The real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, ms) {
    const id = setTimeout(callback, whole(ms));
    return { cancel: () => clearTimeout(id) };
  },
};

/**
 * A clock that stands still until it is moved: for tests.
 *
 * @example
 * ```ts
 * import { ManualClock } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new ManualClock(0);
 * let fired = 0;
 * clock.setTimer(() => fired++, 86_400_000);
 * clock.advance(86_399_999);
 * assertEquals(fired, 0);
 * clock.advance(1);
 * assertEquals(fired, 1);
 * ```
 */
export class ManualClock implements Clock {
  #now: number;
  #timers: { at: number; callback: () => void }[] = [];

  /** Creates a clock that stands at `startMs` since 1970 (default: the present). */
  constructor(startMs: number = Date.now()) {
    this.#now = startMs;
  }

  /** The time in ms since 1970 that this clock stands at. */
  now(): number {
    return this.#now;
  }

  /** The same as {@linkcode ManualClock.now}: it only goes forward. */
  monotonic(): number {
    return this.#now;
  }

  /** Number of timers that have not fired. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Calls `callback` once the clock was moved by `ms`. */
  setTimer(callback: () => void, ms: number): Timer {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  /** Moves the clock forward by `ms` and fires the timers that fall due, in their order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    while (true) {
      let next: { at: number; callback: () => void } | undefined;
      for (const timer of this.#timers) {
        if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
      }
      if (next === undefined) break;
      const due = next;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = end;
  }
}
