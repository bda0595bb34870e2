/**
 * Who may use a tap: a bearer token, and the pages of which origins.
 *
 * @module
 */

import { TapRefusedError } from "../base/mod.ts";

const encoder = new TextEncoder();

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

/** Compares without an end that comes earlier the sooner they differ. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < 32; index++) difference |= (one[index] ?? 0) ^ (other[index] ?? 0);
  return difference === 0;
}

/** Checks tokens by their digests, so that neither contents nor lengths show in the time that takes. */
export class TokenCheck {
  readonly #expected: Promise<Uint8Array[]>;

  constructor(tokens: readonly string[]) {
    this.#expected = Promise.all(tokens.map(digestOf));
    this.#expected.catch(() => {});
  }

  /**
   * Lets a request pass that has one of the tokens in `Authorization`, or in the query for those who can't set headers
   * (RFC 6750 sections 2.1 and 2.3).
   *
   * @throws {TapRefusedError} with 401, if it has none.
   */
  async check(request: Request, query: URLSearchParams): Promise<void> {
    const header = request.headers.get("authorization");
    // Another scheme is none of ours, such as the password of a proxy on the way.
    const isBearer = header !== null && /^Bearer\b/i.test(header);
    const given = isBearer ? /^Bearer +([^ ]+) *$/i.exec(header)?.[1] ?? "" : query.get("access_token");
    const digest = await digestOf(given ?? "");
    let isKnown = false;
    for (const expected of await this.#expected) isKnown = isEqual(digest, expected) || isKnown;
    if (given !== null && isKnown) return;
    throw new TapRefusedError(
      401,
      given === null ? "TOKEN_MISSING" : "TOKEN_UNKNOWN",
      `Cannot use this tap ${given === null ? "without a token" : "with this token"}: ` +
        "expected one in `Authorization: Bearer` or `access_token`",
    );
  }
}

/** Which pages of other origins may read a tap (CORS; for WebSockets, which browsers do not check, by this tap). */
export class Origins {
  readonly #allowed: ReadonlySet<string>;

  /** @param allowed Origins, or `"*"` for all. */
  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed);
  }

  /** What every answer says about it. */
  headersFor(request: Request): Record<string, string> {
    const exposed = { "access-control-expose-headers": "Retry-After" };
    if (this.#allowed.has("*")) return { "access-control-allow-origin": "*", ...exposed };
    if (this.#allowed.size === 0) return {};
    const origin = request.headers.get("origin");
    if (origin === null || !this.#allowed.has(origin)) return { vary: "Origin" };
    return { "access-control-allow-origin": origin, vary: "Origin", ...exposed };
  }

  /**
   * Lets pages of the tap's own origin and of the allowed ones pass, and everything that is no page.
   *
   * @throws {TapRefusedError} with 403, for pages of other origins.
   */
  check(request: Request, url: URL): void {
    const origin = request.headers.get("origin");
    if (origin === null || this.#allowed.has("*") || this.#allowed.has(origin)) return;
    if (URL.canParse(origin) && new URL(origin).host === (request.headers.get("host") ?? url.host)) return;
    throw new TapRefusedError(
      403,
      "ORIGIN_NOT_ALLOWED",
      "Cannot connect from a page of this origin: it is not in `cors`",
    );
  }
}
