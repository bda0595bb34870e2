/**
 * Frames that fell due and wait for the client, up to a bound.
 *
 * @module
 */

import type { FrameBatch } from "./frame_batch.ts";

/** Bytes that may wait. Who lets more pile up is too slow and is disconnected. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** A bounded queue of encoded frames. */
export class PendingFrames {
  #frames: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;

  /** Queues a frame; returns whether the bound allows it. */
  push(frame: Uint8Array): boolean {
    if (this.#bytes + frame.length > MAXIMUM_BYTES) return false;
    this.#frames.push(frame);
    this.#bytes += frame.length;
    return true;
  }

  /** Moves frames to the batch until it is full; returns whether some are left. */
  moveTo(batch: FrameBatch): boolean {
    while (true) {
      const frame = this.#frames[this.#first];
      if (frame === undefined) break;
      if (!batch.addFrame(frame)) return true;
      this.#first++;
      this.#bytes -= frame.length;
    }
    this.clear();
    return false;
  }

  /** Drops everything. */
  clear(): void {
    this.#frames = [];
    this.#first = 0;
    this.#bytes = 0;
  }
}
