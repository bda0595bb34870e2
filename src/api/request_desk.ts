/**
 * Takes requests, has them sent, and gives them their answers.
 *
 * @module
 */

import { ApiError, ConnectionClosedError, RequestOutcomeUnknownError, RequestTimeoutError } from "../base/mod.ts";
import { type ApiAnswer, isRecord, retryAtOf } from "./answer.ts";
import type { InternalRequestOptions, RateLimitPolicy } from "./api_options.ts";
import { ApiRequest, requestText } from "./api_request.ts";
import type { ApiSession } from "./api_session.ts";
import type { KnownMethod } from "./api_settings.ts";
import { changesLogon } from "./logon_state.ts";
import type { Params } from "./params.ts";
import { PendingRequests } from "./pending_requests.ts";
import { checkRequest } from "./request_options.ts";
import { preparedRequest, question } from "./request_preparation.ts";
import { RequestSender, type RequestSenderSettings } from "./request_sender.ts";
import { isOutcomeUnknown, type Refusal, refusalOf } from "./refusal.ts";

/** What a desk works with. */
export interface RequestDeskSettings extends Omit<RequestSenderSettings, "onFailed"> {
  readonly methods: ReadonlyMap<string, KnownMethod>;
  readonly timeoutMs: number;
  readonly onRateLimit: RateLimitPolicy;
  /** The exchange says that the connection is not logged on, or that the clock is wrong: nothing is sent until `open()`. */
  readonly onStale: (session: ApiSession, what: Refusal) => void;
  /** An answer that belongs to no request. */
  readonly onUnmatched: (text: string, isError: boolean) => void;
}

const PAUSE_STEP_MS = 250;
/** Binance errors.md, -1015: a limit of one account's orders, where -1003 is one of the address. */
const TOO_MANY_ORDERS = -1015;

/** Counters of a desk. */
export interface DeskCounters {
  requests: number;
  results: number;
  errors: number;
  retries: number;
  unknownOutcomes: number;
  timeouts: number;
  unmatched: number;
}

/** The requests of one API stream. */
export class RequestDesk {
  readonly counters: DeskCounters = {
    requests: 0,
    results: 0,
    errors: 0,
    retries: 0,
    unknownOutcomes: 0,
    timeouts: 0,
    unmatched: 0,
  };
  readonly #settings: RequestDeskSettings;
  readonly #pending = new PendingRequests();
  readonly #sender: RequestSender;
  #end: Error | undefined;

  constructor(settings: RequestDeskSettings) {
    this.#settings = settings;
    this.#sender = new RequestSender({ ...settings, onFailed: (request, error) => this.#fail(request, error) });
  }

  /** How many requests wait to be sent. */
  get waiting(): number {
    return this.#sender.waiting;
  }

  /** How many frames were sent. */
  get sent(): number {
    return this.#sender.sent;
  }

