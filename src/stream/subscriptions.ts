/**
 * The subscriptions of one connection: what is desired, what the exchange carries, and the messages between.
 *
 * @module
 */

import { type Clock, listOf, SubscriptionRejectedError, SubscriptionTimeoutError, type Timer } from "../base/mod.ts";
import { controlMessage, type ControlMethod, type ControlResponse, splitIntoMessages } from "../exchange/mod.ts";
import type { Pacer } from "./pacer.ts";
import { Waiters } from "./waiters.ts";

/** How often an unanswered control message is sent in all, before it is left alone. */
const MAX_ATTEMPTS = 2;
/** After this time in ms, what was left alone is tried again. */
const RETRY_MS = 30_000;
/** Binance web-socket-streams.md, "Error Messages": the request can't be taken as it is. */
const INVALID_REQUEST = 2;

/** What the subscriptions of a connection need. */
export interface SubscriptionsOptions {
  readonly clock: Clock;
  /** Streams that the connection may carry. */
  readonly maxStreams: number;
  /** How long in ms the exchange may take to answer. */
  readonly ackTimeoutMs: number;
  /** Sends a control message over the connection; false if that is closing, and its end is about to be told. */
  readonly send: (text: string) => boolean;
  /** Numbers the control messages. */
  readonly nextId: () => number;
  /** Told about what is being mended. */
  readonly warn: (message: string) => void;
  /** Told about streams that the exchange refused or did not answer for, whether somebody waits for them or not. */
  readonly onFailed: (error: SubscriptionRejectedError | SubscriptionTimeoutError) => void;
}

interface PendingMessage {
  readonly method: ControlMethod;
  readonly streams: readonly string[];
  readonly timer: Timer;
}

