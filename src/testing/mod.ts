/**
 * A local exchange for tests: a server on loopback that behaves like Binance's market stream endpoint and misbehaves on
 * demand, a stand-in for a proxy, a seeded generator of Binance-shaped messages, recordings, and a clock that is moved by
 * hand. Needs Deno, Bun or Node.
 *
 * @module
 */

export type { ApiDisturbance, ApiDisturbOptions } from "./api/faults.ts";
export type { ListenKeyProduct } from "./api/listen_keys.ts";
export type {
  FillOptions,
  LocalAccount,
  LocalAccountOptions,
  LocalKeyOptions,
  LocalOrder,
} from "./api/local_account.ts";
export type { LocalApiLimits, LocalExchangeApi } from "./api/local_api.ts";
export type { LocalApiRequest } from "./api/request_record.ts";
export type { LocalRestRequest, RestFaultOptions } from "./api/rest.ts";
export type { AccountEvent, LocalApiName } from "./api/venue.ts";
export { type Clock, InvalidOptionsError, ManualClock, RawtickError, type Timer } from "../base/mod.ts";
export { generateMessage, type GenerateOptions } from "./generator/generator.ts";
export type {
  CloseOptions,
  DataFault,
  DisturbOptions,
  KillOptions,
  RefusalOptions,
  ThrottleOptions,
} from "./fault_options.ts";
export { type LocalExchange, startLocalExchange } from "./local_exchange.ts";
export type { LocalExchangeLimits, LocalMarket } from "./markets.ts";
export { type LocalProxy, type LocalProxyFaults, type LocalProxyRequest, startLocalProxy } from "./local_proxy.ts";
export type { LocalProxyOptions } from "./local_proxy_options.ts";
export type { LocalExchangeOptions } from "./options.ts";
export {
  formatRow,
  InvalidRecordingError,
  parseRecording,
  type RecordedHttp,
  type RecordedText,
  type RecordedUrl,
  type Recording,
  type RecordingRow,
} from "./recording.ts";
export { RecordingWriter } from "./recording_writer.ts";
export type { ControlMessageRecord, HandshakeRecord, LocalConnection } from "./records.ts";
export type { ConnectionStatistics, LocalExchangeStatistics, SentMessages } from "./statistics.ts";
