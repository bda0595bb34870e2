/**
 * Bytes by hand: joining, UTF-8, and payloads that are the same in every run.
 *
 * @module
 */

/** Bytes of numbers (one byte each), strings (as UTF-8) and arrays, one after the other. */
export function bytesOf(...parts: readonly (number | string | Uint8Array)[]): Uint8Array {
  return concat(parts.map((part) => {
    if (typeof part === "number") return new Uint8Array([part]);
    return typeof part === "string" ? new TextEncoder().encode(part) : part;
  }));
}

/** Arrays, one after the other. */
export function concat(arrays: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    bytes.set(array, at);
    at += array.length;
  }
  return bytes;
}

/** Bytes of hexadecimal digits; spaces don't count. */
export function fromHex(digits: string): Uint8Array {
  const pairs = digits.replaceAll(" ", "").match(/../g) ?? [];
  return new Uint8Array(pairs.map((pair) => Number.parseInt(pair, 16)));
}

/** Cuts bytes into pieces of `size` bytes; the last one is what is left. */
export function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

/** Cuts bytes before each of the positions. */
export function cutAt(bytes: Uint8Array, ...positions: readonly number[]): Uint8Array[] {
  const bounds = [0, ...positions, bytes.length];
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
}

/** A generator of numbers in [0, 1) that gives the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A text of `length` ASCII characters that repeats only after a prime number of them, so that a lost piece shows. */
export function asciiText(length: number): string {
  const period = 8_191;
  const random = seededRandom(1);
  const once = Array.from({ length: Math.min(period, length) }, () => String.fromCharCode(32 + random() * 95)).join("");
  return once.repeat(Math.ceil(length / period) || 0).slice(0, length);
}

/** Binary data of `length` bytes that repeats only after a prime number of them. */
export function binaryData(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = (at % 8_191) * 37 + 254;
  return bytes;
}
