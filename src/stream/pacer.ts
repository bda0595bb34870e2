/**
 * Keeps what we do below a limit of the exchange.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

/** A strict rolling window: a bucket that lets a burst through would breach it. */
export class Pacer {
  readonly #clock: Clock;
  readonly #windowMs: number;
  /** When the last ones were; as many as are allowed in a window, the oldest at `#next`. */
  readonly #noted: number[];
  #next = 0;

  /** Allows at most `limit` in any `windowMs`. */
  constructor(clock: Clock, limit: number, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#noted = new Array(limit).fill(-Infinity);
  }

  /** How long in ms the next one has to wait; 0 if it may be now. */
  get delayMs(): number {
    const oldest = this.#noted[this.#next] ?? -Infinity;
    return Math.max(0, oldest + this.#windowMs - this.#clock.monotonic());
  }

  /** How many may be now, one after the other. */
  get available(): number {
    const since = this.#clock.monotonic() - this.#windowMs;
    return this.#noted.filter((at) => at <= since).length;
  }

  /** How many are allowed in a window. */
  get limit(): number {
    return this.#noted.length;
  }

  /** Tells that there was one. */
  note(): void {
    this.#noted[this.#next] = this.#clock.monotonic();
    this.#next = (this.#next + 1) % this.#noted.length;
  }
}

/**
 * Paces the frames that one connection sends. One frame of the exchange's limit is left for what can't be planned: the
 * pongs that answer its pings, which most runtimes send without telling. The window is a little longer than the
 * exchange's second, because frames that left a second apart may arrive closer together.
 */
export function framePacer(clock: Clock, maxFramesPerSecond: number): Pacer {
  return new Pacer(clock, Math.max(1, maxFramesPerSecond - 1), 1_100);
}

/**
 * Paces the attempts to connect of one manager: Binance allows 300 in 5 minutes to an IP address (Binance
 * web-socket-streams.md, "WebSocket Limits"). The rest is for what else runs behind the same address.
 */
export function connectPacer(clock: Clock): Pacer {
  return new Pacer(clock, 250, 5 * 60_000);
}
