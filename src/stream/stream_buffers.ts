/**
 * Named buffers: messages of one or several streams that are kept until somebody takes them, whatever becomes of the streams.
 *
 * @module
 */

import { BufferOverflowError, InvalidOptionsError, quoted, shown } from "../base/mod.ts";
import { type BufferOrder, MessageBuffer, type OverflowPolicy } from "./message_buffer.ts";

/**
 * How a named buffer is made.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamBufferOptions } from "@rawtick/binance";
 *
 * const options: StreamBufferOptions = { order: "lifo", capacity: 100, overflow: "drop-oldest" };
 * await using manager = new BinanceWebSocketApiManager();
 * manager.streamBuffer("quotes", options);
 * ```
 */
export interface StreamBufferOptions {
  /** Which message `pop()` and readers get first: the oldest or the newest. Default: `"fifo"`. */
  readonly order?: BufferOrder;
  /** Messages that the buffer holds at most, 1 to 16777216. Default: the manager's `bufferSize`. */
  readonly capacity?: number;
  /**
   * What a full buffer does with one more message. With `"error"`, the stream that brought it crashes. Default: the
   * manager's `overflow`.
   */
  readonly overflow?: OverflowPolicy;
}

/**
 * A named buffer of a manager. Streams that were created with its name put their messages into it. It is kept across
 * reconnects and after its streams have ended, until the manager deletes it.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamBuffer } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assert } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const trades: StreamBuffer<string> = manager.streamBuffer("trades", { capacity: 50_000 });
 * manager.createStream({ streams: ["btcusdt@trade"], streamBuffer: "trades" });
 * for await (const text of trades) {
 *   trades.add(text); // put back
 *   break;
 * }
 * assert(trades.pop("lifo")?.startsWith('{"stream":"btcusdt@trade"'));
 * ```
 */
export class StreamBuffer<T> implements AsyncIterable<T> {
  /** Its name in the manager. */
  readonly name: string;
  readonly #buffer: MessageBuffer<T>;

  /** Made by `manager.streamBuffer()`. */
  constructor(name: string, buffer: MessageBuffer<T>) {
    this.name = name;
    this.#buffer = buffer;
  }

  /** Which message comes first, unless `pop()` is told otherwise. */
  get order(): BufferOrder {
    return this.#buffer.order;
  }

  /** Messages that it holds at most. */
  get capacity(): number {
    return this.#buffer.capacity;
  }

  /** What it does when it is full. */
  get overflow(): OverflowPolicy {
    return this.#buffer.overflow;
  }

  /** Messages in it. */
  get length(): number {
    return this.#buffer.size;
  }

  /** Messages that it dropped since it was made. */
  get dropped(): number {
    return this.#buffer.dropped;
  }

  /**
   * Takes a message out at once, by default in the buffer's order; `undefined` if there is none.
   *
   * @throws {InvalidOptionsError} if the order is none.
   */
  pop(order?: BufferOrder): T | undefined {
    if (order !== undefined && order !== "fifo" && order !== "lifo") {
      throw new InvalidOptionsError(`Cannot use ${shown(order)} as \`order\`: expected "fifo" or "lifo"`, {
        path: "order",
      });
    }
    return this.#buffer.take(order);
  }

  /**
   * Adds a message as the newest, such as one that was taken out and could not be handled.
   *
   * @throws {BufferOverflowError} if it is full and `overflow` is `"error"`.
   */
  add(data: T): void {
    if (this.#buffer.push(data) === "refused") throw new BufferOverflowError(this.#buffer.capacity);
  }

  /** Forgets what is in it. */
  clear(): void {
    this.#buffer.clear();
  }

  /**
   * Reads in the buffer's order, waiting for what is not there yet. Each message goes to one reader. Ends when the manager
   * is stopped, or has deleted the buffer, after what is left.
   */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return this.#buffer.read();
  }
}

/** A named buffer from inside. */
export interface NamedBuffer {
  readonly name: string;
  readonly buffer: MessageBuffer<unknown>;
  /** The same, as its users see it. */
  readonly view: StreamBuffer<unknown>;
  /** Streams that put messages into it. */
  users: number;
}

/** All named buffers of a manager. */
export class StreamBuffers {
  readonly #defaults: Required<StreamBufferOptions>;
  readonly #buffers = new Map<string, NamedBuffer>();
  #isEnded = false;

  constructor(defaults: Required<StreamBufferOptions>) {
    this.#defaults = defaults;
  }

  /** All of them, in the order they were made. */
  get all(): NamedBuffer[] {
    return [...this.#buffers.values()];
  }

  /**
   * The buffer with this name; makes it if there is none.
   *
   * @throws {InvalidOptionsError} if there is one, and it is not as the options say.
   */
  open(name: string, options: StreamBufferOptions = {}): NamedBuffer {
    const found = this.#buffers.get(name);
    if (found !== undefined) {
      for (const option of ["order", "capacity", "overflow"] as const) {
        const [has, wanted] = [found.buffer[option], options[option]];
        if (wanted === undefined || wanted === has) continue;
        throw new InvalidOptionsError(
          `Cannot use ${JSON.stringify(wanted)} as \`${option}\` of the stream buffer ${quoted(name)}: ` +
            `expected ${JSON.stringify(has)}, as it was made`,
          { path: option },
        );
      }
      return found;
    }
    const { order = this.#defaults.order, capacity = this.#defaults.capacity, overflow = this.#defaults.overflow } =
      options;
    const buffer = new MessageBuffer<unknown>(capacity, overflow, order);
    if (this.#isEnded) buffer.end();
    const made = { name, buffer, view: new StreamBuffer(name, buffer), users: 0 };
    this.#buffers.set(name, made);
    return made;
  }

  /**
   * Deletes a buffer and what is in it; returns whether there was one.
   *
   * @throws {TypeError} if a stream that has not ended puts its messages into it.
   */
  delete(name: string): boolean {
    const found = this.#buffers.get(name);
    if (found === undefined) return false;
    if (found.users > 0) {
      throw new TypeError(`Cannot delete the stream buffer ${quoted(name)}: stop the streams that use it first`);
    }
    found.buffer.clear();
    found.buffer.end();
    return this.#buffers.delete(name);
  }

  /** No more messages come; what is in the buffers stays. */
  end(): void {
    this.#isEnded = true;
    for (const { buffer } of this.#buffers.values()) buffer.end();
  }
}
