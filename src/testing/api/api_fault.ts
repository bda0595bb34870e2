/**
 * What a request is refused with (Binance errors.md; web-socket-api.md, "Response format").
 *
 * @module
 */

/** Everything of a refusal but its code and its message. */
export interface FaultOptions {
  /** Default: 400. */
  readonly status?: number;
  /** The member `data` of the error. Default: none. */
  readonly data?: unknown;
  /** Whether the answer carries the request's id, or `null`. Default: true. */
  readonly hasId?: boolean;
  /** Whether the connection is closed with 1008 after the answer. Default: false. */
  readonly close?: boolean;
}

/** An answer with `error` instead of `result`. */
export class ApiFault extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;
  readonly hasId: boolean;
  readonly close: boolean;

  constructor(code: number, msg: string, { status = 400, data, hasId = true, close = false }: FaultOptions = {}) {
    super(msg);
    this.code = code;
    this.status = status;
    this.data = data;
    this.hasId = hasId;
    this.close = close;
  }
}

/** Refuses a request that lacks `name`. */
export function missing(name: string): never {
  throw new ApiFault(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);
}

/** The refusal of a key that doesn't exist, was revoked or may not do this. */
export function badKey(options: FaultOptions = {}): ApiFault {
  return new ApiFault(-2015, "Invalid API-key, IP, or permissions for action.", { status: 401, ...options });
}
