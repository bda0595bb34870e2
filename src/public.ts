/**
 * What the doors of the package have in common; each adds the manager with its own libraries.
 *
 * @module
 */

export {
  ApiError,
  type ApiRateLimit,
  BufferOverflowError,
  ConnectionClosedError,
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  InvalidOptionsError,
  InvalidProxyUrlError,
  type Logger,
  MaximumSubscriptionsExceededError,
  ProxyConnectionError,
  type ProxyStage,
  ProxyUnavailableError,
  RateLimitedError,
  RawtickError,
  RequestOutcomeUnknownError,
  RequestTimeoutError,
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
export {
  createSigner,
  type IntegerMode,
  newClientOrderId,
  type Params,
  type ParamValue,
  parsePrecise,
  signedQuery,
  type Signer,
  type SignerOptions,
} from "./api/mod.ts";
export {
  type ApiFunction,
  type ApiFunctionName,
  type ApiFunctionOptions,
  type ApiFunctions,
  type ApiMethod,
  type ApiMethods,
  type ApiMethodSpec,
  type ApiMethodSpecs,
  type ApiParameters,
  type ApiParameterTypes,
  type ApiResults,
  coinmMethods,
  coinmMethodSpecs,
  type FuturesApi,
  type FuturesMethodSpecs,
  type OneOfEach,
  type OrderLegParameterTypes,
  type PrefixedOrderLeg,
  type SpotApi,
  spotMethods,
  spotMethodSpecs,
  usdmMethods,
  usdmMethodSpecs,
  type WeightRuleName,
} from "./api/mod.ts";
export type {
  ApiMethodFacts,
  ApiRequestOptions,
  ApiSecurity,
  ApiStream,
  ApiStreamListener,
  ApiStreamStatistics,
  InternalRequestOptions,
  RateLimitPolicy,
} from "./api/mod.ts";
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
export type { UserDataAccount, UserDataAccountOptions, UserDataOptions, UserDataStream } from "./user_data/mod.ts";
export type { CloseInfo, TlsOptions, WebSocketLibrary } from "./transport/portable.ts";
export type { Manager } from "./manager/manager.ts";
export type { ConnectBudgetStatistics, ManagerStatistics, MonitoringStatus, PrintOptions } from "./monitor/mod.ts";
export type { ReplaceOptions } from "./manager/proof.ts";
export type { ManagerApi } from "./manager/api_streams.ts";
export type { ApiStreamOptions, ManagerOptions, StreamOptions, UserDataStreamOptions } from "./manager/options.ts";
