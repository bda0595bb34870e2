/**
 * The manager of market data: what the managers of all doors have in common.
 *
 * @module
 */

import { UnknownStreamError } from "../base/mod.ts";
import type { StreamNames } from "../events/mod.ts";
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
import type {
  BinanceStream,
  ControlRecord,
  DataOf,
  Output,
  StreamBuffer,
  StreamBufferOptions,
  StreamInfo,
  StreamSelection,
} from "../stream/mod.ts";
import type { WebSocketLibrary } from "../transport/portable.ts";
import { MarketStreams } from "./market_streams.ts";
import type { StreamOptions } from "./options.ts";
import type { ManagerParts } from "./parts.ts";
import type { ReplaceOptions } from "./proof.ts";
import { checkedStreamBufferOptions, checkIsObject, leftOut } from "./schema.ts";
import { managerStatistics } from "./statistics.ts";
import { streamIdOf } from "./stream_argument.ts";

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
  /** Masked URL of the proxy for all connections, or `undefined` without one: it is resolved once, at construction. */
  readonly proxyInfo: string | undefined;
  readonly #parts: ManagerParts<O>;
  readonly #streams: MarketStreams<O>;
  readonly #monitoringStatus = new MonitoringStatusReport();

  /** Managers are made as `BinanceWebSocketApiManager`. */
  constructor(parts: ManagerParts<O>) {
    this.proxyInfo = parts.proxyInfo;
    this.#parts = parts;
    this.#streams = new MarketStreams(parts);
  }

  /** The library that carries the streams. */
  get websocketLibrary(): WebSocketLibrary {
    return this.#parts.websocketLibrary;
  }

  /** The streams that have not ended, in the order they were created. */
  get streams(): BinanceStream<Output>[] {
    return this.#streams.all;
  }

  /** The exchange's last errors in answers to control messages, and in answers to no request that waits, newest last: `maxErrors` at most, of all streams. */
  get errors(): ControlRecord[] {
    return this.#parts.errors.toArray();
  }

  /** The exchange's last other answers of these kinds, newest last: `maxResults` at most, of all streams. */
  get results(): ControlRecord[] {
    return this.#parts.results.toArray();
  }

  /** The named buffers, in the order they were made. */
  get streamBuffers(): StreamBuffer<DataOf<O>>[] {
    // The cast: only streams with the manager's output put messages into them.
    return this.#parts.buffers.all.map(({ view }) => view as StreamBuffer<DataOf<O>>);
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
    return this.#parts.buffers.open(name, checkedStreamBufferOptions(name, options)).view as StreamBuffer<DataOf<O>>;
  }

  /**
   * Deletes a named buffer and what is in it.
   *
   * @returns Whether there was one.
   * @throws {TypeError} if a stream that has not ended puts its messages into it.
   */
  deleteStreamBuffer(name: string): boolean {
    return this.#parts.buffers.delete(name);
  }

  /**
   * The names of the streams that a selection means, as Binance writes them, after every check that `createStream` makes of
   * them. Nothing is created.
   *
   * @throws {InvalidOptionsError} if the selection can't be used.
   * @throws {MaximumSubscriptionsExceededError} if one stream could not carry so many.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager } from "@rawtick/binance";
   * import { assertEquals } from "@std/assert";
   *
   * await using manager = new BinanceWebSocketApiManager();
   * const names = manager.streamNames({ channels: "trade", markets: ["BTCUSDT", "ETHUSDT"] });
   * assertEquals(names, ["btcusdt@trade", "ethusdt@trade"]);
   * ```
   */
  streamNames(selection: StreamSelection): string[] {
    return this.#streams.names(selection);
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
  ): BinanceStream<P, StreamNames<S, C>> {
    this.checkNotStopped();
    checkIsObject(given);
    for (const name of ["api", "userData"]) if (name in given) throw leftOut(name);
    return this.#streams.create(given);
  }

  /**
   * Subscribes a stream to more, as {@linkcode BinanceStream.subscribe} does.
   *
   * @param stream The stream or its id.
   * @throws {InvalidOptionsError} if it is neither.
   * @throws {UnknownStreamError} if there is no stream with this id, and what `subscribe` throws.
   */
  subscribeToStream(stream: BinanceStream<Output> | string, selection: StreamSelection): Promise<void> {
    return this.#change(stream, (found) => found.subscribe(selection));
  }

  /**
   * Unsubscribes a stream, as {@linkcode BinanceStream.unsubscribe} does.
   *
   * @param stream The stream or its id.
   * @throws {InvalidOptionsError} if it is neither.
   * @throws {UnknownStreamError} if there is no stream with this id, and what `unsubscribe` throws.
   */
  unsubscribeFromStream(stream: BinanceStream<Output> | string, selection: StreamSelection): Promise<void> {
    return this.#change(stream, (found) => found.unsubscribe(selection));
  }

  /** Not an async function: what `make` returns needs nobody to wait for it, and an async function's promise would. */
  #change(
    stream: BinanceStream<Output> | string,
    make: (found: BinanceStream<Output>) => Promise<void>,
  ): Promise<void> {
    try {
      return make(this.#streams.find(stream));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Stops a stream at once, also a silent one. Resolves when its connections are closed.
   *
   * @param stream The stream or its id.
   * @throws {InvalidOptionsError} if it is neither.
   * @throws {UnknownStreamError} if there is no stream with this id.
   */
  async stopStream(stream: BinanceStream<Output> | string): Promise<void> {
    await this.#streams.find(stream).stop();
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
  replaceStream<P extends Output = O, S extends string = string, C extends string = string>(
    stream: BinanceStream<Output> | string,
    given: StreamOptions<P, S, C>,
    options: ReplaceOptions = {},
  ): Promise<BinanceStream<P, StreamNames<S, C>>> {
    return this.#streams.replace(stream, given, options);
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
   * @throws {InvalidOptionsError} if it is neither.
   * @throws {UnknownStreamError} if there is no stream with this id.
   */
  getStreamInfo(stream: BinanceStream<Output> | string): StreamInfo {
    return this.#parts.finished.get(streamIdOf(stream)) ?? this.#streams.find(stream).info;
  }

  /**
   * What is known of streams that have ended, in the order in which they did: of the last `maxFinishedStreams`. The
   * streams themselves are let go of when they end.
   */
  get finishedStreams(): StreamInfo[] {
    return this.#parts.finished.list;
  }

  /**
   * Keeps a stream in `finishedStreams` no longer, or none of them. A crash that was dealt with is then none for
   * `getMonitoringStatusPlain()` any more.
   *
   * @param stream The stream or its id. Default: all.
   * @throws {InvalidOptionsError} if it is neither.
   * @throws {UnknownStreamError} if it is not there.
   */
  forgetFinishedStreams(stream?: BinanceStream<Output> | string): void {
    const id = stream === undefined ? undefined : streamIdOf(stream);
    if (!this.#parts.finished.forget(id) && id !== undefined) throw new UnknownStreamError(id);
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
   * @throws {InvalidOptionsError} if an option can't be used.
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
    return printText(options, this.#parts.hasColors, (colors) => summaryText(this.#monitored(), colors));
  }

  /**
   * Prints what is known of a stream, also of one in `finishedStreams`.
   *
   * @param stream The stream or its id.
   * @returns The text.
   * @throws {InvalidOptionsError} if it is neither, or an option can't be used.
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
  printStreamInfo(stream: BinanceStream<Output> | string, options: PrintOptions = {}): string {
    const info = this.getStreamInfo(stream);
    return printText(
      options,
      this.#parts.hasColors,
      (colors) => streamInfoText(info, this.#parts.exchange.key, colors),
    );
  }

  #monitored(): Monitored {
    const { exchange, websocketLibrary, proxyInfo, finished, createdAt, sampler, link, buffers } = this.#parts;
    const running = this.runningStreams();
    return {
      exchange: exchange.key,
      websocketLibrary,
      proxyInfo,
      running,
      finished: finished.list,
      statistics: managerStatistics({
        createdAt,
        sampler,
        running,
        finished,
        connectBudget: link.connectBudget,
        streamBuffers: buffers.all.map(({ view }) => view),
      }),
      now: link.clock.now(),
    };
  }

  /**
   * Stops all streams. Resolves when all connections are closed; then nothing of the manager keeps the process alive. Two things
   * are out of its reach: on Deno, the runtime's own WebSocket (`"builtin"`) to a peer that answers nothing any more, until that
   * goes, and on Bun, an attempt of `"native"` to connect that nobody answers, until the system gives it up, some 2 min. Can be
   * repeated.
   */
  async stopManager(): Promise<void> {
    this.#streams.stop();
    await this.stopStreams();
    this.#parts.buffers.end();
  }

  /** Stops the manager, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stopManager();
  }

  /**
   * Throws if there may be no more streams.
   *
   * @throws {TypeError} if the manager is stopped.
   */
  protected checkNotStopped(): void {
    this.#streams.checkNotStopped();
  }

  /** What is known of the streams that have not ended. A class above adds its own. */
  protected runningStreams(): StreamInfo[] {
    return this.streams.map((stream) => stream.info);
  }

  /** Stops all streams. A class above adds its own. */
  protected async stopStreams(): Promise<void> {
    await Promise.all(this.streams.map((stream) => stream.stop()));
  }
}
