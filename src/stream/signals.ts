/**
 * Signals: what happens to a stream, for user code.
 *
 * @module
 */

import type { SubscriptionRejectedError, SubscriptionTimeoutError } from "../base/mod.ts";
import type { CloseInfo } from "../transport/portable.ts";

/**
 * What every signal has.
 *
 * @example
 * ```ts
 * import type { SignalBase } from "@rawtick/binance";
 *
 * const describe = ({ streamId, streamLabel }: SignalBase) => streamLabel ?? streamId;
 * console.log(describe({ streamId: "1", streamLabel: "trades", timestamp: 1672515782136 }));
 * ```
 */
export interface SignalBase {
  /** Id of the stream. */
  readonly streamId: string;
  /** Label of the stream, or `undefined` if it has none. */
  readonly streamLabel: string | undefined;
  /** When it happened, in ms since 1970. */
  readonly timestamp: number;
}

/**
 * A connection of the stream was opened. Comes again after each reconnect.
 *
 * @example
 * ```ts
 * import type { ConnectSignal } from "@rawtick/binance";
 *
 * const signal: ConnectSignal = {
 *   type: "CONNECT",
 *   url: "wss://stream.binance.com:9443/stream?streams=",
 *   streams: ["btcusdt@trade"],
 *   streamId: "1",
 *   streamLabel: "trades",
 *   timestamp: 1672515782136,
 * };
 * console.log(signal.url);
 * ```
 */
export interface ConnectSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "CONNECT";
  /** URL of the connection. A futures stream may have several. */
  readonly url: string;
  /** Names of the streams of market data that the connection carries; none for requests and account events. */
  readonly streams: readonly string[];
}

/**
 * The first message of the stream's life was delivered. Does not come again after a reconnect.
 *
 * @example
 * ```ts
 * import type { FirstReceivedDataSignal } from "@rawtick/binance";
 *
 * const onFirst = (signal: FirstReceivedDataSignal) => console.log(signal.streamLabel, signal.data);
 * onFirst({ type: "FIRST_RECEIVED_DATA", data: "{}", streamId: "1", streamLabel: "trades", timestamp: 1672515782136 });
 * ```
 */
export interface FirstReceivedDataSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "FIRST_RECEIVED_DATA";
  /** The message, in the stream's output form. */
  readonly data: unknown;
}

/**
 * A connection that had been opened has ended. Failed attempts to reconnect do not repeat it.
 *
 * @example
 * ```ts
 * import type { DisconnectSignal } from "@rawtick/binance";
 *
 * const wasLost = ({ close }: DisconnectSignal) => close.code === 1006;
 * const close = { code: 1006, reason: "", wasClean: false };
 * console.log(wasLost({ type: "DISCONNECT", url: "ws://127.0.0.1/", streams: [], close, lastData: undefined, streamId: "1", streamLabel: "trades", timestamp: 1672515782136 }));
 * ```
 */
export interface DisconnectSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "DISCONNECT";
  /** URL of the connection. */
  readonly url: string;
  /** Names of the streams of market data that the connection carries; none for requests and account events. */
  readonly streams: readonly string[];
  /** How it ended. */
  readonly close: CloseInfo;
  /** The last message that the stream delivered, in its output form; `undefined` if there was none. */
  readonly lastData: unknown;
}

/**
 * A connection could not be opened. It is tried again, with growing waits.
 *
 * @example
 * ```ts
 * import type { ConnectFailedSignal } from "@rawtick/binance";
 *
 * const onFailed = (signal: ConnectFailedSignal) => console.warn(signal.url, signal.error);
 * onFailed({
 *   type: "CONNECT_FAILED",
 *   url: "ws://127.0.0.1:1/stream",
 *   streams: ["btcusdt@trade"],
 *   error: new Error("refused"),
 *   streamId: "1",
 *   streamLabel: "trades",
 *   timestamp: 1672515782136,
 * });
 * ```
 */
export interface ConnectFailedSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "CONNECT_FAILED";
  /** URL of the connection. */
  readonly url: string;
  /** Names of the streams of market data that the connection shall carry; none for requests and account events. */
  readonly streams: readonly string[];
  /** Why. */
  readonly error: unknown;
}

