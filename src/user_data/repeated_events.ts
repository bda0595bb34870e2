/**
 * Finds events that come twice, over a connection and over the one that replaces it.
 *
 * @module
 */

/** Events that are remembered; two connections are never further apart. */
const MAX_EVENTS = 1_000;

/**
 * Account events have no numbers: an event that was handed on already is known by its text. Only looked for while two
 * connections are open and a while after that, so that nothing else is ever taken for a repetition.
 */
export class RepeatedEvents {
  readonly #recent = new Set<string>();
  readonly #overlapMs: number;
  #until = -Infinity;

  /** @param overlapMs How long in ms the one connection may be behind the other. */
  constructor(overlapMs: number) {
    this.#overlapMs = overlapMs;
  }

  /** Two connections are open, at this monotonic time in ms. */
  overlap(now: number): void {
    this.#until = now + this.#overlapMs;
  }

  /** Takes note of an event; returns whether it is a repetition. */
  note(text: string, now: number): boolean {
    if (this.#recent.has(text)) return now <= this.#until;
    this.#recent.add(text);
    if (this.#recent.size > MAX_EVENTS) {
      const [oldest] = this.#recent;
      if (oldest !== undefined) this.#recent.delete(oldest);
    }
    return false;
  }
}
