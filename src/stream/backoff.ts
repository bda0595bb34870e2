/**
 * How long to wait before the next attempt to connect.
 *
 * @module
 */

/** How a stream waits between attempts to connect. */
export interface BackoffOptions {
  /** Upper bound in ms of the wait before the second attempt; doubles with each attempt. */
  readonly minDelayMs: number;
  /** Largest upper bound in ms. */
  readonly maxDelayMs: number;
  /** How long in ms a connection must have lasted for the next wait to start from the beginning. */
  readonly stableAfterMs: number;
}

/** So many attempts have failed when the waits are long: with the defaults, the bound of the next one is 32 s. */
const LONG_AFTER = 8;

/** The first attempt is made at once, then exponential backoff with full jitter: a random time up to a doubling bound. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: () => number;
  #failures = 0;
  #isPunished = false;

  constructor(options: BackoffOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
  }

  /** Makes the next waits long: the exchange has ended the connection for what we did. */
  punish(): void {
    this.#isPunished = true;
  }

  /** The wait in ms before the next attempt, after a connection that lasted `lastedMs`; 0 if it never opened. */
  next(lastedMs: number): number {
    if (lastedMs >= this.#options.stableAfterMs) this.#failures = 0;
    // However long the connection lasted.
    if (this.#isPunished) this.#failures = Math.max(this.#failures, LONG_AFTER);
    this.#isPunished = false;
    const attempt = this.#failures++;
    if (attempt === 0) return 0;
    return this.#random() * Math.min(this.#options.maxDelayMs, this.#options.minDelayMs * 2 ** (attempt - 1));
  }
}
