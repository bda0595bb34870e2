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
  readonly onDead: (why: string) => void;
}

/** How often the wall clock is looked at, and how far in ms it may be ahead before the machine must have slept. */
const SLEEP_CHECK_MS = 1_000;
const SLEEP_MS = 10_000;
/** How long in ms a connection may take to give a sign of life after that. */
const AWAKE_TIMEOUT_MS = 2_000;
/** A timer that is later than this shows that the process was busy; what has come meanwhile is read within the second time. */
const BUSY_MS = 20;
const READ_MS = 100;

/**
 * Asks for a sign of life when nothing was received for a while, and at once when the machine has slept. Anything that is
 * received counts as one.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #timer: Timer | undefined;
  #tick: Timer | undefined;

  /** Starts watching. */
  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#wait();
    this.#watchWallClock();
  }

  /** Stops watching. */
  stop(): void {
    this.#timer?.cancel();
    this.#tick?.cancel();
  }

  #wait(): void {
    const { activity, intervalMs, timeoutMs } = this.#options;
    const why = `nothing received for ${intervalMs + timeoutMs} ms`;
    this.#setTimer((before) => activity() === before ? this.#probe(timeoutMs, why) : this.#wait(), intervalMs);
  }

  /** Asks for a sign of life, and gives the connection up if none comes within `timeoutMs`: `why` is what is said then. */
  #probe(timeoutMs: number, why: string): void {
    const { clock, activity } = this.#options;
    const delayMs = this.#options.probe();
    if (delayMs > 0) {
      this.#setTimer((before) => activity() === before ? this.#probe(timeoutMs, why) : this.#wait(), delayMs);
      return;
    }
    const dueAt = clock.monotonic() + timeoutMs;
    this.#setTimer((before) => this.#expire(before, dueAt, why), timeoutMs);
  }

  /** Gives the connection up, unless something has come. Timers go before sockets: a busy process has not read it yet. */
  #expire(before: number, dueAt: number, why: string): void {
    const { clock, activity, onDead } = this.#options;
    if (activity() !== before) return this.#wait();
    const now = clock.monotonic();
    if (now - dueAt > BUSY_MS) {
      this.#timer = clock.setTimer(() => this.#expire(before, now + READ_MS, why), READ_MS);
      return;
    }
    this.stop();
    onDead(why);
  }

  #setTimer(callback: (activityBefore: number) => void, ms: number): void {
    const { clock, activity } = this.#options;
    const before = activity();
    this.#timer?.cancel();
    this.#timer = clock.setTimer(() => callback(before), ms);
  }

  /** A connection whose machine has slept may be long dead: the peer has not heard of us all the time. */
  #watchWallClock(): void {
    const { clock } = this.#options;
    const before = clock.now();
    this.#tick = clock.setTimer(() => {
      this.#watchWallClock();
      if (clock.now() - before - SLEEP_CHECK_MS <= SLEEP_MS) return;
      this.#probe(AWAKE_TIMEOUT_MS, "the machine has slept, and nothing came since");
    }, SLEEP_CHECK_MS);
  }
}
