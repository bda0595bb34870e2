/**
 * The head of an HTTP/1.1 message (RFC 9112), read incrementally and strictly: a request's on a server, a response's
 * on a client.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { ConnectionFailedError } from "../../base/mod.ts";
import { isToken } from "../arguments.ts";

export { isToken } from "../arguments.ts";

/** Most bytes of a head, its empty line included. */
export const MAX_HTTP_HEAD = 16 * 1024;

/** The head of a request or a response. */
export interface HttpHead {
  /** The first line, such as `GET /ws HTTP/1.1` or `HTTP/1.1 101 Switching Protocols`. */
  readonly startLine: string;
  /** The fields by lower-case name; values of equal names are joined with `", "` (RFC 9110 5.3). */
  readonly headers: ReadonlyMap<string, string>;
  /** The bytes that came after the head in the same chunk: a view, valid as long as the chunk is. */
  readonly rest: Uint8Array;
}

// deno-lint-ignore no-control-regex -- RFC 9110 5.5: a value has no control characters except tabs
const FORBIDDEN_IN_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Collects the bytes of one head. */
export class HttpHeadReader {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** Creates a reader for a head of at most `maxBytes`. */
  constructor(maxBytes: number = MAX_HTTP_HEAD) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the next bytes.
   *
   * @returns The head, once it is complete.
   * @throws {ConnectionFailedError} with code `HANDSHAKE_INVALID` if it is malformed or too long.
   */
  push(chunk: Uint8Array): HttpHead | undefined {
    const before = this.#length;
    const taken = Math.min(chunk.length, this.#maxBytes - before);
    if (before + taken > this.#bytes.length) {
      const larger = Buffer.alloc(Math.min(this.#maxBytes, Math.max(1024, 2 * (before + taken))));
      larger.set(this.#bytes.subarray(0, before));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk.subarray(0, taken), before);
    this.#length += taken;
    const collected = this.#bytes.subarray(0, this.#length);
    const end = collected.indexOf("\r\n\r\n", Math.max(0, before - 3), "latin1");
    if (end < 0) {
      if (this.#length >= this.#maxBytes) throw malformed(`it has more than ${this.#maxBytes} bytes`);
      return undefined;
    }
    const { startLine, headers } = parse(collected.toString("latin1", 0, end));
    return { startLine, headers, rest: chunk.subarray(end + 4 - before) };
  }
}

function parse(head: string): { startLine: string; headers: Map<string, string> } {
  const [startLine = "", ...lines] = head.split("\r\n");
  if (FORBIDDEN_IN_VALUE.test(startLine)) throw malformed("its first line has control characters");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    // This also refuses a space before the colon and a folded line (RFC 9112 5.1 and 5.2).
    if (!isToken(name)) throw malformed("a header field has no valid name");
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "");
    if (FORBIDDEN_IN_VALUE.test(value)) throw malformed(`the value of ${name} has control characters`);
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return { startLine, headers };
}

/** The error for a peer that does not speak HTTP as it should. */
export function malformed(what: string): ConnectionFailedError {
  return new ConnectionFailedError(`Cannot read the head of an HTTP message: ${what}`, { code: "HANDSHAKE_INVALID" });
}

/** Splits a comma-separated field value into its lower-case members (RFC 9110 5.6.1). */
export function listMembers(value: string | undefined): string[] {
  return (value ?? "").split(",").map((member) => member.trim().toLowerCase()).filter((member) => member !== "");
}
