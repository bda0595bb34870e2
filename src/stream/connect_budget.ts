/**
 * The attempts to connect that an exchange allows to an IP address, shared by everything that draws from them.
 *
 * @module
 */

import { type Clock, systemClock } from "../base/mod.ts";
import { connectPacer, type Pacer } from "./pacer.ts";

/** The attempts to connect of all links of a manager, or of a process. */
export class ConnectBudget {
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  #blockedUntil = -Infinity;

  /** Creates a budget of which nothing is used. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pacer = connectPacer(clock);
  }

  /** How long in ms the next attempt has to wait. */
  get delayMs(): number {
    return Math.max(this.#pacer.delayMs, this.#blockedUntil - this.#clock.monotonic(), 0);
  }

  /** Attempts that may still be made at once. */
  get available(): number {
    return this.delayMs > 0 ? 0 : this.#pacer.available;
  }

  /** Attempts that are allowed in 5 minutes. */
  get limit(): number {
    return this.#pacer.limit;
  }

  /** Attempts in the last 5 minutes. */
  get used(): number {
    return this.#pacer.limit - this.#pacer.available;
  }

  /** Takes one attempt, if it may be made now; returns whether it may. Asked and noted at once: who waits is many. */
  take(): boolean {
    if (this.delayMs > 0) return false;
    this.#pacer.note();
    return true;
  }

  /** Allows no attempt for `ms`: the exchange has asked for that. */
  block(ms: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#clock.monotonic() + ms);
  }
}

const shared = new Map<string, ConnectBudget>();

/** The budget that all managers of the process share for what is behind `origin`. */
export function sharedConnectBudget(origin: string): ConnectBudget {
  let budget = shared.get(origin);
  if (budget === undefined) shared.set(origin, budget = new ConnectBudget(systemClock));
  return budget;
}
