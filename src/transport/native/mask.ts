/**
 * Masking of payloads (RFC 6455 5.3) and the supply of masking keys.
 *
 * @module
 */

/** Below this many bytes, making a view for whole words costs more than it saves. */
const WORDS_PAY_FROM = 48;

/** A key is kept as the word whose lowest byte is the key's first byte; that is its place in memory only here. */
const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/**
 * Masks or unmasks `bytes[start..end)` in place.
 *
 * @param key The masking key as a 32-bit word, its first byte lowest.
 * @param offset How many bytes of the payload come before `start`.
 */
export function applyMask(bytes: Uint8Array, start: number, end: number, key: number, offset: number): void {
  const shift = (offset & 3) * 8;
  // `key` rotated so that its lowest byte belongs to the next byte. A shift by 32 is a shift by 0, which is right here.
  let word = (key >>> shift) | (key << (32 - shift));
  if (shift === 0) word = key | 0;
  let at = start;
  if (LITTLE_ENDIAN && end - at >= WORDS_PAY_FROM) {
    while (((bytes.byteOffset + at) & 3) !== 0) {
      bytes[at++]! ^= word;
      word = (word >>> 8) | (word << 24);
    }
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (end - at) >> 2);
    for (let i = 0; i < words.length; i++) words[i]! ^= word;
    at += words.length * 4;
  }
  for (; at < end; at++) {
    bytes[at]! ^= word;
    word = (word >>> 8) | (word << 24);
  }
}

/** One call of the system's random generator costs as much as a frame: it fills this many keys at a time. */
const KEYS = new Int32Array(1024);
let nextKey = KEYS.length;

/** A fresh, unpredictable masking key (RFC 6455 5.3), as {@linkcode applyMask} takes it. */
export function freshMaskingKey(): number {
  if (nextKey === KEYS.length) {
    crypto.getRandomValues(KEYS);
    nextKey = 0;
  }
  return KEYS[nextKey++]!;
}
