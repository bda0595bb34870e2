/**
 * The bounded buffer between the push path and a reader that pulls.
 *
 * @module
 */

import { BufferOverflowError } from "../base/mod.ts";

/**
 * What a full buffer does with one more message: `"drop-oldest"` makes room for it, `"drop-newest"` drops it, `"error"`
 * gives the stream up.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type OverflowPolicy } from "@rawtick/binance";
 *
 * const overflow: OverflowPolicy = "drop-newest";
 * await using manager = new BinanceWebSocketApiManager({ overflow, bufferSize: 1_000 });
 * ```
 */
export type OverflowPolicy = "drop-oldest" | "drop-newest" | "error";

/** A queue of at most `capacity` messages, first in, first out. Its memory grows with what is in it. */
export class MessageBuffer<T> {
  readonly #capacity: number;
  readonly #overflow: OverflowPolicy;
  /** A ring: `#size` messages from `#head` on. */
  #ring: (T | undefined)[] = new Array(16);
  #head = 0;
  #size = 0;
  #dropped = 0;
  #readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  #end: { error?: Error } | undefined;

  constructor(capacity: number, overflow: OverflowPolicy) {
    this.#capacity = capacity;
    this.#overflow = overflow;
  }

  /** Messages waiting. */
  get size(): number {
    return this.#size;
  }

  /** Messages that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Adds a message.
   *
   * @throws {BufferOverflowError} if the buffer is full and the policy is `"error"`.
   */
  push(value: T): void {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader.resolve({ value, done: false });
    if (this.#size === this.#capacity) {
      if (this.#overflow === "error") throw new BufferOverflowError(this.#capacity);
      this.#dropped++;
      if (this.#overflow === "drop-newest") return;
      this.#shift();
    }
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) % this.#ring.length] = value;
    this.#size++;
  }

  /** Takes the oldest message; waits for one if there is none. Done after {@linkcode MessageBuffer.end}. */
  take(): Promise<IteratorResult<T, undefined>> {
    if (this.#size > 0) {
      // The cast: within #size, the ring holds messages.
      return Promise.resolve({ value: this.#shift() as T, done: false });
    }
    if (this.#end?.error !== undefined) {
      const { error } = this.#end;
      this.#end = {};
      return Promise.reject(error);
    }
    if (this.#end !== undefined) return Promise.resolve({ value: undefined, done: true });
    const reader = Promise.withResolvers<IteratorResult<T, undefined>>();
    this.#readers.push(reader);
    return reader.promise;
  }

  /** No more messages come. Readers still get what is buffered, then the end, or `error` once and then the end. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = {};
    const [first, ...others] = this.#readers;
    this.#readers = [];
    for (const reader of others) reader.resolve({ value: undefined, done: true });
    if (error === undefined) first?.resolve({ value: undefined, done: true });
    else if (first !== undefined) first.reject(error);
    else this.#end = { error };
  }

  #shift(): T | undefined {
    const value = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#ring.length;
    this.#size--;
    return value;
  }

  #grow(): void {
    const bigger: (T | undefined)[] = new Array(Math.min(this.#capacity, this.#ring.length * 2));
    for (let i = 0; i < this.#size; i++) bigger[i] = this.#ring[(this.#head + i) % this.#ring.length];
    this.#ring = bigger;
    this.#head = 0;
  }
}
