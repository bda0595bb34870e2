/**
 * The one interface of all WebSocket libraries: what a connection can do, and what it tells its listener.
 *
 * @module
 */

import type { WebSocketProtocolError } from "../base/mod.ts";
import type { ConnectOptions } from "./connect_options.ts";
import type { FrameListener, InPlaceOptions } from "./frames.ts";

export * from "./connect_options.ts";
export type { Frame, FrameListener, FrameOpcode, InPlaceOptions } from "./frames.ts";

/**
 * The name of a WebSocket library. See {@linkcode ManagerOptions.websocketLibrary} for what they are.
 *
 * @example
 * ```ts
 * import type { WebSocketLibrary } from "@rawtick/binance/transport";
 *
 * const library: WebSocketLibrary = "native";
 * console.log(library);
 * ```
 */
export type WebSocketLibrary = "builtin" | "native";

/**
 * How a connection ended.
 *
 * @example
 * ```ts
 * import type { CloseInfo } from "@rawtick/binance/transport";
 * import { assertEquals } from "@std/assert";
 *
 * const lost: CloseInfo = { code: 1006, reason: "", wasClean: false };
 * assertEquals(lost.code, 1006);
 * ```
 */
export interface CloseInfo {
  /** Close code of RFC 6455 7.4; 1005 for a Close frame without one, 1006 if the peer sent no Close frame. */
  readonly code: number;
  /** Reason of the peer's Close frame, or `""`. */
  readonly reason: string;
  /** Whether a Close frame was both sent and received. */
  readonly wasClean: boolean;
  /** What failed, if something did. */
  readonly error?: Error;
}

/**
 * What a connection tells its owner. Calls come one after the other, in the order of the wire, each synchronously.
 * An exception thrown in one is a bug of the owner: it is reported as an uncaught error and does not stop the connection.
 *
 * @example
 * ```ts
 * import type { ConnectionListener } from "@rawtick/binance/transport";
 *
 * const listener: ConnectionListener = {
 *   onText: (text) => console.log(text.length),
 *   onClose: ({ code }) => console.log("closed", code),
 * };
 * ```
 */
export interface ConnectionListener {
  /** The handshake succeeded. Comes before any message, and before the promise of `openConnection` resolves. */
  onOpen?(connection: Connection): void;
  /** A text message. */
  onText(text: string): void;
  /** A binary message. The bytes belong to the listener. */
  onBinary?(bytes: Uint8Array): void;
  /** A ping came and was answered. Not on every runtime: see {@linkcode Connection.canPing}. */
  onPing?(payload: Uint8Array): void;
  /** A pong came. Not on every runtime: see {@linkcode Connection.canPing}. */
  onPong?(payload: Uint8Array): void;
  /** Everything that made `send()` return false has left: the caller may go on. Only with `"native"`. */
  onDrain?(): void;
  /** The connection has ended: exactly once for each connection that was opened, always, and nothing comes after it. */
  onClose(info: CloseInfo): void;
}

/**
 * Which sockets carry a connection: `Bun.connect`, `Deno.connect`, `node:net` and `node:tls`, or whatever the runtime's
 * own WebSocket uses.
 *
 * @example
 * ```ts
 * import type { ConnectionPath } from "@rawtick/binance/transport";
 *
 * const path: ConnectionPath = "node";
 * console.log(path);
 * ```
 */
export type ConnectionPath = "bun" | "deno" | "node" | "builtin";

/**
 * One end of a TCP connection.
 *
 * @example
 * ```ts
 * import type { SocketAddress } from "@rawtick/binance/transport";
 *
 * const address: SocketAddress = { hostname: "127.0.0.1", port: 443 };
 * console.log(`${address.hostname}:${address.port}`);
 * ```
 */
export interface SocketAddress {
  /** IP address, an IPv6 address without brackets. */
  readonly hostname: string;
  /** TCP port. */
  readonly port: number;
}

/**
 * One open WebSocket connection.
 *
 * @example
 * ```ts
 * import { type Connection, openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const { promise, resolve } = Promise.withResolvers<string>();
 * const listener = { onText: resolve, onClose: () => {} };
 * const connection: Connection = await openConnection("builtin", `${exchange.url}/stream`, listener);
 * connection.send('{"method":"LIST_SUBSCRIPTIONS","id":1}');
 * assertEquals(await promise, '{"result":[],"id":1}');
 * connection.close();
 * assertEquals((await connection.closed).code, 1000);
 * ```
 */
export interface Connection {
  /** The library that this connection runs on. */
  readonly library: WebSocketLibrary;
  /** The URL that was opened. */
  readonly url: string;
  /** The subprotocol that the server chose, or `""`. */
  readonly subprotocol: string;
  /**
   * The extensions that both ends have agreed on, such as `"permessage-deflate"`, as the server has written them; `""` if
   * there are none. Node's built-in WebSocket says `""` in any case.
   */
  readonly extensions: string;
  /** Whether messages can be sent: from the handshake until `close()`, `terminate()` or the peer's close. */
  readonly isOpen: boolean;
  /** Whether this runtime can send pings and shows pings and pongs: `"native"` everywhere, `"builtin"` only on Bun. */
  readonly canPing: boolean;
  /** Which sockets carry it. `"native"` takes the runtime's own, and Node's where an option is beyond those. */
  readonly path: ConnectionPath;
  /** Our end of the TCP connection; `undefined` with `"builtin"`, and once the connection has ended. */
  readonly localAddress: SocketAddress | undefined;
  /** The peer's end of the TCP connection; `undefined` with `"builtin"`, and once the connection has ended. */
  readonly remoteAddress: SocketAddress | undefined;
  /** Round trip in ms of the last ping that was answered; `undefined` before. */
  readonly latencyMs: number | undefined;
  /** Whether `pause()` and `resume()` work here: `"native"` everywhere, `"builtin"` only on Bun. */
  readonly canPause: boolean;
  /** Whether `pause()` was called and `resume()` was not yet. */
  readonly isPaused: boolean;
  /** Bytes given to `send()` that have not left the process yet; 0 where the runtime does not know (Bun's built-in). */
  readonly bufferedAmount: number;
  /** Resolves when the connection has ended, with the same value as `onClose`. Never rejects. */
  readonly closed: Promise<CloseInfo>;

