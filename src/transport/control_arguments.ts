/**
 * What may be sent in control frames.
 *
 * @module
 */

/** Throws unless a Close frame with this code and reason may be sent on every runtime: RFC 6455 7.4, WHATWG WebSockets. */
export function checkClose(code: number, reason: string): void {
  if (code !== 1000 && !(Number.isInteger(code) && code >= 3000 && code <= 4999)) {
    throw new TypeError(`Cannot close with the code ${code}: expected 1000 or 3000 to 4999`);
  }
  if (new TextEncoder().encode(reason).length > 123) {
    throw new TypeError("Cannot close with this reason: expected at most 123 bytes of UTF-8 (RFC 6455 5.5)");
  }
}

/** Throws unless the payload fits into a ping: RFC 6455 5.5. */
export function checkPing(payload: Uint8Array): void {
  if (payload.length > 125) {
    throw new TypeError(`Cannot send a ping of ${payload.length} bytes: expected at most 125 (RFC 6455 5.5)`);
  }
}
