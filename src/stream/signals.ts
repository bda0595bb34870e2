/**
 * Signals: what happens to a stream, for user code.
 *
 * @module
 */

import type { CloseInfo } from "../transport/portable.ts";

/** What every signal has. */
export interface SignalBase {
  /** Id of the stream. */
  readonly streamId: string;
  /** Label of the stream, or `undefined` if it has none. */
  readonly streamLabel: string | undefined;
  /** When it happened, in ms since 1970. */
  readonly timestamp: number;
}

/** A connection of the stream was opened. Comes again after each reconnect. */
export interface ConnectSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "CONNECT";
  /** URL of the connection. A futures stream may have several. */
  readonly url: string;
}

/** The first message of the stream's life was delivered. Does not come again after a reconnect. */
export interface FirstReceivedDataSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "FIRST_RECEIVED_DATA";
  /** The message, in the stream's output form. */
  readonly data: unknown;
}

/** A connection that had been opened has ended. Failed attempts to reconnect do not repeat it. */
export interface DisconnectSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "DISCONNECT";
  /** URL of the connection. */
  readonly url: string;
  /** How it ended. */
  readonly close: CloseInfo;
  /** The last message that the stream delivered, in its output form; `undefined` if there was none. */
  readonly lastData: unknown;
}

/** The stream was stopped by the user. Nothing comes after it. */
export interface StopSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "STOP";
}

/** The stream has given up, since reconnecting can't help. Nothing comes after it. */
export interface StreamUnrepairableSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "STREAM_UNREPAIRABLE";
  /** Why. */
  readonly error: Error;
}

/** The user's `onData` threw, or its promise was rejected. The stream goes on; comes at most once per second and stream. */
export interface CallbackErrorSignal extends SignalBase {
  /** The kind of signal. */
  readonly type: "CALLBACK_ERROR";
  /** What was thrown. */
  readonly error: unknown;
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
  | FirstReceivedDataSignal
  | DisconnectSignal
  | StopSignal
  | StreamUnrepairableSignal
  | CallbackErrorSignal;
