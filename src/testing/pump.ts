/**
 * Moves frames from a feed to a socket, no faster than the client takes them.
 *
 * @module
 */

import type { Feed } from "./feed/feed.ts";
import { FrameBatch } from "./feed/frame_batch.ts";
import type { Wire } from "./wire.ts";

/** Batches on their way at once: one in the socket while the next is filled. They bound what waits for a slow client. */
const BATCHES = 2;

/** The pump of one connection. */
export class Pump {
  readonly #wire: Wire;
  readonly #feed: Feed;
  readonly #isHeld: () => boolean;
  readonly #onSent: (messages: number) => void;
  readonly #free: FrameBatch[] = [];
  #created = 0;
  #scheduled = false;
  #closed = false;

  /**
   * Creates a pump.
   *
   * @param isHeld Whether nothing may be sent at the moment; `wake()` when that changes.
   * @param onSent Told the number of messages of each write.
   */
  constructor(wire: Wire, feed: Feed, isHeld: () => boolean, onSent: (messages: number) => void) {
    this.#wire = wire;
    this.#feed = feed;
    this.#isHeld = isHeld;
    this.#onSent = onSent;
  }

  /** The feed has frames, or may have some. */
  wake(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    // Not at once: between two writes the runtime has to read what clients send.
    setImmediate(() => {
      this.#scheduled = false;
      this.#run();
    });
  }

  /** Sends nothing any more. */
  close(): void {
    this.#closed = true;
  }

  #run(): void {
    while (!this.#closed && !this.#isHeld()) {
      const batch = this.#free.pop() ?? this.#create();
      if (batch === undefined) return;
      const hasMore = this.#feed.fill(batch);
      if (batch.messages === 0) {
        this.#free.push(batch);
        return;
      }
      this.#onSent(batch.messages);
      this.#wire.write(batch.bytes, () => {
        batch.clear();
        this.#free.push(batch);
        this.wake();
      });
      if (!hasMore) return;
    }
  }

  #create(): FrameBatch | undefined {
    if (this.#created === BATCHES) return undefined;
    this.#created++;
    return new FrameBatch();
  }
}
