/**
 * Frames that fell due and wait for the client, up to a bound.
 *
 * @module
 */

import type { Ledger } from "../ledger.ts";
import type { FrameBatch } from "./frame_batch.ts";

/** A message on its way: its frame, and what the ledger notes once it leaves. */
export interface PendingFrame {
  readonly frame: Uint8Array;
  readonly stream: string;
  readonly n: number;
}

/** Bytes that may wait. Who lets more pile up is too slow and is disconnected. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** A bounded queue of encoded frames. */
export class PendingFrames {
  readonly #ledger: Ledger;
  #frames: PendingFrame[] = [];
  #first = 0;
  #bytes = 0;

  /** Creates an empty queue. */
  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Queues a message; returns whether the bound allows it. */
  push(message: PendingFrame): boolean {
    const { length } = message.frame;
    if (this.#bytes + length > MAXIMUM_BYTES) return false;
    this.#frames.push(message);
    this.#bytes += length;
    return true;
  }

  /** Moves frames to the batch until it is full; returns whether some are left. */
  moveTo(batch: FrameBatch): boolean {
    while (true) {
      const message = this.#frames[this.#first];
      if (message === undefined) break;
      if (!batch.addFrame(message.frame)) return true;
      this.#first++;
      this.#bytes -= message.frame.length;
      this.#ledger.note(message.stream, message.n);
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
