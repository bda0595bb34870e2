/**
 * A stream of account events: what `createStream({ userData: … })` returns.
 *
 * @module
 */

import { ApiError, type Logger, messageOf, SubscriptionRejectedError } from "../base/mod.ts";
import {
  type DataOf,
  type LinkStatistics,
  type Output,
  type StreamInfo,
  StreamLife,
  type StreamState,
  type StreamStatistics,
} from "../stream/mod.ts";
import { accountsOf } from "./accounts.ts";
import { ApiSource } from "./api_source.ts";
import { userDataFlowOf } from "./flow.ts";
import { ListenKeySource } from "./listen_key_source.ts";
import type { UserDataSettings } from "./settings.ts";
import type { UserDataAccount, UserDataSource, UserDataSourceListener } from "./source.ts";

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

  readonly #logger: Logger;
  readonly #life: StreamLife;
  readonly #sources: UserDataSource[] = [];
  readonly #ready = Promise.withResolvers<void>();
  #gaps = 0;
  #rollovers = 0;

  /** Streams are made by `manager.createStream()`. */
  constructor(settings: UserDataSettings<O>) {
    const { exchange, userData, signer, onData, link: { logger } } = settings;
    const flow = userDataFlowOf(exchange);
    const accounts = accountsOf(exchange, flow, userData, signer);
    this.#logger = logger;
    this.id = settings.id;
    this.label = settings.label;
    this.ready = this.#ready.promise;
    this.ready.catch(() => {});
    // The cast: the delivery makes what the output says, which the compiler can't follow.
    const callback = onData && ((data: unknown) => onData(data as DataOf<O, "!userData@arr">, this));
    this.#life = new StreamLife(settings, callback, {
      setPaused: (isPaused) => {
        for (const source of this.#sources) source.setPaused(isPaused);
      },
      stop: (reason) => this.#stopSources(reason),
    });
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
    if (this.#life.ended !== undefined) return this.#life.ended;
    const states = this.accounts.map(({ state }) => state);
    return (["restarting", "starting"] as const).find((state) => states.includes(state)) ?? "running";
  }

  /** What went wrong last; `undefined` if nothing did. */
  get lastError(): unknown {
    return this.#life.lastError;
  }

  /** The accounts whose events are wanted, and how they are. */
  get accounts(): readonly UserDataAccount[] {
    return this.#sources.flatMap(({ accounts }) => accounts);
  }

  /** The names of the accounts, under which their events are delivered. */
  get subscriptions(): string[] {
    return this.accounts.map(({ name }) => name);
  }

  /** Why the stream has `"crashed"`, or has no connection, in a few words; `undefined` if all is well. */
  get stateReason(): string | undefined {
    if (this.#life.ended === "crashed") return this.#life.endedBy?.message;
    return this.#sources.map(({ stateReason }) => stateReason).find((reason) => reason !== undefined);
  }

  /** Counters since the stream was created. `gaps` are those of USER_DATA_GAP; what was missed in them is not known. */
  get statistics(): StreamStatistics {
    const { ended } = this.#life;
    const links = this.#sources.map(({ linkStatistics }): LinkStatistics =>
      ended === undefined ? linkStatistics : { ...linkStatistics, state: ended, ageMs: 0 }
    );
    return this.#life.statistics(links, {
      reconnectTimes: this.#sources.flatMap((source) => source.reconnectTimes).sort((a, b) => a - b),
      rollovers: this.#rollovers,
      gaps: this.#gaps,
      // Account events have no numbers that would tell.
      missedMessages: 0,
      subscriptions: this.accounts.length,
      freeSubscriptionSlots: 0,
    });
  }

  /** Everything that the stream tells about itself, as a copy that changes no more. */
  get info(): StreamInfo {
    return this.#life.info(this);
  }

  /** Stops the stream: nothing is delivered from now on. Resolves when its own connections are closed. Can be repeated. */
  stop(): Promise<void> {
    return this.#life.stop();
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
    // The cast: the delivery makes what the output says.
    return this.#life.read() as AsyncIterator<DataOf<O, "!userData@arr">, undefined>;
  }

  /**
   * The events as a web stream, read from the same buffer as `for await` does. Cancelling it does not stop the stream.
   *
   * @throws {TypeError} if the stream has an `onData` or a `streamBuffer`.
   */
  get readable(): ReadableStream<DataOf<O, "!userData@arr">> {
    // The cast: the delivery makes what the output says.
    return this.#life.readable as ReadableStream<DataOf<O, "!userData@arr">>;
  }

  #listener(): UserDataSourceListener {
    const { delivery } = this.#life;
    return {
      onEvent: (text) => {
        if (this.#life.endedBy === undefined) delivery.deliver(text);
      },
      onConnect: (url) => this.#life.signal({ type: "CONNECT", streams: [], url }),
      onDisconnect: (url, close) =>
        this.#life.signal({ type: "DISCONNECT", streams: [], url, close, lastData: delivery.lastData }),
      onConnectFailed: (url, error) => this.#life.failed(error, { type: "CONNECT_FAILED", url, streams: [], error }),
      onRollover: (url, reason) => {
        this.#rollovers++;
        this.#life.signal({ type: "ROLLOVER", url, reason });
      },
      onGap: (account, { from, to, reason }) => {
        this.#gaps++;
        this.#logger.warn(`Stream ${this.id}: events of ${account} may have been missed: ${reason}`);
        this.#life.signal({ type: "USER_DATA_GAP", account, from, to, reason });
      },
      onRefused: (account, cause) => {
        const code = cause instanceof ApiError ? cause.apiCode : undefined;
        const error = new SubscriptionRejectedError(messageOf(cause), [account], code);
        this.#ready.reject(error);
        this.#life.failed(error, { type: "SUBSCRIPTION_FAILED", error });
      },
      onCrash: (error) => void this.#life.crash(error),
    };
  }

  async #stopSources(reason: Error): Promise<void> {
    this.#ready.reject(reason);
    // A source may crash while it is made: then it is not in the list yet.
    await Promise.resolve();
    await Promise.all(this.#sources.map((source) => source.stop(reason)));
  }
}
