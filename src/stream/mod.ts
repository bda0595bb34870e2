/**
 * One logical stream: desired subscriptions, its links, reconnects, delivery.
 *
 * @module
 */

export type { DataOf, Output, StreamMessage } from "./delivery.ts";
export type { LinkSettings } from "./link.ts";
export type { OverflowPolicy } from "./message_buffer.ts";
export { connectPacer } from "./pacer.ts";
export { checkCapacity, namesOf, selectionShape, type StreamSelection } from "./selection.ts";
export type {
  CallbackErrorSignal,
  ConnectFailedSignal,
  ConnectSignal,
  DisconnectSignal,
  FirstReceivedDataSignal,
  Signal,
  SignalBase,
  StopSignal,
  StreamUnrepairableSignal,
  SubscriptionFailedSignal,
} from "./signals.ts";
export { BinanceStream, type StreamSettings } from "./stream.ts";
export type { StreamState, StreamStatistics } from "./stream_state.ts";
