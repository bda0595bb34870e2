/**
 * The one stream behind a tap: it carries what the feeds need, as long as one of them needs it.
 *
 * @module
 */

import { messageOf } from "../base/mod.ts";
import type { BinanceStream, Signal, StreamSelection } from "../stream/mod.ts";

/** What a tap needs of a stream that it creates. */
export interface UpstreamListener {
  /** Takes a message and the name of its stream. */
  onMessage(stream: string, text: string): void;
  onSignal(signal: Signal): void;
  /** The exchange does not deliver streams that were asked for. */
  onFailure(streams: readonly string[], reason: string): void;
}

/** Creates a stream at the manager, with output `"raw"`. */
export type OpenStream = (
  selection: StreamSelection,
  onData: (text: string) => void,
  onSignal: (signal: Signal) => void,
) => BinanceStream<"raw">;

const HEAD = '{"stream":"';

/** Counts who needs what, and subscribes accordingly. */
export class Upstream {
  readonly #open: OpenStream;
  readonly #listener: UpstreamListener;
  readonly #users = new Map<string, number>();
  #stream: BinanceStream<"raw"> | undefined;

  constructor(open: OpenStream, listener: UpstreamListener) {
    this.#open = open;
    this.#listener = listener;
  }

  /** The streams that somebody needs. */
  get streams(): string[] {
    return [...this.#users.keys()];
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
    await stream?.stop();
  }

  #start(): void {
    const stream = this.#open({ streams: this.streams }, (text) => {
      const end = text.indexOf('"', HEAD.length);
      if (end > 0 && text.startsWith(HEAD)) this.#listener.onMessage(text.slice(HEAD.length, end), text);
    }, (signal) => {
      // What an older one tells while it stops is of no interest.
      if (this.#stream === undefined || this.#stream.id !== signal.streamId) return;
      if (signal.type === "STREAM_UNREPAIRABLE") this.#stream = undefined;
      this.#listener.onSignal(signal);
    });
    this.#stream = stream;
  }

  #change(stream: BinanceStream<"raw">, streams: string[], change: "subscribe" | "unsubscribe"): void {
    stream[change]({ streams }).catch((error: unknown) => {
      if (this.#stream === stream && change === "subscribe") this.#listener.onFailure(streams, messageOf(error));
    });
  }

  /** Counts down; gives the streams that nobody needs any more. */
  #forget(streams: Iterable<string>): string[] {
    const removed: string[] = [];
    for (const stream of streams) {
      const users = (this.#users.get(stream) ?? 0) - 1;
      if (users > 0) this.#users.set(stream, users);
      else if (this.#users.delete(stream)) removed.push(stream);
    }
    return removed;
  }
}
