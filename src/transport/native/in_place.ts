/**
 * Makes a frame of a payload in a buffer of the caller's, without a copy.
 *
 * @module
 */

import { FRAME_HEAD_ROOM } from "../frames.ts";
import { writeHeadBefore } from "./frame_header.ts";
import { applyMask, freshMaskingKey } from "./mask.ts";
import type { Opcode } from "./opcode.ts";

/**
 * Writes the head of a masked frame before `buffer[offset..offset + length)`, masks that payload where it is, and
 * returns the frame: a view of the buffer.
 *
 * @throws {RangeError} if the payload does not lie in the buffer, or has too little room before it.
 */
export function encodeInPlace(
  buffer: Uint8Array,
  offset: number,
  length: number,
  opcode: Opcode,
  fin: boolean,
): Uint8Array {
  if (!Number.isInteger(offset) || offset < FRAME_HEAD_ROOM) {
    throw new RangeError(`Cannot write a frame's head before ${offset}: expected at least ${FRAME_HEAD_ROOM} bytes`);
  }
  const end = offset + length;
  if (!Number.isInteger(length) || length < 0 || end > buffer.length) {
    throw new RangeError(`Cannot send ${length} bytes from ${offset} on: the buffer has ${buffer.length}`);
  }
  const key = freshMaskingKey();
  const start = writeHeadBefore(buffer, offset, length, (fin ? 0x80 : 0) | opcode, key);
  applyMask(buffer, offset, end, key, 0);
  return buffer.subarray(start, end);
}
