/**
 * The rules of a data frame among its neighbours (RFC 6455 5.4), and the limits of the message that it belongs to.
 *
 * @module
 */

import { type FrameHeader, violation } from "./frame_header.ts";
import { tooLarge } from "./limits.ts";
import { Opcode } from "./opcode.ts";

/** Follows the data frames of one connection. */
export class MessageRules {
  readonly #maxFragments: number;
  readonly #maxMessageBytes: number;
  /** Frames and bytes so far of a message that is not complete; 0 frames between messages. */
  #fragments = 0;
  #bytes = 0;

  /** Starts between two messages. */
  constructor(maxFragments: number, maxMessageBytes: number) {
    this.#maxFragments = maxFragments;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /**
   * Takes the head of the next data frame.
   *
   * @param compressed Whether the message is compressed: the limit is for the decompressed one, and what can't be compressed
   * is a little larger as a compressed one.
   * @throws {WebSocketProtocolError} if it may not come here, or makes the message too large.
   */
  check({ opcode, length, fin }: FrameHeader, compressed = false): void {
    const isContinuation = opcode === Opcode.Continuation;
    if (isContinuation && this.#fragments === 0) {
      throw violation("a continuation has no message to continue", "UNEXPECTED_CONTINUATION");
    }
    if (!isContinuation && this.#fragments > 0) {
      throw violation("a message starts inside of another one", "EXPECTED_CONTINUATION");
    }
    this.#fragments++;
    this.#bytes += length;
    if (this.#fragments > this.#maxFragments) {
      throw tooLarge(`it has more than ${this.#maxFragments} fragments`, "TOO_MANY_FRAGMENTS");
    }
    const limit = compressed ? this.#maxMessageBytes + (this.#maxMessageBytes >> 4) + 64 : this.#maxMessageBytes;
    if (this.#bytes > limit) {
      throw tooLarge(`it has more than ${this.#maxMessageBytes} bytes`, "MESSAGE_TOO_LARGE");
    }
    if (fin) this.#fragments = this.#bytes = 0;
  }
}
