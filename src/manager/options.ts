/**
 * The options of a manager and of its streams, as far as they are about market data.
 *
 * @module
 */

import type { IntegerMode, Logger } from "../base/mod.ts";
import type { StreamNames } from "../events/mod.ts";
import type { ExchangeKey, TimeUnit } from "../exchange/mod.ts";
import type { BinanceStream, DataOf, Output, OverflowPolicy, Signal, StreamSelection } from "../stream/mod.ts";
import type { TlsOptions, WebSocketLibrary } from "../transport/portable.ts";

/**
 * Options of the managers of all doors: those that are about market data. {@linkcode ManagerOptions} has more. Checked at
 * construction: unknown names, wrong types and impossible combinations are errors, all reported at once.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type MarketManagerOptions } from "@rawtick/binance/edge";
 *
 * const options: MarketManagerOptions = { exchange: "binance.com-futures", output: "json", maxLinks: 4 };
 * await using manager = new BinanceWebSocketApiManager(options);
 * ```
 */
export interface MarketManagerOptions<O extends Output = Output> {
  /** Where the streams come from. Default: `"binance.com"`. */
  readonly exchange?: ExchangeKey;
  /**
   * What carries the streams: `"builtin"`, the runtime's own WebSocket, or `"native"`, our RFC 6455 client on raw
   * sockets (Deno, Bun and Node). Never replaced by the other one silently. Default: `"builtin"`.
   */
  readonly websocketLibrary?: WebSocketLibrary;
  /**
   * Base URL of the streams instead of the exchange's own, such as `"ws://127.0.0.1:8765"`: `ws:` or `wss:`, without query,
   * and without the `/stream` or `/ws` at its end that Binance's documents print.
   */
  readonly websocketBaseUrl?: string;
  /**
   * Proxy for all connections: `scheme://user:password@host:port` with the scheme `http`, `https`, `socks4`, `socks4a`,
   * `socks5` or `socks5h`, user and password percent-encoded; or `"env"` for the one that `WSS_PROXY`, `HTTPS_PROXY`,
   * `ALL_PROXY` and `NO_PROXY` name when the manager is made. Nothing ever goes around it, and where that can't be
   * guaranteed construction fails. Default: none, whatever the environment says.
   */
  readonly proxy?: string;
  /** The first form of a SOCKS5 proxy, `host:port`: the same as `proxy: "socks5://host:port"`. Not together with `proxy`. */
  readonly socks5ProxyServer?: string;
  /** User name for `socks5ProxyServer`, as it is, not percent-encoded. Default: none. */
  readonly socks5ProxyUser?: string;
  /** Password for `socks5ProxyServer`, as it is. Default: none. */
  readonly socks5ProxyPass?: string;
  /**
   * False is the same as `tls: { rejectUnauthorized: false }`, for connections through `socks5ProxyServer`.
   * Default: true.
   */
  readonly socks5ProxySslVerification?: boolean;
  /**
   * TLS of `wss://` connections, and of an `https` proxy. Certificates are verified unless `rejectUnauthorized` is false,
   * which is logged once as a warning. Default: the runtime's own authorities.
   */
  readonly tls?: TlsOptions;
  /** What streams deliver unless they say otherwise. Default: `"raw"`. */
  readonly output?: O;
  /**
   * Takes the messages of all streams that have no `onData` of their own. May be async: the next message then waits until
   * its promise is settled, up to `bufferSize` of them; meanwhile the exchange is held back where the library can pause a
   * connection (for up to 10 s at a time, since a paused one answers no pings). What it throws ends the stream, unless
   * `onCallbackError` says otherwise. Default: none, messages are buffered to be read.
   */
  readonly onData?: (data: DataOf<O>, stream: BinanceStream<O>) => unknown;
  /**
   * What an `onData` that throws, or whose promise is rejected, does to its stream, whatever it throws: `"crash"` ends it
   * with STREAM_UNREPAIRABLE, `"continue"` goes on with the next message and reports with CALLBACK_ERROR. Default:
   * `"crash"`.
   */
  readonly onCallbackError?: "crash" | "continue";
  /**
   * How many promises of a stream's `onData` may be pending, 1 to 65536. With 1, messages are handled strictly one after the
   * other; with more, they are begun in order. Default: 1.
   */
  readonly maxConcurrentCallbacks?: number;
  /**
   * Whether the exchange's answers to control messages, such as `{"result":null,"id":1}`, are delivered between the data
   * too. They have no `stream` and no `data`, also with output `"json"`. Default: false; they are in
   * {@linkcode Manager.results} and {@linkcode Manager.errors}.
   */
  readonly deliverControlResponses?: boolean;
  /** Takes the signals of all streams. What it throws is logged. Default: none. */
  readonly onSignal?: (signal: Signal) => unknown;
  /**
   * Messages that wait for a stream's reader, or for its async `onData`, at most, 1 to 16777216. A sync `onData` has no
   * buffer. What is dropped is reported with MESSAGES_DROPPED. Default: 10000.
   */
  readonly bufferSize?: number;
  /** What a full buffer does. Default: `"drop-oldest"`. */
  readonly overflow?: OverflowPolicy;
  /** Errors that {@linkcode Manager.errors} keeps at most, 1 to 65536. Default: 500. */
  readonly maxErrors?: number;
  /** Results that {@linkcode Manager.results} keeps at most, 1 to 65536. Default: 500. */
  readonly maxResults?: number;
  /** Where events and errors are logged. Default: `@std/log`'s logger `rawtick`, silent until you configure it. */
  readonly logger?: Logger;
  /** Longest time in ms to open a connection, 1 to 600000. Default: 10000. */
  readonly handshakeTimeoutMs?: number;
  /** Longest time in ms to wait for the exchange when a connection is closed, 1 to 600000. Default: 1000. */
  readonly closeTimeoutMs?: number;
  /** Longest time in ms that the exchange may take to acknowledge a subscription, 1 to 600000. Tried twice. Default: 10000. */
  readonly ackTimeoutMs?: number;
  /**
   * After this time in ms without any data, the exchange is asked for a sign of life: by a ping, or where the runtime's
   * WebSocket has none, by LIST_SUBSCRIPTIONS. 0 switches it off, else up to 600000. Default: 5000.
   */
  readonly pingIntervalMs?: number;
  /**
   * If nothing came for this time in ms after that, the connection is given up and opened anew, 1 to 600000; not together
   * with `pingIntervalMs: 0`. Default: 10000.
   */
  readonly pingTimeoutMs?: number;
  /**
   * Largest message in bytes, 1 to 2147483647; a larger one ends the connection, which is then opened anew.
   * Default: 67108864 (64 MiB).
   */
  readonly maxMessageBytes?: number;
  /**
   * Upper bound in ms of the wait before the second attempt to reconnect (the first is made at once); it doubles with
   * each attempt, and the wait is a random part of it. 1 to 600000. Default: 250.
   */
  readonly reconnectMinDelayMs?: number;
  /** Largest upper bound in ms of that wait, 1 to 3600000, at least `reconnectMinDelayMs`. Default: 60000. */
  readonly reconnectMaxDelayMs?: number;
  /**
   * What happens when the exchange refuses a connection because it limits (429) or bans (418) this address: `"crash"` ends
   * the stream with STREAM_UNREPAIRABLE, `"wait"` tries again when the exchange's `Retry-After` is over (1 min for 429, 5
   * min for 418 where it says nothing). With both, nothing of this manager connects before a `Retry-After` is over. Default:
   * `"crash"`.
   */
  readonly onRateLimited?: "crash" | "wait";
  /**
   * Who shares the attempts to connect, 250 in 5 minutes (Binance allows an IP address 300): `"manager"`, all streams of
   * this manager, or `"process"`, all managers of the process that have this option and the same base URL. Default:
   * `"manager"`.
   */
  readonly connectBudget?: "manager" | "process";
  /**
   * Most connections that one stream may have to one path of the exchange, 1 to 1024. With 1, more streams than a connection
   * carries are a {@linkcode MaximumSubscriptionsExceededError}. Default: 1024.
   */
  readonly maxLinks?: number;
  /**
   * Streams that have ended and stay in `finishedStreams`, 1 to 10000; beyond that the oldest that were stopped are
   * dropped, then the oldest that crashed. Default: 100.
   */
  readonly maxFinishedStreams?: number;
  /**
   * Age in ms at which a connection is replaced by a new one, without a loss, before the exchange cuts it at 24 hours: 100
   * to 86400000, or 0 for never. Up to 1 % earlier, so that not all connections do it at once. Default: 85800000 (23 h 50
   * min).
   */
  readonly rolloverAgeMs?: number;
  /** Longest time in ms that both connections stay open during that, 100 to 600000. Default: 10000. */
  readonly overlapMs?: number;
  /**
   * How long in ms a subscribed stream may be silent before it is reported (signal STREAM_SILENT) and subscribed to again, and
   * after that before it is moved to a new connection; both again and again, each time after twice as long. By the name of the
   * stream as Binance writes it, or by its channel with all that belongs to it, such as `{ trade: 60_000, "depth20@100ms": 5_000
   * }` (`arr` for special streams); 0 for as long as it likes, else 100 to 86400000. Names that no stream of the exchange has are
   * errors. Default: three times the interval that Binance documents, and 5 s; streams that are only
   * sent when something happens, such as `trade`, may always be silent.
   */
  readonly silenceMs?: Readonly<Record<string, number>>;
  /**
   * Unit of the times in messages: `"microsecond"` only where the exchange has it (spot). Default: `"millisecond"`, as the
   * exchange sends by itself.
   */
  readonly timeUnit?: TimeUnit;
  /**
   * What integers beyond 2^53 become in the results of requests, and with the outputs `"typed"` and `"normalized"`. Default:
   * `"string"`.
   */
  readonly integers?: IntegerMode;
}

