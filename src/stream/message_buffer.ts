/**
 * The bounded buffer between the push path and a reader that pulls.
 *
 * @module
 */

import { RingBuffer } from "./ring_buffer.ts";

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

/**
 * Which message of a buffer comes first: `"fifo"`, the oldest, or `"lifo"`, the newest.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type BufferOrder } from "@rawtick/binance";
 *
 * const order: BufferOrder = "lifo";
 * await using manager = new BinanceWebSocketApiManager();
 * console.log(manager.streamBuffer("quotes", { order }).order);
 * ```
 */
export type BufferOrder = "fifo" | "lifo";

/** What became of a message: it is in the buffer, it or an older one was dropped, or there is no room for it. */
export type PushResult = "taken" | "dropped" | "refused";

type Reader<T> = PromiseWithResolvers<IteratorResult<T, undefined>>;

/** A queue of at most `capacity` messages. */
export class MessageBuffer<T> {
  readonly order: BufferOrder;
  readonly overflow: OverflowPolicy;
  readonly #ring: RingBuffer<T>;
  #dropped = 0;
  #readers: Reader<T>[] = [];
  #end: { error?: Error } | undefined;

  constructor(capacity: number, overflow: OverflowPolicy, order: BufferOrder = "fifo") {
    this.#ring = new RingBuffer(capacity);
    this.overflow = overflow;
    this.order = order;
  }

  /** Messages that it holds at most. */
  get capacity(): number {
    return this.#ring.capacity;
  }

  /** Messages waiting. */
  get size(): number {
    return this.#ring.size;
  }

  /** Messages that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a message as the newest; refuses it only if there is no room and the policy is `"error"`. */
  push(value: T): PushResult {
    if (this.#readers.length > 0) {
      this.#readers.shift()?.resolve({ value, done: false });
      return "taken";
    }
    if (this.#ring.size === this.#ring.capacity) {
      if (this.overflow === "error") return "refused";
      this.#dropped++;
      if (this.overflow === "drop-oldest") this.#ring.push(value);
      return "dropped";
    }
    this.#ring.push(value);
    return "taken";
  }

  /** Takes a message out, in the buffer's order or another one; `undefined` if there is none. */
  take(order: BufferOrder = this.order): T | undefined {
    return order === "fifo" ? this.#ring.shift() : this.#ring.pop();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#ring.clear();
  }

  /** A reader. All readers draw from the same messages: each message goes to one of them. */
  read(): AsyncIterableIterator<T, undefined> {
    let isDone = false;
    const waiting = new Set<Reader<T>>();
    return {
      next: () => {
        if (isDone) return Promise.resolve({ value: undefined, done: true });
        // The cast: there is a message.
        if (this.#ring.size > 0) return Promise.resolve({ value: this.take() as T, done: false });
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
}
