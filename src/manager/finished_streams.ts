/**
 * What is kept of streams that have ended: the counters of all, and everything of the last few.
 *
 * @module
 */

import type { StreamInfo } from "../stream/mod.ts";

/** Counters that only grow, so that those of streams that have ended can be added up. */
export type Totals = Readonly<Record<typeof COUNTERS[number], number>>;

const COUNTERS = [
  "droppedMessages",
  "reconnects",
  "rollovers",
  "gaps",
  "missedMessages",
  "callbackErrors",
  "invalidMessages",
] as const;

/** Adds up counters. */
export function totalsOf(all: Iterable<Totals>): Totals {
  const sum = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Record<typeof COUNTERS[number], number>; // the cast: all names are there
  for (const counters of all) for (const name of COUNTERS) sum[name] += counters[name];
  return sum;
}

/** The streams that have ended. */
export class FinishedStreams {
  readonly #most: number;
  readonly #kept = new Map<string, StreamInfo>();
  #totals: Totals = totalsOf([]);
  #count = 0;

  /** Keeps the last `most`. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many have ever ended. */
  get count(): number {
    return this.#count;
  }

  /** The counters of all that have ever ended. */
  get totals(): Totals {
    return this.#totals;
  }

  /** Those that are kept, oldest first. */
  get list(): StreamInfo[] {
    return [...this.#kept.values()];
  }

  /** One of those that are kept. */
  get(id: string): StreamInfo | undefined {
    return this.#kept.get(id);
  }

  /** A stream has ended. A crash that nobody has seen is not pushed out by streams that were stopped. */
  add(info: StreamInfo): void {
    this.#count++;
    this.#totals = totalsOf([this.#totals, info.statistics]);
    this.#kept.set(info.id, info);
    if (this.#kept.size <= this.#most) return;
    let oldest: string | undefined;
    for (const { id, state } of this.#kept.values()) {
      oldest ??= id;
      if (state !== "stopped") continue;
      oldest = id;
      break;
    }
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Keeps a stream no longer, or none of them; returns whether there was anything to forget. */
  forget(id?: string): boolean {
    if (id !== undefined) return this.#kept.delete(id);
    const hadSome = this.#kept.size > 0;
    this.#kept.clear();
    return hadSome;
  }
}
