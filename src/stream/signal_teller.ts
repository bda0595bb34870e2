/**
 * Telling the user the signals of a stream: what he throws is logged, never thrown on.
 *
 * @module
 */

import { stackOf } from "../base/mod.ts";
import { isThenable } from "./async_delivery.ts";
import type { LinkSettings } from "./link_settings.ts";
import type { Signal } from "./signals.ts";

/** `Omit` that keeps the members of a union apart. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What is particular to one signal. */
export type SignalDetails = DistributiveOmit<Signal, "streamId" | "streamLabel" | "timestamp">;

/** Takes signals. */
export type SignalListener = (signal: Signal) => unknown;

/** Whose signals are told. */
export interface SignalSource {
  readonly id: string;
  readonly label: string | undefined;
  readonly link: Pick<LinkSettings, "clock" | "logger">;
}

/** Makes what tells the signals of a stream to its listeners, to one after the other whatever the others throw. */
export function signalTeller(
  { id, label, link: { clock, logger } }: SignalSource,
  listeners: readonly (SignalListener | undefined)[],
): (details: SignalDetails) => void {
  const report = (error: unknown) => logger.error(`Stream ${id}: onSignal threw ${stackOf(error)}`);
  const present = listeners.filter((listener) => listener !== undefined);
  return (details) => {
    logger.debug(`Stream ${id}: ${details.type}`);
    if (present.length === 0) {
      // A process that ends because its only stream has crashed shall not do so without a word.
      if (details.type === "STREAM_UNREPAIRABLE") console.error(String(details.error));
      return;
    }
    const signal: Signal = { ...details, streamId: id, streamLabel: label, timestamp: clock.now() };
    for (const listener of present) {
      try {
        const result = listener(signal);
        if (isThenable(result)) Promise.resolve(result).catch(report);
      } catch (error) {
        report(error);
      }
    }
  };
}
