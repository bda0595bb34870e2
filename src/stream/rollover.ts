/**
 * Replaces a connection by another one without a loss: opens the second, subscribes it, merges what both bring, and closes
 * the first when nothing can be missed.
 *
 * @module
 */

import { messageOf, type Timer } from "../base/mod.ts";
import { isServerShutdown } from "../exchange/mod.ts";
import { failureOf } from "./failure.ts";
import type { LinkSettings } from "./link_settings.ts";
import { Overlap } from "./overlap.ts";
import type { Session } from "./session.ts";
import type { StreamTable } from "./stream_table.ts";

/** How often in ms it is looked at whether the first connection can go. */
const CHECK_MS = 50;

/** What a rollover needs. */
export interface RolloverOptions {
  readonly settings: LinkSettings;
  /** What was delivered before. */
  readonly table: StreamTable;
  readonly predecessor: Session;
  /** Not opened yet. */
  readonly successor: Session;
  /** Delivers a message; called in order, and once for each. */
  readonly deliver: (text: string) => void;
  /**
   * Called once, unless it was cancelled: with the connection that goes on alone. If it is the successor, the rest of the
   * overlap is delivered by `overlap.end()`, and what comes later may for a while be `overlap.isRepeated()`.
   */
  readonly onDone: (remaining: Session, overlap: Overlap) => void;
}

/** One rollover, from the attempt to connect to the end of the first connection. */
export class Rollover {
  readonly #options: RolloverOptions;
  readonly #overlap: Overlap;
  readonly #opening = new AbortController();
  readonly #startedAt: number;
  #timer: Timer;
  /** When the successor carried everything. */
  #completeAt: number | undefined;
  #fromPredecessor = 0;
  #fromSuccessor = 0;
  #isOver = false;

  /** Starts it. */
  constructor(options: RolloverOptions) {
    this.#options = options;
    const { settings: { clock }, successor, table, deliver } = options;
    this.#overlap = new Overlap(table, deliver);
    this.#startedAt = clock.monotonic();
    successor.run(this.#opening.signal).then(
      () => this.#end(options.predecessor),
      (error: unknown) => this.#failed(error),
    );
    this.#timer = clock.setTimer(() => this.#check(), CHECK_MS);
  }

  /** Takes a message of either connection. */
  receive(session: Session, text: string): void {
    if (session === this.#options.predecessor) {
      if (this.#completeAt !== undefined) this.#fromPredecessor++;
      this.#overlap.fromPredecessor(text);
    } else if (session === this.#options.successor) {
      // It would have to be replaced at once.
      if (isServerShutdown(text)) return this.#end(this.#options.predecessor);
      this.#fromSuccessor++;
      this.#overlap.fromSuccessor(text);
    }
  }

  /** Other streams are wanted. */
  refresh(streams: readonly string[]): void {
    for (const stream of streams) this.#overlap.remember(stream);
    this.#options.successor.subscriptions.refresh(streams);
  }

  /** The exchange has acknowledged to the predecessor that the stream is not wanted any more. */
  forget(stream: string): void {
    this.#overlap.forget(stream);
  }

  /**
   * The predecessor has ended by itself.
   *
   * @returns Whether the successor carries everything already, so that nothing is missed. If it does not, it is given up.
   */
  takeOver(): boolean {
    const { successor } = this.#options;
    if (successor.isOpen && successor.subscriptions.isComplete) {
      this.#end(successor);
      return true;
    }
    this.cancel();
    return false;
  }

  /** Gives the successor up. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.cancel();
    this.#opening.abort();
    this.#options.successor.close();
  }

  #failed(error: unknown): void {
    const { settings: { connectBudget, logger }, predecessor } = this.#options;
    if (!this.#isOver) logger.warn(`Cannot replace a connection yet: ${messageOf(error)}`);
    const { retryAfterMs } = failureOf(error);
    if (retryAfterMs !== undefined) connectBudget.block(retryAfterMs);
    this.#end(predecessor);
  }

  #check(): void {
    const { settings: { clock, overlapMs, ackTimeoutMs }, predecessor, successor } = this.#options;
    this.#timer = clock.setTimer(() => this.#check(), CHECK_MS);
    const now = clock.monotonic();
    const isComplete = successor.isOpen && successor.subscriptions.covers(predecessor.subscriptions);
    if (isComplete) this.#completeAt ??= now;
    // Others may be wanted since.
    if (this.#completeAt === undefined || !isComplete) {
      if (now - this.#startedAt > overlapMs + 2 * ackTimeoutMs) this.#end(predecessor);
      return;
    }
    const isLate = now - this.#completeAt >= overlapMs;
    const isProven = this.#fromSuccessor > 0 || (isLate && this.#fromPredecessor === 0);
    if (isProven && (isLate || (this.#overlap.open === 0 && now - this.#completeAt >= 2 * CHECK_MS))) {
      this.#end(successor);
    } else if (isLate) this.#end(predecessor);
  }

  /** Ends the overlap; `remaining` goes on alone. */
  #end(remaining: Session): void {
    if (this.#isOver) return;
    const { predecessor, successor, onDone } = this.#options;
    this.#isOver = true;
    this.#timer.cancel();
    if (remaining === successor) predecessor.close();
    else {
      this.#opening.abort();
      successor.close();
    }
    onDone(remaining, this.#overlap);
  }
}
