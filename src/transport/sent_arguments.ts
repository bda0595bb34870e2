/**
 * What may be sent in messages and in control frames, the same with every library: their own ways with other values
 * differ, and most of them send something that nobody meant.
 *
 * @module
 */

/** Throws unless a Close frame with this code and reason may be sent on every runtime: RFC 6455 7.4, WHATWG WebSockets. */
export function checkClose(code: number, reason: string): void {
  if (code !== 1000 && !(Number.isInteger(code) && code >= 3000 && code <= 4999)) {
    throw new TypeError(`Cannot close with the code ${String(code)}: expected 1000 or 3000 to 4999`);
  }
  if (typeof reason !== "string") throw new TypeError("Cannot close with this reason: expected a string");
  if (new TextEncoder().encode(reason).length > 123) {
    throw new TypeError("Cannot close with this reason: expected at most 123 bytes of UTF-8 (RFC 6455 5.5)");
  }
}

/** Throws unless the value can be sent as a message. */
export function checkMessage(data: unknown): void {
  if (typeof data !== "string") {
    checkBytes("send a message", data, "a string (`JSON.stringify(value)` of an object) or a Uint8Array");
  }
}

/** Throws unless the value is bytes; `what` can't be done with others. */
export function checkBytes(what: string, data: unknown, expected = "a Uint8Array"): void {
  if (data instanceof Uint8Array) return;
  const type = Object.prototype.toString.call(data).slice("[object ".length, -1);
  const instead = ArrayBuffer.isView(data)
    ? "new Uint8Array(view.buffer, view.byteOffset, view.byteLength)"
    : type === "Blob"
    ? "new Uint8Array(await blob.arrayBuffer())"
    : type.endsWith("ArrayBuffer")
    ? "new Uint8Array(buffer)"
    : undefined;
  const suffix = instead === undefined ? "" : `, such as \`${instead}\``;
  throw new TypeError(`Cannot ${what} of the type ${type}: expected ${expected}${suffix}`);
}

/** Throws unless the payload fits into a ping: RFC 6455 5.5. */
export function checkPing(payload: Uint8Array): void {
  checkBytes("send a ping", payload);
  if (payload.length > 125) {
    throw new TypeError(`Cannot send a ping of ${payload.length} bytes: expected at most 125 (RFC 6455 5.5)`);
  }
}
