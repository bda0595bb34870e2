/**
 * Waiting by the clock, until something else ends it.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

/** Waits `ms`; ends earlier, without an error, when `signal` is aborted. */
export function waitFor(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => {
    timer.cancel();
    resolve();
  };
  const timer = clock.setTimer(stop, ms);
  signal.addEventListener("abort", stop);
  return promise.finally(() => signal.removeEventListener("abort", stop));
}

/** Calls `work` with a signal that is aborted with `outer`, or after `ms`. */
export async function within<T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const inner = new AbortController();
  // The timer goes at once: `work` may take its time to end, and nobody waits for that.
  const stop = () => {
    timer.cancel();
    inner.abort(outer.reason);
  };
  const timer = clock.setTimer(() => inner.abort(new DOMException(`No answer within ${ms} ms`, "TimeoutError")), ms);
  outer.addEventListener("abort", stop);
  try {
    return await work(inner.signal);
  } finally {
    timer.cancel();
    outer.removeEventListener("abort", stop);
  }
}
