/**
 * Tells what was missed while there was no connection, as far as the numbers of the messages tell.
 *
 * @module
 */

import { missedBetween, positionOf } from "./positions.ts";
import { lastOf, type StreamEntry, type StreamTable } from "./stream_table.ts";

/** What was missed in a stream while there was no connection. */
export interface Gap {
  /** Name of the stream. */
  readonly stream: string;
  /** The last number before it and the first one after it. */
  readonly lastId: number;
  readonly nextId: number;
  /** How many numbers lie between them. */
  readonly missed: number;
  /** Time in ms from the loss of the connection to the first message after it. */
  readonly durationMs: number;
}

/** Compares the first message of each stream after a loss with the last one before it. */
export class GapWatch {
  /** The last message of each stream of which none has come since the loss, and when that was. */
  readonly #before = new Map<StreamEntry, { readonly last: string; readonly lostAt: number }>();

  /** Whether there is a stream of which none has come. */
  get isWaiting(): boolean {
    return this.#before.size > 0;
  }

  /** The connection was lost at `now`, a monotonic time in ms. */
  lost(table: StreamTable, now: number): void {
    for (const entry of table.entries) {
      const last = lastOf(entry);
      // After several losses in a row, what was missed began with the first.
      if (last !== undefined && !this.#before.has(entry)) this.#before.set(entry, { last, lostAt: now });
    }
  }

  /** Takes the next message of a stream; returns what was missed before it. */
  check(entry: StreamEntry, text: string, now: number): Gap | undefined {
    const before = this.#before.get(entry);
    if (before === undefined) return undefined;
    this.#before.delete(entry);
    const [last, next] = [positionOf(entry.name, before.last), positionOf(entry.name, text)];
    if (last === undefined || next === undefined) return undefined;
    const missed = missedBetween(last, next);
    if (missed === 0) return undefined;
    return { stream: entry.name, lastId: last.last, nextId: next.first, missed, durationMs: now - before.lostAt };
  }

  /** A stream is not wanted any more. */
  forget(entry: StreamEntry): void {
    this.#before.delete(entry);
  }
}