/**
 * The exchange refused streams, or did not acknowledge them. Streams that it had acknowledged before stay wanted, and are
 * asked for again every 30 s and at each reconnect; so do those it did not answer for. Others are dropped.
 *
 * @example
 * ```ts
 * import { type SubscriptionFailedSignal, SubscriptionTimeoutError } from "@rawtick/binance";
 *
 * const onFailed = (signal: SubscriptionFailedSignal) => console.warn(signal.error.streams);
 * onFailed({
 *   type: "SUBSCRIPTION_FAILED",
 *   error: new SubscriptionTimeoutError(["btcusdt@trade"], 20_000),
 *   streamId: "1",
 *   streamLabel: "trades",
 *   timestamp: 1672515782136,
 * });
 * ```
 */
export interface SubscriptionFailedSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "SUBSCRIPTION_FAILED";
  /** Why, and which streams. */
  readonly error: SubscriptionRejectedError | SubscriptionTimeoutError;
}

/**
 * The stream was stopped by the user. Nothing comes after it.
 *
 * @example
 * ```ts
 * import type { StopSignal } from "@rawtick/binance";
 *
 * const onStop = (signal: StopSignal) => console.log("stopped", signal.streamId);
 * onStop({ type: "STOP", streamId: "1", streamLabel: "trades", timestamp: 1672515782136 });
 * ```
 */
export interface StopSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "STOP";
}

/**
 * The stream has given up, since reconnecting can't help, or since `onData` threw. Nothing comes after it.
 *
 * @example
 * ```ts
 * import type { StreamUnrepairableSignal } from "@rawtick/binance";
 *
 * const onCrash = (signal: StreamUnrepairableSignal) => console.error(signal.error.message);
 * onCrash({ type: "STREAM_UNREPAIRABLE", error: new Error("429"), streamId: "1", streamLabel: "trades", timestamp: 1672515782136 });
 * ```
 */
export interface StreamUnrepairableSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "STREAM_UNREPAIRABLE";
  /** Why: a {@linkcode StreamCrashedError}, whose `cause` is what was thrown. */
  readonly error: Error;
}

/**
 * The user's `onData` threw, or its promise was rejected, and the option `onCallbackError` is `"continue"`. The stream goes
 * on; comes at most once per second and stream. With `"crash"`, the default, {@linkcode StreamUnrepairableSignal} comes
 * instead.
 *
 * @example
 * ```ts
 * import type { CallbackErrorSignal } from "@rawtick/binance";
 *
 * const onMistake = (signal: CallbackErrorSignal) => console.error(signal.error);
 * onMistake({ type: "CALLBACK_ERROR", error: new Error("a mistake"), streamId: "1", streamLabel: "trades", timestamp: 1672515782136 });
 * ```
 */
export interface CallbackErrorSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "CALLBACK_ERROR";
  /** What was thrown. */
  readonly error: unknown;
}

/**
 * Messages of a stream were dropped, since nobody took them in time and there was no room for more. Comes with the first
 * one, and then at most once per second and stream.
 *
 * @example
 * ```ts
 * import type { MessagesDroppedSignal } from "@rawtick/binance";
 *
 * const onDrop = ({ dropped, total }: MessagesDroppedSignal) => console.warn(`${dropped} more dropped, ${total} in all`);
 * onDrop({ type: "MESSAGES_DROPPED", dropped: 12, total: 40, streamId: "1", streamLabel: "trades", timestamp: 1672515782136 });
 * ```
 */
export interface MessagesDroppedSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "MESSAGES_DROPPED";
  /** Messages that were dropped since the last signal of this kind. */
  readonly dropped: number;
  /** Messages that were dropped since the stream was created. */
  readonly total: number;
}

/**
 * Messages of a stream were missed while there was no connection, as its numbers show. Comes with the first message of the
 * stream after a reconnect; for streams whose numbers follow each other: trade, aggTrade and depth.
 *
 * @example
 * ```ts
 * import type { GapSignal } from "@rawtick/binance";
 *
 * const onGap = ({ stream, lastId, nextId }: GapSignal) => console.warn(`${stream}: reload from ${lastId + 1} to ${nextId - 1}`);
 * onGap({
 *   type: "GAP",
 *   url: "wss://stream.binance.com:9443/stream",
 *   stream: "btcusdt@trade",
 *   lastId: 100,
 *   nextId: 105,
 *   missed: 4,
 *   durationMs: 350,
 *   streamId: "1",
 *   streamLabel: "trades",
 *   timestamp: 1672515782136,
 * });
 * ```
 */
