/**
 * Counts the messages that were dropped and tells about them, but not at every one.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";

/** Shortest time in ms between two reports. */
const INTERVAL_MS = 1_000;

/** The drops of one stream. The first is reported at once, and what follows within a second with the next report. */
export class DropReport {
  readonly #clock: Clock;
  readonly #report: (dropped: number, total: number) => void;
  #total = 0;
  #reported = 0;
  #timer: Timer | undefined;
  #isEnded = false;

  /** @param report Called at most once a second: with the drops since the last call, and all of them. */
  constructor(clock: Clock, report: (dropped: number, total: number) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** Messages that were dropped. */
  get total(): number {
    return this.#total;
  }

  /** Messages were dropped. */
  note(count = 1): void {
    this.#total += count;
    if (this.#timer === undefined && !this.#isEnded) this.#tell();
  }

  /** Reports what was not reported yet. Nothing is reported any more. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timer?.cancel();
    this.#flush();
  }

  #tell(): void {
    // Before the report: user code may cause further drops, or the end.
    this.#timer = this.#clock.setTimer(() => {
      this.#timer = undefined;
      if (this.#total > this.#reported) this.#tell();
    }, INTERVAL_MS);
    this.#flush();
  }

  #flush(): void {
    const dropped = this.#total - this.#reported;
    if (dropped === 0) return;
    this.#reported = this.#total;
    this.#report(dropped, this.#total);
  }
}
