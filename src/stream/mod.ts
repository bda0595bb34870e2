/**
 * One logical stream: desired subscriptions, its links, reconnects, delivery.
 *
 * @module
 */

export type { DataOf, Output, StreamMessage } from "./delivery.ts";
export { Backoff } from "./backoff.ts";
export type { Failure } from "./failure.ts";
export { Reconnector } from "./reconnector.ts";
export { Watchdog } from "./watchdog.ts";
export { ConnectBudget, sharedConnectBudget } from "./connect_budget.ts";
export type { LinkSettings } from "./link_settings.ts";
export type { ControlRecord } from "./control_record.ts";
export type { BufferOrder, OverflowPolicy } from "./message_buffer.ts";
export { RingBuffer } from "./ring_buffer.ts";
export { StreamBuffer, type StreamBufferOptions, StreamBuffers } from "./stream_buffers.ts";
export { checkedNames, checkStreams, namesOf, selectionShape, type StreamSelection } from "./selection.ts";
export type {
  CallbackErrorSignal,
  ConnectFailedSignal,
  ConnectSignal,
  DisconnectSignal,
  FirstReceivedDataSignal,
  GapSignal,
  MessagesDroppedSignal,
  RolloverSignal,
  Signal,
  SignalBase,
  StopSignal,
  StreamSilentSignal,
  StreamUnrepairableSignal,
  SubscriptionFailedSignal,
  UserDataGapSignal,
} from "./signals.ts";
export { type SignalDetails, type SignalListener, signalTeller } from "./signal_teller.ts";
export { BinanceStream, type StreamSettings } from "./stream.ts";
export { StreamLife } from "./stream_life.ts";
export { Link } from "./link.ts";
export { linkStatistics } from "./link_statistics.ts";
export { type Rate, RateSampler } from "./rates.ts";
export type { LinkStatistics, StreamInfo, StreamState, StreamStatistics } from "./stream_state.ts";
export type { SubscriptionAudit } from "./audits.ts";