export interface GapSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "GAP";
  /** URL of the connection. */
  readonly url: string;
  /** Name of the stream, as Binance writes it. */
  readonly stream: string;
  /** The last number (trade id, aggregate trade id, update id) before the gap. */
  readonly lastId: number;
  /** The first number after it. */
  readonly nextId: number;
  /** How many numbers lie between the two. */
  readonly missed: number;
  /** Time in ms from the loss of the connection to the first message after it. */
  readonly durationMs: number;
}

/**
 * The exchange has acknowledged a stream, and nothing has come of it for longer than it should take. It is subscribed to
 * again; if that does not help, its connection is replaced. Comes once, until something comes of the stream.
 *
 * @example
 * ```ts
 * import type { StreamSilentSignal } from "@rawtick/binance";
 *
 * const onSilent = ({ stream, silentMs }: StreamSilentSignal) => console.warn(`${stream} is silent for ${silentMs} ms`);
 * onSilent({
 *   type: "STREAM_SILENT",
 *   url: "wss://stream.binance.com:9443/stream",
 *   stream: "btcusdt@miniTicker",
 *   silentMs: 15_000,
 *   streamId: "1",
 *   streamLabel: undefined,
 *   timestamp: 1672515782136,
 * });
 * ```
 */
export interface StreamSilentSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "STREAM_SILENT";
  /** URL of the connection. */
  readonly url: string;
  /** Name of the stream, as Binance writes it. */
  readonly stream: string;
  /** How long in ms nothing has come. */
  readonly silentMs: number;
}

/**
 * A connection was replaced by a new one without a loss, before the exchange would have cut it.
 *
 * @example
 * ```ts
 * import type { RolloverSignal } from "@rawtick/binance";
 *
 * const onRollover = ({ url, reason }: RolloverSignal) => console.log(`${url} was replaced, because ${reason}`);
 * onRollover({
 *   type: "ROLLOVER",
 *   url: "wss://stream.binance.com:9443/stream",
 *   reason: "it is old",
 *   streamId: "1",
 *   streamLabel: undefined,
 *   timestamp: 1672515782136,
 * });
 * ```
 */
export interface RolloverSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "ROLLOVER";
  /** URL of the connection. */
  readonly url: string;
  /** Why: it is old, the exchange shuts the server down, or streams stayed silent. */
  readonly reason: string;
}

/**
 * Account events of a user data stream may have been missed between two times: the exchange sends none of them again. Comes as
 * soon as they come again. What has changed meanwhile can be asked for, such as with `account.status` and `allOrders`.
 *
 * @example
 * ```ts
 * import type { UserDataGapSignal } from "@rawtick/binance";
 *
 * const onGap = ({ account, from, to, reason }: UserDataGapSignal) => console.warn(`${account}: ${to - from} ms, ${reason}`);
 * onGap({
 *   type: "USER_DATA_GAP",
 *   account: "userData",
 *   from: 1672515782136,
 *   to: 1672515782500,
 *   reason: "the connection was lost",
 *   streamId: "1",
 *   streamLabel: undefined,
 *   timestamp: 1672515782500,
 * });
 * ```
 */
export interface UserDataGapSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "USER_DATA_GAP";
  /** Name of the account. */
  readonly account: string;
  /** The last time at which nothing can have been missed, in ms since 1970 by our own clock. */
  readonly from: number;
  /** From this time on nothing is missed any more, in ms since 1970 by our own clock. */
  readonly to: number;
  /** What interrupted the events, in a few words. */
  readonly reason: string;
}

/**
 * What happened to a stream. Told apart by `type`. The order of a stream that is reconnected once and then stopped is
 * CONNECT, FIRST_RECEIVED_DATA, DISCONNECT, CONNECT, DISCONNECT, STOP.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type Signal } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const seen: Signal["type"][] = [];
 * const manager = new BinanceWebSocketApiManager({
 *   websocketBaseUrl: exchange.url,
 *   onSignal: (signal) => seen.push(signal.type),
 * });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * for await (const _message of stream) break;
 * await manager.stopManager();
 * assertEquals(seen, ["CONNECT", "FIRST_RECEIVED_DATA", "DISCONNECT", "STOP"]);
 * ```
 */
export type Signal =
  | ConnectSignal
  | ConnectFailedSignal
  | SubscriptionFailedSignal
  | FirstReceivedDataSignal
  | DisconnectSignal
  | StopSignal
  | StreamUnrepairableSignal
  | CallbackErrorSignal
  | MessagesDroppedSignal
  | GapSignal
  | StreamSilentSignal
  | RolloverSignal
  | UserDataGapSignal;
