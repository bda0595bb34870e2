/**
 * Generated messages at a pace: one clock for each stream, so that all subscribers get the same messages.
 *
 * @module
 */

import type { Clock, Timer } from "../../base/mod.ts";
import { messageWriter } from "../generator/generator.ts";
import { encodeText } from "../../transport/native/mod.ts";
import { combinedHead, type Feed, type FeedClient } from "./feed.ts";
import type { GeneratorOptions } from "./firehose_feed.ts";
import { PendingFrames } from "./pending_frames.ts";

/** The shortest time between two looks at what is due, in ms. */
const SHORTEST_TICK_MS = 5;

interface Subscriber {
  readonly client: FeedClient;
  readonly pending: PendingFrames;
}

/** Subscribers that get the same text of a message but for the wrapping. */
interface Audience {
  readonly write: (n: number) => string;
  readonly subscribers: Set<Subscriber>;
}

interface LiveStream {
  readonly name: string;
  readonly startedAt: number;
  readonly audiences: Map<string, Audience>;
  next: number;
}

/** The streams of an exchange and their clocks. */
export class LiveHub {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #options: GeneratorOptions;
  readonly #streams = new Map<string, LiveStream>();
  #timer: Timer | undefined;

  /** Creates a hub in which each stream has `messagesPerSecond`. */
  constructor(clock: Clock, messagesPerSecond: number, options: GeneratorOptions) {
    this.#clock = clock;
    this.#perSecond = messagesPerSecond;
    this.#options = options;
  }

  /** Creates the feed of one connection. */
  feed(client: FeedClient): Feed {
    const subscriber: Subscriber = { client, pending: new PendingFrames(client.ledger) };
    const names = new Set<string>();
    const leave = (streams: Iterable<string>) => {
      for (const name of streams) {
        names.delete(name);
        this.#leave(subscriber, name);
      }
    };
    return {
      add: (streams) => {
        for (const name of streams) {
          names.add(name);
          this.#join(subscriber, name);
        }
        this.#schedule(0);
      },
      remove: leave,
      fill: (batch) => subscriber.pending.moveTo(batch),
      close: () => {
        leave([...names]);
        subscriber.pending.clear();
      },
    };
  }

  /** How many messages of each stream have fallen due. */
  published(): Map<string, number> {
    return new Map([...this.#streams].map(([name, stream]) => [name, this.#due(stream)]));
  }

  /** Stops all clocks. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#streams.clear();
  }

  #join(subscriber: Subscriber, name: string): void {
    const { market, isMicroseconds } = subscriber.client;
    const writer = messageWriter(name, { seed: this.#options.seed, market, isMicroseconds });
    if (writer === undefined || this.#perSecond === 0) return;
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      stream = { name, startedAt: this.#clock.monotonic(), audiences: new Map(), next: 0 };
      this.#streams.set(name, stream);
    } else if (stream.audiences.size === 0) {
      // A stream goes on while nobody listens: its clock decides which message comes next.
      stream.next = this.#passed(stream);
    }
    const key = audienceKey(subscriber.client);
    const audience = stream.audiences.get(key) ?? { write: writer.write, subscribers: new Set() };
    audience.subscribers.add(subscriber);
    stream.audiences.set(key, audience);
  }

  #leave(subscriber: Subscriber, name: string): void {
    const stream = this.#streams.get(name);
    const audience = stream?.audiences.get(audienceKey(subscriber.client));
    audience?.subscribers.delete(subscriber);
    if (audience?.subscribers.size === 0) stream?.audiences.delete(audienceKey(subscriber.client));
  }

  /** Number of messages that fell due before now. */
  #passed(stream: LiveStream): number {
    const elapsed = this.#clock.monotonic() - stream.startedAt;
    return Math.min(this.#options.messagesPerStream, Math.ceil(elapsed * this.#perSecond / 1000));
  }

  /** Number of messages that have fallen due. A message is due at the start of its time, so number 0 comes at once. */
  #due({ startedAt }: LiveStream): number {
    const elapsed = this.#clock.monotonic() - startedAt;
    return Math.min(this.#options.messagesPerStream, Math.floor(elapsed * this.#perSecond / 1000) + 1);
  }

  #schedule(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(() => this.#tick(), ms);
  }

  #tick(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    const { messagesPerStream } = this.#options;
    const awake = new Set<Subscriber>();
    let nextAt = Infinity;
    for (const stream of this.#streams.values()) {
      if (stream.audiences.size === 0) continue;
      const end = this.#due(stream);
      while (stream.next < end) this.#deliver(stream, stream.next++, awake);
      if (stream.next < messagesPerStream) {
        nextAt = Math.min(nextAt, stream.startedAt + stream.next * 1000 / this.#perSecond);
      }
    }
    for (const { client } of awake) client.wake();
    const isScheduled = this.#timer !== undefined;
    if (!isScheduled && nextAt < Infinity) this.#schedule(Math.max(SHORTEST_TICK_MS, nextAt - now));
  }

  #deliver(stream: LiveStream, n: number, awake: Set<Subscriber>): void {
    for (const { write, subscribers } of [...stream.audiences.values()]) {
      const payload = write(n);
      const frames: [combined?: Uint8Array, raw?: Uint8Array] = [];
      for (const subscriber of [...subscribers]) {
        const { client } = subscriber;
        if (client.isSilent) continue;
        const frame = frames[client.isCombined ? 0 : 1] ??= frameOf(stream.name, payload, client.isCombined);
        if (client.disturber.isActive) {
          for (const other of client.disturber.disturb(stream.name, n)) {
            queue(subscriber, stream.name, other, frameOf(stream.name, write(other), client.isCombined), awake);
          }
        } else queue(subscriber, stream.name, n, frame, awake);
      }
    }
  }
}

function frameOf(name: string, payload: string, isCombined: boolean): Uint8Array {
  return encodeText(isCombined ? `${combinedHead(name)}${payload}}` : payload, { mask: false });
}

function queue(subscriber: Subscriber, stream: string, n: number, frame: Uint8Array, awake: Set<Subscriber>): void {
  if (subscriber.pending.push({ frame, stream, n })) awake.add(subscriber);
  else subscriber.client.overflow();
}

function audienceKey({ market, isMicroseconds }: FeedClient): string {
  return `${market} ${isMicroseconds}`;
}
