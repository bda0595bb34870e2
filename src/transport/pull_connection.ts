/**
 * What a connection looks like whose messages are pulled, one by one, with `recv()` or `for await`.
 *
 * @module
 */

import type { CloseInfo, ConnectionPath, ConnectOptions, SocketAddress, WebSocketLibrary } from "./connection.ts";

/**
 * A message: text as a string, binary as bytes of its own.
 *
 * @example
 * ```ts
 * import type { Message } from "@rawtick/binance/transport";
 *
 * const textOf = (message: Message) => typeof message === "string" ? message : new TextDecoder().decode(message);
 * console.log(textOf("hello"));
 * ```
 */
export type Message = string | Uint8Array;

/**
 * Options of {@linkcode connect}: those of a connection, and these.
 *
 * @example
 * ```ts
 * import type { PullOptions } from "@rawtick/binance/transport";
 *
 * const options: PullOptions = { websocketLibrary: "builtin", maxQueue: 100 };
 * console.log(options);
 * ```
 */
export interface PullOptions extends ConnectOptions {
  /** The library that carries the connection; never replaced by the other one. Default: `"native"`. */
  readonly websocketLibrary?: WebSocketLibrary;
  /**
   * Unread messages at which reading is paused, 1 to 2147483647; it is paused at 1 MiB of them too, and goes on when half
   * of them are taken. What has been read from the socket already, at most one chunk of 512 KiB, still joins the queue.
   * Where reading can't be paused (`"builtin"` except on Bun), only `maxBufferedBytes` bounds it. Default: 1024.
   */
  readonly maxQueue?: number;
}

/**
 * An open connection whose messages are pulled; made by {@linkcode connect}. `using` destroys the socket when the block
 * is left, `await using` closes it in order.
 *
 * @example
 * ```ts
 * import { connect, type PullConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const ws: PullConnection = await connect(`${exchange.url}/stream`);
 * await ws.send('{"method":"LIST_SUBSCRIPTIONS","id":1}');
 * assertEquals(await ws.recv(), '{"result":[],"id":1}');
 * assertEquals((await ws.close()).code, 1000);
 * ```
 */
export interface PullConnection extends AsyncIterable<Message>, Disposable, AsyncDisposable {
  /** The library that this connection runs on. */
  readonly library: WebSocketLibrary;
  /** Which sockets carry it. */
  readonly path: ConnectionPath;
  /** The URL that was opened. */
  readonly url: string;
  /** The subprotocol that the server chose, or `""`. */
  readonly subprotocol: string;
  /**
   * The extensions that both ends have agreed on, such as `"permessage-deflate"`, as the server has written them; `""` if
   * there are none. Node's built-in WebSocket says `""` in any case.
   */
  readonly extensions: string;
  /** Whether messages can be sent. */
  readonly isOpen: boolean;
  /** Number of messages that came and were not taken. */
  readonly unread: number;
  /** Our end of the TCP connection, where it is known. */
  readonly localAddress: SocketAddress | undefined;
  /** The peer's end of the TCP connection, where it is known. */
  readonly remoteAddress: SocketAddress | undefined;
  /** Round trip in ms of the last ping that was answered. */
  readonly latencyMs: number | undefined;
  /** Bytes given to `send()` that have not left the process yet. */
  readonly bufferedAmount: number;
  /** Resolves when the connection has ended. Never rejects. */
  readonly closed: Promise<CloseInfo>;

  /**
   * Takes the next message, or waits for it. Several calls at once get one message each, in the order of the calls.
   * What came before the end of the connection can still be taken after it.
   *
   * @throws {ConnectionClosedError} once the connection has ended and nothing is left, however it ended; the message
   * says how, `cause` is what failed.
   */
  recv(): Promise<Message>;

  /**
   * Sends a message. Resolves when the caller may go on: at once, or once what waits to be sent has left or the
   * connection has ended (see {@linkcode ConnectOptions.highWaterMark}).
   *
   * @throws {ConnectionClosedError} if the connection is not open.
   * @throws {TypeError} if it is neither a string nor a `Uint8Array`.
   */
  send(data: Message): Promise<void>;

  /**
   * Sends a ping; see {@linkcode Connection.ping}. Its round trip is `latencyMs`.
   *
   * @throws {ConnectionClosedError} if the connection is not open.
   * @throws {TypeError} if the payload is no `Uint8Array` or longer than 125 bytes, or where there are no pings.
   */
  ping(payload?: Uint8Array): void;

  /**
   * Closes the connection; see {@linkcode Connection.close}. Resolves when it has ended.
   *
   * @throws {TypeError} if the code or the reason is not allowed.
   */
  close(code?: number, reason?: string): Promise<CloseInfo>;

  /** Destroys the socket at once. */
  terminate(): void;

  /**
   * Takes message after message. Ends when the connection was closed in order: by `close()`, `terminate()` or disposal
   * on our side, or with 1000, 1001 or no code by the peer. Leaving the loop early keeps the connection open, and
   * what comes later for whoever takes it next.
   *
   * @throws {ConnectionClosedError} if it ended in any other way.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Message>;
}
