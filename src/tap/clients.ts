/**
 * The clients of a tap: counted, kept awake, and let go of when they are stuck.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";
import type { EndReason, TapClient } from "./client.ts";

/** How clients are looked after. */
export interface ClientsSettings {
  readonly clock: Clock;
  /** Longest time in ms without anything, for those that take what they get. */
  readonly heartbeatMs: number;
  /** How long in ms a client may take nothing. */
  readonly clientTimeoutMs: number;
}

/** All clients that are connected. */
export class Clients {
  readonly #settings: ClientsSettings;
  readonly #all = new Set<TapClient>();
  /** Those that are served no more, and whose connection has not ended. */
  readonly #ending = new Set<TapClient>();
  #total = 0;
  #stuck = 0;
  #timer: Timer | undefined;

  constructor(settings: ClientsSettings) {
    this.#settings = settings;
  }

  /** How many are served. */
  get size(): number {
    return this.#all.size;
  }

  /** How many are served no more, while their connections have not ended. */
  get ending(): number {
    return this.#ending.size;
  }

  /** How many there ever were. */
  get total(): number {
    return this.#total;
  }

  /** How many were let go of since they took nothing. */
  get stuck(): number {
    return this.#stuck;
  }

  /** One more. */
  add(client: TapClient): void {
    this.#all.add(client);
    this.#total++;
    this.#timer ??= this.#nextBeat();
  }

  /** One is served no more. */
  delete(client: TapClient): void {
    this.#all.delete(client);
    this.#ending.add(client);
    if (this.#all.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The connection of one that is served no more has ended. */
  forget(client: TapClient): void {
    this.#ending.delete(client);
  }

  /** Ends the connections of those that are meant, also of those that are served no more. */
  end(reason: EndReason, isMeant: (client: TapClient) => boolean = () => true): void {
    for (const client of [...this.#all, ...this.#ending]) if (isMeant(client)) client.end(reason);
  }

  #nextBeat(): Timer {
    const { clock, heartbeatMs, clientTimeoutMs } = this.#settings;
    // Twice in that time, so that it is not exceeded by those who got something just after the last look.
    const intervalMs = Math.min(heartbeatMs, clientTimeoutMs) / 2;
    return clock.setTimer(() => {
      this.#timer = this.#nextBeat();
      const now = clock.monotonic();
      const stuckBefore = now - clientTimeoutMs;
      const quietSince = now - heartbeatMs + intervalMs;
      for (const client of [...this.#all]) {
        if ((client.stuckSince ?? Infinity) >= stuckBefore) client.heartbeat(quietSince);
        else {
          this.#stuck++;
          client.end("stuck");
        }
      }
    }, intervalMs);
  }
}
