/**
 * Answers without an id, which say that a connection is not logged on any more.
 *
 * @module
 */

import type { ApiRequest } from "./api_request.ts";

/**
 * When the key of a connection is revoked, the next request is answered with `"id":null` and status 401 (Binance
 * web-socket-api.md, "Authorize API key"). Which one that was must not be guessed: an order that was executed could be taken
 * for refused. It is known only once there are as many such answers as requests that they can be for.
 */
export class NamelessAnswers {
  readonly #candidates = new Set<ApiRequest>();
  #count = 0;

  /** An answer without an id came; `requests` are those without an answer that relied on the logon. */
  add(requests: readonly ApiRequest[]): ApiRequest[] {
    this.#count++;
    for (const request of requests) this.#candidates.add(request);
    return this.#settled();
  }

  /** A request got an answer of its own; returns those that can be told to have been refused now. */
  answered(request: ApiRequest): ApiRequest[] {
    if (this.#count === 0) return [];
    this.#candidates.delete(request);
    return this.#settled();
  }

  #settled(): ApiRequest[] {
    if (this.#candidates.size > this.#count) return [];
    const refused = [...this.#candidates];
    this.#candidates.clear();
    this.#count = 0;
    return refused;
  }
}
