/**
 * What all links of a manager share.
 *
 * @module
 */

import type { Clock, Logger } from "../base/mod.ts";
import type { ConnectOptions, OpenConnection } from "../transport/portable.ts";
import type { BackoffOptions } from "./backoff.ts";
import type { ConnectBudget } from "./connect_budget.ts";

/** What all links of a manager share. */
export interface LinkSettings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly open: OpenConnection;
  readonly connectOptions: ConnectOptions;
  readonly maxFramesPerSecond: number;
  readonly maxStreams: number;
  /** Paces the attempts to connect of all links. */
  readonly connectBudget: ConnectBudget;
  readonly ackTimeoutMs: number;
  /** 0 switches the watchdog off. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  readonly backoff: BackoffOptions;
  /** What an answer with status 429 or 418 means. */
  readonly onRateLimited: "crash" | "wait";
  /** Age in ms at which a connection is replaced before the exchange cuts it; 0 for never. */
  readonly rolloverAgeMs: number;
  /** Longest time in ms that both connections are open during that. */
  readonly overlapMs: number;
  /** How long in ms a stream may be silent before that is reported; `undefined` for as long as it likes. */
  readonly silenceMs: (stream: string) => number | undefined;
  /** Numbers the control messages. */
  readonly nextId: () => number;
}
