/**
 * The pull interface on top of the listener interface. While nobody takes messages, the socket is paused where that is
 * possible, so that TCP holds the peer back.
 *
 * @module
 */

import { ConnectionClosedError, InvalidOptionsError, WebSocketProtocolError } from "../base/mod.ts";
import {
  type CloseInfo,
  type ConnectionPath,
  DEFAULT_MAX_BUFFERED_BYTES,
  type OwnedConnection,
  type SocketAddress,
  type WebSocketLibrary,
} from "./connection.ts";
import { type LibraryTable, selectLibrary } from "./library.ts";
import type { Message, PullConnection, PullOptions } from "./pull_connection.ts";

/** Default of {@linkcode PullOptions.maxQueue}. */
const DEFAULT_MAX_QUEUE = 1024;
/** Unread bytes at which reading is paused: enough for the next chunk to come while one is worked on. */
const PAUSE_BYTES = 1024 * 1024;

/** Opens a connection to pull messages from. */
export type Connect = (url: string, options?: PullOptions) => Promise<PullConnection>;

/** Makes `connect` for a table of libraries. */
export function bindConnect(table: LibraryTable): Connect {
  return async (url, options = {}) => {
    const { websocketLibrary = "native", maxQueue = DEFAULT_MAX_QUEUE, ...connectOptions } = options;
    if (!Number.isInteger(maxQueue) || maxQueue < 1 || maxQueue > 2 ** 31 - 1) {
      throw new InvalidOptionsError(
        `Cannot use ${String(maxQueue)} as \`maxQueue\`: expected an integer from 1 to 2147483647`,
        { path: "maxQueue" },
      );
    }
    const open = selectLibrary(table, websocketLibrary);
    const pull = new Puller(maxQueue, connectOptions.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES);
    // The built-in WebSocket holds no bytes that we could count: what is unread is counted here.
    const { maxBufferedBytes: _, ...others } = connectOptions;
    await open(url, pull, websocketLibrary === "builtin" ? others : connectOptions);
    return pull;
  };
}

