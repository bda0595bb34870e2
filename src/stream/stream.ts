/**
 * One logical stream: what `createStream` returns.
 *
 * @module
 */

import { messageOf, quoted, stackOf, StreamCrashedError, StreamStoppedError } from "../base/mod.ts";
import { undocumentedWarning } from "../exchange/mod.ts";
import type { ControlRecord } from "./control_record.ts";
import { type DataOf, Delivery, type DeliverySettings, type Output } from "./delivery.ts";
import type { LinkListener } from "./link.ts";
import { Links, type LinksSettings } from "./links.ts";
import { checkedNames, checkStreams, type StreamSelection } from "./selection.ts";
import { type SignalDetails, type SignalListener, signalTeller } from "./signal_teller.ts";
import type { NamedBuffer } from "./stream_buffers.ts";
import type { Meter, RateSampler } from "./rates.ts";
import type { LinkStatistics, StreamInfo, StreamState, StreamStatistics } from "./stream_state.ts";
import type { SubscriptionAudit } from "./audits.ts";

/** What a stream is made of. */
export interface StreamSettings<O extends Output, N extends string = string> extends LinksSettings {
  readonly id: string;
  readonly label: string | undefined;
  /** Most connections to one path of the exchange. */
  readonly maxLinks: number;
  readonly delivery: Omit<DeliverySettings, "callback" | "namedBuffer">;
  /** Takes the messages, if there is one. */
  readonly namedBuffer: NamedBuffer | undefined;
  /** What an `onData` that throws does to the stream. */
  readonly onCallbackError: "crash" | "continue";
  /** Whether answers to control messages are delivered like data. */
  readonly deliverControlResponses: boolean;
  /** Keeps the answers to control messages. */
  readonly onControlResponse: (record: ControlRecord, isError: boolean) => void;
  /** Measures how much comes. */
  readonly sampler: RateSampler;
  readonly onData: ((data: DataOf<O, N>, stream: BinanceStream<O, N>) => unknown) | undefined;
  /** Who takes the signals, one after the other. */
  readonly signalListeners: readonly (SignalListener | undefined)[];
  /** Called once, when the stream has ended. */
  readonly onEnd: () => void;
}

/**
 * A running stream. Made by `manager.createStream()`. With `onData`, messages are pushed to it; without, they wait in a
 * bounded buffer to be read with `for await` or as a `ReadableStream`. A reader that stops early does not stop the
 * stream; a buffer that nobody reads drops what does not fit.
 *
 * @example
 * ```ts
 * import { type BinanceStream, BinanceWebSocketApiManager } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assert } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream: BinanceStream<"raw"> = manager.createStream({ channels: ["trade"], markets: ["btcusdt", "ethusdt"] });
 * for await (const text of stream) {
 *   assert(text.startsWith('{"stream":"'));
 *   break;
 * }
 * await stream.stop();
 * ```
 */
