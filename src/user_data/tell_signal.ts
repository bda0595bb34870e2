/**
 * Telling the user a signal: what he throws is logged, never thrown on.
 *
 * @module
 */

import { stackOf } from "../base/mod.ts";
import type { Output, Signal } from "../stream/mod.ts";
import type { UserDataSettings } from "./settings.ts";

/** `Omit` that keeps the members of a union apart. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What is particular to one signal. */
export type SignalDetails = DistributiveOmit<Signal, "streamId" | "streamLabel" | "timestamp">;

/** What tells the signals of a stream. */
export function signalTeller<O extends Output>(settings: UserDataSettings<O>): (details: SignalDetails) => void {
  const { id, label, onSignal, link: { clock, logger } } = settings;
  const report = (error: unknown) => logger.error(`Stream ${id}: onSignal threw ${stackOf(error)}`);
  return (details) => {
    logger.debug(`Stream ${id}: ${details.type}`);
    if (onSignal === undefined) return;
    try {
      const result = onSignal({ ...details, streamId: id, streamLabel: label, timestamp: clock.now() });
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