/** Someone who waits for a message; gets `undefined` if it gives up waiting. */
interface Waiter {
  readonly resolve: (message: Message | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** Listener of the connection and interface of its user in one: messages go from the one to the other. */
class Puller implements PullConnection {
  readonly #maxQueue: number;
  readonly #maxBufferedBytes: number;
  readonly #pauseBytes: number;
  #opened: OwnedConnection | undefined;
  /** Unread messages from `#first` on; those before it have been taken. */
  #queue: Message[] = [];
  #first = 0;
  #bytes = 0;
  #waiters: Waiter[] = [];
  #senders: (() => void)[] = [];
  #end: CloseInfo | undefined;
  /** Whether the end was our own wish. */
  #wanted = false;

  constructor(maxQueue: number, maxBufferedBytes: number) {
    this.#maxQueue = maxQueue;
    this.#maxBufferedBytes = maxBufferedBytes;
    this.#pauseBytes = Math.min(PAUSE_BYTES, maxBufferedBytes / 2);
  }

  get #connection(): OwnedConnection {
    if (this.#opened === undefined) throw new ConnectionClosedError("Cannot use a connection that is not open yet");
    return this.#opened;
  }

  get library(): WebSocketLibrary {
    return this.#connection.library;
  }

  get path(): ConnectionPath {
    return this.#connection.path;
  }

  get url(): string {
    return this.#connection.url;
  }

  get subprotocol(): string {
    return this.#connection.subprotocol;
  }

  get extensions(): string {
    return this.#connection.extensions;
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  get unread(): number {
    return this.#queue.length - this.#first;
  }

  get localAddress(): SocketAddress | undefined {
    return this.#connection.localAddress;
  }

  get remoteAddress(): SocketAddress | undefined {
    return this.#connection.remoteAddress;
  }

  get latencyMs(): number | undefined {
    return this.#connection.latencyMs;
  }

  get bufferedAmount(): number {
    return this.#connection.bufferedAmount;
  }

  get closed(): Promise<CloseInfo> {
    return this.#connection.closed;
  }

  // From the connection.

  // Libraries open connections of this kind; the public interface only promises less.
  onOpen(connection: OwnedConnection): void {
    this.#opened = connection;
  }

  onText(text: string): void {
    this.#put(text);
  }

  onBinary(bytes: Uint8Array): void {
    this.#put(bytes);
  }

  onDrain(): void {
    const senders = this.#senders;
    this.#senders = [];
    for (const resolve of senders) resolve();
  }

  onClose(info: CloseInfo): void {
    this.#end = info;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { reject } of waiters) reject(this.#closedError(info));
    this.onDrain();
  }

  // From the user.

  recv(): Promise<Message> {
    const message = this.#take();
    if (message !== undefined) return Promise.resolve(message);
    if (this.#end !== undefined) return Promise.reject(this.#closedError(this.#end));
    // The cast: only iterations give up waiting.
    return new Promise((resolve, reject) => this.#waiters.push({ resolve: resolve as Waiter["resolve"], reject }));
  }

  async send(data: Message): Promise<void> {
    if (this.#connection.send(data)) return;
    await new Promise<void>((resolve) => this.#senders.push(resolve));
  }

  ping(payload?: Uint8Array): void {
    this.#connection.ping(payload);
  }

  close(code?: number, reason?: string): Promise<CloseInfo> {
    const { isOpen } = this;
    try {
      this.#connection.close(code, reason);
    } catch (error) {
      return Promise.reject(error);
    }
    if (isOpen) this.#wanted = true;
    return this.closed;
  }

  terminate(): void {
    if (this.#end === undefined) this.#wanted = true;
    this.#connection.terminate();
  }

  [Symbol.dispose](): void {
    this.terminate();
    this.#drop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.#drop();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Message> {
    let isDone = false;
    const waiting = new Set<Waiter>();
    return {
      next: () => {
        if (isDone) return Promise.resolve({ done: true, value: undefined });
        const message = this.#take();
        // The way of most messages, without waiting for anything.
        return message === undefined ? this.#next(waiting) : Promise.resolve({ done: false, value: message });
      },
      // An iteration that goes must not take a message along that it still waits for.
      return: () => {
        isDone = true;
        this.#waiters = this.#waiters.filter((waiter) => !waiting.has(waiter));
        for (const { resolve } of waiting) resolve(undefined);
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #put(message: Message): void {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve(message);
      return;
    }
    const connection = this.#connection;
    if (this.#bytes + message.length > this.#maxBufferedBytes) {
      connection.fail(
        new WebSocketProtocolError(
          `Cannot hold back more than ${this.#maxBufferedBytes} bytes that nobody takes`,
          "TOO_MANY_BUFFERED_BYTES",
          1009,
        ),
      );
      return;
    }
    this.#queue.push(message);
    this.#bytes += message.length;
    if (!connection.canPause || connection.isPaused) return;
    if (this.unread >= this.#maxQueue || this.#bytes >= this.#pauseBytes) connection.pause();
  }

  #take(): Message | undefined {
    const message = this.#queue[this.#first];
    if (message === undefined) return undefined;
    this.#queue[this.#first++] = "";
    this.#bytes -= message.length;
    if (this.#first === this.#queue.length) {
      this.#queue = [];
      this.#first = 0;
    } else if (this.#first > 1024 && this.#first * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
    const connection = this.#connection;
    if (connection.isPaused && this.unread * 2 <= this.#maxQueue && this.#bytes * 2 <= this.#pauseBytes) {
      connection.resume();
    }
    return message;
  }

  /** The next message of an iteration, once it comes; `waiting` are the calls of that iteration that wait. */
  async #next(waiting: Set<Waiter>): Promise<IteratorResult<Message, undefined>> {
    const { promise, ...waiter } = Promise.withResolvers<Message | undefined>();
    try {
      if (this.#end !== undefined) throw this.#closedError(this.#end);
      this.#waiters.push(waiter);
      waiting.add(waiter);
      const value = await promise;
      return value === undefined ? { done: true, value } : { done: false, value };
    } catch (error) {
      if (this.#end === undefined || !this.#endedInOrder(this.#end)) throw error;
      return { done: true, value: undefined };
    } finally {
      waiting.delete(waiter);
    }
  }

  #drop(): void {
    this.#queue = [];
    this.#first = this.#bytes = 0;
  }

  #endedInOrder({ code, wasClean }: CloseInfo): boolean {
    return this.#wanted || (wasClean && (code === 1000 || code === 1001 || code === 1005));
  }

  #closedError({ code, reason, error }: CloseInfo): ConnectionClosedError {
    const how = [`code ${code}`, reason, error?.message].filter((part) => part).join(", ");
    return new ConnectionClosedError(
      `Cannot receive: the connection has ended (${how})`,
      error === undefined ? {} : { cause: error },
    );
  }
}
