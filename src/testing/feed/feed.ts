/**
 * Where the data of a connection comes from: the interface between connections and generators or recordings.
 *
 * @module
 */

import type { Disturber } from "../data_faults.ts";
import type { Ledger } from "../ledger.ts";
import type { FrameBatch } from "./frame_batch.ts";

/** The data of one connection. It is asked for frames whenever the connection can take some. */
export interface Feed {
  /** These streams were subscribed, together. None of them is subscribed already. */
  add(streams: readonly string[]): void;
  /** These streams were unsubscribed. */
  remove(streams: readonly string[]): void;
  /** Appends frames that are due until the batch is full; returns whether more are due right now. */
  fill(batch: FrameBatch): boolean;
  /** The connection is over. */
  close(): void;
}

/** What a feed knows of its connection. */
export interface FeedClient {
  readonly ledger: Ledger;
  /** What is wrong with the data: of each stream, messages are known by their number. */
  readonly disturber: Disturber<number>;
  /** Whether data is wrapped as `{"stream":…,"data":…}` at the moment. */
  readonly isCombined: boolean;
  /** Whether nothing may be sent at the moment. What falls due meanwhile is lost. */
  readonly isSilent: boolean;
  /** Whether times are in µs. */
  readonly isMicroseconds: boolean;
  /** Whose payloads the connection gets. */
  readonly market: "spot" | "futures" | "any";
  /** Asks the connection to call `fill`. */
  wake(): void;
  /** The client takes less than falls due and the bounded queue is full: the connection has to end. */
  overflow(): void;
}

/** What stands before the payload in the combined form; after it comes `}`. */
export function combinedHead(stream: string): string {
  return `{"stream":${JSON.stringify(stream)},"data":`;
}

/** Whether every character of a text is ASCII. */
export function isAsciiText(text: string): boolean {
  // deno-lint-ignore no-control-regex -- the range is the definition of ASCII
  return /^[\x00-\x7f]*$/.test(text);
}
