/**
 * UTF-8: validated decoding, and validation of text that arrives in pieces.
 *
 * @module
 */

import { Buffer, isAscii, isUtf8 } from "node:buffer";
import { WebSocketProtocolError } from "../../base/mod.ts";

/** Below this many bytes, a loop is cheaper than a view and a call into the runtime. */
const NATIVE_PAYS_FROM = 24;

/**
 * `Buffer.prototype.latin1Slice(start, end)`, which takes any Uint8Array as `this` on all runtimes. Twice as fast as any
 * other way to make a string of ASCII bytes; `@types/node` does not declare it, hence the cast.
 */
const sliceAscii = (Buffer.prototype as unknown as {
  latin1Slice: { call(bytes: Uint8Array, start: number, end: number): string };
}).latin1Slice;

/** U+FEFF at the start is part of the message, hence `ignoreBOM`. */
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Whether all of `bytes[start..end)` is ASCII. */
export function isAsciiRange(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start >= NATIVE_PAYS_FROM) return isAscii(bytes.subarray(start, end));
  for (let at = start; at < end; at++) if (bytes[at]! > 0x7f) return false;
  return true;
}

/** The string of `bytes[start..end)`, which is known to be ASCII. */
export function decodeAscii(bytes: Uint8Array, start: number, end: number): string {
  return sliceAscii.call(bytes, start, end);
}

/** The string of `bytes[start..end)`, which is known to be valid UTF-8. */
export function decodeValid(bytes: Uint8Array, start: number, end: number): string {
  return lenientDecoder.decode(bytes.subarray(start, end));
}

/**
 * The string of `bytes[start..end)`.
 *
 * @throws {WebSocketProtocolError} if it is not valid UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (isAsciiRange(bytes, start, end)) return sliceAscii.call(bytes, start, end);
  const view = bytes.subarray(start, end);
  try {
    return strictDecoder.decode(view);
  } catch {
    throw invalidUtf8();
  }
}

/** The error for text that is not UTF-8: close code 1007 (RFC 6455 8.1). */
export function invalidUtf8(): WebSocketProtocolError {
  return new WebSocketProtocolError("Cannot read a text: it is not valid UTF-8", "INVALID_UTF8", 1007);
}

/** Validates UTF-8 that arrives in pieces; says no with the first byte that can't be right, not only at the end. */
export class Utf8Validator {
  /** Continuation bytes that are missing, and the bounds of the next one (Unicode 15, table 3-7). */
  #missing = 0;
  #lowest = 0x80;
  #highest = 0xbf;

  /** Whether no character is incomplete. */
  get atBoundary(): boolean {
    return this.#missing === 0;
  }

  /** Starts over with a new text. */
  reset(): void {
    this.#missing = 0;
    this.#lowest = 0x80;
    this.#highest = 0xbf;
  }

  /** Takes `bytes[start..end)`; returns whether the text can still be valid. */
  push(bytes: Uint8Array, start: number, end: number): boolean {
    let at = start;
    while (this.#missing > 0 && at < end) {
      if (!this.#step(bytes[at++]!)) return false;
    }
    if (end - at >= NATIVE_PAYS_FROM) {
      const tail = startOfIncomplete(bytes, end);
      if (!isUtf8(bytes.subarray(at, tail))) return false;
      at = tail;
    }
    while (at < end) {
      if (!this.#step(bytes[at++]!)) return false;
    }
    return true;
  }

  /** Takes one byte; returns whether it can stand here. */
  #step(byte: number): boolean {
    if (this.#missing > 0) {
      if (byte < this.#lowest || byte > this.#highest) return false;
      this.#missing--;
      this.#lowest = 0x80;
      this.#highest = 0xbf;
      return true;
    }
    if (byte < 0x80) return true;
    if (byte < 0xc2 || byte > 0xf4) return false;
    if (byte < 0xe0) this.#missing = 1;
    else if (byte < 0xf0) this.#missing = 2;
    else this.#missing = 3;
    // No overlong forms, no surrogates, nothing above U+10FFFF.
    if (byte === 0xe0) this.#lowest = 0xa0;
    else if (byte === 0xed) this.#highest = 0x9f;
    else if (byte === 0xf0) this.#lowest = 0x90;
    else if (byte === 0xf4) this.#highest = 0x8f;
    return true;
  }
}

/** Where the last character before `end` starts if it is incomplete, else `end`. */
function startOfIncomplete(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[end - back]!;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? end - back : end;
    }
  }
  return end;
}
