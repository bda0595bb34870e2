/**
 * The streams that a link is to carry, whatever connection carries them at the moment, and who waits for that.
 *
 * @module
 */

import { Waiters } from "./waiters.ts";

/** Shared by the subscriptions of all connections of a link. */
export class DesiredStreams {
  /** The streams that are wanted. */
  readonly wanted = new Set<string>();
  /** What the exchange has acknowledged at least once: refusing it later is a hiccup, not a wrong name. */
  readonly proven = new Set<string>();
  /** Streams of a message that was refused as a whole, with the most that may share their next one: one is to blame. */
  readonly suspects = new Map<string, number>();
  /** Whether the last refusal has left fewer streams to suspect; taken back by who acts on it. */
  hasNarrowed = false;
  /** Who waits for the exchange to do something. */
  readonly waiters = new Waiters();
}