export class BinanceStream<O extends Output = "raw", N extends string = string>
  implements AsyncIterable<DataOf<O, N>>, AsyncDisposable {
  /** Unique id of the stream. */
  readonly id: string;
  /** The label given to `createStream`, or `undefined`. */
  readonly label: string | undefined;
  /**
   * Resolves when the stream is connected and the exchange has acknowledged the streams it was created with. Rejects
   * with a {@linkcode SubscriptionRejectedError}, {@linkcode SubscriptionTimeoutError}, {@linkcode StreamCrashedError}
   * or {@linkcode StreamStoppedError}. Nobody has to wait for it.
   */
  readonly ready: Promise<void>;

  /** Without `onData`: a stream of any output shall be one of `Output`. */
  readonly #settings: Omit<StreamSettings<O, N>, "onData">;
  readonly #signal: (details: SignalDetails) => void;
  readonly #delivery: Delivery;
  readonly #links: Links;
  readonly #meter: Meter;
  readonly #createdAt: number;
  #endedAt: number | undefined;
  #gaps = 0;
  #missedMessages = 0;
  #end: Promise<void> | undefined;
  #endedBy: StreamStoppedError | StreamCrashedError | undefined;
  #lastError: unknown;

  /** Streams are made by `manager.createStream()`. */
  constructor(settings: StreamSettings<O, N>, streams: readonly string[]) {
    this.#settings = settings;
    this.id = settings.id;
    this.label = settings.label;
    this.#signal = signalTeller(settings, settings.signalListeners);
    this.#links = new Links(settings, (streams) => this.#linkListener(streams));
    const { onData } = settings;
    // The casts: the delivery makes what the output says, which the compiler can't follow.
    const callback = onData && ((data: unknown) => onData(data as DataOf<O, N>, this));
    const namedBuffer = settings.namedBuffer?.buffer;
    this.#delivery = new Delivery({ ...settings.delivery, callback, namedBuffer }, {
      onFirstData: (data) => this.#signal({ type: "FIRST_RECEIVED_DATA", data }),
      onCallbackError: (error, mayReport) => this.#callbackFailed(error, mayReport),
      onInvalidMessage: (error, mayReport) => this.#invalidMessage(error, mayReport),
      onDropped: (dropped, total) => this.#dropped(dropped, total),
      onOverflow: (error) => void this.#crash(error),
      setPaused: (isPaused) => this.#links.setPaused(isPaused),
    });
    this.#createdAt = settings.link.clock.now();
    this.#meter = settings.sampler.add(this.#delivery);
    this.ready = this.#add(streams);
    this.ready.catch(() => {});
  }

  /** Where the stream is in its life. */
  get state(): StreamState {
    if (this.#endedBy !== undefined) return this.#endedBy instanceof StreamCrashedError ? "crashed" : "stopped";
    return this.#links.state;
  }

  /**
   * What went wrong last: why the stream crashed, a connection could not be opened or a subscription failed, or what
   * `onData` threw; `undefined` if nothing did.
   */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** The names of the streams that are wanted, as Binance writes them. */
  get subscriptions(): string[] {
    return this.#links.desired;
  }

  /** Why the stream is `"restarting"` or `"crashed"`, in a few words; `undefined` in the other states. */
  get stateReason(): string | undefined {
    if (this.#endedBy instanceof StreamCrashedError) return this.#endedBy.message;
    return this.#links.failure;
  }

  /** Streams that could still be subscribed to without another connection. */
  get freeSubscriptionSlots(): number {
    return this.#links.freeSubscriptionSlots;
  }

  /** Counters since the stream was created. */
  get statistics(): StreamStatistics {
    const { messages, characters, callbackErrors, invalidMessages, dropped, buffered } = this.#delivery;
    const links = this.#links.statistics(this.#endedBy === undefined ? undefined : this.state);
    const sum = (of: (link: LinkStatistics) => number) => links.reduce((total, link) => total + of(link), 0);
    const latencies = links.flatMap(({ latencyMs }) => latencyMs ?? []);
    return {
      createdAt: this.#createdAt,
      endedAt: this.#endedAt,
      uptimeMs: this.#meter.uptimeMs,
      receivedMessages: messages,
      receivedCharacters: characters,
      ...this.#meter.rates,
      lastDataAgeMs: this.#meter.lastDataAgeMs,
      latencyMs: latencies.length > 0 ? Math.max(...latencies) : undefined,
      droppedMessages: dropped,
      bufferedMessages: buffered,
      reconnects: sum((link) => link.reconnects),
      reconnectTimes: this.#links.reconnectTimes,
      rollovers: sum((link) => link.rollovers),
      gaps: this.#gaps,
      missedMessages: this.#missedMessages,
      callbackErrors,
      invalidMessages,
      subscriptions: sum((link) => link.subscriptions),
      freeSubscriptionSlots: this.freeSubscriptionSlots,
      links,
    };
  }

  /** Everything that the stream tells about itself, as a copy that changes no more. */
  get info(): StreamInfo {
    return {
      id: this.id,
      label: this.label,
      state: this.state,
      stateReason: this.stateReason,
      lastError: this.#lastError === undefined ? undefined : messageOf(this.#lastError),
      output: this.#settings.delivery.output,
      streamBuffer: this.#settings.namedBuffer?.name,
      streams: this.subscriptions,
      statistics: this.statistics,
    };
  }

  /**
   * Subscribes to more streams; what is already subscribed is left alone. Resolves when the exchange has acknowledged
   * all of them; while the connection is down, that is after the reconnect.
   *
   * @throws {InvalidOptionsError} if the selection can't be used.
   * @throws {MaximumSubscriptionsExceededError} if a connection would carry too many; then nothing is subscribed.
   * @throws {SubscriptionRejectedError} if the exchange refuses a stream; that one is then not wanted any more.
   * @throws {SubscriptionTimeoutError} if the exchange does not answer; the streams stay wanted, and are asked for again
   * every 30 s and at each reconnect.
   * @throws {StreamStoppedError | StreamCrashedError} if the stream has ended, or ends before.
   */
  async subscribe(selection: StreamSelection): Promise<void> {
    if (this.#endedBy !== undefined) throw this.#endedBy;
    const streams = checkedNames(selection);
    checkStreams(this.#settings.exchange, [...this.subscriptions, ...streams], this.#settings.maxLinks);
    await this.#add(streams);
  }

  /**
   * Unsubscribes from streams; what is not subscribed is left alone. Resolves when the exchange has acknowledged it.
   * The connection stays open, also without any stream.
   *
   * @throws {InvalidOptionsError} if the selection can't be used.
   * @throws {SubscriptionRejectedError} if the exchange refuses.
   * @throws {SubscriptionTimeoutError} if the exchange does not answer.
   * @throws {StreamStoppedError | StreamCrashedError} if the stream has ended, or ends before.
   */
  async unsubscribe(selection: StreamSelection): Promise<void> {
    if (this.#endedBy !== undefined) throw this.#endedBy;
    await this.#links.delete(checkedNames(selection));
  }

  /**
   * Asks the exchange what its connections carry (LIST_SUBSCRIPTIONS), and mends what differs from what is wanted.
   *
   * @returns Streams that were missing there, and are subscribed to again, and those that were too many, and are not any
   * more.
   * @throws {SubscriptionTimeoutError} if the exchange does not answer.
   * @throws {TypeError} if a connection is not open, or ends before it answers.
   * @throws {StreamStoppedError | StreamCrashedError} if the stream has ended.
   */
  async auditSubscriptions(): Promise<SubscriptionAudit> {
    if (this.#endedBy !== undefined) throw this.#endedBy;
    return await this.#links.audit();
  }

  /**
   * Stops the stream: nothing is delivered from now on, also of what waits for an async `onData`; what waits for a reader
   * can still be read. Resolves when its connections are closed. Can be repeated.
   */
  stop(): Promise<void> {
    return this.#finish(new StreamStoppedError(this.id));
  }

  /** Stops the stream, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Reads the messages from the buffer. Each message goes to one reader. Ends when the stream is stopped, after what
   * is still buffered; throws a {@linkcode StreamCrashedError} when it has crashed.
   *
   * @throws {TypeError} if the stream has an `onData` or a `streamBuffer`.
   */
  [Symbol.asyncIterator](): AsyncIterator<DataOf<O, N>, undefined> {
    const { buffer } = this.#delivery;
    const { namedBuffer } = this.#settings;
    if (namedBuffer !== undefined) {
      throw new TypeError(
        `Cannot read the stream ${this.id}: its messages go to the stream buffer ${
          quoted(namedBuffer.name)
        }; read that`,
      );
    }
    if (buffer === undefined) {
      throw new TypeError(
        `Cannot read the stream ${this.id}: its messages go to \`onData\`; leave that out to read them`,
      );
    }
    // The cast: the delivery makes what the output says.
    return buffer.read() as AsyncIterator<DataOf<O, N>, undefined>;
  }

  /**
   * The messages as a web stream, read from the same buffer as `for await` does. Cancelling it does not stop the stream.
   *
   * @throws {TypeError} if the stream has an `onData` or a `streamBuffer`.
   */
  get readable(): ReadableStream<DataOf<O, N>> {
    const iterator = this[Symbol.asyncIterator]();
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    }, { highWaterMark: 0 });
  }

  #add(streams: readonly string[]): Promise<void> {
    const { exchange, link: { logger } } = this.#settings;
    for (const stream of streams) {
      const warning = undocumentedWarning(exchange, stream);
      if (warning !== undefined) logger.warn(warning);
    }
    return this.#links.add(streams);
  }

  /** What a link tells, with the streams that are wanted of it. */
  #linkListener(streams: () => string[]): LinkListener {
    return {
      onData: (text) => this.#delivery.deliver(text),
      onControlResponse: (text, { error }) => this.#controlResponse(text, error !== undefined),
      onConnect: (url) => this.#signal({ type: "CONNECT", url, streams: streams() }),
      onDisconnect: (url, close) => {
        const { lastData } = this.#delivery;
        this.#signal({ type: "DISCONNECT", url, streams: streams(), close, lastData });
      },
      onConnectFailed: (url, error) => this.#failed(error, { type: "CONNECT_FAILED", url, streams: streams(), error }),
      onSubscriptionFailed: (error) => this.#failed(error, { type: "SUBSCRIPTION_FAILED", error }),
      onGap: (url, gap) => {
        this.#gaps++;
        this.#missedMessages += gap.missed;
        this.#signal({ type: "GAP", url, ...gap });
      },
      onSilent: (url, stream, silentMs) => this.#signal({ type: "STREAM_SILENT", url, stream, silentMs }),
      onRollover: (url, reason) => this.#signal({ type: "ROLLOVER", url, reason }),
      onCrash: (error) => void this.#crash(error),
    };
  }

  #callbackFailed(error: unknown, mayReport: boolean): void {
    const hasEnded = this.#endedBy !== undefined;
    if (!hasEnded) this.#lastError = error;
    if (mayReport) this.#settings.link.logger.error(`Stream ${this.id}: onData threw ${stackOf(error)}`);
    if (this.#settings.onCallbackError === "crash") {
      this.#delivery.end(true);
      void this.#crash(error, `onData threw ${messageOf(error)}`);
    } else if (mayReport && !hasEnded) this.#signal({ type: "CALLBACK_ERROR", error });
  }

  #dropped(dropped: number, total: number): void {
    this.#settings.link.logger.warn(`Stream ${this.id}: ${dropped} messages dropped, ${total} in all`);
    this.#signal({ type: "MESSAGES_DROPPED", dropped, total });
  }

  #controlResponse(text: string, isError: boolean): void {
    const { onControlResponse, deliverControlResponses, link: { clock } } = this.#settings;
    onControlResponse({ streamId: this.id, streamLabel: this.label, timestamp: clock.now(), text }, isError);
    if (deliverControlResponses) this.#delivery.deliverControlResponse(text);
  }

  #invalidMessage(error: unknown, mayReport: boolean): void {
    this.#lastError = error;
    if (mayReport) this.#settings.link.logger.error(`Stream ${this.id}: a message is not JSON: ${messageOf(error)}`);
  }

  #failed(error: unknown, signal: SignalDetails): void {
    this.#lastError = error;
    this.#signal(signal);
  }

  #crash(error: unknown, reason: string = messageOf(error)): Promise<void> {
    return this.#finish(new StreamCrashedError(this.id, reason, { cause: error }));
  }

  /** The one way out: ends the links, then the readers, and tells about it once. */
  #finish(reason: StreamStoppedError | StreamCrashedError): Promise<void> {
    if (this.#end !== undefined) return this.#end;
    // Before anything is closed: what closes may call us again.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#end = promise;
    this.#closeAll(reason).then(resolve);
    return promise;
  }

  async #closeAll(reason: StreamStoppedError | StreamCrashedError): Promise<void> {
    this.#endedBy = reason;
    // After a crash, what has come before it is still delivered.
    this.#delivery.end(reason instanceof StreamStoppedError);
    await this.#links.stop(reason);
    this.#endedAt = this.#settings.link.clock.now();
    this.#settings.sampler.end(this.#meter);
    const hasCrashed = reason instanceof StreamCrashedError;
    if (hasCrashed) {
      this.#lastError = reason;
      this.#settings.link.logger.error(reason.message);
      this.#signal({ type: "STREAM_UNREPAIRABLE", error: reason });
    } else {
      this.#settings.link.logger.info(reason.message);
      this.#signal({ type: "STOP" });
    }
    if (this.#settings.namedBuffer === undefined) this.#delivery.buffer?.end(hasCrashed ? reason : undefined);
    this.#settings.onEnd();
  }
}
