/**
 * The manager: checks options, makes streams, stops them.
 *
 * @module
 */

import {
  type Clock,
  guardedLogger,
  InvalidOptionsError,
  type Logger,
  systemClock,
  UnknownStreamError,
} from "../base/mod.ts";
import { type Exchange, exchangeOf, expectedIntervalMs } from "../exchange/mod.ts";
import {
  BinanceStream,
  checkStreams,
  ConnectBudget,
  type LinkSettings,
  namesOf,
  type Output,
  sharedConnectBudget,
  type StreamSelection,
  type StreamSettings,
} from "../stream/mod.ts";
import {
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
  type LibraryTable,
  selectLibrary,
  type WebSocketLibrary,
} from "../transport/portable.ts";
import type { ManagerOptions, StreamOptions } from "./options.ts";
import { resolveProxy, tlsOf } from "./proxy.ts";
import { checkedManagerOptions, checkedStreamOptions } from "./schema.ts";

/** What a door gives its manager: the libraries that it has, and the logger of those who bring none. */
export interface Platform {
  readonly libraries: LibraryTable;
  readonly defaultLogger: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Ten minutes before the exchange cuts a connection (Binance web-socket-streams.md, "General WSS information"). */
const ROLLOVER_AGE_MS = 24 * 3_600_000 - 10 * 60_000;
/** A connection that lasted this long was stable: the next wait starts from the beginning. */
const STABLE_AFTER_MS = 60_000;

/**
 * What the managers of all doors have in common. Use `BinanceWebSocketApiManager`, which knows its door's libraries.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type Manager, type Output } from "@rawtick/binance";
 * import { BinanceWebSocketApiManager as EdgeManager } from "@rawtick/binance/edge";
 *
 * // Code that works with the manager of either door.
 * const count = (manager: Manager<Output>) => manager.streams.length;
 * console.log(count(new BinanceWebSocketApiManager()), count(new EdgeManager()));
 * ```
 */
export class Manager<O extends Output = "raw"> implements AsyncDisposable {
  readonly #options: ManagerOptions<O>;
  readonly #exchange: Exchange;
  readonly #maxLinks: number;
  readonly #link: LinkSettings;
  /** Where the streams come from, without a slash at the end. */
  readonly #baseUrl: string;
  /** Masked URL of the proxy for all connections, or `undefined` without one: it is resolved once, at construction. */
  readonly proxyInfo: string | undefined;
  readonly #streams = new Map<string, BinanceStream<Output>>();
  #isStopped = false;
  #nextControlId = 1;

