/**
 * The library `"native"`: our own RFC 6455 client on the runtime's sockets.
 *
 * @module
 */

import { ConnectionClosedError } from "../../base/mod.ts";
import { checkClose, checkPing } from "../arguments.ts";
import {
  type CloseInfo,
  type Connection,
  type ConnectionListener,
  type ConnectOptions,
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
  type OpenConnection,
} from "../connection.ts";
import { Engine, reportUncaught } from "./engine.ts";
import { createUpgradeRequest } from "./handshake.ts";
import { openSocket } from "./open_socket.ts";
import { Opening } from "./opening.ts";
import type { OpenSocket } from "./socket.ts";

const NOTHING = new Uint8Array(0);
const NO_AUTHORITIES: readonly string[] = [];

/** What the caller holds of an open connection; the work is done by its engine. */
class NativeConnection implements Connection {
  readonly library = "native";
  readonly url: string;
  readonly subprotocol: string;
  readonly canPing = true;
  readonly #engine: Engine;

  constructor(engine: Engine, url: string, subprotocol: string) {
    this.#engine = engine;
    this.url = url;
    this.subprotocol = subprotocol;
  }

  get isOpen(): boolean {
    return this.#engine.isOpen;
  }

  get bufferedAmount(): number {
    return this.#engine.bufferedAmount;
  }

  get closed(): Promise<CloseInfo> {
    return this.#engine.closed;
  }

  send(data: string | Uint8Array): void {
    this.#checkOpen("send a message");
    this.#engine.send(data);
  }

  ping(payload: Uint8Array = NOTHING): void {
    checkPing(payload);
    this.#checkOpen("send a ping");
    this.#engine.ping(payload);
  }

  close(code = 1000, reason = ""): void {
    checkClose(code, reason);
    this.#engine.close(code, reason);
  }

  terminate(): void {
    this.#engine.terminate();
  }

  #checkOpen(what: string): void {
    if (!this.#engine.isOpen) throw new ConnectionClosedError(`Cannot ${what}: the connection is not open`);
  }
}

/** Makes the library over one kind of socket. */
export function openOver(open: OpenSocket): OpenConnection {
  return async (url: string, listener: ConnectionListener, options: ConnectOptions = {}): Promise<Connection> => {
    const request = createUpgradeRequest(url, options.headers, options.protocols);
    const { signal, tls, handshakeTimeoutMs = DEFAULT_HANDSHAKE_TIMEOUT_MS } = options;
    const engineOptions = {
      maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      closeTimeoutMs: options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS,
    };
    signal?.throwIfAborted();
    return await new Promise<Connection>((resolve, reject) => {
      new Opening(open, request, { signal, timeoutMs: handshakeTimeoutMs, ca: tls?.ca ?? NO_AUTHORITIES }, {
        onUpgraded(socket, subprotocol, rest) {
          const engine = new Engine(socket, listener, engineOptions);
          const connection = new NativeConnection(engine, url, subprotocol);
          try {
            listener.onOpen?.(connection);
          } catch (error) {
            reportUncaught(error);
          }
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
 * @throws {TypeError} if the URL, a header or a subprotocol can't be used.
 * @throws {HandshakeRejectedError} if the server answered with something else than 101; redirects are not followed.
 * @throws {HandshakeTimeoutError} if DNS, TCP, TLS and the handshake took longer than `handshakeTimeoutMs`.
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
