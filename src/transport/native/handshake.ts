/**
 * The opening handshake of RFC 6455 4 without its I/O: what a client asks, and what it accepts as an answer.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { ConnectionFailedError } from "../../base/mod.ts";
import { originOf } from "../origin.ts";
import { type DeflateOffer, type DeflateParameters, readDeflateAnswer } from "./deflate_offer.ts";
import { type HttpHead, listMembers } from "./http_head.ts";

export { type HttpHead, HttpHeadReader, listMembers, MAX_HTTP_HEAD } from "./http_head.ts";

/** What a server appends to the key before it hashes it (RFC 6455 1.3). */
const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Who we say we are, unless the caller's headers say otherwise; the version is that of deno.json. */
export const USER_AGENT = "rawtick-binance/0.1.0";

/** The Sec-WebSocket-Accept that proves that a server has read the Sec-WebSocket-Key `key` (RFC 6455 4.2.2). */
export function acceptKey(key: string): string {
  return createHash("sha1").update(key + ACCEPT_GUID, "latin1").digest("base64");
}

/** One upgrade request: made before anything is opened, so that bad arguments open nothing. */
export interface UpgradeRequest {
  /** The URL's scheme, host and port: what an error message may show. A path may hold a listen key. */
  readonly origin: string;
  /** Host name or address, an IPv6 address without brackets. */
  readonly hostname: string;
  /** TCP port. */
  readonly port: number;
  /** Whether the URL is `wss://`. */
  readonly secure: boolean;
  /** The Sec-WebSocket-Key that was made for this request. */
  readonly key: string;
  /** The subprotocols that are offered. */
  readonly protocols: readonly string[];
  /** The offer of permessage-deflate, if one is made. */
  readonly deflate: DeflateOffer | undefined;
  /** The request as it goes over the wire. */
  readonly bytes: Uint8Array;
}

/**
 * Makes the upgrade request for a URL (RFC 6455 4.1). The arguments have been checked: see `../arguments.ts`.
 */
export function createUpgradeRequest(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  protocols: readonly string[] = [],
  deflate?: DeflateOffer,
): UpgradeRequest {
  const parsed = new URL(url);
  const secure = parsed.protocol === "wss:";
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const lines = [
    `GET ${parsed.pathname}${parsed.search} HTTP/1.1`,
    // `host` has the port only if it is not the scheme's default, and brackets around an IPv6 address.
    ...(names.has("host") ? [] : [`Host: ${parsed.host}`]),
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Key: ${key}`,
    "Sec-WebSocket-Version: 13",
    ...(protocols.length > 0 ? [`Sec-WebSocket-Protocol: ${protocols.join(", ")}`] : []),
    ...(deflate === undefined ? [] : [`Sec-WebSocket-Extensions: ${deflate.header}`]),
    ...(names.has("user-agent") ? [] : [`User-Agent: ${USER_AGENT}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return {
    origin: originOf(parsed),
    hostname: parsed.hostname.replace(/^\[|\]$/g, ""),
    port: parsed.port === "" ? (secure ? 443 : 80) : Number(parsed.port),
    secure,
    key,
    protocols,
    deflate,
    bytes: Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
  };
}

/** The status of a response's first line, and the words behind it. */
export function parseStatusLine(startLine: string): { version: string; status: number; statusText: string } {
  const match = /^HTTP\/(1\.[01]) (\d{3})(?: (.*))?$/.exec(startLine);
  if (match === null) {
    throw new ConnectionFailedError("Cannot read the answer to the handshake: it is not HTTP/1.1", {
      code: "HANDSHAKE_INVALID",
    });
  }
  return { version: match[1] ?? "", status: Number(match[2]), statusText: match[3] ?? "" };
}

/** What a server has chosen of what was offered. */
export interface AcceptedUpgrade {
  /** The subprotocol, or `""`. */
  readonly subprotocol: string;
  /** The extensions as the server has written them, or `""`. */
  readonly extensions: string;
  /** How messages are compressed, or `undefined` if they are not. */
  readonly deflate: DeflateParameters | undefined;
}

/**
 * Checks a 101 response as RFC 6455 4.1 wants it.
 *
 * @throws {ConnectionFailedError} with code `HANDSHAKE_INVALID` if the response does not accept what was asked.
 */
export function checkUpgradeResponse(head: HttpHead, request: UpgradeRequest): AcceptedUpgrade {
  const refuse = (why: string): never => {
    throw new ConnectionFailedError(`Cannot open ${request.origin}: ${why}`, { code: "HANDSHAKE_INVALID" });
  };
  const { headers } = head;
  if (parseStatusLine(head.startLine).version !== "1.1") refuse("the server switched protocols in HTTP/1.0");
  if (headers.get("upgrade")?.toLowerCase() !== "websocket") {
    refuse('the server\'s header Upgrade is not "websocket"');
  }
  if (!listMembers(headers.get("connection")).includes("upgrade")) {
    refuse('the server\'s header Connection does not contain "Upgrade"');
  }
  if (headers.get("sec-websocket-accept") !== acceptKey(request.key)) {
    refuse("the server's Sec-WebSocket-Accept does not fit to the request");
  }
  const deflate = readDeflateAnswer(headers.get("sec-websocket-extensions"), request.deflate);
  if (typeof deflate === "string") return refuse(deflate);
  const subprotocol = headers.get("sec-websocket-protocol") ?? "";
  if (subprotocol !== "" && !request.protocols.includes(subprotocol)) {
    refuse(`the server chose the subprotocol ${JSON.stringify(subprotocol)}, which was not offered`);
  }
  return { subprotocol, extensions: headers.get("sec-websocket-extensions") ?? "", deflate };
}
