/**
 * A bounded queue in a ring: what is full lets go of the oldest.
 *
 * @module
 */

const SMALLEST = 16;

/** At most `capacity` values, from the oldest to the newest. Its memory grows with what is in it. */
export class RingBuffer<T> {
  readonly capacity: number;
  /** `#size` values from `#head` on. */
  #ring: (T | undefined)[] = new Array(SMALLEST);
  #head = 0;
  #size = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** How many values there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds the newest value; returns whether the oldest had to go for it. */
  push(value: T): boolean {
    const isFull = this.#size === this.capacity;
    if (isFull) this.shift();
    else if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) % this.#ring.length] = value;
    this.#size++;
    return isFull;
  }

  /** Takes the oldest value; `undefined` if there is none. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const value = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#ring.length;
    this.#size--;
    return value;
  }

  /** Takes the newest value; `undefined` if there is none. */
  pop(): T | undefined {
    if (this.#size === 0) return undefined;
    const at = (this.#head + --this.#size) % this.#ring.length;
    const value = this.#ring[at];
    this.#ring[at] = undefined;
    return value;
  }

  /** Forgets all values, and gives their memory back. */
  clear(): void {
    this.#ring = new Array(SMALLEST);
    this.#head = this.#size = 0;
  }

  /** A copy, oldest first. */
  toArray(): T[] {
    // The cast: each of the #size places from #head on holds a value.
    return Array.from({ length: this.#size }, (_, i) => this.#ring[(this.#head + i) % this.#ring.length] as T);
  }

  #grow(): void {
    const bigger: (T | undefined)[] = new Array(Math.min(this.capacity, this.#ring.length * 2));
    for (let i = 0; i < this.#size; i++) bigger[i] = this.#ring[(this.#head + i) % this.#ring.length];
    this.#ring = bigger;
    this.#head = 0;
  }
}
