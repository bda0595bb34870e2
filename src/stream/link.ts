/**
 * One supervised connection: opens it, subscribes, reconnects when it is lost, and ends it for good.
 *
 * @module
 */

import {
  type Clock,
  ConnectionFailedError,
  type Logger,
  messageOf,
  ProxyConnectionError,
  type SubscriptionRejectedError,
  type SubscriptionTimeoutError,
} from "../base/mod.ts";
import { controlMessage, isCertainlyData, parseControlResponse } from "../exchange/mod.ts";
import {
  type CloseInfo,
  type Connection,
  type ConnectOptions,
  describeClose,
  type OpenConnection,
} from "../transport/portable.ts";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import { framePacer, type Pacer } from "./pacer.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Watchdog } from "./watchdog.ts";

/** What all links of a manager share. */
export interface LinkSettings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly open: OpenConnection;
  readonly connectOptions: ConnectOptions;
  readonly maxFramesPerSecond: number;
  readonly maxStreams: number;
  /** Paces the attempts to connect of all links. */
  readonly connectPacer: Pacer;
  readonly ackTimeoutMs: number;
  /** 0 switches the watchdog off. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  readonly backoff: BackoffOptions;
  /** Numbers the control messages. */
  readonly nextId: () => number;
}

/** What a link tells its stream. */
export interface LinkListener {
  /** A data message. Must not throw. */
  onData(text: string): void;
  /** A connection is open. */
  onConnect(url: string): void;
  /** A connection that was open has ended. */
  onDisconnect(url: string, close: CloseInfo): void;
  /** A connection could not be opened; it is tried again. */
  onConnectFailed(url: string, error: unknown): void;
  /** The exchange refused streams, or did not answer for them. */
  onSubscriptionFailed(error: SubscriptionRejectedError | SubscriptionTimeoutError): void;
  /** The link has given up. */
  onCrash(error: unknown): void;
}

/** Where a link is: `"restarting"` while a connection that was lost, or could not be opened, is opened again. */
export type LinkState = "starting" | "running" | "restarting";

/** A connection to one path of the exchange, kept up until it is stopped or can't be repaired. */
export class Link {
  readonly url: string;
  readonly subscriptions: Subscriptions;
  readonly #settings: LinkSettings;
  readonly #listener: LinkListener;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  /** Resolves when the link has ended. */
  readonly ended: Promise<void>;
  #state: LinkState = "starting";
  #connection: Connection | undefined;
  /** Grows with everything that is received. */
  #activity = 0;
  #opens = 0;

