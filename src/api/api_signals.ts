/**
 * Telling signals of an API stream.
 *
 * @module
 */

import { stackOf } from "../base/mod.ts";
import type { Signal } from "../stream/mod.ts";
import type { ApiStreamSettings } from "./api_settings.ts";

/** What is particular to one signal. */
export type SignalDetails = DistributiveOmit<Signal, "streamId" | "streamLabel" | "timestamp">;

/** `Omit` that keeps the members of a union apart. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Makes a function that tells the user's `onSignal`; what that throws is logged. */
export function signalTeller(settings: ApiStreamSettings): (details: SignalDetails) => void {
  const { onSignal, id, label, link: { clock, logger } } = settings;
  const report = (error: unknown) => logger.error(`Stream ${id}: onSignal threw ${stackOf(error)}`);
  return (details) => {
    logger.debug(`Stream ${id}: ${details.type}`);
    try {
      const result = onSignal?.({ ...details, streamId: id, streamLabel: label, timestamp: clock.now() });
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
