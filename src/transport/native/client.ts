/**
 * The library `"native"`: our own RFC 6455 client on the runtime's sockets.
 *
 * @module
 */

import { ConnectionClosedError, InvalidOptionsError, type WebSocketProtocolError } from "../../base/mod.ts";
import { checkArguments } from "../arguments.ts";
import {
  type CloseInfo,
  type ConnectOptions,
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  DEFAULT_HIGH_WATER_MARK,
  DEFAULT_MAX_BUFFERED_BYTES,
  DEFAULT_MAX_FRAGMENTS,
  DEFAULT_MAX_MESSAGE_BYTES,
  DEFAULT_PING_TIMEOUT_MS,
  isFrameListener,
  type OpenConnection,
  type OwnedConnection,
  type SocketAddress,
} from "../connection.ts";
import type { InPlaceOptions } from "../frames.ts";
import { proxyFor, readEnvironment } from "../proxy/environment.ts";
import { checkBytes, checkClose, checkMessage, checkPing } from "../sent_arguments.ts";
import { guard } from "../uncaught.ts";
import { PerMessageDeflate } from "./deflate.ts";
import { createDeflateOffer } from "./deflate_offer.ts";
import { Engine, type EngineOptions } from "./engine.ts";
import { type AcceptedUpgrade, createUpgradeRequest } from "./handshake.ts";
import { openSocket } from "./open_socket.ts";
import { Opening } from "./opening.ts";
import type { OpenSocket, SocketPath } from "./socket.ts";

const NOTHING = new Uint8Array(0);

/** What the caller holds of an open connection; the work is done by its engine. */
class NativeConnection implements OwnedConnection {
  readonly library = "native";
  readonly url: string;
  readonly subprotocol: string;
  readonly extensions: string;
  readonly canPing = true;
  readonly canPause = true;
  readonly #engine: Engine;

  constructor(engine: Engine, url: string, { subprotocol, extensions }: AcceptedUpgrade) {
    this.#engine = engine;
    this.url = url;
    this.subprotocol = subprotocol;
    this.extensions = extensions;
  }

  get isOpen(): boolean {
    return this.#engine.isOpen;
  }

  get path(): SocketPath {
    return this.#engine.path;
  }

  get localAddress(): SocketAddress | undefined {
    return this.#engine.addresses?.local;
  }

  get remoteAddress(): SocketAddress | undefined {
    return this.#engine.addresses?.remote;
  }

  get latencyMs(): number | undefined {
    return this.#engine.latencyMs;
  }

  get isPaused(): boolean {
    return this.#engine.isPaused;
  }

  get bufferedAmount(): number {
    return this.#engine.bufferedAmount;
  }

  get closed(): Promise<CloseInfo> {
    return this.#engine.closed;
  }

  send(data: string | Uint8Array): boolean {
    checkMessage(data);
    this.#checkOpen("send a message");
    return this.#engine.send(data);
  }

  sendInPlace(
    buffer: Uint8Array,
    payloadOffset: number,
    payloadLength: number,
    options: InPlaceOptions = {},
  ): boolean {
    checkBytes("send a frame from a buffer", buffer);
    this.#checkOpen("send a frame");
    return this.#engine.sendInPlace(buffer, payloadOffset, payloadLength, options);
  }

  ping(payload: Uint8Array = NOTHING): void {
    checkPing(payload);
    this.#checkOpen("send a ping");
    this.#engine.ping(payload);
  }

  pause(): void {
    this.#engine.pause();
  }

  resume(): void {
    this.#engine.resume();
  }

  close(code = 1000, reason = ""): void {
    checkClose(code, reason);
    this.#engine.close(code, reason);
  }

  terminate(): void {
    this.#engine.terminate();
  }

  fail(error: WebSocketProtocolError): void {
    this.#engine.fail(error);
  }

  #checkOpen(what: string): void {
    if (!this.#engine.isOpen) throw new ConnectionClosedError(`Cannot ${what}: the connection is not open`);
  }
}

function engineOptions(options: ConnectOptions, deflate: PerMessageDeflate | undefined): EngineOptions {
  return {
    maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
    maxFragments: options.maxFragments ?? DEFAULT_MAX_FRAGMENTS,
    maxBufferedBytes: options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES,
    closeTimeoutMs: options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS,
    highWaterMark: options.highWaterMark ?? DEFAULT_HIGH_WATER_MARK,
    pingIntervalMs: options.pingIntervalMs ?? 0,
    pingTimeoutMs: options.pingTimeoutMs ?? DEFAULT_PING_TIMEOUT_MS,
    deflate,
  };
}

/** Makes the library over one kind of socket. */
export function openOver(open: OpenSocket): OpenConnection {
  return async (url, listener, options = {}): Promise<OwnedConnection> => {
    const proxy = proxyFor(options.proxy, checkArguments(url, listener, options), readEnvironment);
    const offer = createDeflateOffer(options.perMessageDeflate);
    if (offer !== undefined && isFrameListener(listener)) {
      throw new InvalidOptionsError(
        "Cannot use `perMessageDeflate` together with `onFrame`: the frames would hold compressed bytes",
        { path: "perMessageDeflate" },
      );
    }
    const request = createUpgradeRequest(url, options.headers, options.protocols, offer);
    const { signal, tls = {}, handshakeTimeoutMs = DEFAULT_HANDSHAKE_TIMEOUT_MS } = options;
    signal?.throwIfAborted();
    return await new Promise<OwnedConnection>((resolve, reject) => {
      new Opening(open, request, { signal, timeoutMs: handshakeTimeoutMs, tls, proxy }, {
        onUpgraded(socket, accepted, rest) {
          const { deflate } = accepted;
          const codec = deflate === undefined ? undefined : new PerMessageDeflate(deflate, "client");
          const engine = new Engine(socket, listener, engineOptions(options, codec));
          const connection = new NativeConnection(engine, url, accepted);
          guard(() => listener.onOpen?.(connection));
          if (rest.length > 0) engine.onBytes(rest);
          resolve(connection);
        },
        onFailed: reject,
      });
    });
  };
}

/**
 * Opens a connection with the library `"native"`.
 *
 * @throws {InvalidOptionsError} if the URL, the listener or an option can't be used.
 * @throws {HandshakeRejectedError} if the server answered with something else than 101; redirects are not followed.
 * @throws {HandshakeTimeoutError} if DNS, TCP, TLS and the handshake took longer than `handshakeTimeoutMs`.
 * @throws {ProxyConnectionError} if the proxy opens no way to the server.
 * @throws {ConnectionFailedError} if anything else failed; the message says what, `cause` is the runtime's error.
 * @throws What `signal` was aborted with.
 *
 * @example
 * ```ts
 * import { openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const listener = { onText: () => {}, onClose: () => {} };
 * const connection = await openConnection("native", `${exchange.url}/stream`, listener);
 * connection.close();
 * assertEquals((await connection.closed).wasClean, true);
 * ```
 */
export const openNative: OpenConnection = openOver(openSocket);
