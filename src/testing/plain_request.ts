/**
 * Requests by HTTP that are no handshakes: which ones are read, and their bodies.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { HttpHead } from "../transport/native/mod.ts";
import type { RestRequest } from "./api/rest.ts";

/** Longest body that is read, in bytes. */
const MAX_BODY = 64 * 1024;

/** A request whose body has not been read. */
export interface PlainRequest extends Omit<RestRequest, "body"> {
  readonly length: number;
}

/** A request for a path that is answered; `undefined` if it is none, and is a handshake or nothing. */
export function readPlainRequest(
  head: HttpHead,
  host: { servesRequest(path: string): boolean },
): PlainRequest | undefined {
  const [, method, full = "/"] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(head.startLine) ?? [];
  if (method === undefined || head.headers.has("upgrade")) return undefined;
  // A proxy may have left the absolute form (RFC 9112 3.2.2).
  const target = full.replace(/^https?:\/\/[^/?]*/i, "") || "/";
  if (!host.servesRequest(target.split("?", 1)[0] ?? "")) return undefined;
  const length = Number(head.headers.get("content-length") ?? 0);
  return { method, target, headers: Object.fromEntries(head.headers), length: Number.isInteger(length) ? length : 0 };
}

/** Collects the body of one request. */
export class BodyReader {
  readonly #request: PlainRequest;
  readonly #onRead: (request: RestRequest) => void;
  #body = Buffer.alloc(0);
  #isDone = false;

  /** Creates a reader; `onRead` is called once, when the body is complete. */
  constructor(request: PlainRequest, onRead: (request: RestRequest) => void) {
    this.#request = request;
    this.#onRead = onRead;
  }

  /** Takes the next bytes. */
  push(chunk: Uint8Array): void {
    if (this.#isDone) return;
    this.#body = Buffer.concat([this.#body, chunk]);
    const { length, ...request } = this.#request;
    if (this.#body.length < Math.min(length, MAX_BODY)) return;
    this.#isDone = true;
    this.#onRead({ ...request, body: this.#body.toString("utf8") });
  }
}
