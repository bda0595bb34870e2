/**
 * Shutdowns that are announced and come later (Binance web-socket-streams.md, 2026-05-08).
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Session } from "./session.ts";

/** The announced shutdowns of an exchange. */
export class Shutdowns {
  readonly #clock: Clock;
  readonly #onClosed: () => void;
  /** Those that have not come. */
  readonly #pending = new Set<() => void>();

  /** Creates an exchange without shutdowns. */
  constructor(clock: Clock, onClosed: () => void) {
    this.#clock = clock;
    this.#onClosed = onClosed;
  }

  /** Announces a shutdown to connections; resolves once their Close frames are sent. */
  announce(sessions: readonly Session[], graceMs: number, code: number, reason: string): Promise<void> {
    const event = JSON.stringify({ e: "serverShutdown", E: this.#clock.now() });
    for (const session of sessions) session.push("!serverShutdown", event);
    const { promise, resolve } = Promise.withResolvers<void>();
    const finish = () => {
      timer.cancel();
      this.#pending.delete(finish);
      for (const session of sessions) session.close(code, reason);
      this.#onClosed();
      resolve();
    };
    const timer = this.#clock.setTimer(finish, graceMs);
    this.#pending.add(finish);
    return promise;
  }

  /** Lets all of them come now. */
  finish(): void {
    for (const finish of this.#pending) finish();
  }
}
