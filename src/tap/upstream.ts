/**
 * The one stream behind a tap: it carries what the feeds need, as long as one of them needs it.
 *
 * @module
 */

import { type Clock, HandshakeRejectedError, type Timer } from "../base/mod.ts";
import type { BinanceStream, Signal, StreamSelection } from "../stream/mod.ts";

/** What a tap needs of a stream that it creates. */
export interface UpstreamListener {
  /** Takes a message and the name of its stream. */
  onMessage(stream: string, text: string): void;
  onSignal(signal: Signal): void;
  /** The first connection of these streams can't be opened. */
  onLost(streams: readonly string[]): void;
  /** The stream was stopped from outside, or can't be opened again: nothing more comes of it. */
  onEnd(): void;
}

/** Creates a stream at the manager, with output `"raw"`. */
export type OpenStream = (
  selection: StreamSelection,
  onData: (text: string) => void,
  onSignal: (signal: Signal) => void,
) => BinanceStream<"raw">;

/**
 * How long in ms a stream that has crashed is left alone, at first and at last; doubled each time. What ends a stream is
 * worse than what it tries again by itself, and asking a ban again prolongs it.
 */
const CRASH_PAUSE_MS = { first: 5_000, last: 300_000 };

const HEAD = '{"stream":"';

/** Counts who needs what, and subscribes accordingly. */
export class Upstream {
  readonly #clock: Clock;
  readonly #open: OpenStream;
  readonly #listener: UpstreamListener;
  readonly #users = new Map<string, number>();
  /** Streams that the exchange did not deliver when it was asked. */
  readonly #failed = new Set<string>();
  #stream: BinanceStream<"raw"> | undefined;
  /** Opens the stream again after a crash. */
  #reopening: Timer | undefined;
  readonly #lost = new Set<string>();
  readonly #connected = new Set<string>();
  /** Until when opening it has to wait. */
  #pausedUntil = -Infinity;
  #pauseMs = CRASH_PAUSE_MS.first;

  constructor(clock: Clock, open: OpenStream, listener: UpstreamListener) {
    this.#clock = clock;
    this.#open = open;
    this.#listener = listener;
  }

  /** The streams that somebody needs. */
  get streams(): string[] {
    return [...this.#users.keys()];
  }

  /** The streams whose connection is lost. */
  get lost(): ReadonlySet<string> {
    return this.#lost;
  }

  /** The streams whose connection was opened, and is not lost. */
  get connected(): ReadonlySet<string> {
    return this.#connected;
  }

  /**
   * Needs streams once more.
   *
   * @throws What the manager throws if it can't create the stream.
   */
  acquire(streams: Iterable<string>): void {
    const added: string[] = [];
    for (const stream of streams) {
      const users = this.#users.get(stream) ?? 0;
      this.#users.set(stream, users + 1);
      if (users === 0) added.push(stream);
    }
    if (added.length === 0) return;
    if (this.#stream !== undefined) return this.#change(this.#stream, added, "subscribe");
    try {
      this.#start();
    } catch (error) {
      this.#forget(streams);
      throw error;
    }
    // After a crash, they are lost until the stream is back.
    if (this.#reopening !== undefined) { for (const stream of added) this.#lost.add(stream); }
  }

  /** Asks once more for those of some streams that the exchange did not deliver. */
  retry(streams: Iterable<string>): void {
    if (this.#failed.size === 0 || this.#stream === undefined) return;
    const failed = [...streams].filter((stream) => this.#failed.delete(stream));
    if (failed.length > 0) this.#change(this.#stream, failed, "subscribe");
  }

  /** Needs streams once less. */
  release(streams: Iterable<string>): void {
    const removed = this.#forget(streams);
    if (this.#users.size === 0) void this.stop();
    else if (removed.length > 0 && this.#stream !== undefined) this.#change(this.#stream, removed, "unsubscribe");
  }

  /** Stops the stream. It is opened anew when something is needed again. */
  async stop(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    this.#users.clear();
    this.#lost.clear();
    this.#connected.clear();
    this.#reopening?.cancel();
    this.#reopening = undefined;
    await stream?.stop();
  }

  /** Opens the stream; after a crash not before the pause is over. */
  #start(): void {
    const waitMs = this.#pausedUntil - this.#clock.monotonic();
    if (waitMs > 0) this.#reopening ??= this.#clock.setTimer(() => this.#reopen(), waitMs);
    else this.#openNow();
  }

  #reopen(): void {
    this.#reopening = undefined;
    try {
      this.#start();
    } catch {
      this.#listener.onEnd();
    }
  }

  #openNow(): void {
    this.#failed.clear();
    const stream = this.#open({ streams: this.streams }, (text) => {
      const end = text.indexOf('"', HEAD.length);
      if (end > 0 && text.startsWith(HEAD)) this.#listener.onMessage(text.slice(HEAD.length, end), text);
    }, (signal) => {
      // What an older one tells while it stops is of no interest.
      if (this.#stream === undefined || this.#stream.id !== signal.streamId) return;
      this.#listener.onSignal(signal);
      this.#follow(signal);
    });
    this.#stream = stream;
  }

  #follow(signal: Signal): void {
    switch (signal.type) {
      case "CONNECT":
        this.#pauseMs = CRASH_PAUSE_MS.first;
        for (const found of signal.streams) {
          this.#lost.delete(found);
          this.#connected.add(found);
        }
        break;
      case "DISCONNECT":
        this.#lose(signal.streams);
        break;
      case "CONNECT_FAILED": {
        const streams = signal.streams.filter((stream) => !this.#lost.has(stream));
        this.#lose(streams);
        if (streams.length > 0) this.#listener.onLost(streams);
        break;
      }
      case "SUBSCRIPTION_FAILED":
        for (const failed of signal.error.streams) this.#failed.add(failed);
        break;
      case "STREAM_UNREPAIRABLE":
        this.#stream = undefined;
        this.#lose(this.#users.keys());
        this.#pause(signal.error);
        this.#start();
        break;
      case "STOP":
        this.#stream = undefined;
        this.#listener.onEnd();
    }
  }

  #lose(streams: Iterable<string>): void {
    for (const stream of streams) {
      this.#lost.add(stream);
      this.#connected.delete(stream);
    }
  }

  #pause({ cause }: Error): void {
    const retryAfterMs = cause instanceof HandshakeRejectedError ? cause.retryAfterMs ?? 0 : 0;
    this.#pausedUntil = this.#clock.monotonic() + Math.max(this.#pauseMs, retryAfterMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, CRASH_PAUSE_MS.last);
  }

  #change(stream: BinanceStream<"raw">, streams: string[], change: "subscribe" | "unsubscribe"): void {
    // What goes wrong comes as a signal.
    stream[change]({ streams }).catch(() => {});
  }

  /** Counts down; gives the streams that nobody needs any more. */
  #forget(streams: Iterable<string>): string[] {
    const removed: string[] = [];
    for (const stream of streams) {
      const users = (this.#users.get(stream) ?? 0) - 1;
      if (users > 0) this.#users.set(stream, users);
      else if (this.#users.delete(stream)) {
        this.#failed.delete(stream);
        this.#lost.delete(stream);
        this.#connected.delete(stream);
        removed.push(stream);
      }
    }
    return removed;
  }
}
