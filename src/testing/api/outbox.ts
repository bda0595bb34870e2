/**
 * Account events on their way out: after the answer of the request that caused them, in the order in which they happened,
 * late or not at all on demand.
 *
 * @module
 */

import type { Clock, Timer } from "../../base/mod.ts";

/** The events of one exchange. */
export class Outbox {
  /** How long events are on their way, in ms. */
  delayMs = 0;
  /** Number of deliveries that are still to be lost. */
  toDrop = 0;
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #held: (() => void)[] | undefined;
  readonly #late: { readonly at: number; readonly deliver: () => void }[] = [];

  /** Creates an empty outbox. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends an event, once nothing holds it. */
  push(deliver: () => void): void {
    if (this.#held !== undefined) this.#held.push(deliver);
    else this.#go(deliver);
  }

  /** Holds events from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /** Lets go what is held. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) this.#go(deliver);
  }

  /** Loses what is on its way. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #go(deliver: () => void): void {
    if (this.toDrop > 0) return void this.toDrop--;
    if (this.delayMs === 0 && this.#late.length === 0) return deliver();
    // Never before one that is on its way already, also if the delay has become shorter since.
    const at = Math.max(this.#clock.now() + this.delayMs, this.#late.at(-1)?.at ?? 0);
    this.#late.push({ at, deliver });
    const timer = this.#clock.setTimer(() => {
      this.#timers.delete(timer);
      this.#deliverDue();
    }, at - this.#clock.now());
    this.#timers.add(timer);
  }

  #deliverDue(): void {
    while (this.#late[0] !== undefined && this.#late[0].at <= this.#clock.now()) this.#late.shift()?.deliver();
  }
}
