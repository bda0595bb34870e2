/**
 * What a tap knows of each of its clients.
 *
 * @module
 */

import type { Feed } from "./feed.ts";

/** A client, whatever it is connected by. */
export interface TapClient {
  readonly feed: Feed;
  /** Since when it has not taken what it was given, as the tap's clock counts; `undefined` if it has. */
  readonly stuckSince: number | undefined;
  /** Sends a sign of life, if nothing was sent since then, as the tap's clock counts. */
  heartbeat(since: number): void;
  /** Serves it no more, and ends its connection as far as that can be done. */
  end(reason: EndReason): void;
}

/** Whom a client tells of its end. */
export interface ClientListener<C extends TapClient> {
  /** It is served no more. Called once. */
  onEnd(client: C): void;
  /** Its connection has ended. Called once, after the other. */
  onGone(client: C): void;
}

/** Why the tap ends a connection: it is stopped, or the stream behind it was, or the client takes nothing. */
export type EndReason = "stopped" | "upstream-stopped" | "stuck";
