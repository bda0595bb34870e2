/**
 * The runtimes' own WebSockets: how each is constructed, destroyed, and what its errors say.
 *
 * @module
 */

import { ConnectionFailedError, HandshakeRejectedError } from "../base/mod.ts";
import type { ConnectOptions } from "./connection.ts";

/** What Bun's and Deno's constructors take beyond the standard. */
interface RuntimeWebSocketOptions {
  headers?: Readonly<Record<string, string>>;
  protocols?: readonly string[];
  /** Deno: an HTTP client, the only way to add certificate authorities. */
  client?: DenoHttpClient;
  /** Bun: TLS options. */
  tls?: { ca?: readonly string[] };
  /** Bun: offers compression unless told not to. */
  perMessageDeflate?: boolean;
}

/** What Bun's WebSocket has beyond the standard. */
interface BunWebSocket extends WebSocket {
  ping(payload?: Uint8Array): void;
  terminate(): void;
}

/** Deno's HTTP client. */
export interface DenoHttpClient {
  close(): void;
}

/** The parts of the runtimes' globals that are used here; absent where they don't exist. */
const runtime = globalThis as {
  // The reason for the cast: no runtime's types know the other runtimes' globals.
  WebSocket?: new (url: string, options?: readonly string[] | RuntimeWebSocketOptions) => WebSocket;
  Bun?: { version: string };
  Deno?: { createHttpClient?(options: { caCerts?: readonly string[] }): DenoHttpClient };
  process?: {
    versions?: { node?: string };
    getBuiltinModule?(name: "node:tls"): { getCACertificates(type: "default"): readonly string[] };
  };
};

/** Why this library can't run here, or `undefined` if it can. */
export function builtinUnavailableReason(): string | undefined {
  return runtime.WebSocket === undefined
    ? 'this runtime has no WebSocket; expected Deno, Bun, Node 22 or newer, workerd or a browser, or the library "native"'
    : undefined;
}

/** Makes the runtime's WebSocket with the options that it can honour; the others are errors. */
export function createSocket(url: string, options: ConnectOptions, client: DenoHttpClient | undefined): WebSocket {
  const { WebSocket } = runtime;
  if (WebSocket === undefined) throw new ConnectionFailedError(`Cannot open ${url}: ${builtinUnavailableReason()}`);
  const { headers, protocols = [], tls } = options;
  if (runtime.Bun !== undefined) {
    const ca = tls?.ca === undefined ? {} : { tls: { ca: [...bunAuthorities(), ...tls.ca] } };
    return new WebSocket(url, { perMessageDeflate: false, protocols, ...(headers && { headers }), ...ca });
  }
  if (runtime.Deno !== undefined || runtime.process?.versions?.node !== undefined) {
    return new WebSocket(url, { protocols, ...(headers && { headers }), ...(client && { client }) });
  }
  if (headers !== undefined && Object.keys(headers).length > 0) {
    throw new TypeError("Cannot send headers with this runtime's WebSocket: remove the option `headers`");
  }
  return new WebSocket(url, protocols);
}

/** Deno adds authorities by an HTTP client; Bun takes them as an option; elsewhere it can't be done and must not be ignored. */
export function httpClient({ tls }: ConnectOptions): DenoHttpClient | undefined {
  if (tls?.ca === undefined || runtime.Bun !== undefined) return undefined;
  const create = runtime.Deno?.createHttpClient;
  if (create === undefined) {
    throw new TypeError("Cannot add certificate authorities to this runtime's WebSocket: remove the option `tls.ca`");
  }
  return create({ caCerts: tls.ca });
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

/** What an error event says: Deno and Bun give an ErrorEvent with a message and an error, Node and browsers nothing. */
export function failureOf(event: Event): Error {
  const { message, error } = event as Partial<ErrorEvent>; // the cast: which event it is depends on the runtime
  if (message) return new Error(message, { cause: error });
  return error instanceof Error ? error : new Error("the runtime gives no reason");
}

/** Deno: "Invalid status code: 429". Bun: "Expected 101 status code: 429", "407 …". workerd: "… but received 429 instead". */
const STATUS = /(?:status code:?|but received) (\d{3})\b/;

/** The error of an opening that failed. */
export function openingError(url: string, failure: Error | undefined, event: CloseEvent): ConnectionFailedError {
  const reason = failure?.message || event.reason || "the connection ended before the handshake";
  const cause = failure === undefined ? {} : { cause: failure };
  const status = STATUS.exec(reason)?.[1];
  if (status === undefined || status === "101") {
    return new ConnectionFailedError(`Cannot open ${url}: ${reason}`, cause);
  }
  return new HandshakeRejectedError(`Cannot open ${url}: the server answered with status ${status} instead of 101`, {
    status: Number(status),
    ...cause,
  });
}
