/**
 * One request, from the call to its answer.
 *
 * @module
 */

import type { Timer } from "../base/mod.ts";
import type { RateLimitPolicy } from "./api_options.ts";
import type { ApiSession } from "./api_session.ts";
import type { KnownMethod } from "./api_settings.ts";
import type { Logon } from "./logon_state.ts";
import { type Params, paramsJson } from "./params.ts";
import type { RequestCost } from "./rate_limit_window.ts";
import type { Charge } from "./rate_limits.ts";
import type { Signer } from "./signer.ts";

/**
 * Where a request is: it waits to be sent, is being signed, or was sent. `"abandoned"`: nobody waits for its answer any more,
 * which may still come, so that its id is not free yet.
 */
export type RequestState = "waiting" | "signing" | "sent" | "abandoned" | "done";

/** What a request is made of. */
export interface RequestInit {
  readonly id: string | number;
  readonly method: string;
  readonly params: Params;
  readonly facts: KnownMethod;
  readonly cost: RequestCost;
  readonly signer: Signer | undefined;
  readonly onRateLimit: RateLimitPolicy;
  readonly timeoutMs: number;
  /** When its time is over, by the monotonic clock. */
  readonly dueAt: number;
  readonly onResult: ((result: unknown) => void) | undefined;
  readonly isUrgent: boolean;
}

/** The client order id may have several names. */
const CLIENT_IDS = ["newClientOrderId", "listClientOrderId", "clientAlgoId", "origClientOrderId"] as const;

/** A request and those who wait for it. */
export class ApiRequest {
  readonly init: RequestInit;
  /** Tells which call came first. */
  readonly number: number;
  /** Settled with the answer. */
  readonly promise: Promise<unknown>;
  state: RequestState = "waiting";
  /** The connection that it was sent over. */
  session: ApiSession | undefined;
  charge: Charge | undefined;
  /** When it was sent last, by the monotonic clock. */
  sentAt = 0;
  /** Whether it relies on the connection being logged on. */
  isByLogon = false;
  /** The logon that was its signature. */
  logon: Logon | undefined;
  /** The key that it logs the connection on with, if that is what it does. */
  logsOnAs: string | undefined;
  /** Whether the stream itself asks, before requests can be sent. */
  isInternal = false;
  /** How often the exchange has refused it for what could be mended. */
  refusals = 0;
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (error: unknown) => void;
  #timer: Timer | undefined;
  #unlisten: (() => void) | undefined;

  constructor(init: RequestInit, number: number) {
    this.init = init;
    this.number = number;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether its frame carries a signature of its own. */
  get isSigned(): boolean {
    return this.init.facts.security === "SIGNED";
  }

  /** The client order id that it carries. */
  get clientOrderId(): string | undefined {
    const { params } = this.init;
    for (const name of CLIENT_IDS) if (params[name] !== undefined) return String(params[name]);
    return undefined;
  }

  /** Says what ends the wait early. */
  watch(timer: Timer, signal: AbortSignal | undefined, onAbort: (() => void) | undefined): void {
    this.#timer = timer;
    if (signal === undefined || onAbort === undefined) return;
    signal.addEventListener("abort", onAbort);
    this.#unlisten = () => signal.removeEventListener("abort", onAbort);
  }

  /** Ends the wait with a result. */
  resolve(result: unknown): void {
    this.#finish("done");
    this.#resolve(result);
  }

  /** Ends the wait with an error; `state` tells whether an answer may still come. */
  reject(error: unknown, state: "abandoned" | "done" = "done"): void {
    this.#finish(state);
    this.#reject(error);
  }

  #finish(state: RequestState): void {
    this.state = state;
    this.#timer?.cancel();
    this.#unlisten?.();
  }
}

/** The frame of a request. */
export function requestText(id: string | number, method: string, params: Params): string {
  const json = paramsJson(params);
  const tail = json === "{}" ? "}" : `,"params":${json}}`;
  return `{"id":${JSON.stringify(id)},"method":${JSON.stringify(method)}${tail}`;
}
