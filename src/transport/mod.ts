/**
 * WebSocket connections without Binance: one interface, two libraries.
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

export { openConnection } from "./all_libraries.ts";
export type {
  CloseInfo,
  Connection,
  ConnectionListener,
  ConnectOptions,
  TlsOptions,
  WebSocketLibrary,
} from "./connection.ts";
export {
  ConnectionClosedError,
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  InvalidOptionsError,
  RawtickError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
  WebSocketProtocolError,
} from "../base/mod.ts";
