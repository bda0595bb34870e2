/**
 * One connection of a link, from the attempt to open it to its end, with everything that belongs to it alone.
 *
 * @module
 */

import type { SubscriptionRejectedError, SubscriptionTimeoutError } from "../base/mod.ts";
import { controlMessage, type ControlResponse, isCertainlyData, parseControlResponse } from "../exchange/mod.ts";
import type { CloseInfo, Connection } from "../transport/portable.ts";
import type { DesiredStreams } from "./desired_streams.ts";
import type { LinkSettings } from "./link_settings.ts";
import { framePacer, type Pacer } from "./pacer.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Watchdog } from "./watchdog.ts";

/** What a session tells its link. */
export interface SessionListener {
  /** The connection is open, and subscribes. */
  onOpen(session: Session): void;
  /** A data message. Must not throw. */
  onData(session: Session, text: string): void;
  /** An answer to a control message, before it has taken effect. Must not throw. */
  onControlResponse(text: string, response: ControlResponse): void;
  /** The exchange refused streams, or did not answer for them. */
  onSubscriptionFailed(error: SubscriptionRejectedError | SubscriptionTimeoutError): void;
}

/** One connection with its pacer, its watchdog and its subscriptions. */
export class Session {
  readonly subscriptions: Subscriptions;
  readonly #url: string;
  readonly #settings: LinkSettings;
  readonly #listener: SessionListener;
  readonly #pacer: Pacer;
  #connection: Connection | undefined;
  #watchdog: Watchdog | undefined;
  #ended: Promise<CloseInfo> | undefined;
  #openedAt = 0;
  /** Id of the last question for a sign of life. */
  #probeId: number | undefined;
  /** Grows with everything that is received. */
  #activity = 0;
  /** Nothing is told any more. */
  #isSilenced = false;
  /** Whether nothing should be read, where the library can do that. */
  #isPaused = false;

  /** @param isLeading Whether it is the link's only session, and not one that will replace another. */
  constructor(
    url: string,
    settings: LinkSettings,
    desired: DesiredStreams,
    isLeading: boolean,
    listener: SessionListener,
  ) {
    this.#url = url;
    this.#settings = settings;
    this.#listener = listener;
    const { clock, maxStreams, maxFramesPerSecond, ackTimeoutMs, nextId, logger } = settings;
    this.#pacer = framePacer(clock, maxFramesPerSecond);
    this.subscriptions = new Subscriptions(desired, isLeading, {
      clock,
      maxStreams,
      ackTimeoutMs,
      nextId,
      isPaused: () => this.#connection?.isPaused ?? false,
      send: (text) => this.#send(text),
      warn: (message) => logger.warn(`${url}: ${message}`),
      onFailed: (error) => listener.onSubscriptionFailed(error),
    });
  }

  /** Whether the connection is open. */
  get isOpen(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  /** How long in ms the connection has been open. */
  get ageMs(): number {
    return this.#connection === undefined ? 0 : this.#settings.clock.monotonic() - this.#openedAt;
  }

  /** Round trip in ms of the last ping, where the library has pings. */
  get latencyMs(): number | undefined {
    return this.#connection?.latencyMs;
  }

  /** Opens the connection; resolves with how it ended. Rejects if it could not be opened. To be called once. */
  run(signal: AbortSignal): Promise<CloseInfo> {
    return this.#ended ??= this.#run(signal);
  }

  /** What `run()` has returned. */
  get ended(): Promise<CloseInfo> {
    if (this.#ended === undefined) throw new TypeError("The session was not started");
    return this.#ended;
  }

  async #run(signal: AbortSignal): Promise<CloseInfo> {
    const { open, connectOptions, clock } = this.#settings;
    const received = () => void this.#activity++;
    const { promise: closed, resolve } = Promise.withResolvers<CloseInfo>();
    await open(this.#url, {
      onOpen: (connection) => {
        if (signal.aborted) return connection.terminate();
        this.#connection = connection;
        this.#openedAt = clock.monotonic();
        this.#watchdog = this.#watch(connection);
        this.#listener.onOpen(this);
        this.subscriptions.connected(this.#pacer);
        if (this.#isPaused) this.setPaused(true);
      },
      // The way of every message.
      onText: (text) => {
        this.#activity++;
        if (this.#isSilenced) return;
        if (isCertainlyData(text)) this.#listener.onData(this, text);
        else this.#receiveOther(text);
      },
      onBinary: received,
      onPing: () => {
        received();
        this.#pacer.note();
      },
      onPong: received,
      onClose: (close) => {
        this.#watchdog?.stop();
        this.subscriptions.end();
        resolve(close);
      },
    }, { ...connectOptions, signal });
    // What the listener is told: whoever stands between may have hidden something in it.
    return await closed;
  }

  /** Stops reading, or goes on, where the library can do that. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    const connection = this.#connection;
    if (!connection?.isOpen || !connection.canPause || connection.isPaused === isPaused) return;
    if (isPaused) connection.pause();
    else connection.resume();
  }

  /** Closes the connection; nothing is told any more. */
  close(): void {
    this.#isSilenced = true;
    this.subscriptions.retire();
    this.#connection?.close();
  }

  /** Gives the connection up without a word to the peer, which may be long gone. */
  terminate(): void {
    this.#connection?.terminate();
  }

  #send(text: string): boolean {
    if (!this.#connection?.isOpen) return false;
    this.#connection.send(text);
    return true;
  }

  #receiveOther(text: string): void {
    const response = parseControlResponse(text);
    if (response === undefined) return this.#listener.onData(this, text);
    // The answer to our own question for a sign of life has done its work by coming.
    if (response.id !== undefined && response.id === this.#probeId) return;
    this.#settings.logger.debug(`${this.#url}: ${text}`);
    this.#listener.onControlResponse(text, response);
    this.subscriptions.respond(response);
  }

  #watch(connection: Connection): Watchdog | undefined {
    const { clock, logger, pingIntervalMs, pingTimeoutMs, nextId } = this.#settings;
    if (pingIntervalMs === 0) return undefined;
    return new Watchdog({
      clock,
      intervalMs: pingIntervalMs,
      timeoutMs: pingTimeoutMs,
      // Who does not read can't tell whether the peer is alive.
      activity: () => connection.isPaused ? ++this.#activity : this.#activity,
      probe: () => {
        const { delayMs } = this.#pacer;
        if (!connection.isOpen || delayMs > 0) return delayMs;
        this.#pacer.note();
        // Where the runtime has no pings, a question that every stream connection answers does the same.
        if (connection.canPing) connection.ping();
        else connection.send(controlMessage("LIST_SUBSCRIPTIONS", undefined, this.#probeId = nextId()));
        return 0;
      },
      onDead: (why) => {
        logger.warn(`${this.#url}: ${why}, giving the connection up`);
        connection.terminate();
      },
    });
  }
}
