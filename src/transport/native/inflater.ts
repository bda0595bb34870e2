/**
 * Decompression of messages (RFC 7692 7.2.2).
 *
 * @module
 */

import { inflateRawSync } from "node:zlib";
import { WebSocketProtocolError } from "../../base/mod.ts";
import { scratchOf } from "./scratch.ts";
import { ZlibStream, zlibStreamsWork } from "./zlib_stream.ts";

/** Decompresses messages in the order in which they come. */
export interface Inflater {
  /**
   * Decompresses the message whose payload is `bytes[start..end)`.
   *
   * @returns The message, valid until the next call of any inflater or deflater.
   * @throws {WebSocketProtocolError} `MESSAGE_TOO_LARGE` (1009) if it is larger than `maxBytes`; no more than about
   * that is ever decompressed. `INVALID_COMPRESSED_DATA` (1007) if it is not the output of a compressor.
   */
  inflate(bytes: Uint8Array, start: number, end: number, maxBytes: number): Uint8Array;
  /** Frees its memory. */
  close(): void;
}

/**
 * What follows each payload: the 00 00 FF FF that the sender has cut off (RFC 7692 7.2.2), and an empty block that shows
 * whether the payload was complete. If it was, this makes no more output. Without context takeover the block is the last
 * of its stream, so that zlib takes nothing of the byte behind it; with takeover that would cost the window, and a
 * payload that was cut off in the description of a block is noticed with the next one.
 */
const TAIL = new Uint8Array([0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff]);
const LAST_TAIL = new Uint8Array([0, 0, 0xff, 0xff, 1, 0, 0, 0xff, 0xff, 0]);
const TAIL_TAKEN = TAIL.length;
/** The same as the end of a whole stream. */
const END = LAST_TAIL.subarray(0, TAIL_TAKEN);
/** Most DEFLATE streams in one message, so that a message of nothing but ends is no work without end. */
const MAX_STREAMS = 4096;

const NOTHING = new Uint8Array(0);

/** Makes an inflater for a sender that keeps its window, of `2 ** windowBits` bytes, from message to message. */
export function createInflater(windowBits: number): Inflater {
  // A zlib that is asked for 8 bits compresses with 9 without saying so: some senders do.
  const bits = Math.max(9, windowBits);
  return zlibStreamsWork() ? new StreamInflater(bits, true) : new OneShotInflater(2 ** bits);
}

let shared: Inflater | undefined;

/**
 * The inflater for all senders that start each message with an empty window: nothing of a message is left in it, so one
 * serves all connections of the process. It must not be closed.
 */
export function statelessInflater(): Inflater {
  return shared ??= zlibStreamsWork() ? new StreamInflater(15, false) : new OneShotInflater(0);
}

/** An inflater over one zlib stream. */
export class StreamInflater implements Inflater {
  readonly #stream: ZlibStream;
  readonly #takeover: boolean;

  /** Creates an inflater; without `takeover` each message starts with an empty window. */
  constructor(windowBits: number, takeover: boolean) {
    this.#stream = new ZlibStream("inflate", windowBits);
    this.#takeover = takeover;
  }

  /** See {@linkcode Inflater.inflate}. */
  inflate(bytes: Uint8Array, start: number, end: number, maxBytes: number): Uint8Array {
    // zlib's own compressor makes no block of an empty message if nothing came since the last flush; npm `ws` sends
    // that as an empty payload.
    if (start === end) return NOTHING;
    const stream = this.#stream;
    if (!this.#takeover) stream.reset();
    let output = scratchOf(0);
    let length = 0;
    let streams = 1;
    let at = start;
    while (true) {
      // One byte more than allowed tells a message that is too large from one that just fits.
      const limit = Math.min(output.length, maxBytes + 1);
      if (!stream.write(bytes, at, end, output, length, limit)) throw corrupt("it can't be decompressed");
      at += stream.consumed;
      length += stream.produced;
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (length === limit) output = scratchOf(Math.min(2 * limit, maxBytes + 1), output, length);
      else if (at === end) break;
      // There are room and input, and zlib takes neither: a block was the last of its stream (RFC 7692 7.2.3.4).
      else if (++streams > MAX_STREAMS) throw corrupt(`it consists of more than ${MAX_STREAMS} streams`);
      else stream.reset();
    }
    const tail = this.#takeover ? TAIL : LAST_TAIL;
    const valid = stream.write(tail, 0, tail.length, output, length, Math.min(output.length, maxBytes + 1));
    const { consumed, produced } = stream;
    // Nothing of the tail is taken if the last block of the message was the last of its stream; the next message resets.
    if (!valid || produced > 0 || (consumed !== TAIL_TAKEN && consumed !== 0)) {
      throw corrupt("its compressed data were cut off");
    }
    return output.subarray(0, length);
  }

  /** See {@linkcode Inflater.close}. */
  close(): void {
    this.#stream.close();
  }
}

/**
 * An inflater over documented calls alone, for a runtime whose zlib streams can't be driven synchronously. It gives zlib
 * the window as an uncompressed block before each message, because Deno ignores the option `dictionary` of raw DEFLATE.
 * 2 to 40 times as slow: worst for small messages with context takeover.
 */
export class OneShotInflater implements Inflater {
  readonly #windowBytes: number;
  #window: Uint8Array = NOTHING;

