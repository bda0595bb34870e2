/**
 * One supervised connection: opens it, subscribes, reconnects when it is lost, and ends it for good.
 *
 * @module
 */

import { type Clock, HandshakeRejectedError, type Logger } from "../base/mod.ts";
import { controlMessage, type ControlResponse, isCertainlyData, parseControlResponse } from "../exchange/mod.ts";
import type { CloseInfo, Connection, ConnectOptions, OpenConnection } from "../transport/portable.ts";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import { Pacer } from "./pacer.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Watchdog } from "./watchdog.ts";

/** What all links of a manager share. */
export interface LinkSettings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly open: OpenConnection;
  readonly connectOptions: ConnectOptions;
  readonly maxFramesPerSecond: number;
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
  /** An answer to a control message, after the subscriptions took it. */
  onResponse(response: ControlResponse): void;
  onConnect(link: Link): void;
  onDisconnect(link: Link, close: CloseInfo): void;
  /** The link has given up. */
  onCrash(link: Link, error: Error): void;
}

/** Where a link is in its life. */
export type LinkState = "starting" | "running" | "restarting" | "stopped" | "crashed";

/** A connection to one path of the exchange, kept up until it is stopped or can't be repaired. */
export class Link {
  readonly url: string;
  readonly subscriptions: Subscriptions;
  readonly #settings: LinkSettings;
  readonly #listener: LinkListener;
  readonly #pacer: Pacer;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  /** Resolves when the link has ended. */
  readonly ended: Promise<void>;
  #state: LinkState = "starting";
  #connection: Connection | undefined;
  /** Grows with everything that is received. */
  #activity = 0;
  #reconnects = 0;

  /** Creates the link and opens its connection. */
  constructor(url: string, settings: LinkSettings, listener: LinkListener) {
    this.url = url;
    this.#settings = settings;
    this.#listener = listener;
    const { clock, maxFramesPerSecond, ackTimeoutMs, nextId, logger } = settings;
    this.#pacer = new Pacer(clock, maxFramesPerSecond);
    this.#backoff = new Backoff(settings.backoff);
    this.subscriptions = new Subscriptions({
      clock,
      pacer: this.#pacer,
      ackTimeoutMs,
      nextId,
      send: (text) => this.#send(text),
      warn: (message) => logger.warn(`${url}: ${message}`),
    });
    this.ended = this.#run();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** How often the connection was opened again. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /** Ends the link at once: nothing is delivered any more. `reason` is what those who wait for a subscription get. */
  stop(reason: Error): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#state !== "crashed") this.#state = "stopped";
    this.#stopping.abort(reason);
    this.subscriptions.end(reason);
    this.#connection?.close();
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#settings;
    while (!this.#isStopping) {
      const startedAt = clock.monotonic();
      let lastedMs = 0;
      try {
        const close = await this.#connect();
        lastedMs = clock.monotonic() - startedAt;
        logger.info(`${this.url}: connection ended (${describeClose(close)})`);
      } catch (error) {
        if (this.#isStopping) break;
        if (isUnrepairable(error)) return this.#crash(error);
        logger.warn(error instanceof Error ? error.message : String(error));
      }
      if (this.#isStopping) break;
      this.#state = "restarting";
      await this.#wait(this.#backoff.next(lastedMs));
    }
  }

  // Read through a getter, because the compiler doesn't see that it changes while the loop waits.
  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Opens one connection and resolves when it has ended. */
  async #connect(): Promise<CloseInfo> {
    const { open, connectOptions } = this.#settings;
    const { subscriptions } = this;
    let watchdog: Watchdog | undefined;
    const received = () => void this.#activity++;
    const connection = await open(this.url, {
      onOpen: (connection) => {
        if (this.#isStopping) return connection.terminate();
        watchdog = this.#watch(connection);
        this.#opened(connection);
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
        this.#pacer.note();
      },
      onPong: received,
      onClose: (close) => {
        watchdog?.stop();
        if (this.#connection === undefined) return;
        this.#connection = undefined;
        subscriptions.disconnected();
        this.#listener.onDisconnect(this, close);
      },
    }, { ...connectOptions, signal: this.#stopping.signal });
    return await connection.closed;
  }

  #send(text: string): boolean {
    if (!this.#connection?.isOpen) return false;
    this.#connection.send(text);
    return true;
  }

  #opened(connection: Connection): void {
    this.#connection = connection;
    if (this.#state === "restarting") this.#reconnects++;
    this.#state = "running";
    this.#listener.onConnect(this);
    this.subscriptions.connected();
  }

  #receiveOther(text: string): void {
    const response = parseControlResponse(text);
    if (response === undefined) return this.#listener.onData(text);
    this.subscriptions.respond(response);
    this.#listener.onResponse(response);
  }

  #watch(connection: Connection): Watchdog | undefined {
    const { clock, logger, pingIntervalMs, pingTimeoutMs, nextId } = this.#settings;
    if (pingIntervalMs === 0) return undefined;
    return new Watchdog({
      clock,
      intervalMs: pingIntervalMs,
      timeoutMs: pingTimeoutMs,
      activity: () => this.#activity,
      probe: () => {
        if (!connection.isOpen || this.#pacer.delayMs > 0) return;
        this.#pacer.note();
        // Where the runtime has no pings, a question that every stream connection answers does the same.
        if (connection.canPing) connection.ping();
        else connection.send(controlMessage("LIST_SUBSCRIPTIONS", undefined, nextId()));
      },
      onDead: () => {
        logger.warn(`${this.url}: nothing received for ${pingIntervalMs + pingTimeoutMs} ms, giving the connection up`);
        connection.terminate();
      },
    });
  }

  #crash(error: Error): void {
    this.#state = "crashed";
    this.#listener.onCrash(this, error);
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

/** Rate limited or banned: another attempt makes it worse (Binance rest-api.md, "IP Limits"). */
function isUnrepairable(error: unknown): error is HandshakeRejectedError {
  return error instanceof HandshakeRejectedError && (error.status === 429 || error.status === 418);
}

function describeClose({ code, reason, error }: CloseInfo): string {
  return [`code ${code}`, reason, error?.message].filter((part) => part).join(", ");
}
