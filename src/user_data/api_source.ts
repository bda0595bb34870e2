/**
 * The events of one or several accounts over one connection to the WebSocket API, told apart by the ids of their
 * subscriptions.
 *
 * @module
 */

import type { ApiStreamListener } from "../api/mod.ts";
import { ApiError, messageOf, StreamCrashedError, type Timer } from "../base/mod.ts";
import type { LinkStatistics } from "../stream/mod.ts";
import type { CloseInfo } from "../transport/portable.ts";
import type { Account } from "./accounts.ts";
import { ApiSubscription, idOf } from "./api_subscription.ts";
import { eventTypeOf, underName } from "./event_text.ts";
import type { ApiFlow } from "./flow.ts";
import type { SourceSettings } from "./listen_key_source.ts";
import type { UserDataAccount, UserDataSource, UserDataSourceListener } from "./source.ts";
import type { UserDataApi } from "./user_data_api.ts";

const REST_TIMEOUT_MS = 10_000;
const AUDIT_INTERVAL_MS = 60_000;
const TERMINATED = "eventStreamTerminated";

/** The sources that use a connection, so that each knows which subscriptions belong to nobody. */
const users = new WeakMap<UserDataApi, Set<ApiSource>>();

/** The accounts of a stream on one connection. */
export class ApiSource implements UserDataSource, ApiStreamListener {
  readonly ready: Promise<void>;
  readonly #api: UserDataApi;
  readonly #isOwn: boolean;
  readonly #settings: SourceSettings;
  readonly #listener: UserDataSourceListener;
  readonly #subscriptions = new Map<string, ApiSubscription>();
  #detach: (() => void) | undefined;
  #connection = new AbortController();
  #isConnected = false;
  #hasConnected = false;
  /** The connection is being replaced by another one, which is open already. */
  #isReplaced = false;
  #reconnectTimes: number[] = [];
  #auditTimer: Timer | undefined;
  #isStopped = false;

