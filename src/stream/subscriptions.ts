/**
 * The subscriptions of one connection: what is desired, what the exchange has confirmed, and the messages between.
 *
 * @module
 */

import { type Clock, listOf, SubscriptionRejectedError, SubscriptionTimeoutError, type Timer } from "../base/mod.ts";
import { controlMessage, type ControlMethod, type ControlResponse, splitIntoMessages } from "../exchange/mod.ts";
import type { Pacer } from "./pacer.ts";

/** How often an unanswered control message is sent in all. */
const MAX_ATTEMPTS = 2;
/** Binance web-socket-streams.md, "Error Messages": the request can't be taken as it is. */
const INVALID_REQUEST = 2;

/** What the subscriptions of a connection need. */
export interface SubscriptionsOptions {
  readonly clock: Clock;
  readonly pacer: Pacer;
  /** How long in ms the exchange may take to answer. */
  readonly ackTimeoutMs: number;
  /** Sends a control message over the connection; false if that is closing, and its end is about to be told. */
  readonly send: (text: string) => boolean;
  /** Numbers the control messages. */
  readonly nextId: () => number;
  /** Told about answers that did not come. */
  readonly warn: (message: string) => void;
}

interface PendingMessage {
  readonly method: ControlMethod;
  readonly streams: readonly string[];
  readonly timer: Timer;
}

interface Waiter {
  readonly streams: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Brings a connection from what it carries to what is desired. After a reconnect everything is computed from the
 * desired set anew; nothing that was queued is replayed. All changes made in one tick leave in common messages.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #desired = new Set<string>();
  /** What the exchange has acknowledged on the present connection. */
  readonly #confirmed = new Set<string>();
  /** Streams in messages without an answer yet. */
  readonly #inFlight = new Set<string>();
  readonly #pending = new Map<number, PendingMessage>();
  /** How often a stream's message went unanswered on the present connection; at MAX_ATTEMPTS it is left alone. */
  readonly #unanswered = new Map<string, number>();
  /** Streams of a message that was refused as a whole, with the most that may share their next one: one is to blame. */
  readonly #suspects = new Map<string, number>();
  #waiters: Waiter[] = [];
  #isConnected = false;
  #isScheduled = false;
  #paceTimer: Timer | undefined;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** The streams that are wanted. */
  get desired(): ReadonlySet<string> {
    return this.#desired;
  }

  /** Wants more streams; resolves when the exchange has acknowledged them all. */
  add(streams: readonly string[]): Promise<void> {
    for (const stream of streams) {
      this.#desired.add(stream);
      this.#unanswered.delete(stream);
    }
    return this.#settle(streams);
  }

  /** Wants fewer streams; resolves when the exchange has acknowledged that. */
  delete(streams: readonly string[]): Promise<void> {
    for (const stream of streams) {
      this.#desired.delete(stream);
      this.#unanswered.delete(stream);
    }
    return this.#settle(streams);
  }

  /** A connection is open; it carries nothing yet. */
  connected(): void {
    this.#isConnected = true;
    this.#flush();
  }

  /** The connection is gone, and with it everything that it carried. */
  disconnected(): void {
    this.#isConnected = false;
    this.#paceTimer?.cancel();
    for (const { timer } of this.#pending.values()) timer.cancel();
    for (const set of [this.#pending, this.#inFlight, this.#confirmed, this.#unanswered]) set.clear();
    this.#resolveSettled();
  }

  /** No connection comes any more: everyone who waits gets `error`. */
  end(error: Error): void {
    this.disconnected();
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { reject } of waiters) reject(error);
  }

  /** Takes an answer of the exchange. */
  respond({ id, error }: ControlResponse): void {
    // An error may come without an id. The exchange answers in order, so it belongs to the oldest message.
    const key = id ?? (error === undefined ? undefined : this.#pending.keys().next().value);
    const message = key === undefined ? undefined : this.#pending.get(key);
    if (key === undefined || message === undefined) {
      if (error !== undefined) this.#options.warn(`The exchange reports an error: ${error.msg} (code ${error.code})`);
      return;
    }
    this.#forget(key, message);
    if (error !== undefined) this.#refused(message, error);
    else this.#acknowledged(message);
    this.#resolveSettled();
    this.#schedule();
  }

  #acknowledged({ method, streams }: PendingMessage): void {
    for (const stream of streams) {
      if (method === "SUBSCRIBE") this.#confirmed.add(stream);
      else this.#confirmed.delete(stream);
      this.#suspects.delete(stream);
      this.#unanswered.delete(stream);
    }
  }

  #refused({ method, streams }: PendingMessage, error: NonNullable<ControlResponse["error"]>): void {
    if (error.code === INVALID_REQUEST && streams.length > 1) {
      this.#options.warn(`The exchange refused ${streams.length} streams at once: ${error.msg}; trying them in halves`);
      for (const stream of streams) this.#suspects.set(stream, Math.ceil(streams.length / 2));
      return;
    }
    for (const stream of streams) {
      this.#suspects.delete(stream);
      if (method === "SUBSCRIBE") this.#desired.delete(stream);
      else this.#confirmed.delete(stream);
    }
    const verb = method === "SUBSCRIBE" ? "subscribe to" : "unsubscribe from";
    const message = `Cannot ${verb} ${listOf(streams, "and", 5)}: the exchange answers ${JSON.stringify(error.msg)}`;
    this.#options.warn(message);
    this.#rejectWaiters(streams, new SubscriptionRejectedError(message, streams, error.code));
  }

  #timedOut(id: number, message: PendingMessage): void {
    this.#forget(id, message);
    const given = message.streams.filter((stream) => {
      const attempts = (this.#unanswered.get(stream) ?? 0) + 1;
      this.#unanswered.set(stream, attempts);
      return attempts >= MAX_ATTEMPTS;
    });
    this.#options.warn(
      `No answer to ${message.method} of ${listOf(message.streams, "and", 5)} within ${this.#options.ackTimeoutMs} ms`,
    );
    if (given.length > 0) {
      this.#rejectWaiters(given, new SubscriptionTimeoutError(given, this.#options.ackTimeoutMs * MAX_ATTEMPTS));
    }
    this.#schedule();
  }

