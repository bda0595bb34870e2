/**
 * The subscription of one account on a WebSocket API connection: made, renewed, and made anew whenever it has ended.
 *
 * @module
 */

import { type InternalRequestOptions, isPassing, type Params } from "../api/mod.ts";
import {
  ApiError,
  ConnectionFailedError,
  HandshakeRejectedError,
  type Logger,
  messageOf,
  RateLimitedError,
  type Timer,
} from "../base/mod.ts";
import { banMs } from "../exchange/mod.ts";
import { Backoff, type LinkSettings } from "../stream/mod.ts";
import type { Account } from "./accounts.ts";
import { GapTracker, type UserDataGap } from "./gap_tracker.ts";
import { makeListenToken } from "./listen_token.ts";
import type { RestSettings } from "./rest_call.ts";
import type { UserDataAccount } from "./source.ts";
import type { UserDataApi } from "./user_data_api.ts";
import { waitFor } from "./waiting.ts";

/** "User Data Stream subscription already active" (Binance errors.md, -2035). */
const ALREADY_SUBSCRIBED = -2035;
/** The exchange does not take the token (measured, not documented). */
const BAD_TOKEN = -1209;
/** There is no logon (measured), or its key was refused. */
const NOT_LOGGED_ON: readonly (number | undefined)[] = [-1193, -2015];
/** How often what should help is tried before a refusal is believed. */
const MAX_REMEDIES = 2;
/** A token is renewed when this share of its life is over. */
const RENEW_AT = 0.5;

/** What a subscription is made of. */
export interface ApiSubscriptionSettings {
  readonly account: Account;
  readonly via: "signature" | "logon" | "listenToken";
  readonly api: UserDataApi;
  readonly restBaseUrl: string;
  readonly rest: RestSettings;
  readonly validityMs: number | undefined;
  readonly backoff: LinkSettings["backoff"];
  readonly logger: Logger;
  /** Ends subscriptions on the connection that belong to nobody. */
  readonly dropOrphans: (signal: AbortSignal) => Promise<void>;
  readonly onGap: (gap: UserDataGap) => void;
  /** The exchange refuses, and would again. */
  readonly onRefused: (error: unknown) => void;
}

/** The subscription of one account. */
export class ApiSubscription {
  /** Resolves when it exists for the first time. */
  readonly ready: Promise<void>;
  readonly #settings: ApiSubscriptionSettings;
  readonly #ready = Promise.withResolvers<void>();
  readonly #gap: GapTracker;
  readonly #backoff: Backoff;
  #id: number | undefined;
  #since = 0;
  /** Last time in ms since 1970 at which it is known to have existed. */
  #provenAt = 0;
  #events = 0;
  #hasFailed = false;
  #renewal: Timer | undefined;
  /** Ends with the connection: what belongs to it can't touch the next one. */
  #connection: AbortSignal | undefined;
  #isBusy = false;

  constructor(settings: ApiSubscriptionSettings) {
    this.#settings = settings;
    this.#gap = new GapTracker(settings.onGap);
    this.#backoff = new Backoff(settings.backoff);
    this.ready = this.#ready.promise;
  }

  /** Its id on the connection; `undefined` while there is none. */
  get id(): number | undefined {
    return this.#id;
  }

  /** Since when it has this id, in ms of the monotonic clock. */
  get since(): number {
    return this.#since;
  }