  /**
   * Sends a text or a binary message. It is taken whole in any case, and the bytes are copied.
   *
   * @returns Whether the caller may go on: false if more than `highWaterMark` bytes wait, then `onDrain` is called once
   * all have left. Always true with `"builtin"`, which can't tell.
   * @throws {ConnectionClosedError} if the connection is not open.
   * @throws {TypeError} if it is neither a string nor a `Uint8Array`, or comes between the fragments of a message that
   * `sendInPlace()` has begun.
   */
  send(data: string | Uint8Array): boolean;

  /**
   * Sends one frame from a buffer of the caller's, without a copy: its head is written into the
   * {@linkcode FRAME_HEAD_ROOM} bytes before the payload, and the payload is masked where it is. The buffer belongs to
   * the connection until `bufferedAmount` is 0 again, and its contents are spoilt. Only with `"native"`. Masking is
   * fastest where the payload starts at a multiple of 4 bytes of the `ArrayBuffer`.
   *
   * @param payloadOffset Where the payload starts in `buffer`, at least `FRAME_HEAD_ROOM`.
   * @param payloadLength Length of the payload in bytes.
   * @returns As `send()`.
   * @throws {ConnectionClosedError} if the connection is not open.
   * @throws {RangeError} if the payload does not lie in the buffer, or there is too little room before it.
   * @throws {TypeError} if `buffer` is no `Uint8Array`, the frame does not fit to the one before (RFC 6455 5.4), or with
   * `"builtin"`.
   *
   * @example
   * ```ts
   * import { FRAME_HEAD_ROOM, openConnection } from "@rawtick/binance/transport";
   * import { startLocalExchange } from "@rawtick/binance/testing";
   *
   * await using exchange = await startLocalExchange();
   * const listener = { onText: (text: string) => console.log(text), onClose: () => {} };
   * const connection = await openConnection("native", `${exchange.url}/stream`, listener);
   * const buffer = new Uint8Array(1024);
   * const request = '{"method":"LIST_SUBSCRIPTIONS","id":1}';
   * const { written } = new TextEncoder().encodeInto(request, buffer.subarray(FRAME_HEAD_ROOM));
   * connection.sendInPlace(buffer, FRAME_HEAD_ROOM, written, { opcode: 1 });
   * connection.close();
   * await connection.closed;
   * ```
   */
  sendInPlace(buffer: Uint8Array, payloadOffset: number, payloadLength: number, options?: InPlaceOptions): boolean;

  /**
   * Sends a ping with at most 125 bytes (RFC 6455 5.5).
   *
   * @throws {ConnectionClosedError} if the connection is not open.
   * @throws {TypeError} if the payload is no `Uint8Array` or longer than 125 bytes, or where `canPing` is false.
   */
  ping(payload?: Uint8Array): void;

  /**
   * Stops reading from the socket, so that TCP holds the peer back. What has been read already, at most one chunk of
   * 512 KiB, is still delivered. While it is paused, neither pings are answered nor the end of the connection is noticed.
   * Does nothing on a connection that is closing or closed.
   *
   * @throws {TypeError} where `canPause` is false.
   */
  pause(): void;

  /**
   * Reads again.
   *
   * @throws {TypeError} where `canPause` is false.
   */
  resume(): void;

  /**
   * Starts the closing handshake (RFC 6455 7). The connection ends when the peer has answered, or after
   * `closeTimeoutMs`. Does nothing on a connection that is closing or closed.
   *
   * @param code 1000 (default) or 3000 to 4999: what every runtime allows.
   * @param reason At most 123 bytes of UTF-8. Default: `""`.
   * @throws {TypeError} if the code or the reason is not allowed.
   */
  close(code?: number, reason?: string): void;

  /** Destroys the socket at once, without a closing handshake; `onClose` comes with 1006 before this returns. */
  terminate(): void;
}

/** A connection as its library returns it: it can be failed from inside, with an error that its owner is told. */
export interface OwnedConnection extends Connection {
  /** Fails the connection (RFC 6455 7.1.7): the peer is told the error's close code where the library can. */
  fail(error: WebSocketProtocolError): void;
}

/**
 * Opens a connection. A library is a function like this.
 *
 * @param url `ws://` or `wss://`, without credentials and fragment.
 * @param listener Told about everything that happens after the handshake.
 * @returns The connection, once the handshake succeeded. If it rejects, the listener is never called.
 */
export type OpenConnection = (
  url: string,
  listener: ConnectionListener | FrameListener,
  options?: ConnectOptions,
) => Promise<OwnedConnection>;

/** Whether the listener wants frames instead of messages. */
export function isFrameListener(listener: ConnectionListener | FrameListener): listener is FrameListener {
  return "onFrame" in listener && typeof listener.onFrame === "function";
}
