/**
 * The byte pipe under a WebSocket connection: the one interface of `Bun.connect`, `Deno.connect` and `node:net`.
 *
 * @module
 */

import type { HandshakeTimeoutError } from "../../base/mod.ts";
import type { SocketAddress, TlsOptions } from "../connection.ts";
import type { ProxyUrl } from "../proxy/proxy_url.ts";

/** Which of the runtimes' sockets a pipe is. */
export type SocketPath = "bun" | "deno" | "node";

/** Where to connect to. */
export interface SocketTarget {
  /** Host name or IP address, an IPv6 address without brackets. */
  readonly hostname: string;
  /** TCP port. */
  readonly port: number;
  /** Whether TLS runs over the TCP connection. */
  readonly secure: boolean;
  /** Chain and name of the certificate are verified, unless this says otherwise. */
  readonly tls: TlsOptions;
  /** The proxy to go through; nothing goes around it. Default: directly. */
  readonly proxy?: ProxyUrl | undefined;
}

/** What a socket tells its owner. Never called inside of `openSocket()`, `write()`, `end()` or `destroy()`. */
export interface ByteSocketHandler {
  /** TCP, and TLS if wanted, are established. */
  onOpen(): void;
  /** Bytes came. The chunk may be changed, but is only valid during the call. */
  onBytes(chunk: Uint8Array): void;
  /** `write()` takes bytes again, or everything that it took has left. */
  onDrain(): void;
  /** The peer has ended the connection, or it failed, or never opened. The last call; `destroy()` is still needed. */
  onEnd(error: unknown): void;
}

/** Both ends of a TCP connection. */
export interface SocketAddresses {
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
}

/**
 * One TCP or TLS connection that is opening, open or closed. It has one owner at a time, its `handler`, which is told
 * nothing more once it has called `end()` or `destroy()`.
 */
export interface ByteSocket {
  /** The owner. */
  handler: ByteSocketHandler;
  /** Which of the runtimes' sockets this is. */
  readonly path: SocketPath;
  /** Bytes that `write()` took and that the operating system has not. */
  readonly pendingBytes: number;
  /** Our end and the peer's, while it is open. */
  readonly addresses: SocketAddresses | undefined;
  /**
   * Takes as many bytes as it can and says how many; the caller offers the rest again after `onDrain()`. The array must
   * not be changed afterwards. Takes nothing on a socket that is not open.
   */
  write(bytes: Uint8Array): number;
  /** Reads nothing more until `resume()`; at most one chunk that is read already still comes. */
  pause(): void;
  /** Reads again. */
  resume(): void;
  /** Closes in order, with a FIN and, in TLS, a close_notify. To be called with nothing pending. */
  end(): void;
  /** Closes at once, in any state; an attempt to connect is given up. */
  destroy(): void;
  /**
   * Gives up the way through a proxy, and tells `onEnd()` how far it got, with `reason` as the cause. False, and nothing
   * done, if there is no such way or it is open.
   */
  giveUp?(reason: HandshakeTimeoutError): boolean;
}

/** Starts to connect. It throws if the runtime does so at once; what fails later is told to `handler.onEnd()`. */
export type OpenSocket = (target: SocketTarget, handler: ByteSocketHandler) => ByteSocket;
