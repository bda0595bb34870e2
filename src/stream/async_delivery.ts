/**
 * Delivery to a callback that returns promises: in order, so many at a time, and holding the exchange back meanwhile.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";
import type { MessageBuffer, PushResult } from "./message_buffer.ts";

/** Reading stops when more than this share of the buffer is in use, so that what is on its way still finds room. */
const HIGH_WATER = 1 / 4;
/** It goes on when this share of that is left. */
const LOW_WATER = 1 / 2;
/**
 * Longest time in ms without reading: a paused connection answers no pings, and Binance ends it after a minute (spot).
 * Whoever takes longer loses messages, not the connection.
 */
const MAX_PAUSE_MS = 10_000;

/** What an async delivery needs. */
export interface AsyncDeliveryOptions {
  readonly clock: Clock;
  readonly callback: (data: unknown) => unknown;
  /** How many promises of the callback may be pending. */
  readonly maxConcurrent: number;
  /** What waits for the callback. */
  readonly waiting: MessageBuffer<unknown>;
  /** The callback threw, or its promise was rejected. */
  readonly onError: (error: unknown) => void;
  /** Holds the exchange back, where that can be. */
  readonly setPaused: (isPaused: boolean) => void;
}

/** Calls the callback with one message after the other. */
export class AsyncDelivery {
  readonly #options: AsyncDeliveryOptions;
  readonly #waiting: MessageBuffer<unknown>;
  readonly #highWater: number;
  readonly #lowWater: number;
  #running = 0;
  #isPaused = false;
  /** Not after the longest pause, until what waited is done. */
  #mayPause = true;
  #pauseTimer: Timer | undefined;
  #isEnded = false;

  constructor(options: AsyncDeliveryOptions) {
    this.#options = options;
    this.#waiting = options.waiting;
    this.#highWater = Math.floor(this.#waiting.capacity * HIGH_WATER);
    this.#lowWater = Math.floor(this.#highWater * LOW_WATER);
  }

  /** Messages that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls the callback, or has the message wait for its turn. */
  push(data: unknown): PushResult {
    if (this.#running < this.#options.maxConcurrent && this.#waiting.size === 0) {
      this.#call(data);
      return "taken";
    }
    const result = this.#waiting.push(data);
    if (this.#waiting.size > this.#highWater && this.#mayPause && !this.#isPaused && !this.#isEnded) this.#pause();
    return result;
  }

  /** Waits for what the callback has returned. */
  track(result: PromiseLike<unknown>): void {
    // The same two functions for all messages: no closure per message.
    Promise.resolve(result).then(this.#fulfilled, this.#rejected);
    this.#running++;
  }

  /** Nothing more comes. What waits is still delivered. */
  end(): void {
    this.#isEnded = true;
    this.#pauseTimer?.cancel();
  }

  /** Nothing is delivered any more; returns how many messages had waited for that. */
  discard(): number {
    this.end();
    const { size } = this.#waiting;
    this.#waiting.clear();
    return size;
  }

  readonly #fulfilled = (): void => {
    this.#running--;
    this.#drain();
  };

  readonly #rejected = (error: unknown): void => {
    this.#running--;
    // It may have everything discarded.
    this.#options.onError(error);
    this.#drain();
  };

  #drain(): void {
    while (this.#running < this.#options.maxConcurrent && this.#waiting.size > 0) this.#call(this.#waiting.take());
    if (this.#waiting.size > this.#lowWater) return;
    this.#mayPause = true;
    if (this.#isPaused) this.#resume();
  }

  #call(data: unknown): void {
    try {
      const result = this.#options.callback(data);
      if (isThenable(result)) this.track(result);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #pause(): void {
    this.#isPaused = true;
    this.#pauseTimer = this.#options.clock.setTimer(() => {
      this.#mayPause = false;
      this.#resume();
    }, MAX_PAUSE_MS);
    this.#options.setPaused(true);
  }

  #resume(): void {
    this.#isPaused = false;
    this.#pauseTimer?.cancel();
    this.#options.setPaused(false);
  }
}

/** Whether an async function, or something like it, was called. */
export function isThenable(result: unknown): result is PromiseLike<unknown> {
  return typeof result === "object" && result !== null && "then" in result;
}
