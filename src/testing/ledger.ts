/**
 * Counts what one connection was sent, stream by stream.
 *
 * @module
 */

/** One line of the ledger; plain fields, since it is written for each message. */
export interface LedgerEntry {
  count: number;
  first: number;
  last: number;
}

/** The ledger of one connection. */
export class Ledger {
  /** The lines by stream name. */
  readonly entries: Map<string, LedgerEntry> = new Map();

  /** Notes that message `n` of a stream was sent. */
  note(stream: string, n: number): void {
    const entry = this.entries.get(stream);
    if (entry === undefined) {
      this.entries.set(stream, { count: 1, first: n, last: n });
    } else {
      entry.count++;
      entry.last = n;
    }
  }
}
