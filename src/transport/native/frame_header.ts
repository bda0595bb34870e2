/**
 * The head of one frame (RFC 6455 5.2): read from bytes, with every rule that concerns a frame by itself, and written.
 *
 * @module
 */

import { WebSocketProtocolError } from "../../base/mod.ts";
import { MAX_CONTROL_PAYLOAD, Opcode } from "./opcode.ts";

/** The longest frame head in bytes: 2, a 64-bit length and a masking key. */
export const MAX_FRAME_HEAD = 14;

/** Makes the error for a violation that has close code 1002. */
export function violation(what: string, code: string): WebSocketProtocolError {
  return new WebSocketProtocolError(`Cannot read a frame: ${what}`, code, 1002);
}

/** The fields of a frame head. One object is reused for all frames of a connection. */
export class FrameHeader {
  /** Whether this is the last frame of its message. */
  fin = false;
  /** One of {@linkcode Opcode}. */
  opcode = 0;
  /** Length of the payload in bytes. */
  length = 0;
  /** The masking key as a word, its first byte lowest; 0 for an unmasked frame. */
  maskingKey = 0;
  /** Whether the payload is the start of a compressed message: RSV1 (RFC 7692 6). */
  compressed = false;
  readonly #expectMasked: boolean;
  readonly #reservedBits: number;

  /**
   * Creates a header that takes only masked frames (those of a client) or only unmasked ones (those of a server).
   *
   * @param allowCompressed Whether permessage-deflate was negotiated. Default: false.
   */
  constructor(expectMasked: boolean, allowCompressed = false) {
    this.#expectMasked = expectMasked;
    this.#reservedBits = allowCompressed ? 0x30 : 0x70;
  }

  /**
   * Reads the head that starts at `at`.
   *
   * @returns Its length in bytes, or 0 if `bytes[at..end)` holds only a part of it.
   * @throws {WebSocketProtocolError} as soon as the bytes that are there are wrong.
   */
  read(bytes: Uint8Array, at: number, end: number): number {
    if (at >= end) return 0;
    const first = bytes[at]!;
    if ((first & this.#reservedBits) !== 0) throw violation("reserved bits are set", "RESERVED_BITS");
    this.fin = (first & 0x80) !== 0;
    this.opcode = first & 0x0f;
    this.compressed = (first & 0x40) !== 0;
    // RFC 7692 6.1 and 6.2: only the first frame of a message says that it is compressed.
    if (this.compressed && this.opcode !== Opcode.Text && this.opcode !== Opcode.Binary) {
      throw violation("RSV1 is set on a frame that starts no message", "RESERVED_BITS");
    }
    const control = (this.opcode & 8) !== 0;
    if (this.opcode > (control ? Opcode.Pong : Opcode.Binary)) {
      throw violation(`the opcode 0x${this.opcode.toString(16)} is reserved`, "RESERVED_OPCODE");
    }
    if (control && !this.fin) throw violation("a control frame is fragmented", "FRAGMENTED_CONTROL_FRAME");
    if (end - at < 2) return 0;

    const second = bytes[at + 1]!;
    const masked = second >= 0x80;
    if (masked !== this.#expectMasked) {
      // RFC 6455 5.1: a server must not mask, a client must.
      if (masked) throw violation("the server masked it", "MASKED_FRAME");
      throw violation("the client did not mask it", "UNMASKED_FRAME");
    }
    let head = 2;
    this.length = second & 0x7f;
    if (control && this.length > MAX_CONTROL_PAYLOAD) {
      throw violation(`a control frame has more than ${MAX_CONTROL_PAYLOAD} bytes`, "CONTROL_FRAME_TOO_LONG");
    }
    if (this.length === 126) {
      if (end - at < 4) return 0;
      this.length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
      if (this.length < 126) throw notMinimal();
      head = 4;
    } else if (this.length === 127) {
      if (end - at > 2 && bytes[at + 2]! > 0x7f) {
        throw violation("the top bit of the 64-bit length is set", "LENGTH_OUT_OF_RANGE");
      }
      if (end - at < 10) return 0;
      // Above 2^53 this rounds, which does no harm: no limit is that large.
      this.length = word(bytes, at + 2) * 0x1_0000_0000 + word(bytes, at + 6);
      if (this.length < 0x1_0000) throw notMinimal();
      head = 10;
    }
    this.maskingKey = 0;
    if (!masked) return head;
    if (end - at < head + 4) return 0;
    at += head;
    this.maskingKey = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    return head + 4;
  }
}

/**
 * Writes a frame's head so that it ends where the payload of `length` bytes starts.
 *
 * @param first The first byte: FIN, reserved bits and opcode.
 * @param key The masking key as {@linkcode FrameHeader.maskingKey}; `undefined` for an unmasked frame.
 * @returns Where the head starts: at most {@linkcode MAX_FRAME_HEAD} bytes before the payload.
 */
export function writeHeadBefore(
  bytes: Uint8Array,
  payloadStart: number,
  length: number,
  first: number,
  key: number | undefined,
): number {
  let at = payloadStart;
  if (key !== undefined) {
    bytes[--at] = key >>> 24;
    bytes[--at] = key >>> 16;
    bytes[--at] = key >>> 8;
    bytes[--at] = key;
  }
  const lengthBytes = length < 126 ? 0 : length < 0x1_0000 ? 2 : 8;
  let rest = length;
  for (let byte = 0; byte < lengthBytes; byte++) {
    bytes[--at] = rest;
    rest = Math.floor(rest / 256);
  }
  bytes[--at] = (key === undefined ? 0 : 0x80) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  bytes[--at] = first;
  return at;
}

/** The unsigned 32-bit number at `at`, in network order. */
function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function notMinimal(): WebSocketProtocolError {
  return violation("its length is not encoded in the shortest form", "LENGTH_NOT_MINIMAL");
}
