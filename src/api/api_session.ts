/**
 * One connection of an API stream, from the attempt to open it to its end.
 *
 * @module
 */

import { ConnectionClosedError } from "../base/mod.ts";
import { type LinkSettings, Watchdog } from "../stream/mod.ts";
import type { CloseInfo, Connection } from "../transport/portable.ts";
import { LogonState } from "./logon_state.ts";
import { NamelessAnswers } from "./nameless_answers.ts";

/** What a session tells its link. Nothing may throw. */
export interface ApiSessionListener {
  onOpen(session: ApiSession): void;
  onText(session: ApiSession, text: string): void;
  /** A connection that was open has ended. */
  onClose(session: ApiSession, close: CloseInfo): void;
  /** Asks the exchange for a sign of life where the library has no pings; returns in how many ms that can be done, else 0. */
  probe(session: ApiSession): number;
}

/** One connection with its watchdog. */
export class ApiSession {
  readonly #url: string;
  readonly #settings: LinkSettings;
  readonly #listener: ApiSessionListener;
  #connection: Connection | undefined;
  #watchdog: Watchdog | undefined;
  #ended: Promise<CloseInfo> | undefined;
  #openedAt = 0;
  #lastReceivedAt = 0;
  /** Grows with everything that is received. */
  #activity = 0;
  /** Answers without an id that say that the connection is not logged on any more. */
  readonly nameless: NamelessAnswers = new NamelessAnswers();
  /** Who the connection is logged on as. */
  readonly logon: LogonState = new LogonState();

  constructor(url: string, settings: LinkSettings, listener: ApiSessionListener) {
    this.#url = url;
    this.#settings = settings;
    this.#listener = listener;
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

  /** When the last message came, or else the connection was opened, in ms since 1970. */
  get lastReceivedAt(): number {
    return this.#lastReceivedAt;
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

  /** Sends a frame; false if the connection is not open any more, and then nothing of it was sent. */
  send(text: string): boolean {
    const connection = this.#connection;
    if (connection === undefined || !connection.isOpen) return false;
    try {
      connection.send(text);
      return true;
    } catch (error) {
      if (error instanceof ConnectionClosedError) return false;
      throw error;
    }
  }

  /** Starts the closing handshake. */
  close(): void {
    this.#connection?.close();
  }

  /** Gives the connection up without a word to the peer. */
  terminate(): void {
    this.#connection?.terminate();
  }

  async #run(signal: AbortSignal): Promise<CloseInfo> {
    const { open, connectOptions, clock } = this.#settings;
    const received = () => void this.#activity++;
    const connection = await open(this.#url, {
      onOpen: (connection) => {
        if (signal.aborted) return connection.terminate();
        this.#connection = connection;
        this.#openedAt = clock.monotonic();
        this.#lastReceivedAt = clock.now();
        this.#watchdog = this.#watch(connection);
        this.#listener.onOpen(this);
      },
      onText: (text) => {
        this.#activity++;
        this.#lastReceivedAt = clock.now();
        this.#listener.onText(this, text);
      },
      onBinary: received,
      onPing: received,
      onPong: received,
      onClose: (close) => {
        this.#watchdog?.stop();
        if (this.#connection !== undefined) this.#listener.onClose(this, close);
      },
    }, { ...connectOptions, signal });
    return await connection.closed;
  }

  #watch(connection: Connection): Watchdog | undefined {
    const { clock, logger, pingIntervalMs, pingTimeoutMs } = this.#settings;
    if (pingIntervalMs === 0) return undefined;
    return new Watchdog({
      clock,
      intervalMs: pingIntervalMs,
      timeoutMs: pingTimeoutMs,
      activity: () => this.#activity,
      probe: () => {
        if (!connection.isOpen) return 0;
        if (!connection.canPing) return this.#listener.probe(this);
        connection.ping();
        return 0;
      },
      onDead: (why) => {
        logger.warn(`${this.#url}: ${why}, giving the connection up`);
        connection.terminate();
      },
    });
  }
}
