/**
 * The errors of a peer that sends more than is allowed: close code 1009 (RFC 6455 7.4.1).
 *
 * @module
 */

import { WebSocketProtocolError } from "../../base/mod.ts";

/** A message is over a limit. */
export function tooLarge(what: string, code: string): WebSocketProtocolError {
  return new WebSocketProtocolError(`Cannot read a message: ${what}`, code, 1009);
}

/** More than `maxBufferedBytes` would have to be held back. */
export function tooMuchBuffered(maxBufferedBytes: number): WebSocketProtocolError {
  return tooLarge(`more than ${maxBufferedBytes} bytes would be held back`, "TOO_MANY_BUFFERED_BYTES");
}
