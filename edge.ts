/**
 * The door for edge runtimes (workerd, browsers): the library "builtin" and web standards only, no `node:`, `Bun` or
 * `Deno` in its module graph.
 *
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance/edge";
 *
 * await using manager = new BinanceWebSocketApiManager();
 * ```
 *
 * @module
 */

export {
  BufferOverflowError,
  ConnectionClosedError,
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  InvalidOptionsError,
  InvalidProxyUrlError,
  type Logger,
  MaximumSubscriptionsExceededError,
  ProxyUnavailableError,
  RawtickError,
  StreamCrashedError,
  StreamStoppedError,
  SubscriptionRejectedError,
  SubscriptionTimeoutError,
  UnknownExchangeError,
  UnknownStreamError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
  WebSocketProtocolError,
} from "./src/base/mod.ts";
export type { ExchangeKey } from "./src/exchange/mod.ts";
export {
  BinanceStream,
  type CallbackErrorSignal,
  type ConnectSignal,
  type DataOf,
  type DisconnectSignal,
  type FirstReceivedDataSignal,
  type Output,
  type OverflowPolicy,
  type Signal,
  type SignalBase,
  type StopSignal,
  type StreamMessage,
  type StreamSelection,
  type StreamState,
  type StreamStatistics,
  type StreamUnrepairableSignal,
} from "./src/stream/mod.ts";
export type { CloseInfo, TlsOptions, WebSocketLibrary } from "./src/transport/portable.ts";
export { BinanceWebSocketApiManager, Manager } from "./src/manager/edge.ts";
export type { ManagerOptions, StreamOptions } from "./src/manager/options.ts";