  /** How many were sent over a connection, or any, and have no answer yet. */
  inFlight(session?: ApiSession): number {
    return this.#pending.all.filter((request) =>
      request.state === "sent" && (session === undefined || request.session === session)
    ).length;
  }

  /** Makes a request: see `ApiStream.request()`. */
  request(method: string, params: Params, options: InternalRequestOptions): Promise<unknown> {
    this.counters.requests++;
    if (this.#end !== undefined) return Promise.reject(this.#end);
    let request: ApiRequest;
    try {
      checkRequest(method, params, options);
      if (options.signal?.aborted) throw options.signal.reason;
      const { clock } = this.#settings;
      const init = preparedRequest(this.#pending, this.#settings, clock.monotonic(), method, params, options);
      const refusal = this.#sender.refusalOf(init);
      if (refusal !== undefined) return Promise.reject(refusal);
      request = new ApiRequest(init, this.counters.requests);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#keep(request, options.signal);
    this.#sender.add(request);
    return request.promise;
  }

  /**
   * Asks the exchange something over a connection that is not ready for requests yet, before all that waits.
   *
   * @throws {ApiError | RequestTimeoutError | ConnectionClosedError}
   */
  async ask(session: ApiSession, method: string, makeParams: () => Promise<Params>): Promise<unknown> {
    const { clock, rateLimits, timeOffset } = this.#settings;
    while (rateLimits.pauseMs > 0 && session.isOpen) {
      // In short steps, so that nothing is left behind for long when the stream ends.
      const stepMs = Math.min(rateLimits.pauseMs, PAUSE_STEP_MS);
      await new Promise<void>((resolve) => clock.setTimer(resolve, stepMs));
    }
    const request = new ApiRequest(question(this.#pending, this.#settings, clock.monotonic(), method), 0);
    request.isInternal = true;
    request.state = "signing";
    request.session = session;
    // A signature may never come: its time counts, and it is not waited for when the connection is lost.
    this.#keep(request, undefined);
    let askedAt = 0;
    makeParams().then((params) => {
      if (request.state !== "signing") return;
      if (typeof params.apiKey === "string") request.logsOnAs = params.apiKey;
      askedAt = clock.now();
      if (this.#sender.send(session, request, requestText(request.init.id, method, params))) return;
      throw new ConnectionClosedError(`Cannot ask for "${method}": the connection is closed`);
    }).catch((error) => this.#fail(request, error));
    const result = await request.promise;
    if (isRecord(result)) timeOffset.measured(result.serverTime, askedAt);
    return result;
  }

  /** Requests can be sent over this connection now. `greet` may make some that go before all that wait. */
  open(session: ApiSession, greet: () => void): void {
    this.#sender.open(session, greet);
  }

  /** Nothing is sent until `open()`. */
  close(): void {
    this.#sender.close();
  }

  /** An answer has come. */
  receive(session: ApiSession, answer: ApiAnswer, text: string): void {
    const { onUnmatched } = this.#settings;
    const request = this.#pending.sentWith(answer.id, session);
    const { error } = answer;
    this.#noteLimits(request, answer);
    if (request === undefined) {
      this.counters.unmatched++;
      onUnmatched(text, error !== undefined);
      if (error !== undefined && answer.status === 401) this.#receiveNameless(session);
      return;
    }
    const { init } = request;
    // What a refused logon leaves behind is not documented: until the next one, requests are signed.
    if (changesLogon(init.method)) session.logon.changed(error === undefined ? request.logsOnAs : undefined);
    this.#settled(session, request);
    if (request.state === "abandoned") {
      this.counters.unmatched++;
      onUnmatched(text, error !== undefined);
    } else if (error === undefined) {
      this.counters.results++;
      init.onResult?.(answer.result);
      request.resolve(answer.result);
    } else {
      this.counters.errors++;
      this.#refuse(session, request, new ApiError(init.method, answer.status, error, answer.rateLimits));
    }
    this.#refuseNameless(session, session.nameless.answered(request));
    this.#sender.resume();
  }

  /** A connection is gone: what was sent over it gets no answer any more. */
  lost(session: ApiSession, cause: Error): void {
    this.#sender.close(session);
    const again: ApiRequest[] = [];
    for (const request of this.#pending.sentOver(session)) {
      if (request.isInternal && request.state !== "abandoned") this.#fail(request, cause);
      else if (request.state !== "sent") this.#pending.delete(request);
      else if (request.init.facts.changesState) {
        this.#unknown(request, "the connection was lost before the answer", cause);
      } else again.push(request);
    }
    this.counters.retries += again.length;
    this.#sender.again(again);
  }

  /** Ends all requests. */
  end(reason: Error): void {
    this.#end = reason;
    this.#sender.end();
    for (const request of this.#pending.all) this.#giveUp(request, reason, "the stream has ended");
  }

  /** Takes over what an answer says about the rate limits. */
  #noteLimits(request: ApiRequest | undefined, { status, error, rateLimits: told }: ApiAnswer): void {
    const { rateLimits } = this.#settings;
    if (request?.charge !== undefined) {
      rateLimits.answered(request.charge, told, error === undefined && request.init.facts.freeIfSuccessful === true);
    }
    if (error === undefined) return;
    const retryAt = retryAtOf(error.data);
    const account = request?.init.cost.account ?? request?.init.signer?.apiKey;
    // Too many orders of an account are no reason to hold back its cancellations, or anything else.
    if (error.code === TOO_MANY_ORDERS && account !== undefined) rateLimits.ordersRefused(account, error.msg);
    const isForOrders = error.code === TOO_MANY_ORDERS && retryAt === undefined;
    if (status === 418 || (status === 429 && !isForOrders)) rateLimits.refused(status, retryAt);
  }

  #keep(request: ApiRequest, signal: AbortSignal | undefined): void {
    const { clock } = this.#settings;
    const { init: { method, timeoutMs } } = request;
    this.#pending.add(request);
    const timer = clock.setTimer(() => {
      this.counters.timeouts++;
      this.#giveUp(
        request,
        new RequestTimeoutError(method, timeoutMs, request.state === "sent"),
        `no answer came within ${timeoutMs} ms`,
      );
    }, timeoutMs);
    request.watch(
      timer,
      signal,
      signal && (() => this.#giveUp(request, signal.reason, "its wait was aborted before the answer")),
    );
  }

  /** Nobody waits for it any more. What was not sent never will be. */
  #giveUp(request: ApiRequest, reason: unknown, why: string): void {
    const { state, init } = request;
    if (state === "done" || state === "abandoned") return;
    if (state !== "sent") {
      this.#sender.remove(request);
      return this.#fail(request, reason);
    }
    // Its answer may still come, and must not be taken for that of another request with the same id.
    if (init.facts.changesState) this.#unknown(request, why, reason, "abandoned");
    else request.reject(reason, "abandoned");
    // Another logon may have waited for it.
    this.#sender.resume();
  }

  #fail(request: ApiRequest, reason: unknown): void {
    this.#pending.delete(request);
    request.reject(reason);
  }

  #unknown(request: ApiRequest, why: string, cause: unknown, state: "abandoned" | "done" = "done"): void {
    const { init: { method, id }, clientOrderId } = request;
    if (state === "done") this.#pending.delete(request);
    this.counters.unknownOutcomes++;
    request.reject(new RequestOutcomeUnknownError(method, id, why, { cause, clientOrderId }), state);
  }

  /** The exchange has refused a request. */
  #refuse(session: ApiSession, request: ApiRequest, error: ApiError): void {
    const refusal = request.isInternal ? undefined : refusalOf(error, request);
    if (refusal !== undefined && request.refusals++ === 0) {
      // It had no effect: mend what it was refused for, and send it once more. After a logout of the user's own, and until
      // the next logon, it is signed instead.
      const isMendable = refusal === "clock" || session.logon.lost(request.logon) || !request.isSigned;
      if (isMendable && this.#sender.close(session)) this.#settings.onStale(session, refusal);
      this.#pending.add(request);
      return this.#sender.again([request]);
    }
    if (request.init.facts.changesState && isOutcomeUnknown(error)) {
      return this.#unknown(request, "the exchange does not know either", error);
    }
    request.reject(error);
  }

  /** The connection is not logged on any more: which of its requests was refused is known when it is certain. */
  #receiveNameless(session: ApiSession): void {
    const candidates = this.#pending.sentOver(session).filter(({ isByLogon }) => isByLogon);
    if (candidates.length === 0) return;
    session.logon.end();
    if (this.#sender.close(session)) this.#settings.onStale(session, "logon");
    this.#refuseNameless(session, session.nameless.add(candidates));
  }

  /** A request over this connection has its answer. */
  #settled(session: ApiSession, request: ApiRequest): void {
    this.#pending.delete(request);
    session.logon.inUse.delete(request);
  }

  #refuseNameless(session: ApiSession, requests: readonly ApiRequest[]): void {
    for (const request of requests) {
      this.#settled(session, request);
      if (request.state !== "sent") continue;
      this.counters.errors++;
      const answer = { code: undefined, msg: "The connection is not logged on any more" };
      this.#refuse(session, request, new ApiError(request.init.method, 401, answer));
    }
  }
}
