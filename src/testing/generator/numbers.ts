/**
 * Numbers that depend on nothing but their arguments: hashes in the place of random numbers, and decimals as text.
 *
 * @module
 */

/** 32 bits that depend on every character of `text` and on `seed` (FNV-1a, then mixed). */
export function hashText(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash, seed);
}

/** 32 bits that depend on both numbers (the finalizer of MurmurHash3); `n` may be any safe integer. */
export function mix(hash: number, n: number): number {
  let bits = hash ^ Math.imul(n + 1, 0x9e3779b1) ^ Math.floor(n / 0x100000000);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"));

/** `cents` hundredths as a decimal with two places. At least 0, a table instead of `toFixed` for speed. */
export function hundredths(cents: number): string {
  const whole = Math.floor(cents / 100);
  return `${whole}.${TWO_DIGITS[cents - whole * 100]}`;
}

/** `thousandths` as a decimal with three places. At least 0. */
export function thousandths(value: number): string {
  const whole = Math.floor(value / 1000);
  return `${whole}.${THREE_DIGITS[value - whole * 1000]}`;
}

/** A decimal with two places that may be below 0. */
export function signedHundredths(cents: number): string {
  return cents < 0 ? `-${hundredths(-cents)}` : hundredths(cents);
}
