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
import { type ApiStream, parsePrecise } from "../api/mod.ts";
import { parserOf, type StreamNames } from "../events/mod.ts";
import { type Exchange, exchangeOf } from "../exchange/mod.ts";
import {
  type ManagerStatistics,
  type Monitored,
  type MonitoringStatus,
  MonitoringStatusReport,
  type PrintOptions,
  printText,
  streamInfoText,
  summaryText,
} from "../monitor/mod.ts";
import {
  BinanceStream,
  checkStreams,
  type ControlRecord,
  type DataOf,
  type LinkSettings,
  namesOf,
  type Output,
  RateSampler,
  RingBuffer,
  type Signal,
  type StreamBuffer,
  type StreamBufferOptions,
  StreamBuffers,
  type StreamInfo,
  type StreamSelection,
  type StreamSettings,
} from "../stream/mod.ts";
import {
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  type LibraryTable,
  selectLibrary,
  type WebSocketLibrary,
} from "../transport/portable.ts";
import type { UserDataStream } from "../user_data/mod.ts";
import { ApiStreams, type ManagerApi } from "./api_streams.ts";
import { FinishedStreams } from "./finished_streams.ts";
import { linkSettings, withProxy } from "./link_settings.ts";
import type { ApiStreamOptions, ManagerOptions, StreamOptions, UserDataStreamOptions } from "./options.ts";
import { Proof, type ReplaceOptions } from "./proof.ts";
import { resolveProxy, tlsOf } from "./proxy.ts";
import { restFetchOf, type RestRequest } from "./rest_fetch.ts";
import {
  checkedApiStreamOptions,
  checkedManagerOptions,
  checkedReplaceOptions,
  checkedStreamBufferOptions,
  checkedStreamOptions,
  checkedUserDataStreamOptions,
} from "./schema.ts";
import { managerStatistics } from "./statistics.ts";
import { UserDataStreams } from "./user_data_streams.ts";

