/**
 * The REST endpoints that account events need: listen keys and listen tokens (Binance USD-M, COIN-M, options, portfolio
 * margin "Start User Data Stream"; margin "Create Margin Account listenToken").
 *
 * @module
 */

import type { Clock, Timer } from "../../base/mod.ts";
import type { HttpResponse } from "../server_handshake.ts";
import { ApiFault, badKey } from "./api_fault.ts";
import type { ApiService } from "./api_service.ts";
import { jsonText } from "./json_text.ts";
import type { ApiKey } from "./keys.ts";
import type { ListenKeyProduct } from "./listen_keys.ts";

/**
 * A request by REST.
 *
 * @example
 * ```ts
 * import { type LocalRestRequest, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await (await fetch(`${exchange.restUrl}/fapi/v1/time`)).text();
 * const [request]: readonly LocalRestRequest[] = exchange.api.restRequests;
 * assertEquals([request?.method, request?.path, request?.status], ["GET", "/fapi/v1/time", 200]);
 * ```
 */
export interface LocalRestRequest {
  /** When it was read, in ms since 1970 by the exchange's time. */
  readonly at: number;
  /** Such as `POST`. */
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The query without the question mark, as it was sent. */
  readonly query: string;
  /** The header `X-MBX-APIKEY`. */
  readonly apiKey: string | undefined;
  /** HTTP status of the answer; 0 if it got none. */
  readonly status: number;
}

/**
 * How a request by REST goes wrong.
 *
 * @example
 * ```ts
 * import { type RestFaultOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const options: RestFaultOptions = { status: 429, headers: { "Retry-After": "2" }, method: "PUT" };
 * await using exchange = await startLocalExchange();
 * exchange.api.failRest(options);
 * ```
 */
export interface RestFaultOptions {
  /** HTTP status; 0 cuts the connection without an answer. Default: 500. */
  readonly status?: number;
  /** Further headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body. Default: `{"code":-1001,"msg":"Internal error."}`. */
  readonly body?: string;
  /** Only requests with this HTTP method. Default: with any. */
  readonly method?: string;
  /** Only requests whose path begins so. Default: any. */
  readonly path?: string;
  /** Number of requests, at least 1. Default: 1. */
  readonly count?: number;
  /** How late the answer is, in ms; what is obeyed is obeyed at once. Default: 0. */
  readonly delayMs?: number;
  /** Whether they are obeyed all the same. Default: false. */
  readonly obey?: boolean;
}

/** A request as it was read. */
export interface RestRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const LISTEN_KEYS: Readonly<Record<string, ListenKeyProduct>> = {
  "/fapi/v1/listenKey": "usdm",
  "/dapi/v1/listenKey": "coinm",
  "/eapi/v1/listenKey": "options",
  "/papi/v1/listenKey": "portfolioMargin",
  "/api/v3/userDataStream": "spot",
  "/sapi/v1/margin/listen-key": "margin",
};
/** Ended with spot's on 2026-02-20. */
const GONE = new Set(["/sapi/v1/userDataStream", "/sapi/v1/userDataStream/isolated", "/api/v1/userDataStream"]);
const TIMES = new Set(["/api/v3/time", "/fapi/v1/time", "/dapi/v1/time", "/eapi/v1/time"]);
const TOKENS = new Set(["/sapi/v1/userListenToken", "/open/v1/user-listen-token"]);
const DAY_MS = 86_400_000;

/** The REST endpoints of an exchange. */
export class RestDesk {
  readonly requests: LocalRestRequest[] = [];
  /** Whether spot has listen keys, as on Binance.US. */
  hasSpotListenKeys = false;
  readonly #service: ApiService;
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #faults: { readonly options: RestFaultOptions; left: number }[] = [];

  /** Creates the endpoints of a service. */
  constructor(service: ApiService, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
  }

  /** Whether there is such a path. */
  serves(path: string): boolean {
    return path in LISTEN_KEYS || GONE.has(path) || TIMES.has(path) || TOKENS.has(path);
  }

  /** Orders a fault. @throws {RangeError} if the count is no integer that is at least 1. */
  fail(options: RestFaultOptions): void {
    const { count = 1 } = options;
    if (!Number.isInteger(count) || count < 1) {
      throw new RangeError(`Cannot fail ${count} requests: expected an integer that is at least 1`);
    }
    this.#faults.push({ options, left: count });
  }

