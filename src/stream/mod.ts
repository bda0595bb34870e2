/**
 * One logical stream: desired subscriptions, its links, reconnects, delivery.
 *
 * @module
 */

export type { DataOf, Output, StreamMessage } from "./delivery.ts";
export { ConnectBudget, sharedConnectBudget } from "./connect_budget.ts";
export type { LinkSettings } from "./link_settings.ts";
export type { OverflowPolicy } from "./message_buffer.ts";
export { checkStreams, namesOf, selectionShape, type StreamSelection } from "./selection.ts";
export type {
  CallbackErrorSignal,
  ConnectFailedSignal,
  ConnectSignal,
  DisconnectSignal,
  FirstReceivedDataSignal,
  GapSignal,
  RolloverSignal,
  Signal,
  SignalBase,
  StopSignal,
  StreamSilentSignal,
  StreamUnrepairableSignal,
  SubscriptionFailedSignal,
} from "./signals.ts";
export { BinanceStream, type StreamSettings } from "./stream.ts";
export type { StreamState, StreamStatistics } from "./stream_state.ts";
export type { SubscriptionAudit } from "./subscriptions.ts";
