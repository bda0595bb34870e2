/**
 * All libraries together, for the doors that run on Deno, Bun and Node. The edge door must not import this.
 *
 * @module
 */

import { checkArguments } from "./arguments.ts";
import type { Connection, ConnectionListener, ConnectOptions, WebSocketLibrary } from "./connection.ts";
import type { FrameListener } from "./frames.ts";
import { bindOpenConnection, builtinEntry, type LibraryTable } from "./library.ts";
import { nativeUnavailableReason, openNative } from "./native/mod.ts";
import { openBridge } from "./proxy/bridge.ts";
import { proxyFor } from "./proxy/environment.ts";
import { bindConnect } from "./pull.ts";
import type { PullConnection, PullOptions } from "./pull_connection.ts";

/** The libraries of the doors `.`, `./transport` and `./cli`. */
export const allLibraries: LibraryTable = {
  builtin: builtinEntry({ openBridge, proxyFor, checkArguments }),
  // Raw sockets go where they are told.
  native: { open: openNative, unavailableReason: nativeUnavailableReason, checkProxy: () => {} },
};

/**
 * Opens a WebSocket connection on one of the libraries.
 *
 * @param library `"builtin"`, the runtime's own WebSocket, or `"native"`, our RFC 6455 client on raw sockets.
 * @param url `ws://` or `wss://`, without credentials and fragment.
 * @param listener Told about everything that happens after the handshake, in messages or, with `"native"`, in frames. If
 * the promise rejects, it is never called.
 * @throws {UnknownWebSocketLibraryError} if there is no such library.
 * @throws {WebSocketLibraryUnavailableError} if it can't run here.
 * @throws {InvalidOptionsError} if the URL, the listener or an option can't be used, or not with this library here.
 * @throws {ProxyUnavailableError} if a proxy is asked for, or has to be avoided, and this runtime can't.
 * @throws {ProxyConnectionError} if the proxy opened no way to the server.
 * @throws {HandshakeRejectedError} if the server answered with another status than 101.
 * @throws {HandshakeTimeoutError} if it took longer than `handshakeTimeoutMs`.
 * @throws {ConnectionFailedError} if it failed in any other way.
 *
 * @example
 * ```ts
 * import { openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const { promise, resolve } = Promise.withResolvers<string>();
 * const url = `${exchange.url}/ws/btcusdt@trade`;
 * const connection = await openConnection("native", url, { onText: resolve, onClose: () => {} });
 * console.log(await promise);
 * connection.close();
 * await connection.closed;
 * ```
 */
export const openConnection: (
  library: WebSocketLibrary,
  url: string,
  listener: ConnectionListener | FrameListener,
  options?: ConnectOptions,
) => Promise<Connection> = bindOpenConnection(allLibraries);

/**
 * Opens a WebSocket connection whose messages are pulled, one by one: {@linkcode PullConnection}.
 *
 * @param url `ws://` or `wss://`, without credentials and fragment.
 * @throws {UnknownWebSocketLibraryError} if there is no such library.
 * @throws {WebSocketLibraryUnavailableError} if it can't run here.
 * @throws {InvalidOptionsError} if the URL or an option can't be used, or not with this library here.
 * @throws {ProxyUnavailableError} if a proxy is asked for, or has to be avoided, and this runtime can't.
 * @throws {ProxyConnectionError} if the proxy opened no way to the server.
 * @throws {HandshakeRejectedError} if the server answered with another status than 101.
 * @throws {HandshakeTimeoutError} if it took longer than `handshakeTimeoutMs`.
 * @throws {ConnectionFailedError} if it failed in any other way.
 *
 * @example
 * ```ts
 * import { connect } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * await using ws = await connect(`${exchange.url}/ws/btcusdt@trade`);
 * for await (const message of ws) {
 *   console.log(message);
 *   break;
 * }
 * ```
 */
export const connect: (url: string, options?: PullOptions) => Promise<PullConnection> = bindConnect(allLibraries);
