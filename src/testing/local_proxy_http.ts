/**
 * The stand-in's side of HTTP CONNECT (RFC 9110 9.3.6) with Basic credentials (RFC 7617).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { ConnectionFailedError } from "../base/mod.ts";
import { type HttpHead, HttpHeadReader } from "../transport/native/mod.ts";
import type { LocalProxyRequest } from "./local_proxy.ts";
import type { Dialog, DialogHost } from "./local_proxy_dialog.ts";

const CHALLENGE = 'Basic realm="local proxy"';
const ESTABLISHED = Buffer.from("HTTP/1.1 200 Connection established\r\n\r\n");

/** Reads one request and answers it. */
export class HttpDialog implements Dialog {
  readonly #host: DialogHost;
  readonly #head = new HttpHeadReader();
  #isDone = false;
  #early: ((bytes: Uint8Array) => void) | undefined;

  constructor(host: DialogHost) {
    this.#host = host;
  }

  push(chunk: Uint8Array): void {
    if (this.#isDone) return this.#early?.(chunk);
    let head: HttpHead | undefined;
    try {
      head = this.#head.push(chunk);
    } catch (error) {
      if (!(error instanceof ConnectionFailedError)) throw error;
      return this.#refuse(400, error.message);
    }
    if (head !== undefined) this.#answer(head);
  }

  #answer({ startLine, headers, rest }: HttpHead): void {
    this.#isDone = true;
    const { faults, login } = this.#host;
    const match = /^CONNECT (?:\[([\d.:a-f]+)\]|([^\s:/]+)):(\d{1,5}) HTTP\/1\.[01]$/i.exec(startLine);
    if (match === null) {
      const isConnect = startLine.startsWith("CONNECT ");
      return isConnect ? this.#refuse(400, "Expected host:port") : this.#refuse(405, "Expected CONNECT");
    }
    const credentials = credentialsOf(headers.get("proxy-authorization"));
    const request: LocalProxyRequest = {
      host: match[1] ?? match[2] ?? "",
      port: Number(match[3]),
      username: credentials?.username,
      headers: Object.fromEntries(headers),
    };
    if (this.#host.request(request)) return;
    if (faults.refuse !== undefined) return this.#refuse(faults.refuse, faults.body);
    if (login !== undefined && (credentials?.username !== login.username || credentials.password !== login.password)) {
      return this.#refuse(407, faults.body);
    }
    this.#early = this.#host.open(request, ESTABLISHED, (failure) => {
      this.#refuse(failure === "refused" ? 503 : 502, `The target is ${failure}`);
    });
    this.#early(rest);
  }

  #refuse(status: number, body = ""): void {
    this.#isDone = true;
    const { challenge = CHALLENGE } = this.#host.faults;
    const authenticate = status === 407 && challenge !== "" ? `Proxy-Authenticate: ${challenge}\r\n` : "";
    const answer = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n${authenticate}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
    this.#host.refuse(Buffer.from(answer), status === 407);
  }
}

/** The credentials of a Basic header; the password may contain colons (RFC 7617 2). */
function credentialsOf(header: string | undefined): { username: string; password: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
