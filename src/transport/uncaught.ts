/**
 * What becomes of an exception of the caller's code that is called from ours.
 *
 * @module
 */

/** Reports an exception of the caller's code as an uncaught error, outside of our own stack. */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Calls the caller's code; what it throws is reported as an uncaught error. */
export function guard(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportUncaught(error);
  }
}
