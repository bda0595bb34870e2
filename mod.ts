/**
 * Keeps Binance WebSocket streams alive and hands their messages to you: one manager, two WebSocket libraries.
 *
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url, websocketLibrary: "native" });
 * const stream = manager.createStream({ channels: ["trade"], markets: ["btcusdt"] });
 * for await (const text of stream) {
 *   console.log(text);
 *   break;
 * }
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
export { BinanceWebSocketApiManager, Manager, type ManagerOptions, type StreamOptions } from "./src/manager/mod.ts";
