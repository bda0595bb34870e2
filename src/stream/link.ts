/**
 * Keeps one path of the exchange connected: opens, reconnects, replaces a connection before the exchange cuts it.
 *
 * @module
 */

import type { SubscriptionRejectedError, SubscriptionTimeoutError, Timer } from "../base/mod.ts";
import { type ControlResponse, isServerShutdown } from "../exchange/mod.ts";
import type { CloseInfo } from "../transport/portable.ts";
import { DesiredStreams } from "./desired_streams.ts";
import { type Gap, GapWatch } from "./gap_watch.ts";
import type { LinkSettings } from "./link_settings.ts";
import type { Overlap } from "./overlap.ts";
import { Reconnector } from "./reconnector.ts";
import { Rollover } from "./rollover.ts";
import { Session } from "./session.ts";
import { SilenceWatch } from "./silence_watch.ts";
import type { SubscriptionAudit } from "./audits.ts";
import { type StreamEntry, StreamTable } from "./stream_table.ts";

/** Rollovers come earlier by a random part of this share of the age. */
const ROLLOVER_JITTER = 0.01;
/** One that did not succeed is tried again after this time in ms, or after the age where that is shorter. */
const ROLLOVER_RETRY_MS = 60_000;

/** What a link tells its stream. */
export interface LinkListener {
  /** A data message. Must not throw. */
  onData(text: string): void;
  /** An answer to a control message. Must not throw. */
  onControlResponse(text: string, response: ControlResponse): void;
  /** A connection is open. */
  onConnect(url: string): void;
  /** A connection that was open has ended. */
  onDisconnect(url: string, close: CloseInfo): void;
  /** A connection could not be opened; it is tried again. */
  onConnectFailed(url: string, error: unknown): void;
  /** The exchange refused streams, or did not answer for them. */
  onSubscriptionFailed(error: SubscriptionRejectedError | SubscriptionTimeoutError): void;
  /** Messages of a stream were missed. */
  onGap(url: string, gap: Gap): void;
  /** Nothing has come of a stream for longer than it should take. */
  onSilent(url: string, stream: string, silentMs: number): void;
  /** A connection was replaced by another one without a loss. */
  onRollover(url: string, reason: string): void;
  /** The link has given up. */
  onCrash(error: unknown): void;
}

/** Where a link is: `"restarting"` while a connection that was lost, or could not be opened, is opened again. */
export type LinkState = "starting" | "running" | "restarting";

/** A connection to one path of the exchange, kept up until it is stopped or can't be repaired. */
export class Link {
  readonly url: string;
  /** Resolves when the link has ended. */
  readonly ended: Promise<void>;
  readonly #settings: LinkSettings;
  readonly #listener: LinkListener;
  readonly #reconnector: Reconnector;
  readonly #desired = new DesiredStreams();
  readonly #table = new StreamTable();
  readonly #silence: SilenceWatch;
  readonly #stopping = new AbortController();
  #state: LinkState = "starting";
  /** Whether there ever was a connection. */
  #hasOpened = false;
  #session: Session;
  /** Connections that have not ended: also those that were replaced, or were to replace another. */
  readonly #running = new Set<Promise<CloseInfo>>();
  /** The one that replaces it, or was to. */
  #successor: Session | undefined;
  #isPaused = false;
  #rollover: Rollover | undefined;
  #reconnectTimes: number[] = [];
  #reconnects = 0;
  #rollovers = 0;
  #rolloverTimer: Timer | undefined;
  /** Told how the connection, or the last of those that replaced it, has ended. */
  #carried: PromiseWithResolvers<CloseInfo> | undefined;
  /** Knows what the connection before has brought; absent once this one must have got as far. */
  #caughtUp: Overlap | undefined;
  #catchUpTimer: Timer | undefined;
  readonly #gaps = new GapWatch();

