/**
 * What every library asks of its arguments, so that a mistake reads the same on each of them. Messages never show a
 * path, a query, a header's value or a subprotocol: any of them may hold a secret.
 *
 * @module
 */

import * as z from "zod/mini";
import { checkedOptions, InvalidOptionsError, InvalidProxyUrlError } from "../base/mod.ts";
import { type ConnectionListener, type ConnectOptions, isFrameListener } from "./connection.ts";
import type { FrameListener } from "./frames.ts";
import { parseProxyUrl } from "./proxy/proxy_url.ts";

/** The longest time that timers of all runtimes can wait, and the largest array that all of them make. */
const MAX_INT32 = 2 ** 31 - 1;

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

/** The part of a URL that an error message may show: a path may hold a listen key. */
export function originOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
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

/** Makes a zod check of a function that returns what is wrong, and where below the checked value. */
function check<T>(find: (value: T) => readonly [path: string, message: string] | undefined): z.core.CheckFn<T> {
  return checkThat((value) => {
    const [path, message] = find(value) ?? [];
    if (message !== undefined) throw new InvalidOptionsError(message, path === undefined ? {} : { path });
  });
}

/** Makes a zod check of a function that throws an {@linkcode InvalidOptionsError}. */
function checkThat<T>(verify: (value: T) => void): z.core.CheckFn<T> {
  return (context) => {
    try {
      verify(context.value);
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      context.issues.push({ code: "custom", input: undefined, message: error.message, params: { error } });
    }
  };
}

/** Throws unless `setting` can be the option `proxy`: a proxy URL or `"env"`. No message shows a password. */
function checkProxy(setting: unknown): void {
  if (typeof setting !== "string") {
    throw new InvalidProxyUrlError(
      'Cannot use this as `proxy`: expected a string, "scheme://user:password@host:port" or "env"',
    );
  }
  if (setting !== "env") parseProxyUrl(setting);
}

/** The schema of the option `proxy`, wherever it stands. */
export const proxySchema = z.optional(z.unknown().check(checkThat(checkProxy)));

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

function findInAuthorities(ca: readonly unknown[]): readonly [string, string] | undefined {
  const index = ca.findIndex((pem) => typeof pem !== "string" || !pem.includes("-----BEGIN CERTIFICATE-----"));
  return index < 0
    ? undefined
    : [`tls.ca[${index}]`, `Cannot use this as \`tls.ca[${index}]\`: expected a certificate in PEM`];
}

function integer(minimum: number, maximum = MAX_INT32) {
  const expected = `an integer from ${minimum} to ${maximum}`;
  return z.optional(z.int(expected).check(z.minimum(minimum, expected), z.maximum(maximum, expected)));
}

const flag = z.optional(z.boolean("true or false"));

/** RFC 7692 7.1; zlib can't compress with the window of 256 bytes that 8 bits stand for. */
const deflateSchema = z.strictObject({
  serverNoContextTakeover: flag,
  clientNoContextTakeover: flag,
  serverMaxWindowBits: integer(8, 15),
  clientMaxWindowBits: integer(9, 15),
  threshold: integer(0),
}, "true, false or an object");

/** The schema of the option `tls`, wherever it stands. */
export const tlsSchema = z.strictObject({
  ca: z.optional(z.array(z.unknown(), "a list of certificates in PEM").check(check(findInAuthorities))),
  rejectUnauthorized: flag,
  servername: z.optional(
    z.string("a host name").check(
      // An IP address is no server name (RFC 6066 3); a name ends in a label that is not a number.
      z.regex(/^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+$)[a-z0-9_-]{1,63}$/i, "a host name"),
    ),
  ),
  checkServerIdentity: z.optional(z.custom<unknown>((value) => typeof value === "function", "a function")),
}, "an object such as `{ ca: [pem] }`").check(
  check(({ rejectUnauthorized, checkServerIdentity }) =>
    rejectUnauthorized === false && checkServerIdentity !== undefined
      ? [
        "tls.checkServerIdentity",
        "Cannot use `tls.checkServerIdentity` together with `tls.rejectUnauthorized: false`: nothing would be verified",
      ]
      : undefined
  ),
);

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

/** Throws unless a Close frame with this code and reason may be sent on every runtime: RFC 6455 7.4, WHATWG WebSockets. */
export function checkClose(code: number, reason: string): void {
  if (code !== 1000 && !(Number.isInteger(code) && code >= 3000 && code <= 4999)) {
    throw new TypeError(`Cannot close with the code ${code}: expected 1000 or 3000 to 4999`);
  }
  if (new TextEncoder().encode(reason).length > 123) {
    throw new TypeError("Cannot close with this reason: expected at most 123 bytes of UTF-8 (RFC 6455 5.5)");
  }
}

/** Throws unless the payload fits into a ping: RFC 6455 5.5. */
export function checkPing(payload: Uint8Array): void {
  if (payload.length > 125) {
    throw new TypeError(`Cannot send a ping of ${payload.length} bytes: expected at most 125 (RFC 6455 5.5)`);
  }
}
