/**
 * The requests that have no answer yet, by their ids.
 *
 * @module
 */

import { InvalidOptionsError } from "../base/mod.ts";
import type { ApiRequest } from "./api_request.ts";
import type { ApiSession } from "./api_session.ts";

/** Binance web-socket-api.md, "Request format": an id that is a text has to look like this. */
const ID = /^[a-zA-Z0-9-_]{1,36}$/;

/** Every request is in here before it is sent, so that no answer can be too early. */
export class PendingRequests {
  readonly #requests = new Map<string | number, ApiRequest>();
  #lastId = 0;

  /** An id that is not used; `given` if that can be used. */
  idOf(given: string | number | undefined): string | number {
    if (given === undefined) {
      do this.#lastId++; while (this.#requests.has(this.#lastId));
      return this.#lastId;
    }
    const isUsable = typeof given === "number"
      ? Number.isSafeInteger(given)
      : typeof given === "string" && ID.test(given);
    if (!isUsable) {
      throw new InvalidOptionsError(
        "Cannot use this as `id`: expected an integer, or 1 to 36 of the characters a-z, A-Z, 0-9, - and _",
        { path: "id" },
      );
    }
    if (this.#requests.has(given)) {
      throw new InvalidOptionsError("Cannot use this `id` now: expected one that no request without an answer has", {
        path: "id",
      });
    }
    return given;
  }

  /** Keeps a request until its answer has come, or can't come any more. */
  add(request: ApiRequest): void {
    this.#requests.set(request.init.id, request);
  }

  /** The request that an answer over this connection belongs to. */
  sentWith(id: unknown, session: ApiSession): ApiRequest | undefined {
    // The cast: a key of another type is in no map.
    const request = this.#requests.get(id as string | number);
    return request?.session === session ? request : undefined;
  }

  /** Its answer has come, or can't come any more. */
  delete(request: ApiRequest): void {
    this.#requests.delete(request.init.id);
  }

  /** Those that were sent over a connection, in the order of the calls. */
  sentOver(session: ApiSession): ApiRequest[] {
    return this.all.filter((request) => request.session === session);
  }

  /** All of them, in the order of the calls. */
  get all(): ApiRequest[] {
    return [...this.#requests.values()];
  }
}
