/**
 * Sends requests when they may be sent: signs them, stamps them with the exchange's time, keeps to the rate limits.
 *
 * @module
 */

import type { RateLimitedError } from "../base/mod.ts";
import { type ApiRequest, type RequestInit, requestText } from "./api_request.ts";
import type { ApiSession } from "./api_session.ts";
import { changesLogon, isLogon } from "./logon_state.ts";
import { RequestQueue, type RequestQueueSettings } from "./request_queue.ts";
import type { Signer } from "./signer.ts";
import type { TimeOffset } from "./time_offset.ts";

/** What a sender works with. */
export interface RequestSenderSettings extends Pick<RequestQueueSettings, "clock" | "rateLimits"> {
  readonly timeOffset: TimeOffset;
  /** The stream's own signer. */
  readonly signer: Signer | undefined;
  /** Whether the connections log on, so that requests need no signature. */
  readonly logon: boolean;
  /** A request can't be sent, and never was. */
  readonly onFailed: (request: ApiRequest, error: unknown) => void;
}

/** The way of requests to the exchange. */
export class RequestSender {
  readonly #settings: RequestSenderSettings;
  readonly #queue: RequestQueue;
  /** Where requests are sent; `undefined` while there is no connection that is ready for them. */
  #session: ApiSession | undefined;
  /** The request that is being signed; another object for each attempt. */
  #signing: { readonly request: ApiRequest } | undefined;
  /** A logon waits, and all others behind it. */
  #isHeld = false;
  #sent = 0;

  constructor(settings: RequestSenderSettings) {
    this.#settings = settings;
    this.#queue = new RequestQueue({
      clock: settings.clock,
      rateLimits: settings.rateLimits,
      onWake: () => this.#pump(),
      onRefused: settings.onFailed,
    });
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** How many frames were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** What keeps a request from being made at all: a rate limit that it can't wait for. */
  refusalOf(init: RequestInit): RateLimitedError | undefined {
    return this.#queue.refusalOf(init);
  }

  /** Requests can be sent over this connection now. Those that `greet` makes go before all that wait. */
  open(session: ApiSession, greet: () => void): void {
    this.#session = session;
    this.#queue.before(greet);
    this.#pump();
  }

  /** Nothing is sent until `open()`; returns whether anything was, over this connection if one is meant. */
  close(session?: ApiSession): boolean {
    if (this.#session === undefined || (session !== undefined && session !== this.#session)) return false;
    this.#session = undefined;
    this.#signAgain();
    return true;
  }

  /** Ends the waiting. */
  end(): void {
    this.#session = undefined;
    this.#signing = undefined;
    this.#queue.clear();
  }

  /** Sends a request as soon as it may be sent. */
  add(request: ApiRequest): void {
    this.#queue.add(request);
    this.#pump();
  }

  /** Sends requests that had no effect once more, before all that wait. */
  again(requests: readonly ApiRequest[]): void {
    for (const request of requests) {
      request.state = "waiting";
      request.session = undefined;
    }
    this.#queue.putBack(...requests);
    this.#pump();
  }

  /** Forgets a request that waits, or is being signed. */
  remove(request: ApiRequest): void {
    this.#queue.remove(request);
    const isSigned = this.#signing?.request === request;
    if (isSigned) this.#signing = undefined;
    // Others may have waited for it.
    if (isSigned || this.#isHeld) this.#pump();
  }

  /** Sends a request at once; false if the connection is not open any more, and then nothing of it has left. */
  send(session: ApiSession, request: ApiRequest, text: string): boolean {
    request.state = "sent";
    request.session = session;
    request.sentAt = this.#settings.clock.monotonic();
    if (session.send(text)) {
      request.charge = this.#settings.rateLimits.charge(request.init.cost);
      if (changesLogon(request.init.method)) session.logon.changing();
      if (request.isByLogon) session.logon.inUse.add(request);
      this.#sent++;
      return true;
    }
    request.state = "waiting";
    request.session = undefined;
    return false;
  }

  /** A request was answered: a logon that has waited for that can be sent. */
  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#pump();
  }

  /** Requests may be answered out of order: what relies on a logon must not be overtaken by that of another account. */
  #mustWait({ logon }: ApiSession, { init: { method, signer } }: ApiRequest): boolean {
    return isLogon(method) && logon.current?.apiKey !== signer?.apiKey &&
      logon.isNeeded(this.#settings.clock.monotonic());
  }

  /** Sends what may be sent now. */
  #pump(): void {
    while (this.#session !== undefined && this.#signing === undefined) {
      const session = this.#session;
      const request = this.#queue.next();
      if (request === undefined) return;
      if (this.#mustWait(session, request)) {
        this.#isHeld = true;
        return this.#queue.putBack(request);
      }
      request.isByLogon = this.#isByLogon(session, request);
      request.logon = request.isByLogon ? session.logon.current : undefined;
      if (request.isSigned && !request.isByLogon) return void this.#signAndSend(session, request);
      const { id, method, params } = request.init;
      const stamped = request.isSigned ? { ...params, timestamp: this.#settings.timeOffset.now } : params;
      this.#sendOrKeep(session, request, () => requestText(id, method, stamped));
    }
  }

  /**
   * Whether the logon of the connection is its signature. The exchange takes a request without one for that of whoever is
   * logged on, which the user may have changed: only the stream's own logon is relied on.
   */
  #isByLogon({ logon: { current } }: ApiSession, { init: { method, facts, signer } }: ApiRequest): boolean {
    const { logon, signer: own } = this.#settings;
    if (!logon || isLogon(method)) return false;
    if (facts.needsLogon === true) return true;
    return facts.security === "SIGNED" && current !== undefined && current.apiKey === signer?.apiKey &&
      current.apiKey === own?.apiKey;
  }

  async #signAndSend(session: ApiSession, request: ApiRequest): Promise<void> {
    const { id, method, params, signer } = request.init;
    const signing = this.#signing = { request };
    request.state = "signing";
    try {
      if (signer === undefined) throw new TypeError("A signed request has a signer");
      if (isLogon(method)) request.logsOnAs = signer.apiKey;
      const signed = { ...params, apiKey: signer.apiKey, timestamp: this.#settings.timeOffset.now };
      const signature = await signer.signWebSocket(signed);
      // It was given up meanwhile, or is signed for another connection.
      if (this.#signing !== signing) return;
      // The exchange may want no request any more.
      if (this.#settings.rateLimits.pauseMs > 0) return this.#signAgain();
      this.#signing = undefined;
      request.state = "waiting";
      this.#sendOrKeep(session, request, () => requestText(id, method, { ...signed, signature }));
    } catch (error) {
      if (this.#signing !== signing) return;
      this.#signing = undefined;
      this.#settings.onFailed(request, error);
    } finally {
      this.#pump();
    }
  }

  /** What is being signed waits again. A signature may never come: nothing waits for one that would be too old anyway. */
  #signAgain(): void {
    const request = this.#signing?.request;
    if (request === undefined) return;
    this.#signing = undefined;
    request.state = "waiting";
    this.#queue.putBack(request);
  }

  #sendOrKeep(session: ApiSession, request: ApiRequest, makeText: () => string): void {
    let text: string;
    try {
      text = makeText();
    } catch (error) {
      return this.#settings.onFailed(request, error);
    }
    if (this.send(session, request, text)) return;
    // Nothing of it has left: it waits for the next connection.
    this.#queue.putBack(request);
    this.close(session);
  }
}
