/**
 * The answer of an HTTP proxy to CONNECT (RFC 9110 9.3.6), without its I/O: bytes in, whether the tunnel is open out.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { type HttpHead, HttpHeadReader, isToken, malformed, MAX_HTTP_HEAD } from "../native/http_head.ts";
import { parseStatusLine } from "../native/handshake.ts";
import { Rejection } from "../native/rejection.ts";

/** The tunnel is open. */
export interface OpenedTunnel {
  readonly opened: true;
  /** The bytes behind the answer, which belong to the tunnel already. */
  readonly rest: Uint8Array;
}

/** The proxy refuses. */
export interface RefusedTunnel {
  readonly opened: false;
  readonly status: number;
  readonly statusText: string;
  /** Names of the schemes that a 407 asks for (RFC 9110 11.7.1), such as `"Basic"`. */
  readonly schemes: readonly string[];
  /** The first KiB of the body. */
  readonly body: string;
}

/** What every answer begins with. */
const BEGINNING = "HTTP/1.";

/** One answer that is coming. */
export class ConnectReply {
  #head = new HttpHeadReader();
  /** Bytes of all heads: interim answers must not go on for ever. */
  #headBytes = 0;
  #rejection: { readonly head: HttpHead; readonly body: Rejection } | undefined;

  /** Whether it is a refusal whose body is still coming. */
  get isRefusal(): boolean {
    return this.#rejection !== undefined;
  }

  /**
   * Takes the next bytes.
   *
   * @returns What the proxy says, once it is complete.
   * @throws {ConnectionFailedError} with code `HANDSHAKE_INVALID` if it is not HTTP.
   */
  push(bytes: Buffer): OpenedTunnel | RefusedTunnel | undefined {
    let chunk: Uint8Array = bytes;
    while (this.#rejection === undefined) {
      this.#checkBeginning(chunk);
      const head = this.#head.push(chunk);
      this.#headBytes += chunk.length - (head?.rest.length ?? 0);
      if (head === undefined) return undefined;
      const { status } = parseStatusLine(head.startLine);
      if (status >= 200 && status < 300) return { opened: true, rest: head.rest };
      // Nothing was offered that one could switch to.
      if (status === 101) throw malformed("it switches protocols without having been asked");
      if (status >= 200) {
        this.#rejection = { head, body: new Rejection(head) };
        chunk = head.rest;
        break;
      }
      if (this.#headBytes >= MAX_HTTP_HEAD) throw malformed("it has too many interim answers before it");
      this.#head = new HttpHeadReader(MAX_HTTP_HEAD - this.#headBytes);
      this.#begun = 0;
      if (head.rest.length === 0) return undefined;
      chunk = head.rest;
    }
    this.#rejection.body.push(chunk);
    return this.#rejection.body.isComplete ? this.refusal() : undefined;
  }

  /** The refusal with what has come of its body; `undefined` if there is none. */
  refusal(): RefusedTunnel | undefined {
    if (this.#rejection === undefined) return undefined;
    const { head, body } = this.#rejection;
    const { status, statusText } = parseStatusLine(head.startLine);
    return {
      opened: false,
      status,
      statusText,
      schemes: challengeSchemes(head.headers.get("proxy-authenticate")),
      body: body.toError("").body ?? "",
    };
  }

  #begun = 0;

  /** What is not HTTP may never have an empty line: it is refused with its first wrong byte. */
  #checkBeginning(chunk: Uint8Array): void {
    for (let at = 0; this.#begun < BEGINNING.length && at < chunk.length; at++, this.#begun++) {
      if (chunk[at] !== BEGINNING.charCodeAt(this.#begun)) throw malformed("it does not begin with HTTP/1");
    }
  }
}

/** The schemes of a list of challenges (RFC 9110 11.6.1), in the order of the list, without their parameters. */
export function challengeSchemes(value = ""): string[] {
  // Commas also part the parameters, and stand in quoted ones.
  const members = value.match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? [];
  return members.flatMap((member) => {
    const [first = "", second = ""] = member.trim().split(/[ \t]+/, 2);
    // `realm="x"` and `realm = "x"` are parameters of the challenge before.
    return isToken(first) && !second.startsWith("=") ? [first] : [];
  });
}
