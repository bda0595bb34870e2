/**
 * One logical stream: what `createStream` returns.
 *
 * @module
 */

import { undocumentedWarning } from "../exchange/mod.ts";
import type { SubscriptionAudit } from "./audits.ts";
import type { ControlRecord } from "./control_record.ts";
import type { DataOf, Delivery, Output } from "./delivery.ts";
import type { LinkListener } from "./link.ts";
import { Links, type LinksSettings } from "./links.ts";
import { checkedNames, checkStreams, type StreamSelection } from "./selection.ts";
import { StreamLife, type StreamLifeSettings } from "./stream_life.ts";
import type { LinkStatistics, StreamInfo, StreamState, StreamStatistics } from "./stream_state.ts";

/** What a stream is made of. */
export interface StreamSettings<O extends Output, N extends string = string>
  extends LinksSettings, Omit<StreamLifeSettings, "link"> {
  /** Most connections to one path of the exchange. */
  readonly maxLinks: number;
  /** Whether answers to control messages are delivered like data. */
  readonly deliverControlResponses: boolean;
  /** Keeps the answers to control messages. */
  readonly onControlResponse: (record: ControlRecord, isError: boolean) => void;
  readonly onData: ((data: DataOf<O, N>, stream: BinanceStream<O, N>) => unknown) | undefined;
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
  readonly #life: StreamLife;
  readonly #delivery: Delivery;
  readonly #links: Links;
  #gaps = 0;
  #missedMessages = 0;

  /** Streams are made by `manager.createStream()`. */
  constructor(settings: StreamSettings<O, N>, streams: readonly string[]) {
    const { id, label, onData } = settings;
    this.#settings = settings;
    this.id = id;
    this.label = label;
    this.#links = new Links(settings, (streams) => this.#linkListener(streams));
    // The cast: the delivery makes what the output says, which the compiler can't follow.
    const callback = onData && ((data: unknown) => onData(data as DataOf<O, N>, this));
    this.#life = new StreamLife(settings, callback, this.#links);
    this.#delivery = this.#life.delivery;
    this.ready = this.#add(streams);
    this.ready.catch(() => {});
  }

  /** Where the stream is in its life. */
  get state(): StreamState {
    return this.#life.ended ?? this.#links.state;
  }

  /**
   * What went wrong last: why the stream crashed, a connection could not be opened or a subscription failed, or what
   * `onData` threw; `undefined` if nothing did.
   */
  get lastError(): unknown {
    return this.#life.lastError;
  }

  /** The names of the streams that are wanted, as Binance writes them. */
  get subscriptions(): string[] {
    return this.#links.desired;
  }

  /** Why the stream has `"crashed"`, or has no connection, in a few words; `undefined` if all is well. */
  get stateReason(): string | undefined {
    return this.#life.ended === "crashed" ? this.#life.endedBy?.message : this.#links.reason;
  }

  /** Streams that could still be subscribed to without another connection. */
  get freeSubscriptionSlots(): number {
    return this.#links.freeSubscriptionSlots;
  }

  /** Counters since the stream was created. */
  get statistics(): StreamStatistics {
    const links = this.#links.statistics(this.#life.ended);
    const sum = (of: (link: LinkStatistics) => number) => links.reduce((total, link) => total + of(link), 0);
    return this.#life.statistics(links, {
      reconnectTimes: this.#links.reconnectTimes,
      rollovers: sum((link) => link.rollovers),
      gaps: this.#gaps,
      missedMessages: this.#missedMessages,
      subscriptions: sum((link) => link.subscriptions),
      freeSubscriptionSlots: this.freeSubscriptionSlots,
    });
  }

  /** Everything that the stream tells about itself, as a copy that changes no more. */
  get info(): StreamInfo {
    return this.#life.info(this);
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
  subscribe(selection: StreamSelection): Promise<void> {
    return this.#change(selection, (streams) => {
      checkStreams(this.#settings.exchange, [...this.subscriptions, ...streams], this.#settings.maxLinks);
      return this.#add(streams);
    });
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
  unsubscribe(selection: StreamSelection): Promise<void> {
    return this.#change(selection, (streams) => this.#links.delete(streams));
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
    if (this.#life.endedBy !== undefined) throw this.#life.endedBy;
    return await this.#links.audit();
  }

  /**
   * Stops the stream: nothing is delivered from now on, also of what waits for an async `onData`; what waits for a reader
   * can still be read. Resolves when its connections are closed. Can be repeated.
   */
  stop(): Promise<void> {
    return this.#life.stop();
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
    // The cast: the delivery makes what the output says.
    return this.#life.read() as AsyncIterator<DataOf<O, N>, undefined>;
  }

  /**
   * The messages as a web stream, read from the same buffer as `for await` does. Cancelling it does not stop the stream.
   *
   * @throws {TypeError} if the stream has an `onData` or a `streamBuffer`.
   */
  get readable(): ReadableStream<DataOf<O, N>> {
    // The cast: the delivery makes what the output says.
    return this.#life.readable as ReadableStream<DataOf<O, N>>;
  }

  #change(selection: StreamSelection, make: (streams: readonly string[]) => Promise<void>): Promise<void> {
    try {
      if (this.#life.endedBy !== undefined) throw this.#life.endedBy;
      const settled = make(checkedNames(selection));
      // Nobody has to wait for it: what goes wrong from here on is a signal, too.
      settled.catch(() => {});
      return settled;
    } catch (error) {
      return Promise.reject(error);
    }
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
      onConnect: (url) => this.#life.signal({ type: "CONNECT", url, streams: streams() }),
      onDisconnect: (url, close) => {
        const { lastData } = this.#delivery;
        this.#life.signal({ type: "DISCONNECT", url, streams: streams(), close, lastData });
      },
      onConnectFailed: (url, error) =>
        this.#life.failed(error, { type: "CONNECT_FAILED", url, streams: streams(), error }),
      onSubscriptionFailed: (error) => this.#life.failed(error, { type: "SUBSCRIPTION_FAILED", error }),
      onGap: (url, gap) => {
        this.#gaps++;
        this.#missedMessages += gap.missed;
        this.#life.signal({ type: "GAP", url, ...gap });
      },
      onSilent: (url, stream, silentMs) => this.#life.signal({ type: "STREAM_SILENT", url, stream, silentMs }),
      onRollover: (url, reason) => this.#life.signal({ type: "ROLLOVER", url, reason }),
      onCrash: (error) => void this.#life.crash(error),
    };
  }

  #controlResponse(text: string, isError: boolean): void {
    const { onControlResponse, deliverControlResponses, link: { clock } } = this.#settings;
    onControlResponse({ streamId: this.id, streamLabel: this.label, timestamp: clock.now(), text }, isError);
    if (deliverControlResponses) this.#delivery.deliverControlResponse(text);
  }
}
