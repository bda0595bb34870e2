/**
 * Where account events come from, as their stream sees it: one connection, for one account or for several.
 *
 * @module
 */

import type { LinkStatistics } from "../stream/mod.ts";
import type { CloseInfo } from "../transport/portable.ts";
import type { UserDataGap } from "./gap_tracker.ts";

/**
 * An account of a stream, as it is now.
 *
 * @example
 * ```ts
 * import type { UserDataAccount } from "@rawtick/binance";
 *
 * const isQuiet = (account: UserDataAccount) => account.state === "running" && account.events === 0;
 * console.log(isQuiet);
 * ```
 */
export interface UserDataAccount {
  /** Its name, under which its events are delivered. */
  readonly name: string;
  /**
   * Whether its events come: `"starting"` before the first time, `"running"`, `"restarting"` while they are interrupted, or
   * `"failed"`, when the exchange refuses them for good.
   */
  readonly state: "starting" | "running" | "restarting" | "failed";
  /** Id of its subscription on the WebSocket API connection, another one after each reconnect; `undefined` without one. */
  readonly subscriptionId: number | undefined;
  /** Events that came and were wanted. */
  readonly events: number;
}

/** What a source tells its stream. No call may throw. */
export interface UserDataSourceListener {
  /** An event that is wanted, in the combined form under the name of its account. */
  onEvent(text: string): void;
  /** A connection is open. */
  onConnect(url: string): void;
  /** A connection that was open has ended. */
  onDisconnect(url: string, close: CloseInfo): void;
  /** A connection could not be opened; it is tried again. */
  onConnectFailed(url: string, error: unknown): void;
  /** A connection was replaced by another one without a loss. */
  onRollover(url: string, reason: string): void;
  /** Events of an account may have been missed, and come again. */
  onGap(account: string, gap: UserDataGap): void;
  /** The exchange refuses the events of an account, and would again; others go on. */
  onRefused(account: string, error: unknown): void;
  /** Nothing can come any more. */
  onCrash(error: unknown): void;
}

/** A source of account events, which works until it is stopped. */
export interface UserDataSource {
  /** Resolves when the events of all its accounts come for the first time; may stay pending if it is stopped before. */
  readonly ready: Promise<void>;
  /** Its accounts. */
  readonly accounts: readonly UserDataAccount[];
  /** Its connection. */
  readonly linkStatistics: LinkStatistics;
  /** When its connection was opened again, in ms since 1970. */
  readonly reconnectTimes: readonly number[];
  /** Why it is not connected, in a few words. */
  readonly stateReason: string | undefined;
  /** Stops reading, or goes on, where that can be done without holding up anything else. */
  setPaused(isPaused: boolean): void;
  /** Ends it; nothing is told any more. Resolves when its connection is closed, if that is its own. */
  stop(reason: Error): Promise<void>;
}
