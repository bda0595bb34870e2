/**
 * The streams of market data of a manager: makes them, finds them, replaces them.
 *
 * @module
 */

import { InvalidOptionsError, parsePrecise, UnknownStreamError } from "../base/mod.ts";
import { parserOf, type StreamNames } from "../events/mod.ts";
import {
  BinanceStream,
  checkedNames,
  checkStreams,
  namesOf,
  type Output,
  type SignalListener,
  type StreamSelection,
  type StreamSettings,
} from "../stream/mod.ts";
import { DEFAULT_HANDSHAKE_TIMEOUT_MS } from "../transport/portable.ts";
import type { StreamOptions } from "./options.ts";
import type { ManagerParts } from "./parts.ts";
import { Proof, type ReplaceOptions } from "./proof.ts";
import { checkedReplaceOptions, checkedStreamOptions } from "./schema.ts";
import { streamIdOf } from "./stream_argument.ts";

const DEFAULT_MAX_LINKS = 1024;

/** The streams of market data of one manager. */
export class MarketStreams<O extends Output> {
  readonly #parts: ManagerParts<O>;
  readonly #streams = new Map<string, BinanceStream<Output>>();
  #isStopped = false;

  constructor(parts: ManagerParts<O>) {
    this.#parts = parts;
  }

  /** The streams that have not ended, in the order they were created. */
  get all(): BinanceStream<Output>[] {
    return [...this.#streams.values()];
  }

  /**
   * Throws if there may be no more streams.
   *
   * @throws {TypeError} if the manager is stopped.
   */
  checkNotStopped(): void {
    if (this.#isStopped) throw new TypeError("Cannot create a stream: the manager is stopped; make a new one");
  }

  /** Allows no more streams. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * The names of the streams that a selection means, if one stream could carry them.
   *
   * @throws {InvalidOptionsError} or a subclass, if it can't.
   */
  names(selection: StreamSelection): string[] {
    const names = checkedNames(selection);
    checkStreams(this.#parts.exchange, names, this.#parts.options.maxLinks ?? DEFAULT_MAX_LINKS);
    return names;
  }

  /**
   * Creates a stream.
   *
   * @param onSignal Takes its signals as the first.
   * @throws {InvalidOptionsError} or a subclass, if the options can't be used.
   * @throws {MaximumSubscriptionsExceededError} if it would carry more than the exchange allows.
   * @throws {TypeError} if the manager is stopped.
   */
  create<P extends Output, S extends string, C extends string>(
    given: StreamOptions<P, S, C>,
    onSignal?: SignalListener,
  ): BinanceStream<P, StreamNames<S, C>> {
    this.checkNotStopped();
    const { options: defaults, exchange, baseUrl, link, buffers, errors, results, sampler, finished } = this.#parts;
    const options = checkedStreamOptions(given);
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
    const maxLinks = defaults.maxLinks ?? DEFAULT_MAX_LINKS;
    checkStreams(exchange, names, maxLinks);
    const id = crypto.randomUUID();
    const namedBuffer = streamBuffer === undefined ? undefined : buffers.open(streamBuffer);
    // The cast: the manager's callback is used only for the manager's own output, as was just checked.
    const settings: StreamSettings<P, StreamNames<S, C>> = {
      id,
      label,
      exchange,
      baseUrl,
      urlOptions: defaults.timeUnit === undefined ? {} : { timeUnit: defaults.timeUnit },
      link,
      maxLinks,
      delivery: {
        clock: link.clock,
        output,
        parse: parserOf(output, (text) => parsePrecise(text, defaults.integers)),
        maxConcurrentCallbacks: options.maxConcurrentCallbacks ?? defaults.maxConcurrentCallbacks ?? 1,
        bufferSize: bufferSize ?? defaults.bufferSize ?? 10_000,
        overflow: overflow ?? defaults.overflow ?? "drop-oldest",
      },
      namedBuffer,
      onCallbackError: options.onCallbackError ?? defaults.onCallbackError ?? "crash",
      deliverControlResponses: options.deliverControlResponses ?? defaults.deliverControlResponses ?? false,
      onControlResponse: (record, isError) => void (isError ? errors : results).push(record),
      onData: onData ?? (isPushed ? defaults.onData as typeof onData : undefined),
      sampler,
      signalListeners: [onSignal, options.onSignal, defaults.onSignal],
      onEnd: () => {
        if (namedBuffer !== undefined) namedBuffer.users--;
        finished.add(stream.info);
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
   * The stream that is meant: one that has not ended by its id, or the object itself if it is ours or has ended.
   *
   * @throws {UnknownStreamError} if there is none.
   */
  find(stream: BinanceStream<Output> | string): BinanceStream<Output> {
    const id = streamIdOf(stream);
    if (typeof stream === "string") {
      const found = this.#streams.get(id);
      if (found === undefined) throw new UnknownStreamError(id);
      return found;
    }
    // A stream that has ended is in no list any more, and harmless. A running one must be ours.
    const hasEnded = stream.state === "stopped" || stream.state === "crashed";
    const isOurs = hasEnded ? stream instanceof BinanceStream : this.#streams.get(id) === stream;
    if (!isOurs) throw new UnknownStreamError(id);
    return stream;
  }

  /** Replaces a stream by a new one, as soon as that is proven. */
  async replace<P extends Output, S extends string, C extends string>(
    stream: BinanceStream<Output> | string,
    given: StreamOptions<P, S, C>,
    options: ReplaceOptions,
  ): Promise<BinanceStream<P, StreamNames<S, C>>> {
    const { dataTimeoutMs = 5_000 } = checkedReplaceOptions(options);
    const before = this.find(stream);
    const checked = checkedStreamOptions(given);
    const { link } = this.#parts;
    const proof = new Proof(link.clock);
    const label = checked.label ?? before.label;
    const after = this.create(label === undefined ? checked : { ...checked, label }, proof.onSignal);
    const { handshakeTimeoutMs = DEFAULT_HANDSHAKE_TIMEOUT_MS } = link.connectOptions;
    try {
      // The cast: as with the list of streams.
      await proof.of(
        after as unknown as BinanceStream<Output>,
        handshakeTimeoutMs + 2 * link.ackTimeoutMs,
        dataTimeoutMs,
      );
    } catch (error) {
      await after.stop();
      throw error;
    }
    await before.stop();
    return after;
  }
}