/**
 * Brings a connection from what it carries to what is desired. After a reconnect everything is computed from the
 * desired set anew; nothing that was queued is replayed. All changes made in one tick leave in common messages.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #desired = new Set<string>();
  /** What the exchange has acknowledged at least once: refusing it later is a hiccup, not a wrong name. */
  readonly #proven = new Set<string>();

  // Of the present connection:
  readonly #carried = new Set<string>();
  /** Streams of messages that went unanswered: they may be carried or not. */
  readonly #unknown = new Set<string>();
  readonly #inFlight = new Set<string>();
  readonly #pending = new Map<number, PendingMessage>();
  /** How often a stream's message failed; at MAX_ATTEMPTS it is left alone for a while. */
  readonly #failures = new Map<string, number>();
  /** Streams of a message that was refused as a whole, with the most that may share their next one: one is to blame. */
  readonly #suspects = new Map<string, number>();

  readonly #waiters = new Waiters();
  /** Of the present connection; `undefined` while there is none. */
  #pacer: Pacer | undefined;
  #isScheduled = false;
  #paceTimer: Timer | undefined;
  #retryTimer: Timer | undefined;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** The streams that are wanted. */
  get desired(): ReadonlySet<string> {
    return this.#desired;
  }

  /** Whether one of several streams is looked for that the exchange refuses, for which it closes the connection. */
  get isSearching(): boolean {
    return this.#suspects.size > 0;
  }

  /** Wants more streams; resolves when the exchange carries them all, or they are not wanted any more. */
  add(streams: readonly string[]): Promise<void> {
    for (const stream of streams) {
      this.#desired.add(stream);
      this.#failures.delete(stream);
    }
    return this.#settle("SUBSCRIBE", streams);
  }

  /** Wants fewer streams; resolves when the exchange carries none of them, or they are wanted again. */
  delete(streams: readonly string[]): Promise<void> {
    for (const stream of streams) {
      this.#desired.delete(stream);
      this.#failures.delete(stream);
      this.#proven.delete(stream);
    }
    return this.#settle("UNSUBSCRIBE", streams);
  }

  /** A connection is open, with a pacer for what is sent over it; it carries nothing yet. */
  connected(pacer: Pacer): void {
    this.#pacer = pacer;
    this.#flush();
  }

  /** The connection is gone, and with it everything that it carried. */
  disconnected(): void {
    this.#pacer = undefined;
    this.#paceTimer?.cancel();
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
    for (const { timer } of this.#pending.values()) timer.cancel();
    for (const set of [this.#pending, this.#inFlight, this.#carried, this.#unknown, this.#failures]) set.clear();
    this.#resolveSettled();
  }

  /** No connection comes any more: everyone who waits gets `error`. */
  end(error: Error): void {
    this.#waiters.rejectWhere(() => true, error);
    this.disconnected();
  }

  /** Takes an answer of the exchange. */
  respond({ id, result, error }: ControlResponse): void {
    // An error may come without an id. The exchange answers in order, so it belongs to the oldest message.
    const key = id === undefined && error !== undefined ? this.#pending.keys().next().value : id;
    const message = typeof key === "number" ? this.#pending.get(key) : undefined;
    if (typeof key !== "number" || message === undefined) {
      if (error !== undefined) this.#options.warn(`The exchange reports an error: ${error.msg} (code ${error.code})`);
      return;
    }
    if (error === undefined && result !== null) return;
    this.#forget(key, message);
    if (error !== undefined) this.#refused(message, error);
    else this.#acknowledged(message);
    this.#resolveSettled();
    this.#schedule();
  }

  #acknowledged({ method, streams }: PendingMessage): void {
    for (const stream of streams) {
      if (method === "SUBSCRIBE") this.#carried.add(stream);
      else this.#carried.delete(stream);
      if (this.#desired.has(stream)) this.#proven.add(stream);
      for (const set of [this.#unknown, this.#suspects, this.#failures]) set.delete(stream);
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
      if (method === "UNSUBSCRIBE") this.#carried.delete(stream);
      else if (this.#proven.has(stream)) this.#leaveAlone(stream);
      else this.#desired.delete(stream);
    }
    const verb = method === "SUBSCRIBE" ? "subscribe to" : "unsubscribe from";
    const message = `Cannot ${verb} ${listOf(streams, "and", 5)}: the exchange answers ${JSON.stringify(error.msg)}`;
    this.#fail(method, new SubscriptionRejectedError(message, streams, error.code));
  }

  #timedOut(id: number, message: PendingMessage): void {
    const { method, streams } = message;
    const { ackTimeoutMs, warn } = this.#options;
    this.#forget(id, message);
    warn(`No answer to ${method} of ${listOf(streams, "and", 5)} within ${ackTimeoutMs} ms`);
    const leftAlone: string[] = [];
    for (const stream of streams) {
      this.#carried.delete(stream);
      this.#unknown.add(stream);
      const failures = (this.#failures.get(stream) ?? 0) + 1;
      this.#failures.set(stream, failures);
      if (failures < MAX_ATTEMPTS) continue;
      this.#leaveAlone(stream);
      leftAlone.push(stream);
    }
    if (leftAlone.length > 0) {
      this.#fail(method, new SubscriptionTimeoutError(leftAlone, ackTimeoutMs * MAX_ATTEMPTS));
    }
    this.#resolveSettled();
    this.#schedule();
  }

  /** Asks for nothing of the stream for a while, unless somebody does. */
  #leaveAlone(stream: string): void {
    this.#failures.set(stream, MAX_ATTEMPTS);
    this.#retryTimer ??= this.#options.clock.setTimer(() => {
      this.#retryTimer = undefined;
      this.#failures.clear();
      this.#flush();
    }, RETRY_MS);
  }

  #fail(method: ControlMethod, error: SubscriptionRejectedError | SubscriptionTimeoutError): void {
    this.#options.warn(error.message);
    const concerned = new Set(error.streams);
    this.#waiters.rejectWhere((waiter) => {
      return waiter.method === method && waiter.streams.some((stream) => concerned.has(stream));
    }, error);
    this.#options.onFailed(error);
  }

  #forget(id: number, { timer, streams }: PendingMessage): void {
    timer.cancel();
    this.#pending.delete(id);
    for (const stream of streams) this.#inFlight.delete(stream);
  }

  #settle(method: ControlMethod, streams: readonly string[]): Promise<void> {
    const promise = this.#waiters.add(method, streams);
    // Also those who wait for the opposite, which may have become what is.
    this.#resolveSettled();
    this.#schedule();
    return promise;
  }

  #isSettled(stream: string): boolean {
    return !this.#inFlight.has(stream) && !this.#unknown.has(stream) &&
      this.#desired.has(stream) === this.#carried.has(stream);
  }

  #resolveSettled(): void {
    this.#waiters.resolveWhere(({ streams }) => streams.every((stream) => this.#isSettled(stream)));
  }

  /** Sends at the end of the tick, so that changes made together leave together. */
  #schedule(): void {
    if (this.#pacer === undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    this.#paceTimer?.cancel();
    const pacer = this.#pacer;
    if (pacer === undefined) return;
    for (const [method, streams] of this.#differences()) {
      const { delayMs } = pacer;
      if (delayMs > 0) {
        this.#paceTimer = this.#options.clock.setTimer(() => this.#flush(), delayMs);
        return;
      }
      if (!this.#send(method, streams)) return;
      pacer.note();
    }
  }

  /** The messages that lead to the desired set: what is not wanted any more first, to make room. */
  *#differences(): Generator<[ControlMethod, string[]]> {
    const surplus = [...new Set([...this.#carried, ...this.#unknown])]
      .filter((stream) => !this.#desired.has(stream) && this.#mayBeSent(stream));
    for (const group of this.#groups(surplus)) yield ["UNSUBSCRIBE", group];
    const missing = [...this.#desired].filter((stream) => !this.#carried.has(stream) && this.#mayBeSent(stream));
    if (missing.length === 0) return;
    // What is carried, or may be, takes room until the exchange has said that it is gone.
    const occupied = new Set([...this.#carried, ...this.#unknown, ...this.#inFlight]);
    const again = missing.filter((stream) => occupied.has(stream));
    const fresh = missing.filter((stream) => !occupied.has(stream));
    const room = Math.max(0, this.#options.maxStreams - occupied.size);
    for (const group of this.#groups([...again, ...fresh.slice(0, room)])) yield ["SUBSCRIBE", group];
  }

  /** Not while its message is under way, and not after it has failed too often. */
  #mayBeSent(stream: string): boolean {
    return !this.#inFlight.has(stream) && (this.#failures.get(stream) ?? 0) < MAX_ATTEMPTS;
  }

  *#groups(streams: readonly string[]): Generator<string[]> {
    const bySize = Map.groupBy(streams, (stream) => this.#suspects.get(stream) ?? Infinity);
    // Large groups first: those without a suspect.
    for (const [most, group] of [...bySize].sort(([a], [b]) => b - a)) {
      for (const message of splitIntoMessages(group)) {
        for (let i = 0; i < message.length; i += most) yield message.slice(i, i + most);
      }
    }
  }

  #send(method: ControlMethod, streams: string[]): boolean {
    const { clock, ackTimeoutMs, nextId, send } = this.#options;
    const id = nextId();
    if (!send(controlMessage(method, streams, id))) return false;
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
