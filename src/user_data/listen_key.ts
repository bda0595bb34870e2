/**
 * One listen key: made, kept alive, made anew when it has ended, deleted if that is asked for.
 *
 * @module
 */

import {
  ApiError,
  ConnectionFailedError,
  HandshakeRejectedError,
  type Logger,
  messageOf,
  type Timer,
} from "../base/mod.ts";
import { banMs } from "../exchange/mod.ts";
import { Backoff } from "../stream/mod.ts";
import type { ListenKeyFlow } from "./flow.ts";
import { restCall, type RestSettings } from "./rest_call.ts";
import { errorWithoutSecrets } from "./secrets.ts";

/** How long in ms a key is valid after POST or PUT (derivatives "User Data Streams" pages). */
const LIFE_MS = 3_600_000;
/** Less than half of that: one failure leaves time for many more attempts. */
const KEEP_ALIVE_MS = 25 * 60_000;
/** Waits between these attempts; a key that is not kept alive in time says so by -1125. */
const RETRY = { minDelayMs: 5_000, maxDelayMs: 60_000, stableAfterMs: Infinity };
/** "This listenKey does not exist" (Binance errors.md, -1125). */
const NO_SUCH_KEY = -1125;
/** Keys that are remembered to hide them. */
const MAX_SECRETS = 16;

/** What a listen key is made of. */
export interface ListenKeySettings {
  readonly flow: ListenKeyFlow;
  readonly restBaseUrl: string;
  readonly rest: RestSettings;
  readonly apiKey: string;
  /** Name of the account. */
  readonly account: string;
  readonly logger: Logger;
  /** A key from elsewhere to begin with. */
  readonly given: string | undefined;
  readonly isKeptAlive: boolean;
  /** The key has ended, or there is another one; nothing was missed until `from`, in ms since 1970. */
  readonly onEnded: (from: number, reason: string) => void;
  /** The exchange refuses to keep it alive, and would again. */
  readonly onRefused: (error: ApiError) => void;
}

/** The listen key of one account. */
export class ListenKey {
  readonly #settings: ListenKeySettings;
  readonly #secrets: string[] = [];
  readonly #stopping = new AbortController();
  #key: string | undefined;
  #isGiven: boolean;
  /** When POST or PUT last succeeded, in ms since 1970. */
  #aliveAt = 0;
  #timer: Timer | undefined;
  #backoff = new Backoff(RETRY);

  constructor(settings: ListenKeySettings) {
    this.#settings = settings;
    this.#isGiven = settings.given !== undefined;
    if (settings.given !== undefined) this.#use(settings.given);
  }

  /** The keys so far, which nobody shall see. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /**
   * The key for a new connection. POST returns the one that exists and keeps it alive, or makes one: that is why each
   * connection begins with it. A key that has ended would be connected all the same, and stay silent.
   *
   * @throws What {@linkcode restCall} throws; but where there is no answer, a key that should still be alive is used.
   */
  async obtain(signal: AbortSignal): Promise<string> {
    const { account, logger, isKeptAlive } = this.#settings;
    const known = this.#key;
    try {
      if (known !== undefined && this.#isGiven) {
        if (!isKeptAlive || await this.#put(known, signal)) return this.#alive(known);
        logger.warn(`${account}: the listen key that was given does not exist any more; making a new one`);
        this.forget();
      }
      const { listenKey } = await this.#call("POST", signal);
      if (typeof listenKey !== "string" || listenKey === "") {
        throw new ConnectionFailedError("Cannot make a listen key: the answer has none");
      }
      this.#isGiven = false;
      this.#use(listenKey);
      return this.#alive(listenKey);
    } catch (error) {
      signal.throwIfAborted();
      const isUsable = known !== undefined && this.#key === known &&
        (this.#isGiven || this.#settings.rest.clock.now() - this.#aliveAt < LIFE_MS);
      if (!isUsable || !(error instanceof ConnectionFailedError)) throw error;
      logger.warn(`${account}: ${messageOf(error)}; using the listen key that there is`);
      this.#schedule(this.#retryDelayMs(error));
      return known;
    }
  }

  /** The key has ended: the next connection gets a new one. */
  forget(): void {
    this.#key = undefined;
    this.#isGiven = false;
    this.#timer?.cancel();
  }

  /** Keeps it alive no longer. */
  stop(): void {
    this.#timer?.cancel();
    this.#stopping.abort();
  }

  /** Deletes the key, whoever uses it. Never rejects. */
  async delete(): Promise<void> {
    const key = this.#key;
    if (key === undefined) return;
    try {
      await this.#call("DELETE", new AbortController().signal, key);
    } catch (error) {
      this.#settings.logger.warn(`${this.#settings.account}: ${messageOf(error)}`);
    }
  }

  async #call(
    method: "POST" | "PUT" | "DELETE",
    signal: AbortSignal,
    key?: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { flow, restBaseUrl, rest, apiKey } = this.#settings;
    const query: Record<string, string> = flow.isNamed && key !== undefined ? { listenKey: key } : {};
    try {
      return await restCall({ method, baseUrl: restBaseUrl, path: flow.restPath, query, apiKey }, rest, signal);
    } catch (error) {
      // The exchange's words may repeat the key.
      throw errorWithoutSecrets(error, this.#secrets);
    }
  }

  /** Keeps a key alive; returns whether it is the account's key. */
  async #put(key: string, signal: AbortSignal): Promise<boolean> {
    try {
      const { listenKey = key } = await this.#call("PUT", signal, key);
      return listenKey === key;
    } catch (error) {
      if (error instanceof ApiError && error.apiCode === NO_SUCH_KEY) return false;
      throw error;
    }
  }

  #use(key: string): void {
    if (!this.#secrets.includes(key)) this.#secrets.push(key);
    if (this.#secrets.length > MAX_SECRETS) this.#secrets.shift();
    this.#key = key;
  }

  #alive(key: string): string {
    this.#aliveAt = this.#settings.rest.clock.now();
    this.#backoff = new Backoff(RETRY);
    this.#schedule(KEEP_ALIVE_MS);
    return key;
  }

  #schedule(ms: number): void {
    this.#timer?.cancel();
    if (!this.#settings.isKeptAlive || this.#stopping.signal.aborted) return;
    this.#timer = this.#settings.rest.clock.setTimer(() => void this.#keepAlive(), ms);
  }

  /** Never rejects. */
  async #keepAlive(): Promise<void> {
    const { account, logger, onEnded, onRefused } = this.#settings;
    const key = this.#key;
    if (key === undefined) return;
    try {
      const isAlive = await this.#put(key, this.#stopping.signal);
      if (this.#key !== key || this.#stopping.signal.aborted) return;
      if (isAlive) {
        logger.debug(`${account}: the listen key was kept alive`);
        return void this.#alive(key);
      }
      const from = this.#aliveAt;
      this.forget();
      logger.warn(`${account}: the listen key does not exist any more; making a new one`);
      onEnded(from, "the listen key did not exist any more");
    } catch (error) {
      if (this.#key !== key || this.#stopping.signal.aborted) return;
      if (error instanceof ApiError) return onRefused(error);
      logger.warn(`${account}: ${messageOf(error)}; trying again to keep the listen key alive`);
      this.#schedule(this.#retryDelayMs(error));
    }
  }

  #retryDelayMs(error: unknown): number {
    if (error instanceof HandshakeRejectedError) return banMs(error.status ?? 429, error.retryAfterMs);
    return Math.max(1_000, this.#backoff.next(0));
  }
}
