/**
 * The subscriptions of one connection: what is desired, what the exchange carries, and the messages between.
 *
 * @module
 */

import { listOf, SubscriptionRejectedError, SubscriptionTimeoutError, type Timer } from "../base/mod.ts";
import { controlMessage, type ControlMethod, type ControlResponse, splitIntoMessages } from "../exchange/mod.ts";
import { Audits, type ControlOptions, patience, type SubscriptionAudit } from "./audits.ts";
import type { DesiredStreams } from "./desired_streams.ts";
import type { Pacer } from "./pacer.ts";

/** How often an unanswered control message is sent in all, before it is left alone. */
const MAX_ATTEMPTS = 2;
/** After this time in ms, what was left alone is tried again. */
const RETRY_MS = 30_000;
/** Binance web-socket-streams.md, "Error Messages": the request can't be taken as it is. */
const INVALID_REQUEST = 2;

/** What the subscriptions of a connection need. */
export interface SubscriptionsOptions extends ControlOptions {
  /** Streams that the connection may carry. */
  readonly maxStreams: number;
  /** Told about what is being mended. */
  readonly warn: (message: string) => void;
  /** Told about streams that the exchange refused or did not answer for, whether somebody waits for them or not. */
  readonly onFailed: (error: SubscriptionRejectedError | SubscriptionTimeoutError) => void;
}

interface PendingMessage {
  readonly method: ControlMethod;
  readonly streams: readonly string[];
  readonly patience: { readonly timer: Timer };
}