/** What a door gives its manager: the libraries that it has, and the logger of those who bring none. */
export interface Platform {
  readonly libraries: LibraryTable;
  readonly defaultLogger: Logger;
  /** Makes REST requests, through the proxy that is asked for. */
  readonly fetch: RestRequest;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Whether stdout is a terminal that wants colours. Default: no. */
  readonly hasColors?: () => boolean;
}

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
  readonly #finished: FinishedStreams;
  readonly #sampler: RateSampler;
  readonly #createdAt: number;
  readonly #monitoringStatus = new MonitoringStatusReport();
  readonly #hasColors: () => boolean;
  readonly #buffers: StreamBuffers;
  readonly #errors: RingBuffer<ControlRecord>;
  readonly #results: RingBuffer<ControlRecord>;
  readonly #apis: ApiStreams;
  readonly #userData: UserDataStreams;
  #isStopped = false;

  /** Managers are made as `BinanceWebSocketApiManager`. */
  constructor(platform: Platform, given: ManagerOptions<O> = {}) {
    const options = checkedManagerOptions(given, platform.libraries);
    this.#options = options;
    this.#exchange = exchangeOf(options.exchange ?? "binance.com");
    this.#baseUrl = (options.websocketBaseUrl ?? this.#exchange.streamBaseUrl).replace(/\/+$/, "");
    this.#maxLinks = options.maxLinks ?? 1024;
    this.#buffers = new StreamBuffers({
      order: "fifo",
      capacity: options.bufferSize ?? 10_000,
      overflow: options.overflow ?? "drop-oldest",
    });
    this.#errors = new RingBuffer(options.maxErrors ?? 500);
    this.#results = new RingBuffer(options.maxResults ?? 500);
    const proxy = resolveProxy(options, new URL(this.#baseUrl));
    this.proxyInfo = proxy?.proxy.masked;
    platform.libraries[this.websocketLibrary].checkProxy(proxy?.proxy);
    const tls = tlsOf(options);
    const logger = guardedLogger(options.logger ?? platform.defaultLogger);
    if (tls?.rejectUnauthorized === false) {
      logger.warn("Certificates are not verified, because the options say so: nobody knows who answers");
    }
    const { clock = systemClock, hasColors = () => false } = platform;
    this.#createdAt = clock.now();
    this.#sampler = new RateSampler(clock);
    this.#finished = new FinishedStreams(options.maxFinishedStreams ?? 100);
    this.#hasColors = hasColors;
    const library = platform.libraries[this.websocketLibrary];
    this.#link = linkSettings(options as ManagerOptions, {
      exchange: this.#exchange,
      baseUrl: this.#baseUrl,
      open: selectLibrary(platform.libraries, this.websocketLibrary),
      tls,
      proxyUrl: proxy?.url,
      clock,
      logger,
    });
    const apiUrl = options.websocketApiBaseUrl ?? this.#exchange.websocketApiUrl;
    const apiProxy = apiUrl === undefined ? undefined : resolveProxy(options, new URL(apiUrl));
    library.checkProxy(apiProxy?.proxy);
    // The cast: what the output is does not matter to these.
    const common = { exchange: this.#exchange, options: options as ManagerOptions };
    this.#apis = new ApiStreams({
      ...common,
      link: withProxy(this.#link, apiProxy?.url),
      errors: this.#errors,
      results: this.#results,
    });
    this.#userData = new UserDataStreams({
      ...common,
      link: this.#link,
      streamBaseUrl: this.#baseUrl,
      restFetch: restFetchOf(options as ManagerOptions, this.#exchange, platform.fetch),
      sampler: this.#sampler,
      finished: this.#finished,
      buffers: this.#buffers,
      apis: this.#apis,
    });
  }

  /** The library that carries the streams. */
  get websocketLibrary(): WebSocketLibrary {
    return this.#options.websocketLibrary ?? "builtin";
  }

  /** The streams that have not ended, in the order they were created. */
  get streams(): BinanceStream<Output>[] {
    return [...this.#streams.values()];
  }

  /** The streams of requests that have not ended, in the order they were created. */
  get apiStreams(): ApiStream[] {
    return this.#apis.all;
  }

  /** The streams of account events that have not ended, in the order they were created. */
  get userDataStreams(): UserDataStream<Output>[] {
    return this.#userData.all;
  }

  /**
   * The methods of the WebSocket APIs as functions: `docs/websocket_api.md` lists them. They send over the only API stream,
   * or over the one in `options.stream`.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager, InvalidOptionsError } from "@rawtick/binance";
   * import { assertRejects } from "@std/assert";
   *
   * await using manager = new BinanceWebSocketApiManager();
   * await assertRejects(() => manager.api.spot.time(), InvalidOptionsError, "without an API stream");
   * ```
   */
  get api(): ManagerApi {
    return this.#apis.api;
  }

  /** The exchange's last errors in answers to control messages, and in answers to no request that waits, newest last: `maxErrors` at most, of all streams. */
  get errors(): ControlRecord[] {
    return this.#errors.toArray();
  }

  /** The exchange's last other answers of these kinds, newest last: `maxResults` at most, of all streams. */
  get results(): ControlRecord[] {
    return this.#results.toArray();
  }

  /** The named buffers, in the order they were made. */
  get streamBuffers(): StreamBuffer<DataOf<O>>[] {
    // The cast: only streams with the manager's output put messages into them.
    return this.#buffers.all.map(({ view }) => view as StreamBuffer<DataOf<O>>);
  }

  /**
   * The named buffer that streams created with `streamBuffer: name` put their messages into; it is made if there is none.
   *
   * @param options What it is like. Left out, an existing one may be like anything.
   * @throws {InvalidOptionsError} if the name or the options can't be used, or it was made with others.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager } from "@rawtick/binance";
   *
   * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
   * const quotes = manager.streamBuffer("quotes", { order: "lifo", capacity: 1_000 });
   * manager.createStream({ streams: ["btcusdt@bookTicker"], streamBuffer: "quotes" });
   * console.log(quotes.pop(), quotes.length);
   * ```
   */
  streamBuffer(name: string, options: StreamBufferOptions = {}): StreamBuffer<DataOf<O>> {
    // The cast: only streams with the manager's output put messages into it.
    return this.#buffers.open(name, checkedStreamBufferOptions(name, options)).view as StreamBuffer<DataOf<O>>;
  }

  /**
   * Deletes a named buffer and what is in it.
   *
   * @returns Whether there was one.
   * @throws {TypeError} if a stream that has not ended puts its messages into it.
   */
  deleteStreamBuffer(name: string): boolean {
    return this.#buffers.delete(name);
  }

  /** The names. */
  streamNames(selection: StreamSelection): string[] {
    const names = namesOf(selection);
    checkStreams(this.#exchange, names, this.#maxLinks);
    return names;
  }

  /**
   * Creates a stream and starts to connect it. Returns at once: messages can be read from the very first, and
   * `stream.ready` tells when the exchange has acknowledged everything.
   *
   * @throws {InvalidOptionsError} or a subclass, if the options can't be used.
   * @throws {MaximumSubscriptionsExceededError} if it would carry more than the exchange allows.
   * @throws {TypeError} if the manager is stopped.
   */
  createStream<P extends Output = O, S extends string = string, C extends string = string>(
    given: StreamOptions<P, S, C>,
  ): BinanceStream<P, StreamNames<S, C>>;
  /** Creates a stream of requests and starts to connect it: see {@linkcode ApiStream.request} and {@linkcode Manager.api}. */
  createStream(given: ApiStreamOptions): ApiStream;
  /** Creates a stream of account events and starts to connect it. */
  createStream<P extends Output = O>(given: UserDataStreamOptions<P>): UserDataStream<P>;
  createStream<P extends Output = O>(
    given: StreamOptions<P> | ApiStreamOptions | UserDataStreamOptions<P>,
  ): BinanceStream<P> | ApiStream | UserDataStream<P> {
    if (this.#isStopped) throw new TypeError("Cannot create a stream: the manager is stopped; make a new one");
    if ("api" in given) return this.#apis.create(checkedApiStreamOptions(given));
    if (!("userData" in given)) return this.#create(given, (signal) => {
      (given as any).onSignal?.(signal);
      return this.#options.onSignal?.(signal);
    });
    const options = checkedUserDataStreamOptions(given);
    // The cast: without an output of its own, the type of the stream says the manager's.
    return this.#userData.create(options, options.output ?? (this.#options.output ?? "raw") as P);
  }

  #create<P extends Output, S extends string, C extends string>(
    given: StreamOptions<P, S, C>,
    onSignal: ((signal: Signal) => unknown) | undefined,
  ): BinanceStream<P, StreamNames<S, C>> {
    if (this.#isStopped) throw new TypeError("Cannot create a stream: the manager is stopped; make a new one");
    const options = checkedStreamOptions(given);
    const defaults = this.#options;
    const { label, onData, output = defaults.output ?? "raw", bufferSize, overflow, streamBuffer } = options;
    if (streamBuffer !== undefined && output !== (defaults.output ?? "raw")) {
      throw new InvalidOptionsError(
        `Cannot put "${output}" into a stream buffer of this manager, which takes "${defaults.output ?? "raw"}": ` +
          "expected the manager's output",
        { path: "output" },
      );
    }
    const isPushed = onData !== undefined || (streamBuffer === undefined && defaults.onData !== undefined);
    if (isPushed && onData === undefined && output !== (defaults.output ?? "raw")) {
      throw new InvalidOptionsError(
        `Cannot give "${output}" to the manager's \`onData\`, which takes "${defaults.output ?? "raw"}": ` +
          "expected `onData` beside `output`",
        { path: "output" },
      );
    }
    const names = namesOf(options);
    checkStreams(this.#exchange, names, this.#maxLinks);
    const id = crypto.randomUUID();
    const namedBuffer = streamBuffer === undefined ? undefined : this.#buffers.open(streamBuffer);
    // The cast: the manager's callback is used only for the manager's own output, as was just checked.
    const settings: StreamSettings<P, StreamNames<S, C>> = {
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
        parse: parserOf(output, (text) => parsePrecise(text, defaults.integers)),
        maxConcurrentCallbacks: options.maxConcurrentCallbacks ?? defaults.maxConcurrentCallbacks ?? 1,
        bufferSize: bufferSize ?? defaults.bufferSize ?? 10_000,
        overflow: overflow ?? defaults.overflow ?? "drop-oldest",
      },
      namedBuffer,
      onCallbackError: options.onCallbackError ?? defaults.onCallbackError ?? "crash",
      deliverControlResponses: options.deliverControlResponses ?? defaults.deliverControlResponses ?? false,
      onControlResponse: (record, isError) => void (isError ? this.#errors : this.#results).push(record),
      onData: onData ?? (isPushed ? defaults.onData as typeof onData : undefined),
      sampler: this.#sampler,
      onSignal,
      onEnd: () => {
        if (namedBuffer !== undefined) namedBuffer.users--;
        this.#finished.add(stream.info);
        this.#streams.delete(id);
      },
    };
    const stream: BinanceStream<P, StreamNames<S, C>> = new BinanceStream(settings, names);
    // The cast: a stream is only read and stopped through the list, and those who read look at the stream's own output.
    this.#streams.set(id, stream as unknown as BinanceStream<Output>);
    if (namedBuffer !== undefined) namedBuffer.users++;
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
  async stopStream(stream: BinanceStream<Output> | ApiStream | UserDataStream<Output> | string): Promise<void> {
    const id = typeof stream === "string" ? stream : stream.id;
    const other = this.#apis.get(id) ?? this.#userData.get(id);
    if (other !== undefined) return await other.stop();
    if (typeof stream === "string" || stream instanceof BinanceStream) return await this.#find(stream).stop();
    if (stream.state !== "stopped" && stream.state !== "crashed") throw new UnknownStreamError(id);
  }

  /**
   * Replaces a stream by a new one: that is proven by data, or by the acknowledgement of the exchange if nothing comes in a
   * while, before the old one is stopped. For that time both deliver. If the new one fails, it is stopped, the old one goes
   * on, and the call rejects.
   *
   * @param stream The stream or its id; one that has ended by itself is replaced as well.
   * @param given Options of the new stream: those of the old one count no more, but for its label if these have none.
   * @returns The new stream.
   * @throws {UnknownStreamError} if there is no stream with this id.
   * @throws {InvalidOptionsError} or a subclass, if the options can't be used.
   * @throws {SubscriptionRejectedError} if the exchange refuses the new stream.
   * @throws {SubscriptionTimeoutError} if the new stream is not acknowledged within `handshakeTimeoutMs` and twice
   * `ackTimeoutMs`.
   * @throws {StreamStoppedError | StreamCrashedError} if the new stream ends before it is proven.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager } from "@rawtick/binance";
   * import { startLocalExchange } from "@rawtick/binance/testing";
   * import { assertEquals } from "@std/assert";
   *
   * await using exchange = await startLocalExchange();
   * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
   * const before = manager.createStream({ streams: ["btcusdt@trade"], label: "trades" });
   * const after = await manager.replaceStream(before, { streams: ["btcusdt@trade", "ethusdt@trade"] });
   * assertEquals([before.state, after.state, after.label], ["stopped", "running", "trades"]);
   * ```
   */
  async replaceStream<P extends Output = O, S extends string = string, C extends string = string>(
    stream: BinanceStream<Output> | string,
    given: StreamOptions<P, S, C>,
    options: ReplaceOptions = {},
  ): Promise<BinanceStream<P, StreamNames<S, C>>> {
    const { dataTimeoutMs = 5_000 } = checkedReplaceOptions(options);
    const before = this.#find(stream);
    const proof = new Proof(this.#link.clock);
    const label = given.label ?? before.label;
    const after = this.#create(label === undefined ? given : { ...given, label }, (signal) => {
      proof.onSignal(signal);
      return this.#options.onSignal?.(signal);
    });
    const { handshakeTimeoutMs = DEFAULT_HANDSHAKE_TIMEOUT_MS } = this.#link.connectOptions;
    try {
      // The cast: as with the list of streams.
      await proof.of(
        after as unknown as BinanceStream<Output>,
        handshakeTimeoutMs + 2 * this.#link.ackTimeoutMs,
        dataTimeoutMs,
      );
    } catch (error) {
      await after.stop();
      throw error;
    }
    await before.stop();
    return after;
  }

  /**
   * The stream with this label, the one that was created first if several have it; `undefined` if none has, or it has
   * ended.
   */
  getStreamByLabel(label: string): BinanceStream<Output> | undefined {
    return this.streams.find((stream) => stream.label === label);
  }

  /**
   * Everything that is known of a stream, also of one in `finishedStreams`.
   *
   * @param stream The stream or its id.
   * @throws {UnknownStreamError} if there is no stream with this id.
   */
  getStreamInfo(stream: BinanceStream<Output> | UserDataStream<Output> | string): StreamInfo {
    const id = typeof stream === "string" ? stream : stream.id;
    const known = this.#finished.get(id) ?? this.#userData.get(id)?.info;
    if (known !== undefined) return known;
    if (typeof stream !== "string" && !(stream instanceof BinanceStream)) throw new UnknownStreamError(id);
    return this.#find(stream).info;
  }

  /**
   * What is known of streams that have ended, in the order in which they did: of the last `maxFinishedStreams`. The
   * streams themselves are let go of when they end.
   */
  get finishedStreams(): StreamInfo[] {
    return this.#finished.list;
  }

  /**
   * Keeps a stream in `finishedStreams` no longer, or none of them. A crash that was dealt with is then none for
   * `getMonitoringStatusPlain()` any more.
   *
   * @param stream The stream or its id. Default: all.
   * @throws {UnknownStreamError} if it is not there.
   */
  forgetFinishedStreams(stream?: BinanceStream<Output> | string): void {
    const id = typeof stream === "object" ? stream.id : stream;
    if (!this.#finished.forget(id) && id !== undefined) throw new UnknownStreamError(id);
  }

  /** Counters since the manager was made, over all streams, also those that have ended. */
  get statistics(): ManagerStatistics {
    return this.#monitored().statistics;
  }

  /**
   * The state of the manager for a monitoring system. The averages in it are since the call before.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager } from "@rawtick/binance";
   *
   * await using manager = new BinanceWebSocketApiManager();
   * const { statusText, statusMsg, activeStreams, reconnects } = manager.getMonitoringStatusPlain();
   * console.log(`${statusText} ${statusMsg} | active=${activeStreams} reconnects=${reconnects}`);
   * ```
   */
  getMonitoringStatusPlain(): MonitoringStatus {
    return this.#monitoringStatus.next(this.#monitored());
  }

  /**
   * Prints the counters of the manager and a table of its streams.
   *
   * @returns The text.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager } from "@rawtick/binance";
   *
   * await using manager = new BinanceWebSocketApiManager();
   * manager.printSummary();
   * ```
   */
  printSummary(options: PrintOptions = {}): string {
    return printText(options, this.#hasColors, (colors) => summaryText(this.#monitored(), colors));
  }

  /**
   * Prints what is known of a stream, also of one in `finishedStreams`.
   *
   * @param stream The stream or its id.
   * @returns The text.
   * @throws {UnknownStreamError} if there is no stream with this id.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager } from "@rawtick/binance";
   *
   * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
   * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
   * manager.printStreamInfo(stream, { colors: false });
   * ```
   */
  printStreamInfo(stream: BinanceStream<Output> | UserDataStream<Output> | string, options: PrintOptions = {}): string {
    const info = this.getStreamInfo(stream);
    return printText(options, this.#hasColors, (colors) => streamInfoText(info, this.#exchange.key, colors));
  }

  #monitored(): Monitored {
    const running = [...this.streams, ...this.userDataStreams].map((stream) => stream.info);
    return {
      exchange: this.#exchange.key,
      websocketLibrary: this.websocketLibrary,
      proxyInfo: this.proxyInfo,
      running,
      finished: this.#finished.list,
      statistics: managerStatistics({
        createdAt: this.#createdAt,
        sampler: this.#sampler,
        running,
        finished: this.#finished,
        connectBudget: this.#link.connectBudget,
        streamBuffers: this.streamBuffers,
      }),
      now: this.#link.clock.now(),
    };
  }

  /** Stops all streams. Resolves when all connections are closed; then nothing keeps the process alive. Can be repeated. */
  async stopManager(): Promise<void> {
    this.#isStopped = true;
    // Account events may come over API streams: they end first.
    await Promise.all([...this.streams, ...this.userDataStreams].map((stream) => stream.stop()));
    await Promise.all(this.apiStreams.map((stream) => stream.stop()));
    this.#buffers.end();
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
