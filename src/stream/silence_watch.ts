/**
 * Notices streams of which nothing comes although the exchange has acknowledged them.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";
import type { StreamEntry, StreamTable } from "./stream_table.ts";

/** What is watched, and what is done about it. */
export interface SilenceWatchOptions {
  readonly clock: Clock;
  readonly table: StreamTable;
  /** How long in ms a stream may be silent; `undefined` for as long as it likes. */
  readonly silenceMs: (stream: string) => number | undefined;
  /** Whether the exchange has acknowledged the stream, and nothing is being tried. */
  readonly isWatched: (stream: string) => boolean;
  /** A stream is silent, for so long by now. Told once in each round. */
  readonly onSilent: (stream: string, silentMs: number) => void;
  /** The first thing that is tried. */
  readonly resubscribe: (streams: readonly string[]) => void;
  /** The second. */
  readonly reconnect: () => void;
}

/** What is known of one stream. */
interface Watched {
  readonly messages: number;
  /** Since when nothing has come, as a monotonic time. */
  readonly silentSince: number;
  /** Since when it has its time in this step of this round. */
  since: number;
  /** Whether it was reported and subscribed to again in this round. */
  wasRenewed: boolean;
  /** By how much longer than it should take its time is: doubled with each round. */
  patience: number;
}

/** How often in ms the streams are looked at. */
const CHECK_MS = 1_000;

/**
 * Looks at the counters of the streams once a second, so that messages cost nothing. A silent stream is reported and
 * subscribed to again; after the same time once more, the connection is replaced. Then everything begins anew, and takes twice
 * as long each time: what may heal some day is not given up, and what never does costs little.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  readonly #watched = new Map<StreamEntry, Watched>();
  #timer: Timer | undefined;

  /** Watches nothing before `start()`. */
  constructor(options: SilenceWatchOptions) {
    this.#options = options;
  }

  /** A connection is open. */
  start(): void {
    this.stop();
    this.#timer = this.#options.clock.setTimer(() => this.#check(), CHECK_MS);
  }

  /** There is no connection. */
  stop(): void {
    this.#timer?.cancel();
    this.#watched.clear();
  }

  #check(): void {
    const { clock, table, silenceMs, isWatched, onSilent, resubscribe, reconnect } = this.#options;
    this.#timer = clock.setTimer(() => this.#check(), CHECK_MS);
    const now = clock.monotonic();
    const silent: string[] = [];
    let mustReconnect = false;
    for (const entry of table.entries) {
      const expectedMs = silenceMs(entry.name);
      const watched = this.#watched.get(entry);
      const isSilent = watched !== undefined && watched.messages === entry.messages;
      if (expectedMs === undefined || !isWatched(entry.name)) {
        // What is being tried has its time when it is done.
        if (isSilent && (watched.wasRenewed || watched.patience > 1)) watched.since = now;
        else this.#watched.delete(entry);
        continue;
      }
      if (!isSilent) {
        const { messages } = entry;
        this.#watched.set(entry, { messages, silentSince: now, since: now, wasRenewed: false, patience: 1 });
        continue;
      }
      const limitMs = expectedMs * watched.patience;
      if (now - watched.since < limitMs) continue;
      watched.since = now;
      if (!watched.wasRenewed) {
        watched.wasRenewed = true;
        onSilent(entry.name, now - watched.silentSince);
        silent.push(entry.name);
      } else {
        watched.wasRenewed = false;
        watched.patience *= 2;
        mustReconnect = true;
      }
    }
    if (silent.length > 0) resubscribe(silent);
    if (mustReconnect) reconnect();
  }
}
