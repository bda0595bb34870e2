/**
 * How the local exchange is told to misbehave: the options of its faults.
 *
 * @module
 */

/**
 * How handshakes are refused.
 *
 * @example
 * ```ts
 * import { type RefusalOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const options: RefusalOptions = { headers: { "Retry-After": "120" }, count: 1 };
 * await using exchange = await startLocalExchange();
 * exchange.refuseConnections(429, options);
 * ```
 */
export interface RefusalOptions {
  /** Headers of the response besides `Content-Length` and `Connection`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of the response. Default: `""`. */
  readonly body?: string;
  /** Number of handshakes to refuse, at least 1. Default: all. */
  readonly count?: number;
}

/**
 * With what a connection is closed. Binance documents no code for its own ends of connections.
 *
 * @example
 * ```ts
 * import { type CloseOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const options: CloseOptions = { code: 1008, reason: "disconnected" };
 * await using exchange = await startLocalExchange();
 * exchange.cut24h(options);
 * ```
 */
export interface CloseOptions {
  /** Close code, sent as it is given; 1005 sends a Close frame without one. Default: 1001. */
  readonly code?: number;
  /** Reason, at most 123 bytes of UTF-8. Default: `""`. */
  readonly reason?: string;
}

/**
 * Where in what it sends a connection is killed, and how.
 *
 * @example
 * ```ts
 * import { type KillOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * const client = new WebSocket(`${exchange.url}/ws/btcusdt@trade`);
 * await exchange.waitForConnections(1);
 * // Three more frames, the header of the fourth, and one byte of its payload.
 * const options: KillOptions = { afterFrames: 3, bytes: 3, end: "fin" };
 * exchange.killConnection(-1, options);
 * await exchange.waitForConnections(0);
 * client.close();
 * ```
 */
export interface KillOptions {
  /** Whole frames that are sent before, of any opcode, at least 0. Default: 0. */
  readonly afterFrames?: number;
  /** Bytes that are sent after those frames, at least 0; 1 splits the next frame's header. Default: 0. */
  readonly bytes?: number;
  /** Whether the TCP connection is reset (with TLS on Deno it is ended) or ended. Default: `"reset"`. */
  readonly end?: "reset" | "fin";
}

/**
 * What can be wrong with the data of a stream: a message comes twice, not at all, or after the one that follows it.
 *
 * @example
 * ```ts
 * import { type DataFault, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const faults: readonly DataFault[] = ["duplicate", "drop", "reorder"];
 * await using exchange = await startLocalExchange();
 * for (const fault of faults) exchange.disturbData(fault);
 * ```
 */
export type DataFault = "duplicate" | "drop" | "reorder";

/**
 * Which messages are disturbed.
 *
 * @example
 * ```ts
 * import { type DisturbOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const options: DisturbOptions = { stream: "btcusdt@trade", count: 3 };
 * await using exchange = await startLocalExchange();
 * exchange.disturbData("drop", options);
 * ```
 */
export interface DisturbOptions {
  /** Only messages of this stream. Default: of every stream. */
  readonly stream?: string;
  /** Only messages on this connection. Default: on every connection. */
  readonly connectionId?: number;
  /** Number of messages, at least 1. Default: 1. */
  readonly count?: number;
}

/**
 * How slow the exchange's connections are.
 *
 * @example
 * ```ts
 * import { startLocalExchange, type ThrottleOptions } from "@rawtick/binance/testing";
 *
 * const options: ThrottleOptions = { sendBytesPerSecond: 1_000, readBytesPerSecond: 0 };
 * await using exchange = await startLocalExchange();
 * exchange.throttle(options);
 * exchange.throttle(undefined);
 * ```
 */
export interface ThrottleOptions {
  /** Bytes per second that each connection sends, over 0; frames arrive in pieces. Default: no bound. */
  readonly sendBytesPerSecond?: number;
  /** Bytes per second that are read from each connection; 0 reads nothing, so that its sender jams. Default: no bound. */
  readonly readBytesPerSecond?: number;
}
