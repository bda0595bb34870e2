/**
 * What clients that ask for the same have in common: its last events, and who waits for the next.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";
import { isQuote } from "../exchange/mod.ts";
import type { FeedEvent, Numbering, Quote } from "./feed_event.ts";
import { FeedLog } from "./feed_log.ts";
import type { Flusher } from "./flusher.ts";
import type { Format } from "./format.ts";

/** Most characters that a client takes at once: what is in flight for it, beside the buffers of its socket. */
const MAX_BATCH = 64 * 1024;

/** What feeds need of their tap. */
export interface FeedSettings {
  readonly clock: Clock;
  readonly numbering: Numbering;
  readonly flusher: Flusher;
  /** How much of its past a feed keeps. */
  readonly maxBytes: number;
}

/** Events of a feed, written for those who are at the same position. */
export interface Batch<T> {
  readonly data: T;
  /** How many events they are. */
  readonly count: number;
  /** Position after them. */
  readonly end: number;
}

/** The newest message of a stream. */
export interface Newest {
  /** Where it stands in the feed, or stood. */
  readonly position: number;
  /** Without a number if the log has it no more. */
  readonly event: FeedEvent | Quote;
}

/** Somebody who waits for events. */
export interface Waiting {
  /** There are some. */
  proceed(): void;
}

/** One choice of streams. */
export class Feed {
  readonly streams: ReadonlySet<string>;
  readonly log: FeedLog;
  readonly #settings: FeedSettings;
  readonly #conflateMs: number;
  /** The newest message of each quote that was not handed on yet. */
  readonly #conflated = new Map<string, string>();
  #conflateTimer: Timer | undefined;
  #conflatedAt = -Infinity;
  /** The streams of quotes. */
  readonly #quoteStreams: ReadonlySet<string>;
  /** The newest message of each of them, for clients that begin, or are so slow that the log has it no more. */
  readonly #quotes = new Map<string, Newest>();
  #waiting = new Set<Waiting>();
  #flushed = 0;
  #newest: readonly Newest[] | undefined;
  readonly #batches = new Map<unknown, { readonly from: number; readonly batch: Batch<unknown> }>();

  /** @param conflateMs Shortest time in ms between two messages of a quote; 0 for all messages. */
  constructor(streams: ReadonlySet<string>, conflateMs: number, settings: FeedSettings) {
    this.streams = streams;
    this.#settings = settings;
    this.#conflateMs = conflateMs;
    this.#quoteStreams = new Set([...streams].filter(isQuote));
    // A number of its own for the beginning: whoever comes back with one of before has missed what was not collected.
    this.log = new FeedLog(settings.maxBytes, settings.numbering.next());
  }

  /** Takes a message of one of its streams. */
  push(stream: string, event: FeedEvent): void {
    if (!this.#quoteStreams.has(stream)) return this.#append(event);
    if (this.#conflateMs === 0) return this.#appendQuote(event);
    this.#conflated.set(stream, event.text);
    if (this.#conflateTimer !== undefined) return;
    const { clock } = this.#settings;
    const waitMs = this.#conflatedAt + this.#conflateMs - clock.monotonic();
    if (waitMs <= 0) this.handOn();
    else this.#conflateTimer = clock.setTimer(() => this.handOn(), waitMs);
  }

  /** Takes a signal, which is numbered after what is held back: see `handOn`. */
  signal(event: FeedEvent): void {
    this.#append(event);
  }

  /** Where quotes are conflated, the newest that were handed on, for a client that begins. */
  get quotes(): Quote[] {
    if (this.#conflateMs === 0) return [];
    return [...this.#quotes.values()].map(({ event: { stream, text } }) => ({ stream, text }));
  }

  /** Position up to which events may be taken. */
  get flushed(): number {
    return this.#flushed;
  }

  /** The events from a position on, as many as are taken at once; written only once for all who are at the same. */
  batch<T>(format: Format<T>, from: number): Batch<T> {
    const known = this.#batches.get(format);
    // The cast: what is kept for a format was written by it.
    if (known?.from === from) return known.batch as Batch<T>;
    const parts: string[] = [];
    let size = 0;
    let end = from;
    while (end < this.#flushed && (size === 0 || size < MAX_BATCH)) {
      const part = format.event(this.log.at(end++));
      size += part.length;
      parts.push(part);
    }
    const batch = { data: format.join(parts), count: parts.length, end };
    this.#batches.set(format, { from, batch });
    return batch;
  }

  /** The newest message of each stream, in their order, as far as it is in the log or a quote. */
  newest(): readonly Newest[] {
    return this.#newest ??= this.#findNewest();
  }

  #findNewest(): Newest[] {
    const found = new Map<string, Newest>();
    for (let position = this.#flushed; position > this.log.first && found.size < this.streams.size;) {
      const event = this.log.at(--position);
      if (event.name === undefined && !found.has(event.stream)) found.set(event.stream, { position, event });
    }
    // What is in the log no more is the older.
    const older = [...this.#quotes.values()].filter(({ position, event }) => {
      return position < this.#flushed && !found.has(event.stream);
    }).map(({ position, event: { stream, text } }) => ({ position, event: { stream, text } }));
    return [...older.sort((one, other) => one.position - other.position), ...[...found.values()].reverse()];
  }

  /** Tells somebody, once, that there are new events. */
  wait(client: Waiting): void {
    this.#waiting.add(client);
  }

  /** Forgets somebody who waits. */
  leave(client: Waiting): void {
    this.#waiting.delete(client);
  }

  /** Hands on what has come. */
  flush(): void {
    this.#flushed = this.log.end;
    // What was written for the ends of before is of no use any more.
    this.#batches.clear();
    this.#newest = undefined;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const client of waiting) client.proceed();
  }

  /** Hands on nothing any more. */
  stop(): void {
    this.#conflateTimer?.cancel();
  }

  /** Hands on the quotes that are held back. */
  handOn(): void {
    if (this.#conflated.size === 0) return;
    this.#conflateTimer?.cancel();
    this.#conflateTimer = undefined;
    const { clock, numbering } = this.#settings;
    this.#conflatedAt = clock.monotonic();
    for (const [stream, text] of this.#conflated) {
      this.#appendQuote({ number: numbering.next(), name: undefined, stream, text });
    }
    this.#conflated.clear();
  }

  #appendQuote(event: FeedEvent): void {
    this.#quotes.set(event.stream, { position: this.log.end, event });
    this.#append(event);
  }

  #append(event: FeedEvent): void {
    this.log.append(event);
    this.#settings.flusher.add(this);
  }
}
