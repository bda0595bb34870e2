/**
 * A client's place in a feed: what it gets next, and what it has missed.
 *
 * @module
 */

import type { Feed, Newest } from "./feed.ts";
import type { Numbering } from "./feed_event.ts";
import type { Format } from "./format.ts";

/** What all readers of a tap count together. */
export interface ReaderCounters {
  sentEvents: number;
  droppedEvents: number;
}

/** What a reader is made of. */
export interface ReaderSettings<T> {
  readonly feed: Feed;
  readonly format: Format<T>;
  readonly numbering: Numbering;
  /** Where its client wants to begin: behind this id, or with what comes next. */
  readonly lastEventId: string | undefined;
  /** The streams whose connection to the exchange is lost just now. */
  readonly lost: ReadonlySet<string>;
  /** Those whose connection was opened, and is not lost. */
  readonly connected: ReadonlySet<string>;
  readonly counters: ReaderCounters;
}

/** Reads a feed in a format. Nothing is kept for it but a position. */
export class FeedReader<T> {
  readonly #settings: ReaderSettings<T>;
  #position: number;
  /** Written, and to be sent before anything of the feed. */
  #first: string[] = [];

  constructor(settings: ReaderSettings<T>) {
    this.#settings = settings;
    const { feed, format, numbering, lastEventId, counters } = settings;
    if (format.opening !== "") this.#first.push(format.opening);
    if (lastEventId === undefined) {
      this.#position = feed.log.end;
      const { quotes } = feed;
      counters.sentEvents += quotes.length;
      for (const quote of quotes) this.#first.push(format.event(quote));
      this.#tell("DISCONNECT", this.#settings.lost);
      return;
    }
    const number = numbering.numberOf(lastEventId);
    this.#position = feed.flushed;
    if (number !== undefined && number >= feed.log.forgotten) this.#position = feed.log.positionAfter(number);
    // Nobody knows how much: the events between are forgotten.
    else this.#catchUp(null, feed.newest());
  }

  /** What comes next; `undefined` if that is nothing yet. */
  read(): T | undefined {
    const { feed, format, counters } = this.#settings;
    if (this.#position < feed.flushed && this.#position < feed.log.first) this.#skip();
    if (this.#first.length > 0) {
      const first = this.#first;
      this.#first = [];
      return format.join(first);
    }
    if (this.#position >= feed.flushed || this.#position < feed.log.first) return undefined;
    const { data, count, end } = feed.batch(format, this.#position);
    this.#position = end;
    counters.sentEvents += count;
    return data;
  }

  /** Leaves out what is forgotten and all but the newest message of each stream, and tells so. */
  #skip(): void {
    const { feed, format, counters } = this.#settings;
    // The log may have moved on since these were found, and what is before its place the client has.
    const newest = feed.newest().filter(({ position }) => position >= this.#position);
    const count = feed.flushed - this.#position - newest.length;
    counters.droppedEvents += count;
    if (count > 0) return this.#catchUp(count, newest);
    // All that it has not got is there still.
    counters.sentEvents += newest.length;
    this.#position = feed.flushed;
    this.#first.push(...newest.map(({ event }) => format.event(event)));
  }

  /** Goes to what comes next, after the newest message of each stream. */
  #catchUp(dropped: number | null, newest: readonly Newest[]): void {
    const { feed, format, counters } = this.#settings;
    counters.sentEvents += newest.length;
    this.#position = feed.flushed;
    this.#first.push(format.note("dropped", `{"count":${dropped}}`), ...newest.map(({ event }) => format.event(event)));
    this.#tell("CONNECT", this.#settings.connected);
    this.#tell("DISCONNECT", this.#settings.lost);
  }

  /** Tells which of its streams are among these, to who may not have seen that happen. */
  #tell(type: "CONNECT" | "DISCONNECT", among: ReadonlySet<string>): void {
    const { feed, format } = this.#settings;
    const streams = [...feed.streams].filter((stream) => among.has(stream));
    if (streams.length > 0) this.#first.push(format.note("signal", JSON.stringify({ type, streams })));
  }
}
