/**
 * Makes a loop over promises that are always fulfilled already give way to everything else in the process.
 *
 * @module
 */

import { setImmediate } from "node:timers";

/** After so many ms without a turn of the event loop, timers and callbacks get one. */
const TURN_MS = 5;
/**
 * A turn alone does not show Deno new bytes on other sockets: it looks for those when it has nothing else to do, or
 * every 61st turn. Hence a longer pause, more rarely, because it lasts 2 ms. Measured with a listener slower than the
 * server: an echo on another connection takes 30 ms, without the pause 750 ms, on the built-in WebSocket 140 ms.
 */
const PAUSE_MS = 40;

/** The turns of one loop. */
export class FairTurns {
  #lastTurn = performance.now();
  #lastPause = this.#lastTurn;
  /** Whether a callback is under way that the event loop runs in its next turn. */
  #watching = false;
  #forced = false;

  /** To be called once per pass; returns what to wait for before the next one, if anything. */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (now - this.#lastTurn < TURN_MS) return undefined;
    if (!this.#watching) {
      // Perhaps the loop does wait for its promises, as it does in live traffic: then this is seen before the next pass.
      this.#watching = true;
      setImmediate(this.#turned);
      return undefined;
    }
    return this.#force(now - this.#lastPause >= PAUSE_MS);
  }

  readonly #turned = (): void => {
    this.#watching = false;
    this.#lastTurn = performance.now();
    if (!this.#forced) this.#lastPause = this.#lastTurn;
  };

  async #force(pause: boolean): Promise<void> {
    this.#forced = true;
    await new Promise<void>((resolve) => void (pause ? setTimeout(resolve, 0) : setImmediate(resolve)));
    this.#forced = false;
    this.#lastTurn = performance.now();
    if (pause) this.#lastPause = this.#lastTurn;
  }
}