  /** Answers a request; `reply(undefined)` cuts its connection. */
  answer(request: RestRequest, reply: (response: HttpResponse | undefined) => void): void {
    const [path = "", query = ""] = request.target.split(/\?(.*)/s, 2);
    const fault = this.#faults.find(({ options }) =>
      (options.method === undefined || options.method === request.method) && path.startsWith(options.path ?? "")
    )?.options;
    if (fault !== undefined) this.#take(fault);
    const obeyed = fault === undefined || fault.obey === true ? this.#obey(request, path, query) : undefined;
    const response = fault === undefined ? obeyed : planned(fault);
    const apiKey = request.headers["x-mbx-apikey"];
    const at = this.#service.now();
    this.requests.push({ at, method: request.method, path, query, apiKey, status: response?.status ?? 0 });
    const { delayMs = 0 } = fault ?? {};
    if (delayMs === 0) return reply(response);
    const timer = this.#clock.setTimer(() => {
      this.#timers.delete(timer);
      reply(response);
    }, delayMs);
    this.#timers.add(timer);
  }

  /** Forgets the answers that are late. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #take(options: RestFaultOptions): void {
    const pending = this.#faults.find((each) => each.options === options);
    if (pending !== undefined && --pending.left === 0) this.#faults = this.#faults.filter((each) => each !== pending);
  }

  #obey(request: RestRequest, path: string, query: string): HttpResponse {
    const venue = this.#service.venues[path.startsWith("/fapi") ? "usdm" : path.startsWith("/dapi") ? "coinm" : "spot"];
    const now = this.#service.now();
    try {
      venue.weights.charge(1, now);
      const result = this.#run(request, path, query);
      return json(200, result, { "X-MBX-USED-WEIGHT-1M": String(venue.weights.window.count(now)) });
    } catch (error) {
      if (!(error instanceof ApiFault)) throw error;
      const until = venue.weights.bannedUntil(now) ?? venue.weights.window.endsAt(now);
      const headers: Record<string, string> = error.code === -1003
        ? { "Retry-After": String(Math.ceil((until - now) / 1000)) }
        : {};
      return json(error.status, { code: error.code, msg: error.message }, headers);
    }
  }

  #run({ method, headers, body }: RestRequest, path: string, query: string): unknown {
    const now = this.#service.now();
    if (TIMES.has(path)) return { serverTime: now };
    if (GONE.has(path) || (path === "/api/v3/userDataStream" && !this.hasSpotListenKeys)) {
      throw new ApiFault(-1020, "This operation is not supported.", { status: 410 });
    }
    const params = new URLSearchParams([query, body].filter((part) => part !== "").join("&"));
    const key = this.#key(headers["x-mbx-apikey"], query + body, params.get("signature"));
    if (TOKENS.has(path)) return this.#token(method, path, key, params);
    const product = LISTEN_KEYS[path] ?? "spot";
    const keys = this.#service.keysOf(product);
    const { account } = key;
    const given = params.get("listenKey") ?? undefined;
    switch (method) {
      case "POST": {
        const { key: listenKey, expiresAt } = keys.create(account);
        return product === "options" ? { listenKey, expiration: expiresAt } : { listenKey };
      }
      case "PUT": {
        const { key: listenKey } = keys.extend(account, given);
        return product === "usdm" || product === "coinm" ? { listenKey } : {};
      }
      case "DELETE":
        keys.remove(account, given);
        return {};
      default:
        throw new ApiFault(-1020, "This operation is not supported.", { status: 405 });
    }
  }

  /** @throws {ApiFault} if there is no such key, or a signature that is not the key's for what was sent. */
  #key(apiKey: string | undefined, sent: string, signature: string | null): ApiKey {
    if (apiKey === undefined || apiKey === "") throw new ApiFault(-2014, "API-key format invalid.", { status: 401 });
    const key = this.#service.keys.get(apiKey);
    if (key === undefined || key.isRevoked) throw badKey();
    const payload = sent.replace(/&?signature=[^&]*/, "");
    if (signature !== null && !key.verifies(payload, signature)) {
      throw new ApiFault(-1022, "Signature for this request is not valid.");
    }
    return key;
  }

  #token(method: string, path: string, { account }: ApiKey, params: URLSearchParams): unknown {
    if (method !== "POST") throw new ApiFault(-1020, "This operation is not supported.", { status: 405 });
    if (params.get("isIsolated")?.toUpperCase() === "TRUE" && params.get("symbol") === null) {
      throw new ApiFault(-1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.");
    }
    const validity = Number(params.get("validity") ?? DAY_MS);
    if (!(validity > 0 && validity <= DAY_MS)) {
      throw new ApiFault(-1100, "Illegal characters found in parameter 'validity'.");
    }
    const { text, expiresAt } = this.#service.userStreams.createToken(account, validity);
    const data = { token: text, expirationTime: expiresAt };
    // Binance TR wraps its answers.
    return path.startsWith("/open/") ? { code: 0, msg: "Success", data, timestamp: this.#service.now() } : data;
  }
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: jsonText(value) };
}

function planned({ status = 500, headers = {}, body }: RestFaultOptions): HttpResponse | undefined {
  if (status === 0) return undefined;
  return { status, headers, body: body ?? '{"code":-1001,"msg":"Internal error."}' };
}
