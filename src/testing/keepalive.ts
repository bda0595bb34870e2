/**
 * The exchange's pings, and how long it waits for their pongs.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Clock, Timer } from "../base/mod.ts";

/** What a keepalive needs. */
export interface KeepaliveOptions {
  readonly clock: Clock;
  /** Time between two pings in ms; 0 for none. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly sendPing: (payload: Uint8Array) => void;
  /** Whether no ping is sent by itself at the moment. */
  readonly isHeld: () => boolean;
  /** A ping was not answered in time. */
  readonly onTimeout: () => void;
}

/** Pings one connection at an interval. A pong counts only if it has the payload of a ping. */
export class Keepalive {
  readonly #options: KeepaliveOptions;
  #unanswered: { readonly payload: Buffer; readonly at: number }[] = [];
  #next: Timer | undefined;
  #deadline: Timer | undefined;

  /** Creates a keepalive that has not started. */
  constructor(options: KeepaliveOptions) {
    this.#options = options;
  }

  /** Pings from now on. */
  start(): void {
    const { clock, intervalMs, isHeld } = this.#options;
    if (intervalMs === 0) return;
    this.#next = clock.setTimer(() => {
      // Binance's payload is the time in ms as ASCII digits (measured).
      if (!isHeld()) this.ping(Buffer.from(String(clock.now())));
      this.start();
    }, intervalMs);
  }

  /** Sends a ping and waits for its pong. */
  ping(payload: Uint8Array): void {
    this.#options.sendPing(payload);
    this.#unanswered.push({ payload: Buffer.from(payload), at: this.#options.clock.monotonic() });
    this.#watch();
  }

  /** Takes a pong; returns whether it answers a ping. It also answers the pings before that one (RFC 6455 5.5.3). */
  pong(payload: Uint8Array): boolean {
    const index = this.#unanswered.findIndex((ping) => ping.payload.equals(payload));
    if (index < 0) return false;
    this.#unanswered.splice(0, index + 1);
    this.#deadline?.cancel();
    this.#deadline = undefined;
    this.#watch();
    return true;
  }

  /** Stops pinging and waiting. */
  stop(): void {
    this.#next?.cancel();
    this.#deadline?.cancel();
    this.#unanswered = [];
  }

  #watch(): void {
    const [oldest] = this.#unanswered;
    if (oldest === undefined || this.#deadline !== undefined) return;
    const { clock, timeoutMs, onTimeout } = this.#options;
    this.#deadline = clock.setTimer(() => {
      this.#deadline = undefined;
      this.#unanswered = [];
      onTimeout();
    }, oldest.at + timeoutMs - clock.monotonic());
  }
}
