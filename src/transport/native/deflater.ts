/**
 * Compression of messages (RFC 7692 7.2.1).
 *
 * @module
 */

import { constants, deflateRawSync } from "node:zlib";
import { scratchOf } from "./scratch.ts";
import { ZlibStream, zlibStreamsWork } from "./zlib_stream.ts";

/** Compresses messages in the order in which they are sent. */
export interface Deflater {
  /** Compresses a message that is not empty. The result is valid until the next call of any inflater or deflater. */
  deflate(bytes: Uint8Array): Uint8Array;
  /** Frees its memory. */
  close(): void;
}

/** Makes a deflater that keeps its window, of `2 ** windowBits` bytes (9 to 15), from message to message. */
export function createDeflater(windowBits: number): Deflater {
  return zlibStreamsWork() ? new StreamDeflater(windowBits, true) : new OneShotDeflater(windowBits);
}

const shared = new Map<number, Deflater>();

/** The deflater with this window (9 to 15) that starts each message with an empty one. It must not be closed. */
export function statelessDeflater(windowBits: number): Deflater {
  let deflater = shared.get(windowBits);
  if (deflater === undefined) {
    deflater = zlibStreamsWork() ? new StreamDeflater(windowBits, false) : new OneShotDeflater(windowBits);
    shared.set(windowBits, deflater);
  }
  return deflater;
}

/** A deflater over one zlib stream. */
export class StreamDeflater implements Deflater {
  readonly #stream: ZlibStream;
  readonly #takeover: boolean;

  /** Creates a deflater; without `takeover` it starts each message with an empty window. */
  constructor(windowBits: number, takeover: boolean) {
    this.#stream = new ZlibStream("deflate", windowBits);
    this.#takeover = takeover;
  }

  /** See {@linkcode Deflater.deflate}. */
  deflate(bytes: Uint8Array): Uint8Array {
    const stream = this.#stream;
    if (!this.#takeover) stream.reset();
    // What can't be compressed grows by 5 bytes for each block of some KiB.
    let output = scratchOf(bytes.length + (bytes.length >> 8) + 64);
    let length = 0;
    let at = 0;
    while (true) {
      stream.write(bytes, at, bytes.length, output, length, output.length);
      at += stream.consumed;
      length += stream.produced;
      // With room left, the flush is complete, and ends with 00 00 FF FF.
      if (length < output.length) return output.subarray(0, length - 4);
      output = scratchOf(2 * output.length, output, length);
    }
  }

  /** See {@linkcode Deflater.close}. */
  close(): void {
    this.#stream.close();
  }
}

/**
 * A deflater over documented calls alone, for a runtime whose zlib streams can't be driven synchronously. It starts each
 * message with an empty window, which a sender always may.
 */
export class OneShotDeflater implements Deflater {
  readonly #windowBits: number;

  /** Creates a deflater with a window of `2 ** windowBits` bytes: 9 to 15. */
  constructor(windowBits: number) {
    this.#windowBits = windowBits;
  }

  /** See {@linkcode Deflater.deflate}. */
  deflate(bytes: Uint8Array): Uint8Array {
    const options = { windowBits: this.#windowBits, finishFlush: constants.Z_SYNC_FLUSH };
    return deflateRawSync(bytes, options).subarray(0, -4);
  }

  /** See {@linkcode Deflater.close}. */
  close(): void {}
}
