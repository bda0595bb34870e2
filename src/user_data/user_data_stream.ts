/**
 * A stream of account events: what `createStream({ userData: … })` returns.
 *
 * @module
 */

import {
  ApiError,
  messageOf,
  quoted,
  StreamCrashedError,
  StreamStoppedError,
  SubscriptionRejectedError,
} from "../base/mod.ts";
import {
  type DataOf,
  type Delivery,
  type Meter,
  type Output,
  type SignalDetails,
  signalTeller,
  type StreamInfo,
  type StreamState,
  type StreamStatistics,
} from "../stream/mod.ts";
import { accountsOf } from "./accounts.ts";
import { ApiSource } from "./api_source.ts";
import { eventDelivery } from "./event_delivery.ts";
import { userDataFlowOf } from "./flow.ts";
import { ListenKeySource } from "./listen_key_source.ts";
import type { UserDataSettings } from "./settings.ts";
import type { UserDataAccount, UserDataSource, UserDataSourceListener } from "./source.ts";
import { userDataStatistics } from "./user_data_statistics.ts";

/**
 * A running stream of account events. Made by `manager.createStream({ userData: … })`. With `onData`, events are pushed to it;
 * without, they wait in a bounded buffer to be read with `for await` or as a `ReadableStream`.
 *
 * Events keep coming over lost connections, listen keys that expire, tokens that end and logons that are revoked; Binance sends
 * none of them again, so that after each interruption the signal USER_DATA_GAP says between which times some may have been
 * missed.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, createSigner, type UserDataStream } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const key = { apiKey: "key", apiSecret: "secret" };
 * await using exchange = await startLocalExchange();
 * const account = exchange.account(key);
 * await using manager = new BinanceWebSocketApiManager({
 *   websocketBaseUrl: exchange.url,
 *   websocketApiBaseUrl: exchange.url,
 *   restBaseUrl: exchange.url.replace("ws:", "http:"),
 *   signer: createSigner(key),
 * });
 * const stream: UserDataStream<"json"> = manager.createStream({ userData: true, output: "json" });
 * await stream.ready;
 * account.deposit("BTC", "0.5");
 * for await (const { stream: name, data } of stream) {
 *   assertEquals(name, "userData");
 *   if (data.e === "balanceUpdate") break;
 * }
 * ```
 */
