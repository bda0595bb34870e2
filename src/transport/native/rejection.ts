/**
 * A response that is not 101: collects the beginning of its body, and becomes the error that the caller gets.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { HandshakeRejectedError } from "../../base/mod.ts";
import type { HttpHead } from "./http_head.ts";
import { parseStatusLine } from "./handshake.ts";

/** Most bytes of the body on the error. */
const MAX_BODY = 1024;
/** A chunked body has sizes and line ends between its bytes. */
const MAX_CHUNKED_BODY = 2 * MAX_BODY;

/** A rejected handshake whose body is still coming. */
export class Rejection {
  readonly #head: HttpHead;
  readonly #chunked: boolean;
  /** Bytes after which there is nothing more to wait for. */
  readonly #enough: number;
  #body = Buffer.alloc(0);

  /** Creates a rejection without a body yet. */
  constructor(head: HttpHead) {
    this.#head = head;
    this.#chunked = head.headers.has("transfer-encoding");
    const length = Number(head.headers.get("content-length") ?? Infinity);
    const { status } = parseStatusLine(head.startLine);
    // RFC 9110 6.4.1: these never have a body.
    const none = status < 200 || status === 204 || status === 304;
    if (none) this.#enough = 0;
    else if (this.#chunked) this.#enough = MAX_CHUNKED_BODY;
    else this.#enough = Math.min(MAX_BODY, Number.isNaN(length) ? 0 : length);
  }

  /** Adds bytes of the body. */
  push(chunk: Uint8Array): void {
    const room = Math.max(0, this.#enough - this.#body.length);
    this.#body = Buffer.concat([this.#body, chunk.subarray(0, room)]);
  }

  /** Whether as much of the body is there as will be kept. */
  get isComplete(): boolean {
    if (this.#body.length >= this.#enough) return true;
    return this.#chunked && (this.#body.includes("\r\n0\r\n") || this.#body.indexOf("0\r\n\r\n") === 0);
  }

  /** The error, with what has come of the body. */
  toError(origin: string): HandshakeRejectedError {
    const { status, statusText } = parseStatusLine(this.#head.startLine);
    const body = this.#chunked ? unchunk(this.#body) : this.#body;
    return new HandshakeRejectedError(
      `Cannot open ${origin}: the server answered ${`${status} ${statusText}`.trim()} instead of 101`,
      {
        status,
        headers: Object.fromEntries(this.#head.headers),
        body: body.subarray(0, MAX_BODY).toString("utf8"),
        retryAfterMs: parseRetryAfter(this.#head.headers.get("retry-after"), Date.now()),
      },
    );
  }
}

/** `Retry-After` in ms (RFC 9110 10.2.3): a number of seconds, or a date. `undefined` if it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Only real dates: Date.parse takes "-1" and other odd things too.
  const date = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** The bytes of the chunks (RFC 9112 7.1) in `body`, the last one possibly cut off. */
function unchunk(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  while (true) {
    const lineEnd = body.indexOf("\r\n", at);
    if (lineEnd < 0) break;
    const size = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    if (!(size > 0)) break;
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}
