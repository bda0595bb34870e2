/**
 * Checks of what faults are told.
 *
 * @module
 */

import type { KillOptions, ThrottleOptions } from "./fault_options.ts";

/** Refuses places that don't exist. */
export function checkKill({ afterFrames = 0, bytes = 0 }: KillOptions): void {
  for (const value of [afterFrames, bytes]) {
    if (Number.isInteger(value) && value >= 0) continue;
    throw new RangeError(`Cannot kill a connection after ${value} frames or bytes: expected an integer from 0`);
  }
}

/** Refuses rates that don't exist. */
export function checkRates({ sendBytesPerSecond = 1, readBytesPerSecond = 0 }: ThrottleOptions = {}): void {
  if (!(sendBytesPerSecond > 0)) {
    throw new RangeError(`Cannot send ${sendBytesPerSecond} bytes per second: expected a number over 0`);
  }
  if (!(readBytesPerSecond >= 0)) {
    throw new RangeError(`Cannot read ${readBytesPerSecond} bytes per second: expected a number that is at least 0`);
  }
}
