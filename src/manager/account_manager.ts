/**
 * The manager with everything: market data, requests and account events.
 *
 * @module
 */

import type { ApiStream } from "../api/mod.ts";
import { UnknownStreamError } from "../base/mod.ts";
import type { StreamNames } from "../events/mod.ts";
import type { PrintOptions } from "../monitor/mod.ts";
import { BinanceStream, type Output, type StreamInfo } from "../stream/mod.ts";
import type { UserDataStream } from "../user_data/mod.ts";
import type { ApiStreamOptions, ManagerOptions, UserDataStreamOptions } from "./account_options.ts";
import { checkedApiStreamOptions, checkedManagerOptions, checkedUserDataStreamOptions } from "./account_schema.ts";
import { ApiStreams, type ManagerApi } from "./api_streams.ts";
import { withProxy } from "./link_settings.ts";
import { Manager } from "./manager.ts";
import type { StreamOptions } from "./options.ts";
import { managerParts, type Platform } from "./parts.ts";
import { noProxies } from "./proxy_rules.ts";
import { restFetchOf, type RestRequest } from "./rest_fetch.ts";
import { checkIsObject } from "./schema.ts";
import { streamIdOf } from "./stream_argument.ts";
import { UserDataStreams } from "./user_data_streams.ts";

/** What a door gives its manager. */
export interface AccountPlatform extends Platform {
  /** Makes REST requests, through the proxy that is asked for. */
  readonly fetch: RestRequest;
}

/**
 * What the managers of `"@rawtick/binance"` and `"@rawtick/binance/edge-full"` have in common: requests and account events
 * beside market data. Use their `BinanceWebSocketApiManager`.
 *
 * @example
 * ```ts
 * import { type AccountManager, BinanceWebSocketApiManager, type Output } from "@rawtick/binance";
 * import { BinanceWebSocketApiManager as EdgeManager } from "@rawtick/binance/edge-full";
 *
 * // Code that trades with the manager of either door.
 * const cancelAll = ({ api }: AccountManager<Output>, symbol: string) => api.spot.openOrdersCancelAll({ symbol });
 * console.log(cancelAll, new BinanceWebSocketApiManager().apiStreams, new EdgeManager().apiStreams);
 * ```
 */
export class AccountManager<O extends Output = "raw"> extends Manager<O> {
  readonly #defaultOutput: Output;
  readonly #apis: ApiStreams;
  readonly #userData: UserDataStreams;

  /** Managers are made as `BinanceWebSocketApiManager`. */
  constructor(platform: AccountPlatform, given: ManagerOptions<O> = {}) {
    const options = checkedManagerOptions(given, platform);
    const parts = managerParts(platform, options);
    super(parts);
    const { exchange, link, websocketLibrary, errors, results, sampler, finished, buffers, baseUrl } = parts;
    const apiUrl = options.websocketApiBaseUrl ?? exchange.websocketApiUrl;
    const { proxies = noProxies } = platform;
    const apiProxy = apiUrl === undefined ? undefined : proxies.resolve(options, new URL(apiUrl));
    platform.libraries[websocketLibrary].checkProxy(apiProxy?.proxy);
    this.#defaultOutput = options.output ?? "raw";
    // The cast: what the output is does not matter to these.
    const common = { exchange, options: options as ManagerOptions };
    this.#apis = new ApiStreams({ ...common, link: withProxy(link, apiProxy?.url), errors, results });
    this.#userData = new UserDataStreams({
      ...common,
      link,
      streamBaseUrl: baseUrl,
      restFetch: restFetchOf(common.options, exchange, platform.fetch, proxies),
      sampler,
      finished,
      buffers,
      apis: this.#apis,
    });
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

  // First those that one property tells apart: the compiler settles the parameters of an inline `onData` by the first overload
  // that the other properties do not rule out.
  /** Creates a stream of requests and starts to connect it: see {@linkcode ApiStream.request} and {@linkcode AccountManager.api}. */
  override createStream(given: ApiStreamOptions): ApiStream;
  /** Creates a stream of account events and starts to connect it. */
  override createStream<P extends Output = O>(given: UserDataStreamOptions<P>): UserDataStream<P>;
  /**
   * Creates a stream and starts to connect it. Returns at once: messages can be read from the very first, and
   * `stream.ready` tells when the exchange has acknowledged everything.
   *
   * @throws {InvalidOptionsError} or a subclass, if the options can't be used.
   * @throws {MaximumSubscriptionsExceededError} if it would carry more than the exchange allows.
   * @throws {TypeError} if the manager is stopped.
   */
  override createStream<P extends Output = O, S extends string = string, C extends string = string>(
    given: StreamOptions<P, S, C>,
  ): BinanceStream<P, StreamNames<S, C>>;
  override createStream<P extends Output = O>(
    given: StreamOptions<P> | ApiStreamOptions | UserDataStreamOptions<P>,
  ): BinanceStream<P> | ApiStream | UserDataStream<P> {
    checkIsObject(given);
    if (!("api" in given || "userData" in given)) return super.createStream(given);
    this.checkNotStopped();
    if ("api" in given) return this.#apis.create(checkedApiStreamOptions(given));
    const options = checkedUserDataStreamOptions(given);
    // The cast: without an output of its own, the type of the stream says the manager's.
    return this.#userData.create(options, options.output ?? this.#defaultOutput as P);
  }

  /**
   * Stops a stream at once, also a silent one. Resolves when its connections are closed.
   *
   * @param stream The stream or its id.
   * @throws {InvalidOptionsError} if it is neither.
   * @throws {UnknownStreamError} if there is no stream with this id.
   */
  override async stopStream(
    stream: BinanceStream<Output> | ApiStream | UserDataStream<Output> | string,
  ): Promise<void> {
    const id = streamIdOf(stream);
    const other = this.#apis.get(id) ?? this.#userData.get(id);
    if (other !== undefined) return await other.stop();
    if (typeof stream === "string" || stream instanceof BinanceStream) return await super.stopStream(stream);
    if (stream.state !== "stopped" && stream.state !== "crashed") throw new UnknownStreamError(id);
  }

  /**
   * Everything that is known of a stream, also of one in `finishedStreams`.
   *
   * @param stream The stream or its id.
   * @throws {InvalidOptionsError} if it is neither.
   * @throws {UnknownStreamError} if there is no stream with this id.
   */
  override getStreamInfo(stream: BinanceStream<Output> | UserDataStream<Output> | string): StreamInfo {
    const id = streamIdOf(stream);
    return this.#userData.get(id)?.info ?? super.getStreamInfo(stream instanceof BinanceStream ? stream : id);
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
  override printStreamInfo(
    stream: BinanceStream<Output> | UserDataStream<Output> | string,
    options: PrintOptions = {},
  ): string {
    return super.printStreamInfo(stream instanceof BinanceStream ? stream : streamIdOf(stream), options);
  }

  /** What is known of all streams that have not ended, but for those of requests. */
  protected override runningStreams(): StreamInfo[] {
    return [...super.runningStreams(), ...this.userDataStreams.map((stream) => stream.info)];
  }

  /** Stops all streams. */
  protected override async stopStreams(): Promise<void> {
    // Account events may come over API streams: they end first.
    await Promise.all([super.stopStreams(), ...this.userDataStreams.map((stream) => stream.stop())]);
    await Promise.all(this.apiStreams.map((stream) => stream.stop()));
  }
}