  #forget(id: number, { timer, streams }: PendingMessage): void {
    timer.cancel();
    this.#pending.delete(id);
    for (const stream of streams) this.#inFlight.delete(stream);
  }

  #settle(streams: readonly string[]): Promise<void> {
    this.#schedule();
    if (streams.every((stream) => this.#isSettled(stream))) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push({ streams, resolve, reject });
    return promise;
  }

  #isSettled(stream: string): boolean {
    return !this.#inFlight.has(stream) && this.#desired.has(stream) === this.#confirmed.has(stream);
  }

  #resolveSettled(): void {
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.streams.every((stream) => this.#isSettled(stream))) return true;
      waiter.resolve();
      return false;
    });
  }

  #rejectWaiters(streams: readonly string[], error: Error): void {
    const concerned = new Set(streams);
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.streams.some((stream) => concerned.has(stream))) return true;
      waiter.reject(error);
      return false;
    });
  }

  /** Sends at the end of the tick, so that changes made together leave together. */
  #schedule(): void {
    if (!this.#isConnected || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    this.#paceTimer?.cancel();
    const { pacer, clock } = this.#options;
    for (const [method, streams] of this.#differences()) {
      if (!this.#isConnected) return;
      const delayMs = pacer.delayMs;
      if (delayMs > 0) {
        this.#paceTimer = clock.setTimer(() => this.#flush(), delayMs);
        return;
      }
      if (!this.#send(method, streams)) return;
    }
  }

  /** The messages that lead to the desired set: what is not wanted any more first, to make room. */
  *#differences(): Generator<[ControlMethod, string[]]> {
    const surplus = [...this.#confirmed].filter((stream) => !this.#desired.has(stream) && this.#mayBeSent(stream));
    for (const group of this.#groups(surplus)) yield ["UNSUBSCRIBE", group];
    const missing = [...this.#desired].filter((stream) => !this.#confirmed.has(stream) && this.#mayBeSent(stream));
    for (const group of this.#groups(missing)) yield ["SUBSCRIBE", group];
  }

  /** Not while its message is under way, and not again on this connection if it went unanswered too often. */
  #mayBeSent(stream: string): boolean {
    return !this.#inFlight.has(stream) && (this.#unanswered.get(stream) ?? 0) < MAX_ATTEMPTS;
  }

  *#groups(streams: readonly string[]): Generator<string[]> {
    const bySize = Map.groupBy(streams, (stream) => this.#suspects.get(stream) ?? Infinity);
    for (const [most, group] of bySize) {
      for (const message of splitIntoMessages(group)) {
        for (let i = 0; i < message.length; i += most) yield message.slice(i, i + most);
      }
    }
  }

  #send(method: ControlMethod, streams: string[]): boolean {
    const { clock, pacer, ackTimeoutMs, nextId, send } = this.#options;
    const id = nextId();
    if (!send(controlMessage(method, streams, id))) return false;
    pacer.note();
    const message: PendingMessage = {
      method,
      streams,
      timer: clock.setTimer(() => this.#timedOut(id, message), ackTimeoutMs),
    };
    this.#pending.set(id, message);
    for (const stream of streams) this.#inFlight.add(stream);
    return true;
  }
}
