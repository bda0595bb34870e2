/**
 * Keeps an API stream connected: opens, reconnects, replaces a connection before the exchange cuts it.
 *
 * @module
 */

import { messageOf, type Timer } from "../base/mod.ts";
import { type Failure, type LinkSettings, Reconnector } from "../stream/mod.ts";
import type { CloseInfo } from "../transport/portable.ts";
import { ApiSession, type ApiSessionListener } from "./api_session.ts";

/** Rollovers come earlier by a random part of this share of the age. */
const ROLLOVER_JITTER = 0.01;
/** One that did not succeed is tried again after this share of the age: 86 s of 23 h 50 min. */
const ROLLOVER_RETRY = 0.001;

/** What a link tells its stream. Nothing may throw. */
export interface ApiLinkListener {
  /** A connection is open: the link's, or one that is to replace it. */
  onOpen(session: ApiSession): void;
  onText(session: ApiSession, text: string): void;
  /** A connection that was open has ended. `isCurrent`: it was the link's, and not one that was to replace it, or was replaced. */
  onClose(session: ApiSession, close: CloseInfo, isCurrent: boolean): void;
  onConnectFailed(error: unknown, failure: Failure): void;
  /** How long in ms nothing may be sent, and no attempt to connect may be made. */
  pauseMs(): number;
  /** An attempt to connect is made. */
  onAttempt(): void;
  /** Asks for a sign of life; returns in how many ms that can be done if it can't be now, else 0. */
  probe(session: ApiSession): number;
  /** Another attempt can't help. */
  onCrash(error: unknown): void;
}

/** A connection to a WebSocket API, kept up until it is stopped or can't be repaired. */
export class ApiLink {
  readonly url: string;
  /** Resolves when the link has ended. */
  readonly ended: Promise<void>;
  readonly #settings: LinkSettings;
  readonly #listener: ApiLinkListener;
  readonly #reconnector: Reconnector;
  readonly #stopping = new AbortController();
  #session: ApiSession | undefined;
  #successor: ApiSession | undefined;
  #predecessor: ApiSession | undefined;
  /** Why the connection is being replaced. */
  #reason = "";
  #hasOpened = false;
  #reconnects = 0;
  #rollovers = 0;
  #rolloverTimer: Timer | undefined;

  /** Creates the link and opens its connection. */
  constructor(url: string, settings: LinkSettings, listener: ApiLinkListener) {
    this.url = url;
    this.#settings = settings;
    this.#listener = listener;
    this.#reconnector = new Reconnector(settings, this.#stopping.signal, {
      url,
      pauseMs: () => listener.pauseMs(),
      carry: () => this.#carry(),
      onConnectFailed: (error, failure) => listener.onConnectFailed(error, failure),
      onRetry: () => false,
      onCrash: (error) => listener.onCrash(error),
    });
    this.ended = this.#reconnector.run();
  }

  /** The connection; `undefined` before the first attempt. */
  get session(): ApiSession | undefined {
    return this.#session;
  }

  /** Whether the last attempt to connect failed. */
  get hasFailed(): boolean {
    return this.#reconnector.hasFailed;
  }

  /** Why there is no connection, in a few words; `undefined` while there is one. */
  get reason(): string | undefined {
    return this.#reconnector.reason;
  }

  /** How often the connection was opened again after it was lost. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /** How often the connection was replaced by a new one. */
  get rollovers(): number {
    return this.#rollovers;
  }

  /** Opens a second connection; `onOpen` is told of it, and `takeOver()` makes it the link's. */
  replace(reason: string): void {
    if (this.#successor !== undefined || this.#isStopping || !this.#session?.isOpen) return;
    if (this.#listener.pauseMs() > 0 || !this.#settings.connectBudget.take()) return this.#scheduleRollover();
    this.#listener.onAttempt();
    this.#settings.logger.info(`${this.url}: replacing the connection, because ${reason}`);
    this.#reason = reason;
    const successor = this.#successor = this.#newSession();
    const failed = () => {
      if (this.#successor !== successor) return;
      this.#successor = undefined;
      this.#scheduleRollover();
    };
    successor.run(this.#stopping.signal).then(failed, (error) => {
      if (!this.#isStopping) this.#settings.logger.warn(messageOf(error));
      failed();
    });
  }

  /**
   * Makes the second connection the link's; the first one stays open until `letGo()`. Returns why it is replaced, `undefined`
   * if the second one is not there any more.
   */
  takeOver(session: ApiSession): string | undefined {
    if (session !== this.#successor || !session.isOpen) return undefined;
    this.#predecessor = this.#session;
    this.#session = session;
    this.#successor = undefined;
    this.#rollovers++;
    this.#scheduleRollover();
    return this.#reason;
  }

  /** Closes the connection that was replaced. */
  letGo(): void {
    this.#predecessor?.close();
    this.#predecessor = undefined;
  }

  /** Ends the link. */
  stop(): void {
    if (this.#isStopping) return;
    this.#rolloverTimer?.cancel();
    this.#stopping.abort();
    for (const session of [this.#session, this.#successor, this.#predecessor]) session?.close();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Opens a connection and resolves when it, and all that have replaced it, have ended. */
  async #carry(): Promise<CloseInfo> {
    this.#listener.onAttempt();
    let session = this.#session = this.#newSession();
    let ended = session.run(this.#stopping.signal);
    while (true) {
      const close = await ended;
      if (this.#session === session) return close;
      session = this.#session;
      ended = session.ended;
    }
  }

  #newSession(): ApiSession {
    const { probe, onText } = this.#listener;
    const listener: ApiSessionListener = {
      probe,
      onText,
      onOpen: (session) => this.#opened(session),
      onClose: (session, close) => {
        // The loop waits for the one that was replaced: it must not be open when there is no other any more.
        if (session === this.#session) {
          this.#rolloverTimer?.cancel();
          this.letGo();
          this.#successor?.terminate();
          this.#successor = undefined;
        }
        this.#listener.onClose(session, close, session === this.#session);
      },
    };
    return new ApiSession(this.url, this.#settings, listener);
  }

  #opened(session: ApiSession): void {
    if (session === this.#session) {
      if (this.#hasOpened) this.#reconnects++;
      this.#hasOpened = true;
      this.#reconnector.opened();
      this.#scheduleRollover();
    } else if (session !== this.#successor) {
      // It was to replace a connection that is lost meanwhile: the loop opens another one.
      return session.terminate();
    }
    this.#listener.onOpen(session);
  }

  #scheduleRollover(): void {
    const { clock, rolloverAgeMs } = this.#settings;
    this.#rolloverTimer?.cancel();
    if (rolloverAgeMs === 0 || this.#session === undefined || this.#isStopping) return;
    const jitterMs = Math.random() * rolloverAgeMs * ROLLOVER_JITTER;
    const restMs = Math.max(rolloverAgeMs * ROLLOVER_RETRY, rolloverAgeMs - this.#session.ageMs);
    this.#rolloverTimer = clock.setTimer(() => this.replace("it is old"), Math.max(0, restMs - jitterMs));
  }
}
