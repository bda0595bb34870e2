/**
 * Pings of one connection: how long their answers take, and the keepalive that notices a peer that is gone.
 *
 * @module
 */

import { RawtickError, systemClock, type Timer } from "../base/mod.ts";

/** The last wait before a peer is given up, in ms. */
const GRACE_MS = 20;
const NOTHING = new Uint8Array(0);

/** What the keepalive of a connection does. */
export interface LivenessOptions {
  /** After so many ms without anything received a ping is sent; 0 switches the keepalive off. */
  readonly intervalMs: number;
  /** How long in ms nothing may come after that. */
  readonly timeoutMs: number;
  /** A number that changes with everything that is received: compared once per interval, so that a message costs nothing. */
  readonly received: () => number;
  /** Whether nothing can be received, because reading is paused. */
  readonly isPaused: () => boolean;
  /** Sends a ping. */
  readonly ping: (payload: Uint8Array) => void;
  /** Called once when the peer is gone. */
  readonly onDead: (error: RawtickError) => void;
}

/** Measures pings, and sends its own while the peer is silent. Anything that is received is a sign of life. */
export class Liveness {
  /** Round trip in ms of the last ping that was answered. */
  latencyMs: number | undefined;
  readonly #options: LivenessOptions;
  #timer: Timer | undefined;
  /** The last ping and when it was sent, until its answer comes. */
  #asked: Uint8Array | undefined;
  #askedAt = 0;
  /** Whether the keepalive waits for a sign of life after its own ping. */
  #isAsking = false;

  /** Starts the keepalive, if there is one. */
  constructor(options: LivenessOptions) {
    this.#options = options;
    if (options.intervalMs > 0) this.#wait();
  }

  /** Notes a ping that is being sent. */
  pinged(payload: Uint8Array): void {
    this.#asked = payload.slice();
    this.#askedAt = systemClock.monotonic();
  }

  /** Notes a pong: the answer to the last ping if it has its payload (RFC 6455 5.5.3). */
  ponged(payload: Uint8Array): void {
    if (this.#isAsking) this.#wait();
    const asked = this.#asked;
    if (asked === undefined || asked.length !== payload.length) return;
    if (!asked.every((byte, index) => byte === payload[index])) return;
    this.latencyMs = systemClock.monotonic() - this.#askedAt;
    this.#asked = undefined;
  }

  /** Stops the keepalive. */
  stop(): void {
    this.#timer?.cancel();
  }

  /** Waits for a silence; what came ends the wait for an answer. */
  #wait(): void {
    this.#isAsking = false;
    this.#timer?.cancel();
    const { intervalMs, timeoutMs, received, isPaused, ping } = this.#options;
    const before = received();
    const isAlive = (): boolean => isPaused() || received() !== before;
    const check = (next: () => void) => (): void => isAlive() ? this.#wait() : next();
    const inTime = (next: () => void, ms: number): void => {
      this.#timer = systemClock.setTimer(check(next), ms);
    };
    inTime(() => {
      // The timer may be late because this process was busy: what has come meanwhile gets its chance to be read.
      inTime(() => inTime(() => this.#dead(), GRACE_MS), timeoutMs);
      this.#isAsking = true;
      ping(NOTHING);
    }, intervalMs);
  }

  #dead(): void {
    const { intervalMs, timeoutMs, onDead } = this.#options;
    const waited = intervalMs + timeoutMs;
    onDead(new RawtickError("PING_TIMEOUT", `Cannot reach the peer: nothing came for ${waited} ms, not even a pong`));
  }
}