  /** @param isOwn Whether the connection ends with the source. */
  constructor(
    api: UserDataApi,
    isOwn: boolean,
    accounts: readonly Account[],
    flow: ApiFlow,
    settings: SourceSettings,
    listener: UserDataSourceListener,
  ) {
    this.#api = api;
    this.#isOwn = isOwn;
    this.#settings = settings;
    this.#listener = listener;
    const { link, restBaseUrl, userData, fetch } = settings;
    const { clock, logger, backoff, connectOptions: { handshakeTimeoutMs = REST_TIMEOUT_MS } } = link;
    for (const account of accounts) {
      const subscription = new ApiSubscription({
        account,
        via: userData.via ?? flow.via,
        api,
        restBaseUrl,
        rest: { fetch, clock, timeoutMs: handshakeTimeoutMs },
        validityMs: userData.listenTokenValidityMs,
        backoff,
        logger,
        dropOrphans: (signal) => this.#dropOrphans(signal),
        onGap: (gap) => this.#isStopped || listener.onGap(account.name, gap),
        onRefused: (error) => this.#refused(account.name, error),
      });
      this.#subscriptions.set(account.name, subscription);
    }
    this.ready = Promise.all([...this.#all].map(({ ready }) => ready)).then(() => {});
    const others = users.get(api) ?? new Set();
    users.set(api, others.add(this));
    const detach = api.attachUserData(this);
    if (this.#isStopped) detach();
    else this.#detach = detach;
  }

  get accounts(): readonly UserDataAccount[] {
    return [...this.#all].map(({ info }) => info);
  }

  get linkStatistics(): LinkStatistics {
    return { ...this.#api.linkStatistics, reconnectTimes: this.#reconnectTimes };
  }

  get reconnectTimes(): readonly number[] {
    return this.#reconnectTimes;
  }

  get stateReason(): string | undefined {
    return this.#api.linkStatistics.reason;
  }

  /** The ids that belong to this source. */
  get ids(): number[] {
    return [...this.#all].flatMap(({ id }) => id ?? []);
  }

  /** Answers to requests come over the same connection: it is never held back. */
  setPaused(): void {}

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#connection.abort();
    this.#auditTimer?.cancel();
    users.get(this.#api)?.delete(this);
    if (this.#isOwn) {
      // The connection takes the subscriptions with it.
      for (const subscription of this.#all) subscription.disconnected(0, "");
      await this.#api.stop();
    } else if (this.#isConnected) {
      await Promise.all([...this.#all].map((subscription) => subscription.stop()));
    }
    this.#detach?.();
  }

  /** @ignore */
  onConnect(): void {
    if (this.#isStopped) return;
    const { clock } = this.#settings.link;
    if (this.#isConnected) {
      // A new logon: it may be a new session, without the subscriptions of the old one.
      void this.#audit();
    } else {
      this.#isConnected = true;
      this.#connection = new AbortController();
      if (this.#isReplaced) this.#isReplaced = false;
      else {
        if (this.#hasConnected) this.#reconnectTimes = [...this.#reconnectTimes, clock.now()].slice(-100);
        this.#listener.onConnect(this.#api.linkStatistics.url);
      }
      this.#hasConnected = true;
    }
    for (const subscription of this.#all) subscription.connected(this.#connection.signal);
    this.#scheduleAudit();
  }

  /** @ignore */
  onDisconnect(close: CloseInfo, lastReceivedAt: number): void {
    if (!this.#isConnected) return;
    const { url, state } = this.#api.linkStatistics;
    this.#isConnected = false;
    this.#connection.abort();
    this.#auditTimer?.cancel();
    // A connection that was replaced by another one has worked until now.
    this.#isReplaced = state === "running";
    const lost = this.#isReplaced
      ? { from: this.#settings.link.clock.now(), reason: "the connection was replaced" }
      : { from: lastReceivedAt, reason: "the connection was lost" };
    for (const subscription of this.#all) subscription.disconnected(lost.from, lost.reason);
    if (this.#isReplaced) this.#listener.onRollover(url, "it is old, or its server shuts down");
    else this.#listener.onDisconnect(url, close);
  }

  /** @ignore */
  onEvent(subscriptionId: number | undefined, text: string): void {
    if (this.#isStopped || subscriptionId === undefined) return;
    for (const [name, subscription] of this.#subscriptions) {
      if (subscription.id === subscriptionId) return this.#receive(name, subscription, text);
    }
  }

  /** @ignore */
  onEnd(reason: Error): void {
    if (!this.#isStopped) {
      this.#listener.onCrash(reason instanceof StreamCrashedError ? reason.cause ?? reason : reason);
    }
  }

  get #all(): Iterable<ApiSubscription> {
    return this.#subscriptions.values();
  }

  #receive(name: string, subscription: ApiSubscription, text: string): void {
    const type = eventTypeOf(text);
    const { events } = this.#settings.userData;
    subscription.proven();
    if (events === undefined || events.includes(type)) {
      subscription.noteEvent();
      this.#listener.onEvent(underName(name, text));
    }
    // The user may have stopped the stream at this event.
    if (type === TERMINATED && !this.#isStopped) subscription.ended(true);
  }

  #refused(name: string, error: unknown): void {
    if (this.#isStopped) return;
    if ([...this.#all].every(({ hasFailed }) => hasFailed)) return this.#listener.onCrash(error);
    this.#listener.onRefused(name, error);
  }

  #scheduleAudit(): void {
    this.#auditTimer?.cancel();
    const { link: { clock }, userData: { auditIntervalMs = AUDIT_INTERVAL_MS } } = this.#settings;
    if (auditIntervalMs === 0 || this.#isStopped || !this.#isConnected) return;
    this.#auditTimer = clock.setTimer(
      () => void this.#audit().then((goesOn) => goesOn && this.#scheduleAudit()),
      auditIntervalMs,
    );
  }

  /**
   * Asks which subscriptions exist, since one may end without a word. Never rejects; returns whether it is worth asking again.
   */
  async #audit(): Promise<boolean> {
    const { signal } = this.#connection;
    const { clock, logger } = this.#settings.link;
    const askedAt = clock.monotonic();
    const asked = [...this.#all].map((subscription) => ({ subscription, id: subscription.id }));
    try {
      const existing = await this.#existingIds(signal);
      if (existing === undefined) return false;
      for (const { subscription, id } of asked) {
        // What has changed meanwhile is not what was asked about.
        if (signal.aborted || id === undefined || subscription.id !== id || subscription.since > askedAt) continue;
        if (existing.includes(id)) subscription.proven();
        else subscription.ended(false);
      }
    } catch (error) {
      logger.debug(`Cannot check the subscriptions of account events: ${messageOf(error)}`);
      // What the exchange does not know now, it will not know later; anything else may pass.
      return !(error instanceof ApiError && error.status === 400);
    }
    return true;
  }

  /** The subscriptions that the connection has; `undefined` if the answer does not say. */
  async #existingIds(signal: AbortSignal): Promise<number[] | undefined> {
    const result = await this.#api.request("session.subscriptions", {}, { signal });
    return Array.isArray(result) ? result.flatMap((entry: unknown) => idOf(entry) ?? []) : undefined;
  }

  /** Subscriptions whose answer never came bring events that nobody is given, and are in the way of new ones. */
  async #dropOrphans(signal: AbortSignal): Promise<void> {
    const existing = await this.#existingIds(signal) ?? [];
    const owned = new Set([...users.get(this.#api) ?? []].flatMap(({ ids }) => ids));
    for (const subscriptionId of existing) {
      if (!owned.has(subscriptionId)) {
        await this.#api.request("userDataStream.unsubscribe", { subscriptionId }, { signal, isUrgent: true });
      }
    }
  }
}