/**
 * Brings a connection from what it carries to what is desired. After a reconnect everything is computed from the
 * desired set anew; nothing that was queued is replayed. All changes made in one tick leave in common messages.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #shared: DesiredStreams;
  /** Whether those who wait are told by this connection, and not by the one that it will replace. */
  #isLeading: boolean;
  readonly #carried = new Set<string>();
  /** Streams of messages that went unanswered: they may be carried or not. */
  readonly #unknown = new Set<string>();
  readonly #inFlight = new Set<string>();
  readonly #pending = new Map<number, PendingMessage>();
  readonly #audits: Audits;
  /** How often a stream's message failed; at MAX_ATTEMPTS it is left alone for a while. */
  readonly #failures = new Map<string, number>();
  /** `undefined` while the connection is not open. */
  #pacer: Pacer | undefined;
  #isScheduled = false;
  #paceTimer: Timer | undefined;
  #retryTimer: Timer | undefined;

  /** Creates the subscriptions of a connection that is not open yet. */
  constructor(shared: DesiredStreams, isLeading: boolean, options: SubscriptionsOptions) {
    this.#shared = shared;
    this.#isLeading = isLeading;
    this.#options = options;
    this.#audits = new Audits(options);
  }

  /** Whether the connection carries exactly what is wanted, as far as the exchange takes it. */
  get isComplete(): boolean {
    return this.#pacer !== undefined && this.#pending.size === 0 &&
      [...this.#wanted].every((stream) => this.#carried.has(stream) || !this.#mayBeSent(stream));
  }

  /** Whether this connection carries everything wanted that the other one does, and nothing else. */
  covers(other: Subscriptions): boolean {
    return this.isComplete && [...this.#carried].every((stream) => this.#wanted.has(stream)) &&
      [...this.#wanted].every((stream) => this.#carried.has(stream) || !other.carried.has(stream));
  }

  /** What the exchange has acknowledged on this connection. */
  get carried(): ReadonlySet<string> {
    return this.#carried;
  }

  get #wanted(): Set<string> {
    return this.#shared.wanted;
  }

  /** Wants more streams; resolves when the exchange carries them all, or they are not wanted any more. */
  add(streams: readonly string[]): Promise<void> {
    for (const stream of streams) this.#wanted.add(stream);
    return this.#settle("SUBSCRIBE", streams);
  }

  /** Wants fewer streams; resolves when the exchange carries none of them, or they are wanted again. */
  delete(streams: readonly string[]): Promise<void> {
    for (const stream of streams) {
      this.#wanted.delete(stream);
      this.#shared.proven.delete(stream);
    }
    return this.#settle("UNSUBSCRIBE", streams);
  }

  /** Looks at what is wanted again, after it was changed through another connection. */
  refresh(streams: readonly string[]): void {
    for (const stream of streams) this.#failures.delete(stream);
    this.#schedule();
  }

  /** Those who wait are told by this connection from now on. */
  lead(): void {
    this.#isLeading = true;
    this.#resolveSettled();
  }

  /**
   * Asks the exchange what it carries, and mends what differs from what is wanted.
   *
   * @throws {TypeError} if the connection is not open, or ends before the answer.
   * @throws {SubscriptionTimeoutError} if there is no answer.
   */
  audit(): Promise<SubscriptionAudit> {
    return this.#audits.ask(() => this.#pacer, this.#wanted, (listed) => this.#compare(listed));
  }

  /** Subscribes anew to streams of which nothing comes although the exchange has acknowledged them. */
  renew(streams: readonly string[]): void {
    // What may be carried or not is subscribed to again.
    for (const stream of streams) {
      if (this.#carried.delete(stream)) this.#unknown.add(stream);
    }
    this.#schedule();
  }

  /** A connection is open, with a pacer for what is sent over it; it carries nothing yet. */
  connected(pacer: Pacer): void {
    this.#pacer = pacer;
    this.#flush();
  }

  /** The connection is given up: nobody who waits is told by it any more. */
  retire(): void {
    this.#isLeading = false;
    this.end();
  }

  /** The connection is gone, and with it everything that it carried. */
  end(): void {
    this.#pacer = undefined;
    this.#paceTimer?.cancel();
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
    for (const { patience } of this.#pending.values()) patience.timer.cancel();
    this.#audits.end();
    for (const set of [this.#pending, this.#inFlight, this.#carried, this.#unknown, this.#failures]) set.clear();
    this.#resolveSettled();
  }

  /** Takes an answer of the exchange. */
  respond({ id, result, error }: ControlResponse): void {
    // An error may come without an id. The exchange answers in order, so it belongs to the oldest message.
    const key = id === undefined && error !== undefined ? this.#pending.keys().next().value : id;
    const message = typeof key === "number" ? this.#pending.get(key) : undefined;
    if (typeof key === "number" && Array.isArray(result) && this.#audits.answer(key, result)) return;
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

  /** Compares what the exchange has listed with what is wanted, and mends what differs. */
  #compare(present: ReadonlySet<string>): SubscriptionAudit {
    const isQuiet = (stream: string) => !this.#inFlight.has(stream);
    const missing = [...this.#carried].filter((stream) => !present.has(stream) && isQuiet(stream));
    const surplus = [...present].filter((stream) => !this.#carried.has(stream) && isQuiet(stream));
    for (const stream of missing) this.#carried.delete(stream);
    for (const stream of surplus) this.#carried.add(stream);
    // Now it is known, and worth another attempt.
    for (const stream of this.#unknown) if (isQuiet(stream)) this.#unknown.delete(stream);
    for (const stream of [...missing, ...surplus]) this.#failures.delete(stream);
    this.#resolveSettled();
    this.#schedule();
    return {
      missing: missing.filter((stream) => this.#wanted.has(stream)),
      surplus: surplus.filter((stream) => !this.#wanted.has(stream)),
    };
  }

  #acknowledged({ method, streams }: PendingMessage): void {
    for (const stream of streams) {
      if (method === "SUBSCRIBE") this.#carried.add(stream);
      else this.#carried.delete(stream);
      if (this.#wanted.has(stream)) this.#shared.proven.add(stream);
      for (const set of [this.#unknown, this.#shared.suspects, this.#failures]) set.delete(stream);
    }
  }

  #refused({ method, streams }: PendingMessage, error: NonNullable<ControlResponse["error"]>): void {
    if (error.code === INVALID_REQUEST && streams.length > 1) {
      this.#options.warn(`The exchange refused ${streams.length} streams at once: ${error.msg}; trying them in halves`);
      for (const stream of streams) this.#shared.suspects.set(stream, Math.ceil(streams.length / 2));
      this.#shared.hasNarrowed = true;
      return;
    }
    for (const stream of streams) {
      const wasSuspect = this.#shared.suspects.delete(stream);
      this.#unknown.delete(stream);
      if (method === "UNSUBSCRIBE") this.#carried.delete(stream);
      else if (this.#shared.proven.has(stream)) this.#leaveAlone(stream);
      else {
        this.#wanted.delete(stream);
        if (wasSuspect) this.#shared.hasNarrowed = true;
      }
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
    this.#shared.waiters.rejectWhere((waiter) => {
      return waiter.method === method && waiter.streams.some((stream) => concerned.has(stream));
    }, error);
    this.#options.onFailed(error);
  }

  #forget(id: number, { patience, streams }: PendingMessage): void {
    patience.timer.cancel();
    this.#pending.delete(id);
    for (const stream of streams) this.#inFlight.delete(stream);
  }

  #settle(method: ControlMethod, streams: readonly string[]): Promise<void> {
    for (const stream of streams) this.#failures.delete(stream);
    const promise = this.#shared.waiters.add(method, streams);
    // Also those who wait for the opposite, which may have become what is.
    this.#resolveSettled();
    this.#schedule();
    return promise;
  }

  #isSettled(stream: string): boolean {
    return !this.#inFlight.has(stream) && !this.#unknown.has(stream) &&
      this.#wanted.has(stream) === this.#carried.has(stream);
  }

  #resolveSettled(): void {
    if (!this.#isLeading) return;
    this.#shared.waiters.resolveWhere(({ streams }) => streams.every((stream) => this.#isSettled(stream)));
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
      .filter((stream) => !this.#wanted.has(stream) && this.#mayBeSent(stream));
    for (const group of this.#groups(surplus)) yield ["UNSUBSCRIBE", group];
    const missing = [...this.#wanted].filter((stream) => !this.#carried.has(stream) && this.#mayBeSent(stream));
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
    const bySize = Map.groupBy(streams, (stream) => this.#shared.suspects.get(stream) ?? Infinity);
    // Large groups first: those without a suspect.
    for (const [most, group] of [...bySize].sort(([a], [b]) => b - a)) {
      for (const message of splitIntoMessages(group)) {
        for (let i = 0; i < message.length; i += most) yield message.slice(i, i + most);
      }
    }
  }

  #send(method: ControlMethod, streams: string[]): boolean {
    const { nextId, send } = this.#options;
    const id = nextId();
    if (!send(controlMessage(method, streams, id))) return false;
    const message: PendingMessage = {
      method,
      streams,
      patience: patience(this.#options, () => this.#timedOut(id, message)),
    };
    this.#pending.set(id, message);
    for (const stream of streams) this.#inFlight.add(stream);
    return true;
  }
}