/**
 * Options of one stream: which streams it carries, and how they are delivered.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type StreamOptions } from "@rawtick/binance";
 *
 * const options: StreamOptions<"json"> = {
 *   channels: ["trade", "bookTicker"],
 *   markets: ["btcusdt", "ethusdt"],
 *   label: "quotes",
 *   output: "json",
 *   onData: (message, stream) => console.log(stream.label, message.stream, message.data),
 * };
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * manager.createStream(options);
 * ```
 */
export interface StreamOptions<O extends Output = Output, S extends string = string, C extends string = string>
  extends StreamSelection<S, C> {
  /** A name of yours, for signals and logs. Default: none. */
  readonly label?: string;
  /** What the stream delivers. Another one than the manager's needs an `onData` of its own if the manager has one. Default: the manager's. */
  readonly output?: O;
  /** Takes the stream's messages, as the manager's `onData` does. Default: the manager's, else they are buffered. */
  readonly onData?: (
    data: DataOf<O, StreamNames<S, C>>,
    stream: BinanceStream<O, StreamNames<S, C>>,
  ) => unknown;
  /** Takes the signals of this stream, before the manager's `onSignal` does. What it throws is logged. Default: none. */
  readonly onSignal?: (signal: Signal) => unknown;
  /** What an `onData` that throws does to the stream. Default: the manager's. */
  readonly onCallbackError?: "crash" | "continue";
  /** How many promises of `onData` may be pending, 1 to 65536. Default: the manager's. */
  readonly maxConcurrentCallbacks?: number;
  /** Whether answers to control messages are delivered between the data. Default: the manager's. */
  readonly deliverControlResponses?: boolean;
  /**
   * Name of a buffer that takes the messages, and keeps them after the stream has ended: see
   * {@linkcode Manager.streamBuffer}, which it is made by if there is none. Several streams may share one. Not together with
   * `onData`, `bufferSize` and `overflow`; goes before the manager's `onData`. Default: none.
   */
  readonly streamBuffer?: string;
  /** Messages that wait for the reader, or for an async `onData`, at most, 1 to 16777216. Default: the manager's. */
  readonly bufferSize?: number;
  /** What a full buffer does. Default: the manager's. */
  readonly overflow?: OverflowPolicy;
}
