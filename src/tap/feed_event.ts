/**
 * What clients of a tap get, and how it is numbered.
 *
 * @module
 */

/** A message of a stream, or a signal between them. */
export interface FeedEvent {
  /** Its place among all events of the tap. */
  readonly number: number;
  /** What it is called, if it is no message. */
  readonly name: string | undefined;
  /** The stream that it belongs to; `""` for signals. */
  readonly stream: string;
  /** JSON in one line. */
  readonly text: string;
}

/** The newest message of a stream, for those who did not get it when it came: without a number, so without an id. */
export interface Quote {
  readonly stream: string;
  /** JSON in one line. */
  readonly text: string;
}

/** What an event costs beside its text, in bytes: the object, and its id on the wire. */
const OVERHEAD_BYTES = 64;

/** What an event counts in the limits, in bytes: Binance's messages are ASCII, but for a few symbols. */
export function sizeOf({ text }: FeedEvent): number {
  return text.length + OVERHEAD_BYTES;
}

/** Numbers the events of one tap; ids of other taps, and of this one before a restart, are told by the epoch. */
export class Numbering {
  readonly #epoch = crypto.randomUUID().slice(0, 8);
  #last = 0;

  /** The last number that was given away. */
  get last(): number {
    return this.#last;
  }

  /** A number for the next event. */
  next(): number {
    return ++this.#last;
  }

  /** The id that clients see, and come back with. */
  idOf(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  /** The number behind an id; `undefined` if this tap has never given it away. */
  numberOf(id: string): number | undefined {
    const [, epoch, digits] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(id) ?? [];
    const number = Number(digits);
    return epoch === this.#epoch && number <= this.#last ? number : undefined;
  }
}
