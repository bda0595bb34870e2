/**
 * Durations, counted: a million of them a second cost next to nothing.
 *
 * @module
 */

const STEP_MICROS = 10;
const STEPS = 1_000_000;

/** What was counted, in µs. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Counts in steps of 10 µs, up to 10 s. */
export class Histogram {
  readonly #counts = new Uint32Array(STEPS);
  #total = 0;
  #max = 0;

  /** Counts a duration in µs. What clocks have got wrong counts as 0. */
  add(micros: number): void {
    const step = micros <= 0 ? 0 : micros >= STEPS * STEP_MICROS ? STEPS - 1 : (micros / STEP_MICROS) | 0;
    // The cast: a step is within the array.
    (this.#counts[step] as number)++;
    this.#total++;
    if (micros > this.#max) this.#max = micros;
  }

  /** Forgets all. */
  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
    this.#max = 0;
  }

  /** The middle, what 99 of 100 stay under (both to 10 µs), and the longest; 0 of none. */
  get quantiles(): Quantiles {
    return { p50: this.#at(0.5), p99: this.#at(0.99), max: this.#max };
  }

  #at(part: number): number {
    let left = this.#total * part;
    for (const [step, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return count === 0 ? 0 : (step + 1) * STEP_MICROS;
    }
    return 0;
  }
}
