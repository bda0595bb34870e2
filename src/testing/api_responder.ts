/**
 * The WebSocket API, as far as a client needs it to see that a bare connection works: `ping` and `time`.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

/** Request weight of each IP per minute (Binance web-socket-api.md, "IP limits"). */
const WEIGHT_LIMIT = 6000;
const MINUTE_MS = 60_000;
/** Binance web-socket-api.md, "Request format". */
const STRING_ID = /^[a-zA-Z0-9-_]{1,36}$/;

/** Answers requests and counts their weight. */
export class ApiResponder {
  readonly #clock: Clock;
  #minute = 0;
  #weight = 0;

  /** Creates a responder whose time is `clock`'s. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts `weight` and answers the request `text`. */
  answer(text: string): string {
    const request = parse(text);
    const id = request?.id ?? null;
    const isIdValid = id === null || Number.isSafeInteger(id) || (typeof id === "string" && STRING_ID.test(id));
    this.#count(1);
    if (request === undefined || !isIdValid) {
      const msg =
        "Invalid 'id' in JSON request; expected an integer, a string matching '^[a-zA-Z0-9-_]{1,36}$', or null.";
      const malformed = "Malformed JSON request.";
      return this.#response(null, 400, { error: { code: -1135, msg: request === undefined ? malformed : msg } });
    }
    switch (String(request.method).replace(/^v3\//, "")) {
      case "ping":
        return this.#response(id, 200, { result: {} });
      case "time":
        return this.#response(id, 200, { result: { serverTime: this.#clock.now() } });
      default:
        // Binance errors.md, UNSUPPORTED_OPERATION: this exchange has no other method.
        return this.#response(id, 400, { error: { code: -1020, msg: "This operation is not supported." } });
    }
  }

  /** Windows begin with the calendar's minutes. */
  #count(weight: number): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#weight = 0;
    this.#minute = minute;
    this.#weight += weight;
  }

  #response(id: unknown, status: number, body: Record<string, unknown>): string {
    const rateLimits = [{
      rateLimitType: "REQUEST_WEIGHT",
      interval: "MINUTE",
      intervalNum: 1,
      limit: WEIGHT_LIMIT,
      count: this.#weight,
    }];
    return JSON.stringify({ id, status, ...body, rateLimits });
  }
}

function parse(text: string): { id?: unknown; method?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
