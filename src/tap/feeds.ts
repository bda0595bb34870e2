/**
 * The feeds of a tap: one for each choice of streams that clients make, kept for a while after its last client.
 *
 * @module
 */

import type { Timer } from "../base/mod.ts";
import type { Signal } from "../stream/mod.ts";
import { Feed, type FeedSettings } from "./feed.ts";
import { type OpenStream, Upstream } from "./upstream.ts";

/** What the feeds of a tap are made of. */
export interface FeedsSettings extends FeedSettings {
  /** How long in ms a feed is kept after its last client. */
  readonly lingerMs: number;
  /** How many there are at most. */
  readonly maxFeeds: number;
  readonly open: OpenStream;
  /** The stream was stopped from outside, or can't be opened again: these feeds end. */
  readonly onEnd: (feeds: ReadonlySet<Feed>) => void;
}

interface Entry {
  readonly key: string;
  readonly feed: Feed;
  clients: number;
  timer: Timer | undefined;
}

/** Makes feeds, gives them what the stream behind the tap brings, and lets go of them. */
export class Feeds {
  readonly #settings: FeedsSettings;
  readonly #entries = new Map<string, Entry>();
  readonly #entryOf = new WeakMap<Feed, Entry>();
  /** The feeds that want a stream's messages. */
  readonly #byStream = new Map<string, Set<Feed>>();
  readonly #upstream: Upstream;
  #received = 0;

  constructor(settings: FeedsSettings) {
    this.#settings = settings;
    this.#upstream = new Upstream(settings.clock, settings.open, {
      onMessage: (stream, text) => this.#message(stream, text),
      onSignal: (signal) => this.#signal(signal),
      onLost: (streams) => this.#tellEach("DISCONNECT", new Set(streams)),
      onEnd: () => this.#end(),
    });
  }

  /** Streams that are subscribed to. */
  get streams(): string[] {
    return this.#upstream.streams;
  }

  /** The streams whose connection to the exchange is lost just now. */
  get lost(): ReadonlySet<string> {
    return this.#upstream.lost;
  }

  /** The streams whose connection to the exchange was opened, and is not lost. */
  get connected(): ReadonlySet<string> {
    return this.#upstream.connected;
  }

  /** How many feeds there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** Messages that came from the exchange. */
  get received(): number {
    return this.#received;
  }

  /**
   * The feed for a choice of streams, for one more client.
   *
   * @throws What the manager throws if it can't create the stream behind it.
   */
  join(streams: readonly string[], conflateMs: number): Feed {
    const key = JSON.stringify([conflateMs, [...streams].sort()]);
    this.#upstream.retry(streams);
    const entry = this.#entries.get(key) ?? this.#add(key, new Set(streams), conflateMs);
    entry.timer?.cancel();
    entry.clients++;
    return entry.feed;
  }

  /** One client less. */
  leave(feed: Feed): void {
    const entry = this.#entryOf.get(feed);
    if (entry === undefined || --entry.clients > 0 || this.#entries.get(entry.key) !== entry) return;
    entry.timer = this.#settings.clock.setTimer(() => this.#remove(entry), this.#settings.lingerMs);
  }

  /** Lets go of all. */
  async stop(): Promise<void> {
    for (const entry of [...this.#entries.values()]) this.#drop(entry);
    await this.#upstream.stop();
  }

  #add(key: string, streams: ReadonlySet<string>, conflateMs: number): Entry {
    this.#upstream.acquire(streams);
    // Only then: a stream that both have is not unsubscribed and subscribed to again.
    if (this.#entries.size >= this.#settings.maxFeeds) {
      // One that nobody is connected to: as many clients as feeds can be would not have let another one in.
      const idle = [...this.#entries.values()].find(({ clients }) => clients === 0);
      if (idle !== undefined) this.#remove(idle);
    }
    const feed = new Feed(streams, conflateMs, this.#settings);
    const entry: Entry = { key, feed, clients: 0, timer: undefined };
    this.#entries.set(key, entry);
    this.#entryOf.set(feed, entry);
    for (const stream of streams) {
      const feeds = this.#byStream.get(stream);
      if (feeds === undefined) this.#byStream.set(stream, new Set([feed]));
      else feeds.add(feed);
    }
    return entry;
  }

  #remove(entry: Entry): void {
    this.#drop(entry);
    this.#upstream.release(entry.feed.streams);
  }

  #drop({ key, feed, timer }: Entry): void {
    timer?.cancel();
    feed.stop();
    this.#entries.delete(key);
    for (const stream of feed.streams) {
      const feeds = this.#byStream.get(stream);
      feeds?.delete(feed);
      if (feeds?.size === 0) this.#byStream.delete(stream);
    }
  }

  #message(stream: string, text: string): void {
    this.#received++;
    const feeds = this.#byStream.get(stream);
    if (feeds === undefined) return;
    const event = { number: this.#settings.numbering.next(), name: undefined, stream, text: oneLine(text) };
    for (const feed of feeds) feed.push(stream, event);
  }

  #signal(signal: Signal): void {
    switch (signal.type) {
      case "CONNECT":
      case "DISCONNECT":
        return this.#tellEach(signal.type, new Set(signal.streams));
      case "STREAM_UNREPAIRABLE":
      case "STOP":
        return this.#tell({ type: signal.type });
      case "GAP": {
        const { type, stream, lastId, nextId, missed, durationMs } = signal;
        return this.#tell({ type, stream, lastId, nextId, missed, durationMs }, [stream]);
      }
      case "STREAM_SILENT": {
        const { type, stream, silentMs } = signal;
        return this.#tell({ type, stream, silentMs }, [stream]);
      }
      case "SUBSCRIPTION_FAILED": {
        const { type, error: { streams, message } } = signal;
        return this.#tell({ type, streams, message }, streams);
      }
      default:
        return;
    }
  }

  #end(): void {
    const entries = [...this.#entries.values()];
    for (const entry of entries) {
      entry.feed.flush();
      this.#remove(entry);
    }
    this.#settings.onEnd(new Set(entries.map(({ feed }) => feed)));
  }

  /** Tells the clients of some streams which of theirs it is about. */
  #tellEach(type: "CONNECT" | "DISCONNECT", streams: ReadonlySet<string>): void {
    for (const { feed } of this.#entries.values()) {
      const theirs = [...feed.streams].filter((stream) => streams.has(stream));
      if (theirs.length > 0) this.#signalTo([feed], { type, streams: theirs });
    }
  }

  /** Tells the clients of some streams, or of all, something between their messages. */
  #tell(data: { readonly type: Signal["type"] } & Record<string, unknown>, streams?: readonly string[]): void {
    const feeds = streams === undefined
      ? [...this.#entries.values()].map(({ feed }) => feed)
      : new Set(streams.flatMap((stream) => [...this.#byStream.get(stream) ?? []]));
    this.#signalTo(feeds, data);
  }

  #signalTo(feeds: Iterable<Feed>, data: object): void {
    // What came before the signal gets its numbers before.
    for (const feed of feeds) feed.handOn();
    const event = { number: this.#settings.numbering.next(), name: "signal", stream: "", text: JSON.stringify(data) };
    for (const feed of feeds) feed.signal(event);
  }
}

/** A line break in JSON can only stand between its tokens. */
function oneLine(text: string): string {
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, " ") : text;
}
