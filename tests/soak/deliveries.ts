/**
 * What was delivered of one stream, against the numbers of its messages.
 *
 * @module
 */

/** Messages that did not come. */
export interface Hole {
  readonly stream: string;
  /** Number of the first message that is missing, and of the last one. */
  readonly from: number;
  readonly to: number;
  /** When the message after it came, in ms since 1970. */
  readonly at: number;
}

/** The deliveries of one stream. */
export class Deliveries {
  /** Messages that came once more. */
  duplicates = 0;
  /** Messages that came after a later one. */
  disordered = 0;
  /** Texts that the exchange never sent. */
  foreign = 0;
  /** Messages that came, each counted once. */
  delivered = 0;
  /** What is missing before the last message that came. */
  holes: Hole[] = [];
  readonly #stream: string;
  #next = 0;

  constructor(stream: string) {
    this.#stream = stream;
  }

  /** Number of the message that should come next. */
  get next(): number {
    return this.#next;
  }

  /** Message `n` came. */
  note(n: number | undefined, at: number): void {
    if (n === undefined) {
      this.foreign++;
    } else if (n >= this.#next) {
      if (n > this.#next) this.holes.push({ stream: this.#stream, from: this.#next, to: n - 1, at });
      this.#next = n + 1;
      this.delivered++;
    } else if (this.#fill(n)) {
      this.disordered++;
      this.delivered++;
    } else {
      this.duplicates++;
    }
  }

  /** The run is over: whatever of the first `count` messages has not come is missing. */
  end(count: number, at: number): void {
    if (this.#next < count) this.holes.push({ stream: this.#stream, from: this.#next, to: count - 1, at });
    this.#next = Math.max(this.#next, count);
  }

  #fill(n: number): boolean {
    const hole = this.holes.find(({ from, to }) => from <= n && n <= to);
    if (hole === undefined) return false;
    const rest = [{ ...hole, to: n - 1 }, { ...hole, from: n + 1 }].filter(({ from, to }) => from <= to);
    this.holes = this.holes.flatMap((other) => other === hole ? rest : [other]);
    return true;
  }
}
