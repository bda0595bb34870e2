/**
 * The buffer that zlib writes to: one for the process, because its output is used up before anything else is written.
 *
 * @module
 */

/** Output goes here if it fits: fresh memory costs more than to copy out of old. Grows from the one to the other. */
const SCRATCH_START = 1 << 14;
const SCRATCH_LIMIT = 1 << 20;
const NOTHING = new Uint8Array(0);
let scratch = NOTHING;

/** A buffer of at least `bytes` bytes that starts with `before[0..length)`; the next call may return it again. */
export function scratchOf(bytes: number, before: Uint8Array = NOTHING, length = 0): Uint8Array {
  if (bytes > SCRATCH_LIMIT) {
    const own = new Uint8Array(bytes);
    own.set(before.subarray(0, length));
    return own;
  }
  if (scratch.length < bytes || scratch.length === 0) {
    scratch = new Uint8Array(Math.max(SCRATCH_START, Math.min(SCRATCH_LIMIT, 2 * bytes)));
  }
  if (before !== scratch) scratch.set(before.subarray(0, length));
  return scratch;
}
