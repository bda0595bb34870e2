/**
 * A client's place in a feed: what it gets next, and what it has missed.
 *
 * @module
 */

import type { Feed } from "./feed.ts";
import type { Numbering } from "./feed_event.ts";
import type { Format } from "./format.ts";

/** What all readers of a tap count together. */
export interface ReaderCounters {
  sentEvents: number;
  droppedEvents: number;
}

/** Where a client wants to begin: behind this id, or with what comes next. */
export interface ReaderSettings<T> {
  readonly feed: Feed;
  readonly format: Format<T>;
  readonly numbering: Numbering;
  readonly lastEventId: string | undefined;
  /** Whether the connection to the exchange is lost just now: who did not see it happen is told. */
  readonly isUpstreamLost: boolean;
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
    const { feed, format, numbering, lastEventId, isUpstreamLost } = settings;
    if (format.opening !== "") this.#first.push(format.opening);
    const number = lastEventId === undefined ? undefined : numbering.numberOf(lastEventId);
    if (number !== undefined && number >= feed.log.forgotten) {
      this.#position = feed.log.positionAfter(number);
      return;
    }
    if (lastEventId === undefined) {
      this.#position = feed.log.end;
    } else {
      // Nobody knows how much: the events between are forgotten.
      this.#first.push(format.note("dropped", '{"count":null}'));
      this.#position = number === undefined ? feed.log.end : feed.log.first;
    }
    if (this.#position < feed.log.end) return;
    for (const quote of feed.quotes) this.#first.push(format.event(quote));
    if (isUpstreamLost) this.#first.push(format.note("signal", '{"type":"DISCONNECT"}'));
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
    const newest = feed.newest();
    const count = feed.flushed - this.#position - newest.length;
    counters.droppedEvents += count;
    counters.sentEvents += newest.length;
    this.#position = feed.flushed;
    this.#first.push(format.note("dropped", `{"count":${count}}`), ...newest.map((event) => format.event(event)));
  }
}
