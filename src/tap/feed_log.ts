/**
 * The last events of a feed, as many as fit into its bounds. Clients are places in it.
 *
 * @module
 */

import { type FeedEvent, sizeOf } from "./feed_event.ts";

/** A bounded log; each event has a position, counted from the first one that was ever appended. */
export class FeedLog {
  readonly #maxBytes: number;
  #events: (FeedEvent | undefined)[] = [];
  /** Index of the oldest event that counts. */
  #head = 0;
  /** Position of that event. */
  #first = 0;
  #bytes = 0;
  #forgotten: number;

  /**
   * @param maxBytes What it holds at most; the newest event always.
   * @param before Number of the last event before its first one.
   */
  constructor(maxBytes: number, before: number) {
    this.#maxBytes = maxBytes;
    this.#forgotten = before;
  }

  /** Position of the oldest event that it still holds. */
  get first(): number {
    return this.#first;
  }

  /** Position of the next event. */
  get end(): number {
    return this.#first + this.#events.length - this.#head;
  }

  /** Number up to which its events are forgotten, or were never here. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the newest event, and drops the oldest that do not fit any more. */
  append(event: FeedEvent): void {
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    while (this.#bytes > this.#maxBytes && this.#head < this.#events.length - 1) this.#dropOldest();
    // Copying what is left only when it is the smaller part keeps this at O(1) per event.
    if (this.#head > 1024 && this.#head > this.#events.length / 2) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }

  /** The event at a position that it holds. */
  at(position: number): FeedEvent {
    const event = this.#events[this.#head + position - this.#first];
    if (event === undefined || position < this.#first) throw new RangeError(`There is no event at ${position}`);
    return event;
  }

  /** Position of the first event after the one with this number, by bisection. */
  positionAfter(number: number): number {
    let low = this.first;
    let high = this.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle).number > number) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #dropOldest(): void {
    const event = this.at(this.#first);
    this.#bytes -= sizeOf(event);
    this.#forgotten = event.number;
    // Or the array would keep it until it is copied.
    this.#events[this.#head] = undefined;
    this.#head++;
    this.#first++;
  }
}
