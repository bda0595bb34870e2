/**
 * A stream of requests: one connection to a WebSocket API, kept up, with everything that is asked over it.
 *
 * @module
 */

import { messageOf, parsePrecise, StreamCrashedError, StreamStoppedError } from "../base/mod.ts";
import { isServerShutdown } from "../exchange/mod.ts";
import { type LinkStatistics, type SignalDetails, signalTeller, type StreamState } from "../stream/mod.ts";
import type { CloseInfo } from "../transport/portable.ts";
import { answerOf, eventOf } from "./answer.ts";
import { ApiLink } from "./api_link.ts";
import type { ApiStreamListener, ApiStreamStatistics, InternalRequestOptions } from "./api_options.ts";
import type { ApiSession } from "./api_session.ts";
import type { ApiStreamSettings } from "./api_settings.ts";
import { connectionLost } from "./connection_lost.ts";
import type { Params } from "./params.ts";
import { RequestDesk } from "./request_desk.ts";
import { type Ask, introduce, isLogonFatal, noParams } from "./session_logon.ts";
import type { Signer } from "./signer.ts";

/** A replaced connection, as account events see it. */
const REPLACED: CloseInfo = { code: 1000, reason: "replaced by a new connection", wasClean: true };

/**
 * One connection to a WebSocket API that is kept up, and the requests over it. Made by
 * {@linkcode AccountManager.createStream} with `api: true`.
 *
 * @example
 * ```ts
 * import { type ApiStream, BinanceWebSocketApiManager } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketApiBaseUrl: "ws://127.0.0.1:1" });
 * const stream: ApiStream = manager.createStream({ api: true, label: "orders" });
 * assertEquals([stream.state, stream.label], ["starting", "orders"]);
 * ```
 */
export class ApiStream implements AsyncDisposable {
  readonly #settings: ApiStreamSettings;
  readonly #desk: RequestDesk;
  readonly #link: ApiLink;
  readonly #listeners = new Set<ApiStreamListener>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #createdAt: number;
  readonly #signal: (details: SignalDetails) => void;
  /** The connection that is logged on and takes requests. */
  #session: ApiSession | undefined;
  #wasReady = false;
  #end: { readonly state: "stopped" | "crashed"; readonly error: Error } | undefined;
  #ended: Promise<void> | undefined;
  #problem: string | undefined;
  #events = 0;