  /** Creates the link and opens its connection. */
  constructor(url: string, settings: LinkSettings, listener: LinkListener) {
    this.url = url;
    this.#settings = settings;
    this.#listener = listener;
    const { clock, maxStreams, ackTimeoutMs, nextId, logger } = settings;
    this.#backoff = new Backoff(settings.backoff);
    this.subscriptions = new Subscriptions({
      clock,
      maxStreams,
      ackTimeoutMs,
      nextId,
      send: (text) => this.#send(text),
      warn: (message) => logger.warn(`${url}: ${message}`),
      onFailed: (error) => listener.onSubscriptionFailed(error),
    });
    this.ended = this.#run();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** How often the connection was opened again. */
  get reconnects(): number {
    return Math.max(0, this.#opens - 1);
  }

  /** Ends the link at once: nothing is delivered any more. `reason` is what those who wait for a subscription get. */
  stop(reason: Error): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort(reason);
    this.subscriptions.end(reason);
    this.#connection?.close();
  }

  async #run(): Promise<void> {
    const { clock, logger, connectPacer } = this.#settings;
    while (!this.#isStopping) {
      const delayMs = connectPacer.delayMs;
      if (delayMs > 0) {
        logger.warn(`${this.url}: too many attempts to connect, the next one is in ${Math.ceil(delayMs / 1_000)} s`);
        await this.#wait(delayMs);
        continue;
      }
      connectPacer.note();
      const startedAt = clock.monotonic();
      let lastedMs = 0;
      try {
        const close = await this.#connect();
        lastedMs = clock.monotonic() - startedAt;
        logger.info(`${this.url}: connection ended (${describeClose(close)})`);
      } catch (error) {
        if (this.#isStopping) return;
        if (!isRepairable(error)) return this.#listener.onCrash(error);
        logger.warn(messageOf(error));
        this.#listener.onConnectFailed(this.url, error);
      }
      this.#state = "restarting";
      // The exchange has closed the connection for a stream that it refuses: that is our doing, not a failure of its.
      if (lastedMs > 0 && this.subscriptions.isSearching) continue;
      await this.#wait(this.#backoff.next(lastedMs));
    }
  }

  // Read through a getter, because the compiler doesn't see that it changes while the loop waits.
  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Opens one connection and resolves when it has ended. */
  async #connect(): Promise<CloseInfo> {
    const { open, connectOptions, clock, maxFramesPerSecond } = this.#settings;
    const { subscriptions } = this;
    const pacer = framePacer(clock, maxFramesPerSecond);
    let watchdog: Watchdog | undefined;
    const received = () => void this.#activity++;
    const connection = await open(this.url, {
      onOpen: (connection) => {
        if (this.#isStopping) return connection.terminate();
        watchdog = this.#watch(connection, pacer);
        this.#opened(connection, pacer);
      },
      // The way of every message. Once stopped, nothing is delivered any more.
      onText: (text) => {
        this.#activity++;
        if (this.#isStopping) return;
        if (isCertainlyData(text)) this.#listener.onData(text);
        else this.#receiveOther(text);
      },
      onBinary: received,
      onPing: () => {
        received();
        pacer.note();
      },
      onPong: received,
      onClose: (close) => {
        watchdog?.stop();
        if (this.#connection === undefined) return;
        this.#connection = undefined;
        subscriptions.disconnected();
        this.#listener.onDisconnect(this.url, close);
      },
    }, { ...connectOptions, signal: this.#stopping.signal });
    return await connection.closed;
  }

  #send(text: string): boolean {
    if (!this.#connection?.isOpen) return false;
    this.#connection.send(text);
    return true;
  }

  #opened(connection: Connection, pacer: Pacer): void {
    this.#connection = connection;
    this.#opens++;
    this.#state = "running";
    this.#listener.onConnect(this.url);
    this.subscriptions.connected(pacer);
  }

  #receiveOther(text: string): void {
    const response = parseControlResponse(text);
    if (response === undefined) return this.#listener.onData(text);
    this.#settings.logger.debug(`${this.url}: ${text}`);
    this.subscriptions.respond(response);
  }

  #watch(connection: Connection, pacer: Pacer): Watchdog | undefined {
    const { clock, logger, pingIntervalMs, pingTimeoutMs, nextId } = this.#settings;
    if (pingIntervalMs === 0) return undefined;
    return new Watchdog({
      clock,
      intervalMs: pingIntervalMs,
      timeoutMs: pingTimeoutMs,
      activity: () => this.#activity,
      probe: () => {
        const { delayMs } = pacer;
        if (!connection.isOpen || delayMs > 0) return delayMs;
        pacer.note();
        // Where the runtime has no pings, a question that every stream connection answers does the same.
        if (connection.canPing) connection.ping();
        else connection.send(controlMessage("LIST_SUBSCRIPTIONS", undefined, nextId()));
        return 0;
      },
      onDead: () => {
        logger.warn(`${this.url}: nothing received for ${pingIntervalMs + pingTimeoutMs} ms, giving the connection up`);
        connection.terminate();
      },
    });
  }

  #wait(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    const { signal } = this.#stopping;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = () => resolve();
    const timer = this.#settings.clock.setTimer(stop, ms);
    signal.addEventListener("abort", stop);
    return promise.finally(() => {
      timer.cancel();
      signal.removeEventListener("abort", stop);
    });
  }
}

/**
 * Whether another attempt can help. Not when the exchange limits or bans us, which makes it worse (Binance rest-api.md,
 * "IP Limits"), nor when what we ask for can't be done, such as an option that this runtime's WebSocket doesn't have.
 */
function isRepairable(error: unknown): boolean {
  // A status is the proxy's own then, not the exchange's.
  if (error instanceof ProxyConnectionError) return true;
  return error instanceof ConnectionFailedError && error.status !== 429 && error.status !== 418;
}
