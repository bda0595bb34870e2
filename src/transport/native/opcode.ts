/**
 * Opcodes and close codes of RFC 6455, and which of them may appear on the wire.
 *
 * @module
 */

/** The opcodes of RFC 6455 5.2. All others are reserved. */
export const Opcode: {
  readonly Continuation: 0;
  readonly Text: 1;
  readonly Binary: 2;
  readonly Close: 8;
  readonly Ping: 9;
  readonly Pong: 10;
} = { Continuation: 0, Text: 1, Binary: 2, Close: 8, Ping: 9, Pong: 10 };

/** One of the opcodes of RFC 6455 5.2. */
export type Opcode = (typeof Opcode)[keyof typeof Opcode];

/** Longest payload of a control frame in bytes (RFC 6455 5.5). */
export const MAX_CONTROL_PAYLOAD = 125;

/** Close code that stands for "a Close frame without a code"; never on the wire (RFC 6455 7.4.1). */
export const NO_STATUS_RECEIVED = 1005;

/** Close code that stands for "no Close frame came"; never on the wire (RFC 6455 7.4.1). */
export const ABNORMAL_CLOSURE = 1006;

/**
 * Whether an endpoint may send this close code: 1000 to 1014 without 1004, 1005 and 1006 (RFC 6455 7.4.1 and the IANA
 * registry that it founds), 3000 to 4999 (RFC 6455 7.4.2).
 */
export function isSendableCloseCode(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
}