  /** API streams are made with {@linkcode AccountManager.createStream}. */
  constructor(settings: ApiStreamSettings) {
    this.#settings = settings;
    const { link, rateLimits, url, connectWeight } = settings;
    this.#createdAt = link.clock.now();
    this.#signal = signalTeller(settings, [settings.onSignal]);
    this.#ready.promise.catch(() => {});
    this.#desk = new RequestDesk({
      ...settings,
      clock: link.clock,
      onStale: (session, what) => void this.#start(session, what === "clock"),
      onUnmatched: settings.onUnmatched,
    });
    const connectCost = { weight: connectWeight, orders: 0, account: undefined };
    this.#link = new ApiLink(url, link, {
      pauseMs: () => rateLimits.pauseMs,
      onAttempt: () => void rateLimits.charge(connectCost),
      onOpen: (session) => void this.#start(session),
      onText: (session, text) => this.#receive(session, text),
      onClose: (session, close, isCurrent) => this.#lost(session, close, isCurrent),
      probe: (session) => {
        if (rateLimits.pauseMs > 0) return rateLimits.pauseMs;
        this.#desk.ask(session, settings.timeMethod, noParams).catch(() => {});
        return 0;
      },
      onConnectFailed: (error, failure) => {
        if (failure.retryAfterMs !== undefined) rateLimits.pause(429, failure.retryAfterMs);
        this.#signal({ type: "CONNECT_FAILED", url, streams: [], error });
      },
      onCrash: (error) => this.#crash(error),
    });
  }

  /** Unique id of the stream. */
  get id(): string {
    return this.#settings.id;
  }

  /** Its label, or `undefined` if it has none. */
  get label(): string | undefined {
    return this.#settings.label;
  }

  /** URL of the WebSocket API. */
  get url(): string {
    return this.#settings.url;
  }

  /** Signs its requests; `undefined` if it has none. */
  get signer(): Signer | undefined {
    return this.#settings.signer;
  }

  /** Whether its connection logs on, so that requests need no signature. */
  get logon(): boolean {
    return this.#settings.logon;
  }

  /** Whether its connection is logged on with the key of `signer` now, as far as the exchange has confirmed it. */
  isLoggedOnAs(signer: Signer): boolean {
    return this.#session?.logon.current?.apiKey === signer.apiKey;
  }

  /** Where the stream is in its life: `"running"` while requests can be sent at once. */
  get state(): StreamState {
    return this.#end?.state ??
      (this.isReady ? "running" : this.#wasReady || this.#link.hasFailed ? "restarting" : "starting");
  }

  /** Why it has `"crashed"`, or requests can't be sent, in a few words; `undefined` if all is well. */
  get stateReason(): string | undefined {
    if (this.#end !== undefined) return this.#end.state === "crashed" ? messageOf(this.#end.error.cause) : undefined;
    if (this.isReady) return undefined;
    // Why a connection that was open could not be used says more than how it then ended.
    return this.#link.hasFailed ? this.#link.reason : this.#problem ?? this.#link.reason;
  }

  /** Whether requests are sent at once: the connection is open, and logged on if it is to be. */
  get isReady(): boolean {
    return this.#end === undefined && (this.#session?.isOpen ?? false);
  }

  /**
   * Resolves when requests can be sent for the first time. Requests need not wait for it.
   *
   * Rejects with a {@linkcode StreamStoppedError} or a {@linkcode StreamCrashedError} if it ends before.
   */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Its counters. */
  get statistics(): ApiStreamStatistics {
    const { rateLimits, timeOffset, signer } = this.#settings;
    const { ageMs, latencyMs, reconnects } = this.linkStatistics;
    return {
      createdAt: this.#createdAt,
      ...this.#desk.counters,
      sent: this.#desk.sent,
      events: this.#events,
      waiting: this.#desk.waiting,
      inFlight: this.#desk.inFlight(),
      reconnects,
      rollovers: this.#link.rollovers,
      ageMs,
      latencyMs,
      timeOffsetMs: timeOffset.offsetMs,
      rateLimits: rateLimits.snapshot(signer?.apiKey),
    };
  }

  /** Its connection, as streams tell about theirs. */
  get linkStatistics(): LinkStatistics {
    const { session, reconnects, rollovers, url } = this.#link;
    const state = this.state;
    return {
      url,
      state,
      reason: this.#end === undefined ? this.stateReason : undefined,
      ageMs: state === "running" ? session?.ageMs ?? 0 : 0,
      latencyMs: session?.latencyMs,
      subscriptions: 0,
      freeSubscriptionSlots: 0,
      reconnects,
      rollovers,
    };
  }

  /**
   * Makes a request, signed if its method needs that, with a fresh timestamp by the exchange's clock. Without a connection
   * it waits for one. It is sent once; only if it changes nothing and its connection is lost before the answer, it is sent
   * again. New orders get a client order id if they have none.
   *
   * @param method Name of the method, such as `"order.place"`; it need not be one of the table.
   * @param params Its parameters without `apiKey`, `timestamp` and `signature`. What the table does not know is sent too.
   * @returns The result. Integers beyond 2^53 are texts, or bigints by the manager's option `integers`.
   * @throws {ApiError} if the exchange refuses it.
   * @throws {RequestOutcomeUnknownError} if it may have taken effect, and nobody knows: it was sent, and the connection was
   * lost, the timeout was over, `signal` was aborted or the stream ended before the answer. All other errors mean that it
   * had no effect.
   * @throws {RequestTimeoutError} if it could not be sent in time, or changes nothing and was not answered in time.
   * @throws {RateLimitedError} if a rate limit holds it back for longer than its timeout, or must not.
   * @throws {InvalidOptionsError} if the options can't be used, or there is no signer.
   * @throws {StreamStoppedError | StreamCrashedError} if the stream has ended.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager, RequestTimeoutError } from "@rawtick/binance";
   * import { assertRejects } from "@std/assert";
   *
   * await using manager = new BinanceWebSocketApiManager({ websocketApiBaseUrl: "ws://127.0.0.1:1" });
   * const stream = manager.createStream({ api: true });
   * await assertRejects(() => stream.request("time", {}, { timeoutMs: 20 }), RequestTimeoutError);
   * ```
   */
  request(
    method: string,
    params: Params = {},
    options: InternalRequestOptions = {},
  ): Promise<unknown> {
    return this.#desk.request(method, params, options);
  }

  /**
   * Tells a stream of account events what happens on the connection: for this package.
   *
   * @returns A function that ends it.
   */
  attachUserData(listener: ApiStreamListener): () => void {
    if (this.#end !== undefined) listener.onEnd(this.#end.error);
    else {
      this.#listeners.add(listener);
      if (this.isReady) listener.onConnect();
    }
    return () => void this.#listeners.delete(listener);
  }

  /** Stops the stream at once: requests without an answer are rejected. Resolves when its connection is closed. */
  async stop(): Promise<void> {
    this.#finish("stopped", new StreamStoppedError(this.id));
    await this.#ended;
  }

  /** Stops the stream, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** A connection is open, or has to be logged on again: asks what has to be known before requests are sent. */
  async #start(session: ApiSession, isClockWrong = false): Promise<void> {
    const { logger } = this.#settings.link;
    try {
      const ask: Ask = (method, makeParams) => this.#desk.ask(session, method, makeParams);
      await introduce({ ...this.#settings, ask }, isClockWrong);
    } catch (error) {
      if (!session.isOpen || this.#end !== undefined) return;
      this.#problem = messageOf(error);
      logger.warn(`${this.url}: ${this.#problem}`);
      if (isLogonFatal(error)) return this.#crash(error);
      // Another connection may do better; after a limit (429), what is asked first waits for its end.
      return session.terminate();
    }
    if (!session.isOpen || this.#end !== undefined) return;
    if (session === this.#link.session) return this.#welcome(session);
    const before = this.#link.session;
    const reason = this.#link.takeOver(session);
    if (reason === undefined) return;
    this.#desk.close();
    for (const listener of this.#listeners) listener.onDisconnect(REPLACED, before?.lastReceivedAt ?? 0);
    this.#welcome(session, reason);
    if (before !== undefined) this.#drain(before);
  }

  /** Requests can be sent. */
  #welcome(session: ApiSession, rolloverReason?: string): void {
    const isNew = this.#session !== session;
    this.#session = session;
    this.#problem = undefined;
    this.#wasReady = true;
    this.#ready.resolve();
    if (rolloverReason !== undefined) this.#signal({ type: "ROLLOVER", url: this.url, reason: rolloverReason });
    else if (isNew) this.#signal({ type: "CONNECT", streams: [], url: this.url });
    this.#desk.open(session, () => {
      for (const listener of [...this.#listeners]) listener.onConnect();
    });
  }

  /** Closes the connection that was replaced, once its requests are answered. */
  #drain(session: ApiSession): void {
    const { clock, overlapMs } = this.#settings.link;
    const endsAt = clock.monotonic() + overlapMs;
    const look = (): void => {
      if (!session.isOpen) return;
      if (this.#desk.inFlight(session) === 0 || clock.monotonic() >= endsAt) return this.#link.letGo();
      clock.setTimer(look, Math.min(50, overlapMs));
    };
    look();
  }

  #receive(session: ApiSession, text: string): void {
    const event = eventOf(text);
    if (event !== undefined) {
      if (isServerShutdown(text)) return this.#link.replace("the exchange shuts the server down");
      // One that was replaced has brought its last events: its subscriptions have the same ids as those of the new one.
      if (session !== this.#session) return;
      this.#events++;
      for (const listener of this.#listeners) listener.onEvent(event.subscriptionId, event.text);
      return;
    }
    let value: unknown;
    try {
      value = parsePrecise(text, this.#settings.integers);
    } catch {
      return this.#unmatched(text, true);
    }
    const answer = answerOf(value);
    if (answer === undefined) return this.#unmatched(text, false);
    this.#desk.receive(session, answer, text);
  }

  #unmatched(text: string, isError: boolean): void {
    this.#desk.counters.unmatched++;
    this.#settings.onUnmatched(text, isError);
  }

  #lost(session: ApiSession, close: CloseInfo, isCurrent: boolean): void {
    const wasInUse = isCurrent && session === this.#session;
    if (session === this.#session) this.#session = undefined;
    this.#desk.lost(session, connectionLost(close));
    if (!wasInUse) return;
    this.#signal({ type: "DISCONNECT", streams: [], url: this.url, close, lastData: undefined });
    for (const listener of [...this.#listeners]) listener.onDisconnect(close, session.lastReceivedAt);
  }

  #crash(error: unknown): void {
    this.#finish("crashed", new StreamCrashedError(this.id, messageOf(error), { cause: error }));
  }

  #finish(state: "stopped" | "crashed", error: Error): void {
    if (this.#end !== undefined) return;
    const { logger } = this.#settings.link;
    if (state === "crashed") logger.error(error.message);
    this.#end = { state, error };
    this.#ready.reject(error);
    this.#desk.end(error);
    this.#link.stop();
    this.#ended = this.#link.ended.then(() => {
      this.#signal(state === "stopped" ? { type: "STOP" } : { type: "STREAM_UNREPAIRABLE", error });
      this.#settings.onEnd();
      for (const listener of [...this.#listeners]) listener.onEnd(error);
      this.#listeners.clear();
    });
  }
}
