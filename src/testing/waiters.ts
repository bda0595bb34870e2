/**
 * Promises for conditions that change with what happens on the exchange.
 *
 * @module
 */

import type { LocalExchange } from "./local_exchange.ts";

interface Waiter {
  readonly check: () => boolean;
  readonly resolve: () => void;
}

/** Conditions that someone waits for. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** Something happened: looks which conditions hold now. */
  notify(): void {
    for (const waiter of [...this.#waiting]) {
      if (waiter.check()) waiter.resolve();
    }
  }

  /**
   * Resolves once `condition` holds.
   *
   * @throws {DOMException} named `TimeoutError` if it doesn't within `timeoutMs`; `describe` adds what is the case.
   */
  wait(condition: () => boolean, timeoutMs: number, describe: () => string): Promise<void> {
    if (condition()) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.delete(waiter);
      reject(new DOMException(`The condition did not hold within ${timeoutMs} ms: ${describe()}`, "TimeoutError"));
    }, timeoutMs);
    const waiter: Waiter = {
      check: condition,
      resolve: () => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve();
      },
    };
    this.#waiting.add(waiter);
    return promise;
  }
}

/** What is the case on an exchange, for the error of a wait that was in vain. */
export function describeState(exchange: LocalExchange): string {
  const { connections, totalHandshakes, refusedHandshakes, controlMessages, messagesSent } = exchange;
  return `${connections} connections, ${totalHandshakes} handshakes, ${refusedHandshakes} refused, ` +
    `${controlMessages.length} control messages, ${messagesSent} messages sent`;
}