  /** Creates the link and opens its connection. */
  constructor(url: string, settings: LinkSettings, listener: LinkListener) {
    this.url = url;
    this.#settings = settings;
    this.#listener = listener;
    this.#reconnector = new Reconnector(settings, this.#stopping.signal, {
      url,
      pauseMs: () => 0,
      carry: () => this.#carry(),
      onConnectFailed: (error) => listener.onConnectFailed(url, error),
      onRetry: (lastedMs) => this.#retry(lastedMs),
      onCrash: (error) => listener.onCrash(error),
    });
    this.#session = this.#newSession(true);
    this.#silence = new SilenceWatch({
      clock: settings.clock,
      table: this.#table,
      silenceMs: settings.silenceMs,
      isWatched: (stream) =>
        !this.#isPaused && this.#rollover === undefined && this.#session.subscriptions.carried.has(stream),
      onSilent: (stream, silentMs) => listener.onSilent(url, stream, silentMs),
      resubscribe: (streams) => this.#session.subscriptions.renew(streams),
      reconnect: () => this.#replace("streams stayed silent"),
    });
    this.ended = this.#reconnector.run().finally(() => Promise.allSettled(this.#running));
  }

  /** Where the link is. */
  get state(): LinkState {
    return this.#state;
  }

  /** Why there is no connection, in a few words; `undefined` while there is one. */
  get reason(): string | undefined {
    return this.#reconnector.reason;
  }

  /** How often the connection was opened again after it was lost. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /** When that was, in ms since 1970: the last 100. */
  get reconnectTimes(): readonly number[] {
    return this.#reconnectTimes;
  }

  /** How often the connection was replaced without a loss. */
  get rollovers(): number {
    return this.#rollovers;
  }

  /** The streams that are wanted. */
  get desired(): ReadonlySet<string> {
    return this.#desired.wanted;
  }

  /** Age in ms of the connection, and round trip in ms of its last ping. */
  get connection(): { readonly ageMs: number; readonly latencyMs: number | undefined } {
    return this.#session;
  }

  /** Messages so far and the last one of each stream. */
  get streams(): Iterable<StreamEntry> {
    return this.#table.entries;
  }

  /** Wants more streams; resolves when the exchange has acknowledged them all. */
  add(streams: readonly string[]): Promise<void> {
    for (const stream of streams) this.#table.add(stream);
    const settled = this.#session.subscriptions.add(streams);
    this.#rollover?.refresh(streams);
    return settled;
  }

  /** Wants fewer streams; resolves when the exchange has acknowledged that. */
  delete(streams: readonly string[]): Promise<void> {
    const settled = this.#session.subscriptions.delete(streams);
    this.#rollover?.refresh(streams);
    return settled.then(() => {
      for (const stream of streams) if (!this.#desired.wanted.has(stream)) this.#forget(stream);
    });
  }

  /** Stops reading, or goes on, where the library can do that: so that TCP holds the exchange back. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#session.setPaused(isPaused);
    this.#successor?.setPaused(isPaused);
  }

  #forget(stream: string): void {
    const entry = this.#table.get(stream);
    if (entry !== undefined) this.#gaps.forget(entry);
    this.#table.delete(stream);
    this.#rollover?.forget(stream);
  }

  /** Asks the exchange what it carries, and mends what differs. */
  audit(): Promise<SubscriptionAudit> {
    return this.#session.subscriptions.audit();
  }

  /** Ends the link at once: nothing is delivered any more. `reason` is what those who wait for a subscription get. */
  stop(reason: Error): void {
    if (this.#isStopping) return;
    this.#stopping.abort(reason);
    this.#desired.waiters.rejectWhere(() => true, reason);
    this.#cancelTimers();
    this.#rollover?.cancel();
    this.#session.close();
  }

  /** Whether another connection is opened at once. */
  #retry(lastedMs: number): boolean {
    this.#state = "restarting";
    // The exchange has closed the connection for a stream that it refuses: that is our doing, not a failure of its.
    const isOurDoing = this.#desired.hasNarrowed;
    this.#desired.hasNarrowed = false;
    return lastedMs > 0 && isOurDoing;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #newSession(isLeading: boolean): Session {
    const session = new Session(this.url, this.#settings, this.#desired, isLeading, {
      onOpen: (session) => this.#opened(session),
      onData: (session, text) => this.#receive(session, text),
      onControlResponse: (text, response) => this.#listener.onControlResponse(text, response),
      onSubscriptionFailed: (error) => this.#listener.onSubscriptionFailed(error),
    });
    session.setPaused(this.#isPaused);
    return session;
  }

  /** Opens a connection and resolves when it, or the last of those that replaced it, has ended. */
  #carry(): Promise<CloseInfo> {
    const { promise, reject } = this.#carried = Promise.withResolvers<CloseInfo>();
    const session = this.#session = this.#newSession(true);
    const ended = session.run(this.#stopping.signal);
    this.#track(ended);
    ended.then((close) => this.#ended(session, close), reject);
    return promise;
  }

  /** One that was replaced may take its time to end: what counts is the one that carries the streams. */
  #ended(session: Session, close: CloseInfo): void {
    if (session !== this.#session || this.#rollover?.takeOver()) return;
    this.#lost(close);
    this.#carried?.resolve(close);
  }

  #opened(session: Session): void {
    if (session !== this.#session) return;
    if (this.#hasOpened) {
      this.#reconnects++;
      this.#reconnectTimes.push(this.#settings.clock.now());
      if (this.#reconnectTimes.length > 100) this.#reconnectTimes.shift();
    }
    this.#hasOpened = true;
    this.#state = "running";
    this.#reconnector.opened();
    this.#silence.start();
    this.#scheduleRollover();
    this.#listener.onConnect(this.url);
  }

  #lost(close: CloseInfo): void {
    this.#cancelTimers();
    this.#rollover?.cancel();
    this.#rollover = this.#successor = this.#caughtUp = undefined;
    this.#gaps.lost(this.#table, this.#settings.clock.monotonic());
    this.#listener.onDisconnect(this.url, close);
  }

  #cancelTimers(): void {
    this.#silence.stop();
    this.#rolloverTimer?.cancel();
    this.#catchUpTimer?.cancel();
  }

  /** The way of every message. */
  #receive(session: Session, text: string): void {
    const rollover = this.#rollover;
    if (session === this.#session && this.#caughtUp?.isRepeated(text)) return;
    if (rollover !== undefined) rollover.receive(session, text);
    else if (session === this.#session) this.#deliver(text);
  }

  #deliver(text: string): void {
    const entry = this.#table.note(text);
    if (entry === undefined) {
      if (isServerShutdown(text)) return this.#replace("the exchange shuts the server down");
    } else if (this.#gaps.isWaiting) {
      const gap = this.#gaps.check(entry, text, this.#settings.clock.monotonic());
      if (gap !== undefined) {
        this.#listener.onGap(this.url, gap);
        if (this.#isStopping) return;
      }
    }
    this.#listener.onData(text);
  }

  /** Replaces the connection before the exchange cuts it; not all connections of a process at the same time. */
  #scheduleRollover(): void {
    const { clock, rolloverAgeMs } = this.#settings;
    this.#rolloverTimer?.cancel();
    if (rolloverAgeMs === 0) return;
    const jitterMs = Math.random() * rolloverAgeMs * ROLLOVER_JITTER;
    const restMs = Math.max(0, rolloverAgeMs - this.#session.ageMs - jitterMs);
    this.#rolloverTimer = clock.setTimer(() => this.#replace("it is old"), restMs);
  }

  /** Replaces the connection later, for a reason that is still there. */
  #replaceLater(reason: string): void {
    const { clock, rolloverAgeMs } = this.#settings;
    this.#rolloverTimer?.cancel();
    const delayMs = rolloverAgeMs === 0 ? ROLLOVER_RETRY_MS : Math.min(rolloverAgeMs, ROLLOVER_RETRY_MS);
    this.#rolloverTimer = clock.setTimer(() => this.#replace(reason), delayMs);
  }

  /** Opens a second connection, and lets go of the first one when nothing can be missed. */
  #replace(reason: string): void {
    if (this.#rollover !== undefined || this.#isStopping || !this.#session.isOpen) return;
    if (!this.#settings.connectBudget.take()) return this.#replaceLater(reason);
    this.#settings.logger.info(`${this.url}: replacing the connection, because ${reason}`);
    const predecessor = this.#session;
    const successor = this.#successor = this.#newSession(false);
    this.#rollover = new Rollover({
      settings: this.#settings,
      table: this.#table,
      predecessor,
      successor,
      // Several may be delivered in a row, and the first may stop the stream.
      deliver: (text) => {
        if (!this.#isStopping) this.#deliver(text);
      },
      onDone: (remaining, overlap) => {
        this.#rollover = this.#successor = undefined;
        if (remaining === predecessor) this.#replaceLater(reason);
        else this.#replaced(remaining, overlap, reason);
      },
    });
    this.#track(successor.ended);
  }

  /** Whoever is told may stop the stream: everything is in its place before that. */
  #replaced(successor: Session, overlap: Overlap, reason: string): void {
    this.#session = successor;
    successor.ended.then((close) => this.#ended(successor, close));
    this.#rollovers++;
    this.#catchUp(overlap);
    this.#scheduleRollover();
    successor.subscriptions.lead();
    // What the one before was still to bring is missed.
    this.#gaps.lost(this.#table, this.#settings.clock.monotonic());
    overlap.end();
    if (!this.#isStopping) this.#listener.onRollover(this.url, reason);
  }

  #track(ended: Promise<CloseInfo>): void {
    this.#running.add(ended);
    const forget = () => void this.#running.delete(ended);
    ended.then(forget, forget);
  }

  /** The new connection may be behind the old one by as long as both were open. */
  #catchUp(overlap: Overlap): void {
    this.#catchUpTimer?.cancel();
    this.#caughtUp = overlap;
    this.#catchUpTimer = this.#settings.clock.setTimer(() => this.#caughtUp = undefined, this.#settings.overlapMs);
  }
}
