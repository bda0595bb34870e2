/**
 * The one interface of all WebSocket libraries: what a connection can do, and what it tells its listener.
 *
 * @module
 */

/** Default of {@linkcode ConnectOptions.handshakeTimeoutMs}. */
export const DEFAULT_HANDSHAKE_TIMEOUT_MS = 10_000;
/** Default of {@linkcode ConnectOptions.closeTimeoutMs}. */
export const DEFAULT_CLOSE_TIMEOUT_MS = 1_000;
/** Default of {@linkcode ConnectOptions.maxMessageBytes}. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

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
  /** The connection has ended: exactly once for each connection that was opened, always, and nothing comes after it. */
  onClose(info: CloseInfo): void;
}

/**
 * TLS of a `wss://` connection. Certificates are always verified.
 *
 * @example
 * ```ts
 * import type { TlsOptions } from "@rawtick/binance/transport";
 *
 * const tls: TlsOptions = { ca: ["-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n"] };
 * ```
 */
export interface TlsOptions {
  /** Certificates (PEM) of authorities to trust besides the runtime's own. Default: none. */
  readonly ca?: readonly string[];
}

/**
 * How to open a connection.
 *
 * @example
 * ```ts
 * import { type ConnectOptions, openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const options: ConnectOptions = { handshakeTimeoutMs: 2_000, headers: { "User-Agent": "my-bot/1.0" } };
 * const listener = { onText: () => {}, onClose: () => {} };
 * const connection = await openConnection("native", `${exchange.url}/stream`, listener, options);
 * connection.close();
 * await connection.closed;
 * ```
 */
export interface ConnectOptions {
  /** Extra headers of the handshake request. Not on browsers and workerd, where they are refused. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Subprotocols to offer (RFC 6455 1.9), most wanted first. Default: none. */
  readonly protocols?: readonly string[];
  /** Longest time in ms for DNS, TCP, TLS and the handshake together, over 0. Default: 10000. */
  readonly handshakeTimeoutMs?: number;
  /** Longest time in ms that `close()` waits for the peer's Close frame before the socket is destroyed. Default: 1000. */
  readonly closeTimeoutMs?: number;
  /**
   * Largest message in bytes that is accepted; a larger one fails the connection with 1009. Default: 67108864 (64 MiB).
   * `"builtin"` can't set it: the runtime's own limit holds (64 MiB in Deno, 128 MiB in Bun and Node), and a smaller
   * value is refused when a message that is larger arrives.
   */
  readonly maxMessageBytes?: number;
  /** Aborts the opening; an open connection is not touched. Default: none. */
  readonly signal?: AbortSignal;
  /** TLS of a `wss://` URL. Default: the runtime's own authorities. */
  readonly tls?: TlsOptions;
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
  /** Whether messages can be sent: from the handshake until `close()`, `terminate()` or the peer's close. */
  readonly isOpen: boolean;
  /** Whether this runtime can send pings and shows pings and pongs: `"native"` everywhere, `"builtin"` only on Bun. */
  readonly canPing: boolean;
  /** Bytes given to `send()` that have not left the process yet; 0 where the runtime does not know (Bun's built-in). */
  readonly bufferedAmount: number;
  /** Resolves when the connection has ended, with the same value as `onClose`. Never rejects. */
  readonly closed: Promise<CloseInfo>;

  /**
   * Sends a text or a binary message.
   *
   * @throws {ConnectionClosedError} if the connection is not open.
   */
  send(data: string | Uint8Array): void;

  /**
   * Sends a ping with at most 125 bytes (RFC 6455 5.5).
   *
   * @throws {ConnectionClosedError} if the connection is not open.
   * @throws {TypeError} if the payload is longer than 125 bytes, or where `canPing` is false.
   */
  ping(payload?: Uint8Array): void;

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

/**
 * Opens a connection. A library is a function like this.
 *
 * @param url `ws://` or `wss://`, without credentials and fragment.
 * @param listener Told about everything that happens after the handshake.
 * @returns The connection, once the handshake succeeded. If it rejects, the listener is never called.
 */
export type OpenConnection = (
  url: string,
  listener: ConnectionListener,
  options?: ConnectOptions,
) => Promise<Connection>;
