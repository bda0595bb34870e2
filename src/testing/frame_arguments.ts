/**
 * Checks of what is to be sent by hand in control frames, whose payload has at most 125 bytes (RFC 6455 5.5).
 *
 * @module
 */

import { Buffer } from "node:buffer";

const MAXIMUM_PAYLOAD = 125;
const CLOSE_CODE_BYTES = 2;

/** The bytes of a ping's payload. */
export function pingPayload(payload: string | Uint8Array): Uint8Array {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  if (bytes.length > MAXIMUM_PAYLOAD) {
    throw new TypeError(`Cannot send a ping with ${bytes.length} bytes: expected at most ${MAXIMUM_PAYLOAD}`);
  }
  return bytes;
}

/** Refuses a reason that is too long for a Close frame. */
export function checkReason(reason: string): void {
  const bytes = Buffer.byteLength(reason);
  const maximum = MAXIMUM_PAYLOAD - CLOSE_CODE_BYTES;
  if (bytes > maximum) {
    throw new TypeError(`Cannot close with a reason of ${bytes} bytes: expected at most ${maximum}`);
  }
}