export class UserDataStream<O extends Output = "raw">
  implements AsyncIterable<DataOf<O, "!userData@arr">>, AsyncDisposable {
  /** Unique id of the stream. */
  readonly id: string;
  /** The label given to `createStream`, or `undefined`. */
  readonly label: string | undefined;
  /**
   * Resolves when the events of all accounts come for the first time. Rejects with a {@linkcode SubscriptionRejectedError} if
   * the exchange refuses an account, with a {@linkcode StreamCrashedError} or a {@linkcode StreamStoppedError}. Nobody has to
   * wait for it.
   */
  readonly ready: Promise<void>;

  /** Without `onData`: a stream of any output shall be one of `Output`. */
  readonly #settings: Omit<UserDataSettings<O>, "onData">;
  readonly #delivery: Delivery;
  readonly #sources: UserDataSource[] = [];
  readonly #meter: Meter;
  readonly #signal: (details: SignalDetails) => void;
  readonly #createdAt: number;
  readonly #ready = Promise.withResolvers<void>();
  #endedAt: number | undefined;
  #gaps = 0;
  #rollovers = 0;
  #end: Promise<void> | undefined;
  #endedBy: StreamStoppedError | StreamCrashedError | undefined;
  #lastError: unknown;

  /** Streams are made by `manager.createStream()`. */
  constructor(settings: UserDataSettings<O>) {
    const { exchange, userData, signer, onData, link: { clock } } = settings;
    const flow = userDataFlowOf(exchange);
    const accounts = accountsOf(exchange, flow, userData, signer);
    this.#settings = settings;
    this.#signal = signalTeller(settings, settings.signalListeners);
    this.id = settings.id;
    this.label = settings.label;
    this.ready = this.#ready.promise;
    this.ready.catch(() => {});
    // The cast: the delivery makes what the output says, which the compiler can't follow.
    const callback = onData && ((data: unknown) => onData(data as DataOf<O, "!userData@arr">, this));
    this.#delivery = eventDelivery(settings, callback, {
      signal: this.#signal,
      onError: (error) => this.#lastError = error,
      crash: (error, reason) => void this.#crash(error, reason),
      hasEnded: () => this.#endedBy !== undefined,
      setPaused: (isPaused) => {
        for (const source of this.#sources) source.setPaused(isPaused);
      },
    });
    this.#createdAt = clock.now();
    this.#meter = settings.sampler.add(this.#delivery);
    const listener = this.#listener();
    if (flow.kind === "listenKey") {
      for (const account of accounts) this.#sources.push(new ListenKeySource(account, flow, settings, listener));
    } else {
      const api = userData.api ?? settings.openApi({
        // There is at least one.
        signer: accounts[0]!.signer,
        logon: userData.via === "logon",
        label: settings.label,
        onConnectFailed: listener.onConnectFailed,
      });
      this.#sources.push(new ApiSource(api, userData.api === undefined, accounts, flow, settings, listener));
    }
    Promise.all(this.#sources.map(({ ready }) => ready)).then(() => this.#ready.resolve());
  }

  /** Where the stream is in its life. */
  get state(): StreamState {
    if (this.#endedBy !== undefined) return this.#endedBy instanceof StreamCrashedError ? "crashed" : "stopped";
    const states = this.accounts.map(({ state }) => state);
    return (["restarting", "starting"] as const).find((state) => states.includes(state)) ?? "running";
  }

  /** What went wrong last; `undefined` if nothing did. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** The accounts whose events are wanted, and how they are. */
  get accounts(): readonly UserDataAccount[] {
    return this.#sources.flatMap(({ accounts }) => accounts);
  }

  /** The names of the accounts, under which their events are delivered. */
  get subscriptions(): string[] {
    return this.accounts.map(({ name }) => name);
  }

  /** Why the stream is `"restarting"` or `"crashed"`, in a few words; `undefined` in the other states. */
  get stateReason(): string | undefined {
    if (this.#endedBy instanceof StreamCrashedError) return this.#endedBy.message;
    return this.#sources.map(({ stateReason }) => stateReason).find((reason) => reason !== undefined);
  }

  /** Counters since the stream was created. `gaps` are those of USER_DATA_GAP; what was missed in them is not known. */
  get statistics(): StreamStatistics {
    return userDataStatistics({
      delivery: this.#delivery,
      meter: this.#meter,
      sources: this.#sources,
      createdAt: this.#createdAt,
      endedAt: this.#endedAt,
      ended: this.#endedBy === undefined ? undefined : this.state,
      rollovers: this.#rollovers,
      gaps: this.#gaps,
    });
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

  /** Stops the stream: nothing is delivered from now on. Resolves when its own connections are closed. Can be repeated. */
  stop(): Promise<void> {
    return this.#finish(new StreamStoppedError(this.id));
  }

  /** Stops the stream, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Reads the events from the buffer. Each goes to one reader. Ends when the stream is stopped, after what is still buffered;
   * throws a {@linkcode StreamCrashedError} when it has crashed.
   *
   * @throws {TypeError} if the stream has an `onData` or a `streamBuffer`.
   */
  [Symbol.asyncIterator](): AsyncIterator<DataOf<O, "!userData@arr">, undefined> {
    const { buffer } = this.#delivery;
    const { namedBuffer } = this.#settings;
    if (namedBuffer !== undefined || buffer === undefined) {
      const where = namedBuffer === undefined ? "`onData`" : `the stream buffer ${quoted(namedBuffer.name)}`;
      throw new TypeError(`Cannot read the stream ${this.id}: its messages go to ${where}`);
    }
    // The cast: the delivery makes what the output says.
    return buffer.read() as AsyncIterator<DataOf<O, "!userData@arr">, undefined>;
  }

  /**
   * The events as a web stream, read from the same buffer as `for await` does. Cancelling it does not stop the stream.
   *
   * @throws {TypeError} if the stream has an `onData` or a `streamBuffer`.
   */
  get readable(): ReadableStream<DataOf<O, "!userData@arr">> {
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

  #listener(): UserDataSourceListener {
    return {
      onEvent: (text) => {
        if (this.#endedBy === undefined) this.#delivery.deliver(text);
      },
      onConnect: (url) => this.#signal({ type: "CONNECT", streams: [], url }),
      onDisconnect: (url, close) =>
        this.#signal({ type: "DISCONNECT", streams: [], url, close, lastData: this.#delivery.lastData }),
      onConnectFailed: (url, error) => {
        this.#lastError = error;
        this.#signal({ type: "CONNECT_FAILED", url, streams: [], error });
      },
      onRollover: (url, reason) => {
        this.#rollovers++;
        this.#signal({ type: "ROLLOVER", url, reason });
      },
      onGap: (account, { from, to, reason }) => {
        this.#gaps++;
        this.#settings.link.logger.warn(`Stream ${this.id}: events of ${account} may have been missed: ${reason}`);
        this.#signal({ type: "USER_DATA_GAP", account, from, to, reason });
      },
      onRefused: (account, cause) => {
        const code = cause instanceof ApiError ? cause.apiCode : undefined;
        const error = new SubscriptionRejectedError(messageOf(cause), [account], code);
        this.#lastError = error;
        this.#ready.reject(error);
        this.#signal({ type: "SUBSCRIPTION_FAILED", error });
      },
      onCrash: (error) => void this.#crash(error),
    };
  }

  #crash(error: unknown, reason: string = messageOf(error)): Promise<void> {
    return this.#finish(new StreamCrashedError(this.id, reason, { cause: error }));
  }

  /** The one way out: ends the sources, then the readers, and tells about it once. */
  #finish(reason: StreamStoppedError | StreamCrashedError): Promise<void> {
    if (this.#end !== undefined) return this.#end;
    // Before anything is closed: what closes may call us again.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#end = promise;
    this.#closeAll(reason).then(resolve);
    return promise;
  }

  async #closeAll(reason: StreamStoppedError | StreamCrashedError): Promise<void> {
    const { link: { clock, logger }, sampler, namedBuffer, onEnd } = this.#settings;
    this.#endedBy = reason;
    this.#ready.reject(reason);
    // After a crash, what has come before it is still delivered.
    this.#delivery.end(reason instanceof StreamStoppedError);
    // A source may crash while it is made: then it is not in the list yet.
    await Promise.resolve();
    await Promise.all(this.#sources.map((source) => source.stop(reason)));
    this.#endedAt = clock.now();
    sampler.end(this.#meter);
    const hasCrashed = reason instanceof StreamCrashedError;
    if (hasCrashed) {
      this.#lastError = reason;
      logger.error(reason.message);
      this.#signal({ type: "STREAM_UNREPAIRABLE", error: reason });
    } else {
      logger.info(reason.message);
      this.#signal({ type: "STOP" });
    }
    if (namedBuffer === undefined) this.#delivery.buffer?.end(hasCrashed ? reason : undefined);
    onEnd();
  }
}