  /** Managers are made as `BinanceWebSocketApiManager`. */
  constructor(platform: Platform, given: ManagerOptions<O> = {}) {
    const options = checkedManagerOptions(given, platform.libraries);
    this.#options = options;
    this.#exchange = exchangeOf(options.exchange ?? "binance.com");
    this.#baseUrl = (options.websocketBaseUrl ?? this.#exchange.streamBaseUrl).replace(/\/+$/, "");
    this.#maxLinks = options.maxLinks ?? 1024;
    const proxy = resolveProxy(options, new URL(this.#baseUrl));
    this.proxyInfo = proxy?.proxy.masked;
    platform.libraries[this.websocketLibrary].checkProxy(proxy?.proxy);
    const tls = tlsOf(options);
    const logger = guardedLogger(options.logger ?? platform.defaultLogger);
    if (tls?.rejectUnauthorized === false) {
      logger.warn("Certificates are not verified, because the options say so: nobody knows who answers");
    }
    const { clock = systemClock } = platform;
    this.#link = {
      clock,
      logger,
      open: selectLibrary(platform.libraries, this.websocketLibrary),
      connectOptions: {
        handshakeTimeoutMs: options.handshakeTimeoutMs ?? DEFAULT_HANDSHAKE_TIMEOUT_MS,
        closeTimeoutMs: options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS,
        maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
        ...(tls && { tls }),
        ...(proxy && { proxy: proxy.url }),
      },
      maxFramesPerSecond: this.#exchange.maxFramesPerSecond,
      maxStreams: this.#exchange.maxStreamsPerConnection,
      connectBudget: options.connectBudget === "process"
        ? sharedConnectBudget(new URL(this.#baseUrl).origin)
        : new ConnectBudget(clock),
      ackTimeoutMs: options.ackTimeoutMs ?? 10_000,
      pingIntervalMs: options.pingIntervalMs ?? 5_000,
      pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
      backoff: {
        minDelayMs: options.reconnectMinDelayMs ?? 250,
        maxDelayMs: options.reconnectMaxDelayMs ?? 60_000,
        stableAfterMs: STABLE_AFTER_MS,
      },
      onRateLimited: options.onRateLimited ?? "crash",
      rolloverAgeMs: options.rolloverAgeMs ?? ROLLOVER_AGE_MS,
      overlapMs: options.overlapMs ?? 10_000,
      silenceMs: silenceLimits(this.#exchange, options.silenceMs),
      nextId: () => this.#nextControlId++,
    };
  }

  /** The library that carries the streams. */
  get websocketLibrary(): WebSocketLibrary {
    return this.#options.websocketLibrary ?? "builtin";
  }

  /** The streams that have not ended, in the order they were created. */
  get streams(): BinanceStream<Output>[] {
    return [...this.#streams.values()];
  }

  /**
   * Creates a stream and starts to connect it. Returns at once: messages can be read from the very first, and
   * `stream.ready` tells when the exchange has acknowledged everything.
   *
   * @throws {InvalidOptionsError} or a subclass, if the options can't be used.
   * @throws {MaximumSubscriptionsExceededError} if it would carry more than the exchange allows.
   * @throws {TypeError} if the manager is stopped.
   */
  createStream<P extends Output = O>(given: StreamOptions<P>): BinanceStream<P> {
    if (this.#isStopped) throw new TypeError("Cannot create a stream: the manager is stopped; make a new one");
    const options = checkedStreamOptions(given);
    const defaults = this.#options;
    const { label, onData, output = defaults.output ?? "raw", bufferSize, overflow } = options;
    if (onData === undefined && defaults.onData !== undefined && output !== (defaults.output ?? "raw")) {
      throw new InvalidOptionsError(
        `Cannot give "${output}" to the manager's \`onData\`, which takes "${defaults.output ?? "raw"}": ` +
          "expected `onData` beside `output`",
        { path: "output" },
      );
    }
    const names = namesOf(options);
    checkStreams(this.#exchange, names, this.#maxLinks);
    const id = crypto.randomUUID();
    // The cast: the manager's callback is used only for the manager's own output, as was just checked.
    const settings: StreamSettings<P> = {
      id,
      label,
      exchange: this.#exchange,
      baseUrl: this.#baseUrl,
      urlOptions: defaults.timeUnit === undefined ? {} : { timeUnit: defaults.timeUnit },
      link: this.#link,
      maxLinks: this.#maxLinks,
      delivery: {
        clock: this.#link.clock,
        output,
        bufferSize: bufferSize ?? defaults.bufferSize ?? 10_000,
        overflow: overflow ?? defaults.overflow ?? "drop-oldest",
      },
      onData: onData ?? (defaults.onData as StreamSettings<P>["onData"]),
      onSignal: defaults.onSignal,
      onEnd: () => void this.#streams.delete(id),
    };
    const stream = new BinanceStream<P>(settings, names);
    // The cast: a stream is only read and stopped through the list, and those who read look at the stream's own output.
    this.#streams.set(id, stream as unknown as BinanceStream<Output>);
    return stream;
  }

  /**
   * Subscribes a stream to more, as {@linkcode BinanceStream.subscribe} does.
   *
   * @param stream The stream or its id.
   * @throws {UnknownStreamError} if there is no stream with this id, and what `subscribe` throws.
   */
  async subscribeToStream(
    stream: BinanceStream<Output> | string,
    selection: StreamSelection,
  ): Promise<void> {
    await this.#find(stream).subscribe(selection);
  }

  /**
   * Unsubscribes a stream, as {@linkcode BinanceStream.unsubscribe} does.
   *
   * @param stream The stream or its id.
   * @throws {UnknownStreamError} if there is no stream with this id, and what `unsubscribe` throws.
   */
  async unsubscribeFromStream(stream: BinanceStream<Output> | string, selection: StreamSelection): Promise<void> {
    await this.#find(stream).unsubscribe(selection);
  }

  /**
   * Stops a stream at once, also a silent one. Resolves when its connections are closed.
   *
   * @param stream The stream or its id.
   * @throws {UnknownStreamError} if there is no stream with this id.
   */
  async stopStream(stream: BinanceStream<Output> | string): Promise<void> {
    await this.#find(stream).stop();
  }

  /** Stops all streams. Resolves when all connections are closed; then nothing keeps the process alive. Can be repeated. */
  async stopManager(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.streams.map((stream) => stream.stop()));
  }

  /** Stops the manager, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stopManager();
  }

  #find(stream: BinanceStream<Output> | string): BinanceStream<Output> {
    if (typeof stream === "string") {
      const found = this.#streams.get(stream);
      if (found === undefined) throw new UnknownStreamError(stream);
      return found;
    }
    // A stream that has ended is in no list any more, and harmless. A running one must be ours.
    const hasEnded = stream.state === "stopped" || stream.state === "crashed";
    if (!hasEnded && this.#streams.get(stream.id) !== stream) throw new UnknownStreamError(stream.id);
    return stream;
  }
}

/** How long a stream may be silent: as the user says by its name or its channel, else as the exchange documents. */
function silenceLimits(
  exchange: Exchange,
  given: Readonly<Record<string, number>> = {},
): (stream: string) => number | undefined {
  return (stream) => {
    const limitMs = given[stream] ?? given[stream.slice(stream.indexOf("@") + 1)];
    if (limitMs !== undefined) return limitMs === 0 ? undefined : limitMs;
    const intervalMs = expectedIntervalMs(exchange, stream);
    return intervalMs === undefined ? undefined : 3 * intervalMs + 5_000;
  };
}
