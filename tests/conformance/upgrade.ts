/**
 * The server's side of the opening handshake (RFC 6455 4.2): strict about the request, and free in its answer.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";

/** An upgrade request. */
export interface UpgradeRequest {
  readonly target: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** What RFC 6455 4.1 wants otherwise. */
  readonly faults: readonly string[];
}

/** Keys of all requests so far: RFC 6455 4.1 wants each one random. */
const keys = new Set<string>();

/** Reads the head of a request, without its empty line. */
export function parseRequest(head: string): UpgradeRequest {
  const [startLine = "", ...lines] = head.split("\r\n");
  const faults: string[] = [];
  const headers = new Map<string, string>();
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    const name = (match?.[1] ?? "").toLowerCase();
    if (match === null) faults.push(`the line ${JSON.stringify(line)} is not a header`);
    if (headers.has(name)) faults.push(`the header ${name} comes twice`);
    headers.set(name, match?.[2] ?? "");
  }
  const [, target = ""] = /^GET (\/\S*) HTTP\/1\.1$/.exec(startLine) ?? [];
  if (target === "") faults.push(`the request line is ${JSON.stringify(startLine)}`);

  const expect = (name: string, pattern: RegExp): void => {
    const value = headers.get(name);
    if (!pattern.test(value ?? "")) faults.push(`the header ${name} is ${JSON.stringify(value)}`);
  };
  expect("host", /^127\.0\.0\.1:\d+$/);
  expect("upgrade", /^websocket$/i);
  expect("connection", /(^|[, ])upgrade($|[, ])/i);
  expect("sec-websocket-version", /^13$/);
  const key = headers.get("sec-websocket-key") ?? "";
  const bytes = Buffer.from(key, "base64");
  if (bytes.length !== 16 || bytes.toString("base64") !== key) faults.push("the key is not 16 bytes in base64");
  if (keys.has(key)) faults.push("the key was used before");
  keys.add(key);
  return { target, headers, faults };
}

/** The Sec-WebSocket-Accept for a request (RFC 6455 4.2.2). */
export function acceptFor(request: UpgradeRequest): string {
  const key = request.headers.get("sec-websocket-key") ?? "";
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

/**
 * The head of an answer.
 *
 * @param changes Headers to add or, with `null`, to leave out; a list gives several lines of that name.
 */
export function answerTo(
  request: UpgradeRequest,
  changes: Readonly<Record<string, string | readonly string[] | null>> = {},
  startLine = "HTTP/1.1 101 Switching Protocols",
): string {
  const headers = {
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Accept": acceptFor(request),
    ...changes,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${one}`)
  );
  return [startLine, ...lines, "", ""].join("\r\n");
}
