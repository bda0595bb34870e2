/**
 * The payload of a Close frame (RFC 6455 5.5.1 and 7.4).
 *
 * @module
 */

import { violation } from "./frame_header.ts";
import { isSendableCloseCode, NO_STATUS_RECEIVED } from "./opcode.ts";
import { decodeUtf8 } from "./utf8.ts";

/**
 * Reads code and reason; the code is 1005 if there is none.
 *
 * @throws {WebSocketProtocolError} if the payload is malformed or the code must not be on the wire.
 */
export function readClosePayload(payload: Uint8Array): { code: number; reason: string } {
  if (payload.length === 0) return { code: NO_STATUS_RECEIVED, reason: "" };
  if (payload.length === 1) throw violation("a Close frame has a payload of 1 byte", "INVALID_CLOSE_PAYLOAD");
  const code = (payload[0]! << 8) | payload[1]!;
  if (!isSendableCloseCode(code)) throw violation(`the close code ${code} is not allowed`, "INVALID_CLOSE_CODE");
  return { code, reason: decodeUtf8(payload, 2, payload.length) };
}
