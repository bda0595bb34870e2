/**
 * The switches to misbehave, as the connections see them.
 *
 * @module
 */

import { DataFaults } from "./data_faults.ts";
import type { ThrottleOptions } from "./fault_options.ts";

/** How the next handshakes are refused. */
export interface Refusals {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Number of handshakes that are still to be refused. */
  left: number;
}

/** The state of all switches of an exchange. */
export interface Switches {
  refusals: Refusals | undefined;
  ignoreHandshakes: boolean;
  silent: boolean;
  ignorePings: boolean;
  ignoreClose: boolean;
  silenceAcks: boolean;
  /** Answers that are still to be dropped. */
  acksToDrop: number;
  ackDelayMs: number;
  controlError: { readonly code: number; readonly msg: string } | undefined;
  /** SUBSCRIBE messages that are still to be acknowledged without being obeyed. */
  subscriptionsToIgnore: number;
  throttle: ThrottleOptions;
  readonly data: DataFaults;
}

/** All switches off. */
export function switchesOff(): Switches {
  return {
    refusals: undefined,
    ignoreHandshakes: false,
    silent: false,
    ignorePings: false,
    ignoreClose: false,
    silenceAcks: false,
    acksToDrop: 0,
    ackDelayMs: 0,
    controlError: undefined,
    subscriptionsToIgnore: 0,
    throttle: {},
    data: new DataFaults(),
  };
}
