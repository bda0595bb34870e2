/**
 * What one client of the tap has got, event by event.
 *
 * @module
 */

import { DROPPED, type Events, SIGNAL } from "./events.ts";

/** Events that came together. */
export interface Piece extends Events {
  /** Whether they are trades only, in order: then their ends tell all. */
  readonly isPlain: boolean;
}

/** Checks that trades are consecutive and that the numbers of events increase. */
export class Ledger {
  /** Trades, since the beginning. */
  trades = 0;
  signals = 0;
  /** Events that the tap said it had dropped. */
  dropped = 0;
  /** What was wrong first; `undefined` if nothing was. */
  problem: string | undefined;
  /** Id of the last trade, 0 before the first. */
  lastTrade = 0;
  /** Number of the last event. */
  lastNumber = 0;

  /** Takes the next events. */
  take(piece: Piece): void {
    const { trades, numbers, isPlain } = piece;
    const count = trades.length;
    if (count === 0) return;
    const first = trades[0] ?? 0;
    if (isPlain && this.#follows(first, numbers[0] ?? 0)) {
      this.trades += count;
      this.lastTrade = first + count - 1;
      this.lastNumber = numbers[count - 1] ?? 0;
      return;
    }
    for (let index = 0; index < count; index++) this.#takeOne(piece, index);
  }

  #follows(trade: number, number: number): boolean {
    return (this.lastTrade === 0 || trade === this.lastTrade + 1) && (number === 0 || number > this.lastNumber);
  }

  #takeOne({ trades, numbers, times }: Piece, index: number): void {
    const trade = trades[index] ?? 0;
    const number = numbers[index] ?? 0;
    if (trade === DROPPED) {
      const count = times[index] ?? 0;
      this.dropped += Math.max(1, count);
      // What comes next is the newest of the only stream, which was not dropped. Signals among them count too.
      this.lastTrade += Math.max(0, count);
      return;
    }
    if (trade === SIGNAL) {
      this.signals++;
      if (number <= this.lastNumber) this.#wrong(`event ${number} came after event ${this.lastNumber}`);
    } else {
      this.trades++;
      if (!this.#follows(trade, number)) {
        this.#wrong(`trade ${trade} (event ${number}) came after trade ${this.lastTrade} (event ${this.lastNumber})`);
      }
      this.lastTrade = trade;
    }
    this.lastNumber = number;
  }

  #wrong(what: string): void {
    this.problem ??= what;
  }
}
