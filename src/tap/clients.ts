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
  /** How often in ms they are looked at, and get a sign of life if nothing else was sent. */
  readonly heartbeatMs: number;
  /** How long in ms a client may take nothing. */
  readonly clientTimeoutMs: number;
}

/** All clients that are connected. */
export class Clients {
  readonly #settings: ClientsSettings;
  readonly #all = new Set<TapClient>();
  #total = 0;
  #stuck = 0;
  #timer: Timer | undefined;

  constructor(settings: ClientsSettings) {
    this.#settings = settings;
  }

  /** How many there are. */
  get size(): number {
    return this.#all.size;
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

  /** One less. */
  delete(client: TapClient): void {
    this.#all.delete(client);
    if (this.#all.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Ends the connections of those that are meant. */
  end(reason: EndReason, isMeant: (client: TapClient) => boolean = () => true): void {
    for (const client of [...this.#all]) if (isMeant(client)) client.end(reason);
  }

  #nextBeat(): Timer {
    const { clock, heartbeatMs, clientTimeoutMs } = this.#settings;
    return clock.setTimer(() => {
      this.#timer = this.#nextBeat();
      const stuckBefore = clock.monotonic() - clientTimeoutMs;
      for (const client of [...this.#all]) {
        if ((client.stuckSince ?? Infinity) >= stuckBefore) client.heartbeat();
        else {
          this.#stuck++;
          client.end("stuck");
        }
      }
    }, heartbeatMs);
  }
}
