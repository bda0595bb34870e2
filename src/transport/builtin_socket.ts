/**
 * The runtimes' own WebSockets: how each is constructed, destroyed, and what its errors say.
 *
 * @module
 */

import { ConnectionFailedError, HandshakeRejectedError, InvalidOptionsError } from "../base/mod.ts";
import type { ConnectOptions, PeerCertificate, TlsOptions } from "./connection.ts";
import { borrowHttpClient, type ClientLoan, type DenoHttpClient } from "./deno_http_client.ts";
import { isNode } from "./node_runtime.ts";
import { originOf } from "./origin.ts";
import type { Bridge } from "./proxy/loopback.ts";
import type { ProxyUrl } from "./proxy/proxy_url.ts";

/** What Bun's and Deno's constructors take beyond the standard. */
interface RuntimeWebSocketOptions {
  headers?: Readonly<Record<string, string>>;
  protocols?: readonly string[];
  /** Deno: an HTTP client, the only way to add certificate authorities. */
  client?: DenoHttpClient;
  /** Bun: TLS options. */
  tls?: BunTlsOptions;
  /** Bun: offers compression unless told not to. */
  perMessageDeflate?: boolean;
}

/** What we use of Bun's TLS options. */
interface BunTlsOptions {
  rejectUnauthorized: boolean;
  ca?: readonly string[];
  serverName?: string;
  checkServerIdentity?: (hostname: string, certificate: PeerCertificate) => Error | undefined;
}

/** What Bun's WebSocket has beyond the standard. */
export interface BunWebSocket extends WebSocket {
  ping(payload?: Uint8Array): void;
  pause(): void;
  resume(): void;
  terminate(): void;
}

/** The parts of the runtimes' globals that are used here; absent where they don't exist. */
const runtime = globalThis as {
  // The reason for the cast: no runtime's types know the other runtimes' globals.
  WebSocket?: new (url: string, options?: readonly string[] | RuntimeWebSocketOptions) => WebSocket;
  Bun?: { version: string };
  Deno?: { createHttpClient?: unknown };
  process?: {
    getBuiltinModule?(name: "node:tls"): { getCACertificates(type: "default"): readonly string[] };
  };
};

/** Why this library can't run here, or `undefined` if it can. */
export function builtinUnavailableReason(): string | undefined {
  return runtime.WebSocket === undefined
    ? 'this runtime has no WebSocket; expected Deno, Bun, Node 22 or newer, workerd or a browser, or the library "native"'
    : undefined;
}

/**
 * Throws if this runtime's WebSocket can't do what the options ask for: nothing is left out silently. `isProxied` says
 * that TLS is not the runtime's, but that of a bridge, which can do everything.
 */
export function refuseUnsupported(options: ConnectOptions, isProxied: boolean): void {
  const { headers = {}, tls = {}, perMessageDeflate = false, pingIntervalMs = 0 } = options;
  const isBun = runtime.Bun !== undefined;
  const isDeno = runtime.Deno !== undefined;
  const hasHeaders = isBun || isDeno || isNode();
  const refuse = (path: string, why: string): never => {
    throw new InvalidOptionsError(`Cannot use \`${path}\` with the library "builtin" here: ${why}`, { path });
  };
  const never = 'no runtime\'s own WebSocket has it; expected the library "native"';
  if (options.maxFragments !== undefined) refuse("maxFragments", never);
  if (options.highWaterMark !== undefined) refuse("highWaterMark", never);
  if (options.maxBufferedBytes !== undefined) {
    refuse("maxBufferedBytes", 'the runtime holds the bytes; expected connect(), or the library "native"');
  }
  if (typeof perMessageDeflate === "object") {
    refuse("perMessageDeflate", 'no runtime\'s own WebSocket has parameters of it; expected the library "native"');
  }
  const notHere = "this runtime's own WebSocket can't; expected the library \"native\"";
  // Bun's is told whether to offer it; Deno's never does, those of Node and browsers always do.
  if (perMessageDeflate && !isBun) refuse("perMessageDeflate", notHere);
  if (pingIntervalMs > 0 && !isBun) refuse("pingIntervalMs", notHere);
  if (Object.keys(headers).length > 0 && !hasHeaders) {
    refuse("headers", "this runtime's own WebSocket sends none; expected no headers");
  }
  if (isProxied) return;
  if (tls.ca !== undefined && !isBun && runtime.Deno?.createHttpClient === undefined) refuse("tls.ca", notHere);
  if (tls.rejectUnauthorized === false && !isBun) refuse("tls.rejectUnauthorized", notHere);
  if (tls.servername !== undefined && !isBun) refuse("tls.servername", notHere);
  if (tls.checkServerIdentity !== undefined && !isBun) refuse("tls.checkServerIdentity", notHere);
}

