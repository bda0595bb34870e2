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
  /** Whether the exchange has acknowledged the stream. */
  readonly isWatched: (stream: string) => boolean;
  /** A stream is silent. Told once, until something comes of it. */
  readonly onSilent: (stream: string, silentMs: number) => void;
  /** The first thing that is tried. */
  readonly resubscribe: (streams: readonly string[]) => void;
  /** The second. */
  readonly reconnect: () => void;
}

/** What is known of one stream. */
interface Watched {
  messages: number;
  /** Since when nothing has come, as a monotonic time. */
  since: number;
  /** What was tried: 0 nothing, 1 to subscribe again, 2 to connect again. */
  tried: 0 | 1 | 2;
}

/** How often in ms the streams are looked at. */
const CHECK_MS = 1_000;

/**
 * Looks at the counters of the streams once a second, so that messages cost nothing. A silent stream is reported and
 * subscribed to again; after the same time once more, the connection is replaced.
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
      const limitMs = silenceMs(entry.name);
      const watched = this.#watched.get(entry);
      if (limitMs === undefined || !isWatched(entry.name)) {
        // What is subscribed to again has its time once more when that is acknowledged, and was reported already.
        if (limitMs !== undefined && watched?.tried === 1 && watched.messages === entry.messages) {
          watched.since = now - limitMs;
        } else this.#watched.delete(entry);
        continue;
      }
      if (watched === undefined || watched.messages !== entry.messages) {
        this.#watched.set(entry, { messages: entry.messages, since: now, tried: 0 });
        continue;
      }
      const silentMs = now - watched.since;
      if (watched.tried === 0 && silentMs >= limitMs) {
        watched.tried = 1;
        onSilent(entry.name, silentMs);
        silent.push(entry.name);
      } else if (watched.tried === 1 && silentMs >= 2 * limitMs) {
        watched.tried = 2;
        mustReconnect = true;
      }
    }
    if (silent.length > 0) resubscribe(silent);
    if (mustReconnect) reconnect();
  }
}
