/**
 * The server's side of the opening handshake (RFC 6455 4.2).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { acceptKey, type HttpHead, listMembers } from "../transport/native/mod.ts";

/** An answer that is not 101. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The target of a request for a WebSocket, and the answer to its key; or the answer to anything else. */
export function readUpgrade(head: HttpHead): { target: string; accept: string } | HttpResponse {
  const { startLine, headers } = head;
  const match = /^GET (\S+) HTTP\/1\.1$/.exec(startLine);
  if (match === null) return badRequest("Expected GET and HTTP/1.1");
  if (!listMembers(headers.get("upgrade")).includes("websocket")) return badRequest("Expected Upgrade: websocket");
  if (!listMembers(headers.get("connection")).includes("upgrade")) return badRequest("Expected Connection: Upgrade");
  if (headers.get("sec-websocket-version") !== "13") {
    return { status: 426, headers: { "Sec-WebSocket-Version": "13" }, body: "Expected Sec-WebSocket-Version: 13" };
  }
  const key = headers.get("sec-websocket-key") ?? "";
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) return badRequest("Expected a Sec-WebSocket-Key of 16 bytes");
  // A proxy may have left the absolute form (RFC 9112 3.2.2).
  const target = (match[1] ?? "/").replace(/^https?:\/\/[^/?]*/i, "") || "/";
  return { target, accept: acceptKey(key) };
}

function badRequest(body: string): HttpResponse {
  return { status: 400, headers: {}, body };
}

/** The bytes of the answer that opens the connection. */
export function encodeUpgrade(accept: string): Uint8Array {
  return Buffer.from(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
}

/** The bytes of an answer that ends the connection. */
export function encodeResponse({ status, headers, body }: HttpResponse): Uint8Array {
  const fields = { "Content-Length": String(Buffer.byteLength(body)), Connection: "close", ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n${lines}\r\n${body}`);
}