/** Makes the runtime's WebSocket to `url`, over the bridge if there is one; see {@linkcode refuseUnsupported}. */
export function createSocket(
  url: URL,
  options: ConnectOptions,
  bridge: Bridge | undefined,
  client: DenoHttpClient | undefined,
): WebSocket {
  const { WebSocket } = runtime;
  if (WebSocket === undefined) {
    throw new ConnectionFailedError(`Cannot open ${originOf(url)}: ${builtinUnavailableReason()}`);
  }
  const { headers, protocols = [], perMessageDeflate: deflate = false } = options;
  const perMessageDeflate = deflate === true;
  const { href } = bridge?.url ?? url;
  try {
    if (runtime.Bun !== undefined) {
      const tls = url.protocol === "wss:" && bridge === undefined ? { tls: bunTls(options.tls ?? {}) } : {};
      return new WebSocket(href, { perMessageDeflate, protocols, ...(headers && { headers }), ...tls });
    }
    if (runtime.Deno !== undefined || isNode()) {
      return new WebSocket(href, { protocols, ...(headers && { headers }), ...(client && { client }) });
    }
    return new WebSocket(href, protocols);
  } catch (error) {
    const cause = redacted(error, url, bridge?.url);
    throw new ConnectionFailedError(`Cannot open ${originOf(url)}: ${cause.message}`, { cause });
  }
}

/** Deno adds authorities, and is kept from proxies of the environment, by an HTTP client; others don't need one. */
export function httpClient({ tls }: ConnectOptions, bridge: Bridge | undefined): ClientLoan | undefined {
  return borrowHttpClient(bridge === undefined ? { caCerts: tls?.ca } : { proxy: bridge.proxyUrl });
}

function bunTls({ ca, rejectUnauthorized = true, servername, checkServerIdentity }: TlsOptions): BunTlsOptions {
  return {
    // Not the default where NODE_TLS_REJECT_UNAUTHORIZED=0.
    rejectUnauthorized,
    ...(ca === undefined ? {} : { ca: [...bunAuthorities(), ...ca] }),
    ...(servername === undefined ? {} : { serverName: servername }),
    ...(checkServerIdentity === undefined ? {} : { checkServerIdentity }),
  };
}

/** Bun's `ca` replaces the runtime's own authorities, so they are given too. */
function bunAuthorities(): readonly string[] {
  return runtime.process?.getBuiltinModule?.("node:tls").getCACertificates("default") ?? [];
}

/** Whether this is Bun's WebSocket, which can do more than the standard says. */
export function isBunWebSocket(socket: WebSocket): socket is BunWebSocket {
  return runtime.Bun !== undefined && "terminate" in socket;
}

/** Frees the socket as far as the runtime lets us: Deno's and the browsers' can only be closed. */
export function destroy(socket: WebSocket): void {
  if (isBunWebSocket(socket)) socket.terminate();
  else socket.close();
}

/**
 * What an error event says: Deno and Bun give an ErrorEvent with a message and an error, Node and browsers nothing.
 * `opened` is what was opened in place of the URL, if something was.
 */
export function failureOf(event: Event, url: URL, opened: URL | undefined): Error {
  const { message, error } = event as Partial<ErrorEvent>; // the cast: which event it is depends on the runtime
  if (message) return redacted(Object.assign(new Error(message), codeOf(error)), url, opened);
  return error instanceof Error ? redacted(error, url, opened) : new Error("the runtime gives no reason");
}

/** An error with the same code whose message shows nothing of the URL but its origin: Bun's messages quote all of it. */
function redacted(error: unknown, url: URL, opened: URL = url): Error {
  const text = error instanceof Error ? error.message : String(error);
  const message = text.replace(/^WebSocket connection to '.*?' failed: /s, "")
    .replaceAll(opened.href, originOf(url))
    .replaceAll(opened.pathname.length > 1 || opened.search !== "" ? opened.pathname + opened.search : opened.href, "");
  return Object.assign(new Error(message), codeOf(error));
}

/** The code of an error, such as `ECONNREFUSED`. */
function codeOf(error: unknown): { code?: string } {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? { code } : {};
}

/**
 * Deno: "Invalid status code: 429". Bun: "Expected 101 status code: 429", "407 …". workerd: "… HTTP status code 101 …, but
 * received 429 instead".
 */
const STATUS = /(?:status code:?|but received) (?!101\b)(\d{3})\b/;

/** The error of an opening that failed, on its way through `proxy` if there is one. */
export function openingError(
  url: URL,
  proxy: ProxyUrl | undefined,
  bridge: Bridge | undefined,
  told: Error | undefined,
  closeReason: string,
): ConnectionFailedError {
  const failure = bridge?.failure ?? told;
  const origin = proxy === undefined ? originOf(url) : `${originOf(url)} through the proxy ${proxy.masked}`;
  const reason = failure?.message || closeReason || "the connection ended before the handshake";
  const cause = failure === undefined ? {} : { cause: failure };
  const status = bridge?.status ?? Number(STATUS.exec(reason)?.[1] ?? 101);
  if (status === 101) {
    return new ConnectionFailedError(`Cannot open ${origin}: ${reason}`, cause);
  }
  return new HandshakeRejectedError(`Cannot open ${origin}: the server answered with status ${status} instead of 101`, {
    status,
    ...cause,
  });
}

/** The subprotocol or the extensions of an open socket: where there are none, workerd has null in place of `""`. */
export function orEmpty(text: string | null): string {
  return text ?? "";
}

/** The bytes of a message, a ping or a pong, whatever the runtime shows them as. */
export function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new TextEncoder().encode(String(data));
}

/** Whether the text has more than `limit` bytes of UTF-8. */
export function isLongerThan(text: string, limit: number): boolean {
  // UTF-8 has at most 3 bytes for a UTF-16 code unit: only long texts need counting.
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}
