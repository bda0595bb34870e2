/**
 * Which requests go wrong, and how.
 *
 * @module
 */

/**
 * What can go wrong with a request of the WebSocket API:
 *
 * - `"ignore"`: it is neither obeyed nor answered.
 * - `"dropAnswer"`: it is obeyed and not answered; its events come.
 * - `"killBefore"`: the connection is cut before it is obeyed.
 * - `"killBeforeAnswer"`: it is obeyed, and the connection is cut before the answer.
 * - `"killAfterAnswer"`: it is obeyed and answered, and the connection is cut before its events.
 * - `"error"`: it is answered with an error, and not obeyed unless `obey` says so.
 * - `"delay"`: its answer comes late; its events don't.
 *
 * @example
 * ```ts
 * import { type ApiDisturbance, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const what: ApiDisturbance = "killBeforeAnswer";
 * await using exchange = await startLocalExchange();
 * exchange.api.disturb(what, { method: "order.place" });
 * ```
 */
export type ApiDisturbance =
  | "ignore"
  | "dropAnswer"
  | "killBefore"
  | "killBeforeAnswer"
  | "killAfterAnswer"
  | "error"
  | "delay";

/**
 * Which requests are disturbed.
 *
 * @example
 * ```ts
 * import { type ApiDisturbOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * // The exchange has obeyed, and says that it doesn't know.
 * const error = { status: 504, code: -1007, msg: "Timeout waiting for response from backend server." };
 * const options: ApiDisturbOptions = { method: "order.place", count: 2, error, obey: true };
 * await using exchange = await startLocalExchange();
 * exchange.api.disturb("error", options);
 * ```
 */
export interface ApiDisturbOptions {
  /** Only requests of this method, without `v3/`. Default: of every method. */
  readonly method?: string;
  /** Only requests on this connection. Default: on every connection. */
  readonly connectionId?: number;
  /** Number of requests, at least 1. Default: 1. */
  readonly count?: number;
  /** For `"delay"`: how late the answer is, in ms. Default: 100. */
  readonly delayMs?: number;
  /** For `"error"`: the error. Default: 500 and -1001 `Internal error; unable to process your request. Please try again.` */
  readonly error?: {
    readonly status: number;
    readonly code: number;
    readonly msg: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
  /** For `"error"`: whether the request is obeyed all the same. Default: false. */
  readonly obey?: boolean;
}

interface Pending {
  readonly kind: ApiDisturbance;
  readonly options: ApiDisturbOptions;
  left: number;
}

/** A disturbance that falls upon a request. */
export interface Disturbed {
  readonly kind: ApiDisturbance;
  readonly options: ApiDisturbOptions;
}

/** The disturbances that were ordered and have not come. */
export class ApiDisturbances {
  #pending: Pending[] = [];

  /** Orders one. @throws {RangeError} if the count is no integer that is at least 1. */
  add(kind: ApiDisturbance, options: ApiDisturbOptions): void {
    const { count = 1 } = options;
    if (!Number.isInteger(count) || count < 1) {
      throw new RangeError(`Cannot disturb ${count} requests: expected an integer that is at least 1`);
    }
    this.#pending.push({ kind, options, left: count });
  }

  /** The one that falls upon a request, if any: of several the one that was ordered first. */
  take(method: string, connectionId: number): Disturbed | undefined {
    const found = this.#pending.find(({ options }) =>
      (options.method === undefined || options.method === method) &&
      (options.connectionId === undefined || options.connectionId === connectionId)
    );
    if (found !== undefined && --found.left === 0) this.#pending = this.#pending.filter((each) => each !== found);
    return found;
  }

  /** Forgets all. */
  clear(): void {
    this.#pending = [];
  }
}