  /** Creates an inflater that keeps the last `windowBytes` bytes, at most 32768, from message to message. */
  constructor(windowBytes: number) {
    this.#windowBytes = windowBytes;
  }

  /** See {@linkcode Inflater.inflate}. */
  inflate(bytes: Uint8Array, start: number, end: number, maxBytes: number): Uint8Array {
    if (start === end) return NOTHING;
    let rest = concat([storedBlock(this.#window), bytes.subarray(start, end), END]);
    const parts: Uint8Array[] = [];
    let skip = this.#window.length;
    let length = 0;
    while (true) {
      const { buffer, consumed } = inflateOnce(rest, skip, maxBytes - length, maxBytes);
      parts.push(buffer.subarray(skip));
      length += buffer.length - skip;
      rest = rest.subarray(consumed);
      skip = 0;
      // The block before the tail may have been the last of its stream.
      if (rest.length === 0 || rest.length === END.length) break;
      if (parts.length >= MAX_STREAMS) throw corrupt(`it consists of more than ${MAX_STREAMS} streams`);
      this.#window = NOTHING;
    }
    const message = concat(parts);
    if (rest.length > 0) this.#window = NOTHING;
    else if (this.#windowBytes > 0) this.#window = concat([this.#window, message]).slice(-this.#windowBytes);
    return message;
  }

  /** See {@linkcode Inflater.close}. */
  close(): void {
    this.#window = NOTHING;
  }
}

/** Decompresses one DEFLATE stream, whose first `skip` bytes don't count for the limit. */
function inflateOnce(
  bytes: Uint8Array,
  skip: number,
  left: number,
  maxBytes: number,
): { buffer: Uint8Array; consumed: number } {
  try {
    // With `info` the answer is another one than the types say. `maxOutputLength` can't be 0.
    const options = { info: true, maxOutputLength: skip + left + 1 };
    const { buffer, engine } = inflateRawSync(bytes, options) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    if (buffer.length > skip + left) throw tooLarge(maxBytes);
    return { buffer, consumed: engine.bytesWritten };
  } catch (error) {
    if (error instanceof WebSocketProtocolError) throw error;
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes); // an Error of node:zlib
    throw corrupt("it can't be decompressed");
  }
}

/** `bytes`, at most 65535, as one uncompressed block (RFC 1951 3.2.4). */
function storedBlock(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return NOTHING;
  const low = bytes.length & 0xff;
  const high = bytes.length >> 8;
  return concat([new Uint8Array([0, low, high, ~low, ~high]), bytes]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The error for a message that is larger than allowed once it is decompressed. */
function tooLarge(maxBytes: number): WebSocketProtocolError {
  return new WebSocketProtocolError(
    `Cannot read a message: it has more than ${maxBytes} bytes when it is decompressed`,
    "MESSAGE_TOO_LARGE",
    1009,
  );
}

/**
 * The error for data that no compressor makes. RFC 7692 has no close code for it; 1007 is the one for data that are
 * "not consistent with the type of the message" (RFC 6455 7.4.1), and what npm `ws` sends.
 */
function corrupt(what: string): WebSocketProtocolError {
  return new WebSocketProtocolError(`Cannot read a compressed message: ${what}`, "INVALID_COMPRESSED_DATA", 1007);
}
