/**
 * What every library asks of its arguments, so that a mistake reads the same on each of them. Messages never show a
 * path, a query, a header's value or a subprotocol: any of them may hold a secret.
 *
 * @module
 */

import * as z from "zod/mini";
import { checkedOptions, flag, integer, InvalidOptionsError } from "../base/mod.ts";
import { type ConnectionListener, type ConnectOptions, isFrameListener } from "./connection.ts";
import type { FrameListener } from "./frames.ts";
import { originOf } from "./origin.ts";
import { proxySchema } from "./proxy/proxy_schema.ts";
import { check } from "./schema_parts.ts";
import { tlsSchema } from "./tls_schema.ts";

/** Headers that make the handshake, or the HTTP message around it: they are ours. */
const OWN_HEADERS = new Set([
  "connection",
  "content-length",
  "sec-websocket-accept",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Whether `text` is a token of RFC 9110 5.6.2, such as the name of a header or of a subprotocol. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Throws unless `url` can be opened as a WebSocket: RFC 6455 3. */
export function checkUrl(url: string): URL {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const refuse = (what: string): never => {
    throw new InvalidOptionsError(`Cannot open ${what}`, { path: "url" });
  };
  if (parsed === undefined) return refuse('this as a URL: expected one that starts with "ws://" or "wss://"');
  if (parsed.protocol !== "ws:" && parsed.protocol !== "wss:") {
    const shown = parsed.host === "" ? "this URL" : originOf(parsed);
    return refuse(`${shown}: expected a URL that starts with "ws://" or "wss://"`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return refuse(`a URL with credentials to ${parsed.host}: send them in \`headers\` instead`);
  }
  if (parsed.hash !== "") return refuse(`${originOf(parsed)}: expected a URL without a fragment (RFC 6455 3)`);
  return parsed;
}

/** RFC 6455 4.1: each subprotocol once, as a token. */
function findInProtocols(protocols: readonly unknown[]): readonly [string, string] | undefined {
  const index = protocols.findIndex((protocol, at) =>
    typeof protocol !== "string" || !isToken(protocol) || protocols.indexOf(protocol) !== at
  );
  if (index < 0) return undefined;
  const path = `protocols[${index}]`;
  return [path, `Cannot offer the subprotocol \`${path}\`: expected each one once, as a token (RFC 6455 4.1)`];
}

function findInHeaders(headers: Readonly<Record<string, unknown>>): readonly [string, string] | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const why = !isToken(name)
      ? "its name is not a token of RFC 9110"
      : OWN_HEADERS.has(name.toLowerCase())
      ? "it belongs to the handshake itself"
      // Anything else could smuggle a second header, or a second request, in.
      : typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)
      ? "its value has characters that a header can't carry, or is not a string"
      : undefined;
    if (why !== undefined) return [`headers.${name}`, `Cannot send the header ${JSON.stringify(name)}: ${why}`];
  }
  return undefined;
}

/** RFC 7692 7.1; zlib can't compress with the window of 256 bytes that 8 bits stand for. */
const deflateSchema = z.strictObject({
  serverNoContextTakeover: flag,
  clientNoContextTakeover: flag,
  serverMaxWindowBits: integer(8, 15),
  clientMaxWindowBits: integer(9, 15),
  threshold: integer(0),
}, "true, false or an object");

const optionsSchema = z.strictObject({
  headers: z.optional(
    z.custom<Readonly<Record<string, unknown>>>(
      (value) => typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype,
      "an object of names and values",
    ).check(check(findInHeaders)),
  ),
  protocols: z.optional(z.array(z.unknown(), "a list of subprotocols").check(check(findInProtocols))),
  handshakeTimeoutMs: integer(1),
  closeTimeoutMs: integer(1),
  maxMessageBytes: integer(1),
  maxFragments: integer(1),
  maxBufferedBytes: integer(1),
  highWaterMark: integer(0),
  pingIntervalMs: integer(0),
  pingTimeoutMs: integer(1),
  perMessageDeflate: z.optional(
    z.pipe(z.transform((value) => typeof value === "boolean" ? {} : value), deflateSchema),
  ),
  signal: z.optional(z.custom<AbortSignal>((value) => value instanceof AbortSignal, "an AbortSignal")),
  tls: z.optional(tlsSchema),
  proxy: proxySchema,
}, "an object").check(
  check(({ pingIntervalMs = 0, pingTimeoutMs }) =>
    pingTimeoutMs !== undefined && pingIntervalMs === 0
      ? ["pingTimeoutMs", "Cannot use `pingTimeoutMs` alone: expected it together with `pingIntervalMs`"]
      : undefined
  ),
);

const optionNames = Object.keys(optionsSchema.shape);

/** What each kind of listener may have beside `onOpen`, `onDrain` and `onClose`. */
const MESSAGE_FUNCTIONS = ["onText", "onBinary", "onPing", "onPong"];

/** Throws unless the listener can be told what happens. */
function checkListener(listener: ConnectionListener | FrameListener): void {
  const refuse = (path: string, message: string): never => {
    throw new InvalidOptionsError(message, { path });
  };
  if (typeof listener !== "object" || listener === null) {
    return refuse("listener", "Cannot use this as a listener: expected an object with `onText` and `onClose`");
  }
  const wanted = isFrameListener(listener) ? "onFrame" : "onText";
  for (const name of [wanted, "onClose", "onOpen", "onDrain", ...MESSAGE_FUNCTIONS]) {
    const value: unknown = Reflect.get(listener, name);
    if (value === undefined && name !== wanted && name !== "onClose") continue;
    if (typeof value !== "function") {
      refuse(`listener.${name}`, `Cannot use a listener without the function \`${name}\``);
    }
    if (wanted === "onFrame" && MESSAGE_FUNCTIONS.includes(name)) {
      refuse(`listener.${name}`, `Cannot use \`${name}\` together with \`onFrame\`: expected one of them`);
    }
  }
}

/**
 * Throws unless these are arguments that some library can honour; nothing has been opened then.
 *
 * @returns The parsed URL.
 */
export function checkArguments(
  url: string,
  listener: ConnectionListener | FrameListener,
  options: ConnectOptions,
): URL {
  const parsed = checkUrl(url);
  checkListener(listener);
  checkedOptions(optionsSchema, options, optionNames);
  return parsed;
}
