/**
 * What all doors of the package have: market data. Each adds the manager with its own libraries.
 *
 * @module
 */

export {
  BufferOverflowError,
  ConnectionClosedError,
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  type IntegerMode,
  InvalidOptionsError,
  InvalidProxyUrlError,
  type Logger,
  MaximumSubscriptionsExceededError,
  parsePrecise,
  ProxyConnectionError,
  type ProxyStage,
  ProxyUnavailableError,
  RateLimitedError,
  RawtickError,
  StreamCrashedError,
  StreamStoppedError,
  SubscriptionRejectedError,
  SubscriptionTimeoutError,
  TapRefusedError,
  UnknownExchangeError,
  UnknownStreamError,
  UnknownWebSocketLibraryError,
  WebSocketLibraryUnavailableError,
  WebSocketProtocolError,
} from "./base/mod.ts";
export type * from "./events/public_types.ts";
export { normalizeEvent } from "./events/mod.ts";
export type { ExchangeKey, TimeUnit } from "./exchange/mod.ts";
export {
  type BinanceStream,
  type BufferOrder,
  type CallbackErrorSignal,
  type ConnectFailedSignal,
  type ConnectSignal,
  type ControlRecord,
  type DataOf,
  type DisconnectSignal,
  type FirstReceivedDataSignal,
  type GapSignal,
  type LinkStatistics,
  type MessagesDroppedSignal,
  type Output,
  type OverflowPolicy,
  type Rate,
  type RolloverSignal,
  type Signal,
  type SignalBase,
  type StopSignal,
  type StreamBuffer,
  type StreamBufferOptions,
  type StreamInfo,
  type StreamMessage,
  type StreamSelection,
  type StreamSilentSignal,
  type StreamState,
  type StreamStatistics,
  type StreamUnrepairableSignal,
  type SubscriptionAudit,
  type SubscriptionFailedSignal,
  type UserDataGapSignal,
} from "./stream/mod.ts";
export type { CloseInfo, TlsOptions, WebSocketLibrary } from "./transport/portable.ts";
export type { Manager } from "./manager/manager.ts";
export type { ConnectBudgetStatistics, ManagerStatistics, MonitoringStatus, PrintOptions } from "./monitor/mod.ts";
export type { ReplaceOptions } from "./manager/proof.ts";
export type { MarketManagerOptions, StreamOptions } from "./manager/options.ts";
export {
  type BunServerSocket,
  type Tap,
  tap,
  type TapClientOptions,
  type TapManager,
  type TapOptions,
  type TapStatistics,
  type TapWebSocketHandler,
  type WebSocketUpgrade,
} from "./tap/mod.ts";
