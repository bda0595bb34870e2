/**
 * The library switch: which WebSocket libraries there are, whether they run here, and how they open a connection.
 * Fails loud: a library that was asked for is used, or it is an error.
 *
 * @module
 */

import { UnknownWebSocketLibraryError, WebSocketLibraryUnavailableError } from "../base/mod.ts";
import { type BuiltinExtras, builtinOver } from "./builtin.ts";
import { builtinUnavailableReason } from "./builtin_socket.ts";
import type { Connection, ConnectionListener, ConnectOptions, OpenConnection, WebSocketLibrary } from "./connection.ts";
import type { FrameListener } from "./frames.ts";
import { needsBridge } from "./proxy/loopback.ts";
import type { ProxyUrl } from "./proxy/proxy_url.ts";

/** One library: how it opens a connection, and why it can't run here. */
export interface LibraryEntry {
  /** Opens a connection. */
  readonly open: OpenConnection;
  /** Why the library can't run here, or `undefined` if it can. */
  readonly unavailableReason: () => string | undefined;
  /**
   * Throws if the library can't keep to the proxy that was asked for, or to none, so that this is known before anything
   * is opened: {@linkcode ProxyUnavailableError}.
   */
  readonly checkProxy: (proxy: ProxyUrl | undefined) => void;
}

/** The libraries that a door knows. All are named here, also those that a door leaves out. */
export type LibraryTable = Readonly<Record<WebSocketLibrary, LibraryEntry>>;

/** The names of all libraries. */
export const webSocketLibraries: readonly WebSocketLibrary[] = ["builtin", "native"];

/** The library that runs everywhere, with proxies only where `extras` are given. */
export function builtinEntry(extras?: BuiltinExtras): LibraryEntry {
  return {
    open: builtinOver(extras),
    unavailableReason: builtinUnavailableReason,
    checkProxy: (proxy) => void needsBridge("WebSocket", proxy, extras !== undefined),
  };
}

/** The entry of a library that is not part of a door's module graph. */
export function leftOut(reason: string): LibraryEntry {
  return {
    open: () => Promise.reject(new TypeError(reason)),
    unavailableReason: () => reason,
    checkProxy: () => {},
  };
}

/**
 * Looks up a library.
 *
 * @throws {UnknownWebSocketLibraryError} if there is no such library.
 * @throws {WebSocketLibraryUnavailableError} if it can't run here.
 */
export function selectLibrary(table: LibraryTable, name: string): OpenConnection {
  const library = webSocketLibraries.find((known) => known === name);
  if (library === undefined) throw new UnknownWebSocketLibraryError(name, webSocketLibraries);
  const { open, unavailableReason } = table[library];
  const reason = unavailableReason();
  if (reason !== undefined) throw new WebSocketLibraryUnavailableError(name, reason);
  return open;
}

/** Binds {@linkcode selectLibrary} and the opening together, for a table of libraries. */
export function bindOpenConnection(
  table: LibraryTable,
): (
  library: WebSocketLibrary,
  url: string,
  listener: ConnectionListener | FrameListener,
  options?: ConnectOptions,
) => Promise<Connection> {
  return async (library, url, listener, options) => await selectLibrary(table, library)(url, listener, options);
}
