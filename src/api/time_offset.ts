/**
 * How far the exchange's clock is ahead of ours.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

/** Times from here on are microseconds: as milliseconds, that is the year 5138. */
export const MICROSECONDS_FROM = 1e14;

/** The offset, kept over reconnects and shared by the API streams of a manager. */
export class TimeOffset {
  readonly #clock: Clock;
  #offsetMs: number | undefined;

  /** Creates an offset that is not known yet. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How far in ms the exchange's clock is ahead; `undefined` before it was measured. */
  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  /** The exchange's time in whole ms since 1970, as far as is known. */
  get now(): number {
    return Math.round(this.#clock.now() + (this.#offsetMs ?? 0));
  }

  /**
   * Takes an answer with the exchange's time: it was read half-way between question and answer.
   *
   * @param serverTime In ms or µs since 1970; anything else is ignored.
   * @param askedAt When the question was sent, in ms since 1970 by our clock.
   */
  measured(serverTime: unknown, askedAt: number): void {
    const time = Number(serverTime);
    if (!Number.isFinite(time) || time <= 0) return;
    const ms = time >= MICROSECONDS_FROM ? time / 1_000 : time;
    this.#offsetMs = ms - (askedAt + this.#clock.now()) / 2;
  }
}
