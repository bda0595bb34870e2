/**
 * The request that a bridge passes on: recognised by its token, and rewritten for the server.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** Most bytes of a request's head. */
const MAX_HEAD = 64 * 1024;

/** What a request must know, and what becomes of it. */
export interface BridgeRequestOptions {
  /** The bridge's own host and port. */
  readonly authority: string;
  /** The first segment of the path. */
  readonly token: string;
  /** The server's host and port, as `Host` has it. */
  readonly host: string;
  /** Whether `Connection: close` is asked for. */
  readonly closesAfterResponse: boolean;
}

/** A request that the bridge passes on. */
export interface BridgeRequest {
  /** Its head for the server. */
  readonly head: Uint8Array;
  /** What came behind it. */
  readonly rest: Uint8Array;
}

/** Collects the head of one request. */
export class BridgeRequestReader {
  readonly #options: BridgeRequestOptions;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(options: BridgeRequestOptions) {
    this.#options = options;
  }

  /** Takes the next bytes; says what the request is once its head is complete. */
  push(chunk: Uint8Array): BridgeRequest | "refused" | undefined {
    const bytes = Buffer.concat([this.#bytes, chunk]);
    this.#bytes = bytes;
    const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
    if (end < 0) return bytes.length > MAX_HEAD ? "refused" : undefined;
    const head = rewriteHead(bytes.toString("latin1", 0, end), this.#options);
    if (head === undefined) return "refused";
    return { head: Buffer.from(head, "latin1"), rest: bytes.subarray(end + 4) };
  }
}

/** The head for the server, or `undefined` if the request does not know the token. */
function rewriteHead(head: string, options: BridgeRequestOptions): string | undefined {
  const { authority, token, host, closesAfterResponse } = options;
  const [requestLine = "", ...lines] = head.split("\r\n");
  const [method, target = "", version, ...more] = requestLine.split(" ");
  // Runtimes that take the bridge for their proxy send the absolute form (RFC 9112 3.2.2).
  const path = target.startsWith(`http://${authority}/`) ? target.slice(`http://${authority}`.length) : target;
  if (!path.startsWith(`/${token}/`) || version === undefined || more.length > 0) return undefined;
  const rewritten = [`${method} ${path.slice(token.length + 1)} ${version}`];
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(":")).toLowerCase();
    // What is meant for a proxy ends at the bridge; `Proxy-Connection` is sent by Bun.
    if (name.startsWith("proxy-") || (closesAfterResponse && name === "connection")) continue;
    // A `Host` of the caller's own stays.
    const isOwnHost = name === "host" && line.slice(line.indexOf(":") + 1).trim() === authority;
    rewritten.push(isOwnHost ? `Host: ${host}` : line);
  }
  if (closesAfterResponse) rewritten.push("Connection: close");
  return `${rewritten.join("\r\n")}\r\n\r\n`;
}
