/**
 * Between which times the events of an account may have been missed.
 *
 * @module
 */

/** A time in which events may have been missed. */
export interface UserDataGap {
  /** The last time in ms since 1970 at which nothing can have been missed. */
  readonly from: number;
  /** From this time on, in ms since 1970, nothing is missed any more. */
  readonly to: number;
  /** What interrupted the events, in a few words. */
  readonly reason: string;
}

/** Follows one account: events are lost, and come again. */
export class GapTracker {
  readonly #onGap: (gap: UserDataGap) => void;
  #lost: { readonly from: number; readonly reason: string } | undefined;
  #hasBegun = false;

  constructor(onGap: (gap: UserDataGap) => void) {
    this.#onGap = onGap;
  }

  /** Events do not come any more; nothing was missed until `from`. Only the first reason counts until they come again. */
  lost(from: number, reason: string): void {
    if (this.#hasBegun) this.#lost ??= { from, reason };
  }

  /** Events come, from `now` on. Before the first time nothing was expected. */
  resumed(now: number): void {
    const lost = this.#lost;
    this.#lost = undefined;
    this.#hasBegun = true;
    if (lost !== undefined) this.#onGap({ from: Math.min(lost.from, now), to: now, reason: lost.reason });
  }
}