  /** Whether the exchange has refused it for good. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The account, as it is now. */
  get info(): UserDataAccount {
    const state = this.#hasFailed
      ? "failed"
      : this.#id !== undefined
      ? "running"
      : this.#provenAt === 0
      ? "starting"
      : "restarting";
    return { name: this.#settings.account.name, state, subscriptionId: this.#id, events: this.#events };
  }

  /** There is a connection, until `signal` is aborted: subscribes, unless there is a subscription on it. */
  connected(signal: AbortSignal): void {
    this.#connection = signal;
    if (this.#id === undefined) void this.#subscribe(signal);
  }

  /** The connection is gone, for `reason`; nothing was missed until `from`, in ms since 1970. */
  disconnected(from: number, reason: string): void {
    this.#lost(Math.max(from, this.#provenAt), reason);
  }

  /** An event of the account came and is handed on. */
  noteEvent(): void {
    this.#events++;
  }

  /** The exchange says that the subscription exists. */
  proven(): void {
    this.#provenAt = this.#settings.rest.clock.now();
  }

  /** The exchange has ended the subscription; `isNoticed` if it has said so when it did. */
  ended(isNoticed: boolean): void {
    const { via, rest: { clock }, logger, account } = this.#settings;
    const what = { signature: "the subscription", logon: "the logon", listenToken: "the listen token" }[via];
    const lastedMs = clock.monotonic() - this.#since;
    this.#lost(isNoticed ? clock.now() : this.#provenAt, `the exchange ended ${what}`);
    logger.warn(`${account.name}: the exchange ended ${what}; subscribing again`);
    const signal = this.#connection;
    if (signal !== undefined) void this.#subscribe(signal, this.#backoff.next(lastedMs));
  }

  /** Ends it. */
  async stop(): Promise<void> {
    const id = this.#id;
    this.#id = undefined;
    this.#renewal?.cancel();
    if (id !== undefined) await this.#unsubscribe(id);
  }

  #lost(from: number, reason: string): void {
    this.#renewal?.cancel();
    if (this.#id !== undefined) this.#gap.lost(from, reason);
    this.#id = undefined;
  }

  /** Subscribes, or renews, until that succeeds, is refused for good, or the connection is gone. Never rejects. */
  async #subscribe(signal: AbortSignal, delayMs = 0): Promise<void> {
    const { rest: { clock }, account, logger } = this.#settings;
    if (this.#isBusy || this.#hasFailed) return;
    this.#isBusy = true;
    const backoff = new Backoff(this.#settings.backoff);
    for (let remedies = 0; !signal.aborted;) {
      if (delayMs > 0) await waitFor(clock, delayMs, signal);
      if (signal.aborted) break;
      try {
        await this.#attempt(signal);
        break;
      } catch (error) {
        if (signal.aborted) break;
        const isKnown = error instanceof ApiError && !isPassing(error.status, error.apiCode);
        if (isKnown && (remedies >= MAX_REMEDIES || !await this.#remedy(error, signal))) {
          this.#refused(error);
          break;
        }
        remedies = isKnown ? remedies + 1 : 0;
        logger.warn(`${account.name}: ${messageOf(error)}; subscribing again`);
        delayMs = delayOf(error) ?? backoff.next(0);
      }
    }
    this.#isBusy = false;
    // Another connection came while this one was given up.
    const next = this.#connection;
    if (next !== undefined && next !== signal && !next.aborted && this.#id === undefined) void this.#subscribe(next);
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    const { via, api, account, validityMs, restBaseUrl, rest } = this.#settings;
    let params: Params = {};
    let lifeMs: number | undefined;
    if (via === "listenToken") {
      const token = await makeListenToken(account, validityMs, restBaseUrl, rest, signal);
      params = { listenToken: token.token };
      lifeMs = token.lifeMs;
    }
    const options: InternalRequestOptions = {
      signal,
      isUrgent: true,
      // Events may follow in the same chunk of bytes: they must find their account.
      onResult: (result) => this.#subscribed(result, lifeMs, signal),
      ...(via === "signature" && { signer: account.signer }),
    };
    // Whoever is logged on gets the subscription, and somebody else may have logged on since the connection was opened.
    if (via === "logon" && !api.isLoggedOnAs(account.signer)) await this.#logOn(signal);
    const method = via === "logon" ? "userDataStream.subscribe" : `userDataStream.subscribe.${via}`;
    const result = await api.request(method, params, options);
    if (idOf(result) === undefined) {
      throw new ConnectionFailedError(`Cannot "${method}": the answer has no subscriptionId`);
    }
  }

  #subscribed(result: unknown, lifeMs: number | undefined, signal: AbortSignal): void {
    const id = idOf(result);
    const { clock } = this.#settings.rest;
    if (id === undefined || signal.aborted) return;
    const before = this.#id;
    this.#id = id;
    this.#since = clock.monotonic();
    this.proven();
    this.#renewal?.cancel();
    if (lifeMs !== undefined) {
      this.#renewal = clock.setTimer(() => void this.#subscribe(signal), Math.max(1, lifeMs * RENEW_AT));
    }
    // A new token may get a new id beside the old one: from here on, both bring the same.
    if (before !== undefined && before !== id) void this.#unsubscribe(before);
    this.#gap.resumed(clock.now());
    this.#ready.resolve();
  }

  /** Does what may help against a refusal; returns whether there was something to do. */
  async #remedy(error: ApiError, signal: AbortSignal): Promise<boolean> {
    const { via, dropOrphans } = this.#settings;
    try {
      if (error.apiCode === ALREADY_SUBSCRIBED) {
        await dropOrphans(signal);
        return true;
      }
      if (via === "listenToken") return error.apiCode === BAD_TOKEN;
      if (via !== "logon" || !NOT_LOGGED_ON.includes(error.apiCode)) return false;
      await this.#logOn(signal);
      return true;
    } catch (failure) {
      // The exchange does not take the key any more.
      return !(failure instanceof ApiError) || isPassing(failure.status, failure.apiCode);
    }
  }

  async #logOn(signal: AbortSignal): Promise<void> {
    const { api, account } = this.#settings;
    await api.request("session.logon", {}, { signal, isUrgent: true, signer: account.signer });
  }

  #refused(error: unknown): void {
    this.#hasFailed = true;
    this.#id = undefined;
    this.#renewal?.cancel();
    this.#settings.onRefused(error);
  }

  /** Never rejects. */
  async #unsubscribe(subscriptionId: number): Promise<void> {
    try {
      await this.#settings.api.request("userDataStream.unsubscribe", { subscriptionId });
    } catch (error) {
      this.#settings.logger.debug(`${this.#settings.account.name}: ${messageOf(error)}`);
    }
  }
}

/** The id in the answer to a subscription. */
export function idOf(result: unknown): number | undefined {
  if (typeof result !== "object" || result === null || !("subscriptionId" in result)) return undefined;
  return typeof result.subscriptionId === "number" ? result.subscriptionId : undefined;
}

function delayOf(error: unknown): number | undefined {
  if (error instanceof RateLimitedError) return error.retryAfterMs;
  if (error instanceof HandshakeRejectedError) return banMs(error.status ?? 429, error.retryAfterMs);
  return undefined;
}
