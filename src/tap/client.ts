/**
 * What a tap knows of each of its clients.
 *
 * @module
 */

import type { Feed } from "./feed.ts";

/** A client, whatever it is connected by. */
export interface TapClient {
  readonly feed: Feed;
  /** Since when it takes nothing although there is something, as the tap's clock counts; `undefined` if it keeps up. */
  readonly stuckSince: number | undefined;
  /** Sends a sign of life, if nothing else was sent since the last one. */
  heartbeat(): void;
  /** Ends its connection. */
  end(reason: EndReason): void;
}

/** Why the tap ends a connection: it is stopped, or the stream behind it was, or the client takes nothing. */
export type EndReason = "stopped" | "upstream-stopped" | "stuck";
