/**
 * Keeps something connected: attempt after attempt, within the budget and with backoff, until it can't be repaired.
 *
 * @module
 */

import { messageOf } from "../base/mod.ts";
import { type CloseInfo, describeClose } from "../transport/portable.ts";
import { Backoff } from "./backoff.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { LinkSettings } from "./link_settings.ts";

/** What is kept connected. */
export interface Reconnected {
  readonly url: string;
  /** How long in ms no attempt may be made, beside what the budget says. */
  pauseMs(): number;
  /** Opens a connection. Resolves when it, or the last of those that replaced it, has ended; rejects if it can't be opened. */
  carry(): Promise<CloseInfo>;
  /** A connection could not be opened; it is tried again. */
  onConnectFailed(error: unknown, failure: Failure): void;
  /** There was a connection, for so many ms, or 0 for none, and another one will be opened. Returns whether at once. */
  onRetry(lastedMs: number): boolean;
  /** Another attempt can't help. */
  onCrash(error: unknown): void;
}

/** What a reconnector shares with others. */
export type ReconnectorSettings = Pick<
  LinkSettings,
  "clock" | "logger" | "connectBudget" | "backoff" | "onRateLimited"
>;

/** The loop that connects; there is one for each connection that is wanted, so that attempts are never made side by side. */
export class Reconnector {
  readonly #settings: ReconnectorSettings;
  readonly #connection: Reconnected;
  readonly #stopped: AbortSignal;
  readonly #backoff: Backoff;
  #hasFailed = false;
  #reason: string | undefined;

  /** @param stopped Ends it. */
  constructor(settings: ReconnectorSettings, stopped: AbortSignal, connection: Reconnected) {
    this.#settings = settings;
    this.#stopped = stopped;
    this.#connection = connection;
    this.#backoff = new Backoff(settings.backoff);
  }

  /** Whether the last attempt to connect failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Why there is no connection, in a few words; `undefined` if there is one, the first attempt is under way, or it was stopped. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** There is a connection. */
  opened(): void {
    this.#hasFailed = false;
    this.#reason = undefined;
  }

  /** Connects until it is stopped, or another attempt can't help. Never rejects. */
  async run(): Promise<void> {
    const { clock, logger } = this.#settings;
    const { url } = this.#connection;
    while (!this.#hasStopped) {
      if (!await this.#takeAttempt()) continue;
      let lastedMs = 0;
      try {
        const openedAt = clock.monotonic();
        const close = await this.#connection.carry();
        lastedMs = clock.monotonic() - openedAt;
        this.#reason = `the connection ended (${describeClose(close)})`;
        logger.info(`${url}: ${this.#reason}`);
        if (close.code === 1008) this.#backoff.punish();
      } catch (error) {
        if (this.#hasStopped) break;
        const failure = failureOf(error);
        this.#hasFailed = true;
        this.#reason = failure.text;
        if (!this.#mayGoOn(failure)) return this.#connection.onCrash(error);
        logger.warn(messageOf(error));
        this.#connection.onConnectFailed(error, failure);
      }
      if (!this.#connection.onRetry(lastedMs)) await this.#wait(this.#backoff.next(lastedMs));
    }
    this.#reason = undefined;
  }

  // Read through a getter, because the compiler doesn't see that it changes while the loop waits.
  get #hasStopped(): boolean {
    return this.#stopped.aborted;
  }

  /** Takes an attempt to connect, or waits until there may be one again; returns whether it has one. */
  async #takeAttempt(): Promise<boolean> {
    const { connectBudget, logger } = this.#settings;
    const pauseMs = this.#connection.pauseMs();
    if (pauseMs <= 0 && connectBudget.take()) return true;
    const delayMs = Math.max(pauseMs, connectBudget.delayMs);
    this.#reason ??= "the exchange allows no attempt to connect just now";
    logger.warn(`${this.#connection.url}: the next attempt to connect may be in ${Math.ceil(delayMs / 1_000)} s`);
    await this.#wait(delayMs);
    return false;
  }

  /** Prepares for the next attempt; returns whether there may be one. */
  #mayGoOn({ isFatal, retryAfterMs, hasNamedTime }: Failure): boolean {
    const { connectBudget, onRateLimited } = this.#settings;
    if (isFatal || retryAfterMs === undefined) return !isFatal;
    const isCrash = onRateLimited === "crash";
    // What the exchange has asked for holds for others too, and for who comes next. Our own guess is for who goes on.
    if (hasNamedTime || !isCrash) connectBudget.block(retryAfterMs);
    this.#backoff.punish();
    return !isCrash;
  }

  #wait(ms: number): Promise<void> {
    if (ms === 0 || this.#hasStopped) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = () => resolve();
    const timer = this.#settings.clock.setTimer(stop, ms);
    this.#stopped.addEventListener("abort", stop);
    return promise.finally(() => {
      timer.cancel();
      this.#stopped.removeEventListener("abort", stop);
    });
  }
}
