/**
 * WebSocket connections without Binance: two libraries, and three ways to receive.
 *
 * - {@linkcode openConnection} with a {@linkcode ConnectionListener} is told each message: the fastest.
 * - {@linkcode openConnection} with a {@linkcode FrameListener} is shown each frame without a copy.
 * - {@linkcode connect} returns a {@linkcode PullConnection}, whose messages are taken with `recv()` or `for await`.
 *
 * ```ts
 * import { openConnection } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const connection = await openConnection("native", `${exchange.url}/ws/btcusdt@trade`, {
 *   onText: (text) => console.log(text),
 *   onClose: ({ code }) => console.log("closed", code),
 * });
 * connection.close();
 * await connection.closed;
 * ```
 *
 * @module
 */

export { connect, openConnection } from "./all_libraries.ts";
export type {
  CloseInfo,
  Connection,
  ConnectionListener,
  ConnectionPath,
  ConnectOptions,
  PeerCertificate,
  PerMessageDeflateOptions,
  SocketAddress,
  TlsOptions,
  WebSocketLibrary,
} from "./connection.ts";
export { fetchThrough, type FetchThroughOptions } from "./http_request.ts";
export { FRAME_HEAD_ROOM } from "./frames.ts";
export type { Frame, FrameListener, FrameOpcode, InPlaceOptions } from "./frames.ts";
export type { Message, PullConnection, PullOptions } from "./pull_connection.ts";
export {
  ConnectionClosedError,
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  InvalidOptionsError,
  InvalidProxyUrlError,
  ProxyConnectionError,
  type ProxyStage,
  ProxyUnavailableError,
  RawtickError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
  WebSocketProtocolError,
} from "../base/mod.ts";
