/**
 * The bounded buffer between the push path and a reader that pulls.
 *
 * @module
 */

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

type Reader<T> = PromiseWithResolvers<IteratorResult<T, undefined>>;

/** A queue of at most `capacity` messages, first in, first out. Its memory grows with what is in it. */
export class MessageBuffer<T> {
  readonly #capacity: number;
  readonly #overflow: OverflowPolicy;
  /** A ring: `#size` messages from `#head` on. */
  #ring: (T | undefined)[] = new Array(16);
  #head = 0;
  #size = 0;
  #dropped = 0;
  #readers: Reader<T>[] = [];
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

  /** Adds a message; false if there is no room for it and the policy is `"error"`. */
  push(value: T): boolean {
    if (this.#end !== undefined) return true;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ value, done: false });
      return true;
    }
    if (this.#size === this.#capacity) {
      if (this.#overflow === "error") return false;
      this.#dropped++;
      if (this.#overflow === "drop-newest") return true;
      this.#shift();
    }
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) % this.#ring.length] = value;
    this.#size++;
    return true;
  }

  /** A reader. All readers draw from the same messages: each message goes to one of them. */
  read(): AsyncIterableIterator<T, undefined> {
    let isDone = false;
    const waiting = new Set<Reader<T>>();
    return {
      next: () => {
        if (isDone) return Promise.resolve({ value: undefined, done: true });
        if (this.#size > 0) return Promise.resolve({ value: this.#shift(), done: false });
        if (this.#end !== undefined) {
          isDone = true;
          return this.#end.error === undefined
            ? Promise.resolve({ value: undefined, done: true })
            : Promise.reject(this.#end.error);
        }
        const reader: Reader<T> = Promise.withResolvers();
        this.#readers.push(reader);
        waiting.add(reader);
        return reader.promise.finally(() => waiting.delete(reader));
      },
      // A reader that goes must not take a message along that it still waits for.
      return: () => {
        isDone = true;
        this.#readers = this.#readers.filter((reader) => !waiting.has(reader));
        for (const reader of waiting) reader.resolve({ value: undefined, done: true });
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** No more messages come. Each reader still gets what is buffered, then `error` once if there is one, then the end. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    const readers = this.#readers;
    this.#readers = [];
    for (const { resolve, reject } of readers) {
      if (error === undefined) resolve({ value: undefined, done: true });
      else reject(error);
    }
  }

  #shift(): T {
    // The cast: #size is over 0, so there is a message at #head.
    const value = this.#ring[this.#head] as T;
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
