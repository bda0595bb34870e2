/**
 * A client that reads the body of a response.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { ClientListener, EndReason, TapClient } from "./client.ts";
import type { Feed, Waiting } from "./feed.ts";
import type { FeedReader } from "./feed_reader.ts";

/** What such a client is made of. */
export interface ResponseClientSettings extends ClientListener<ResponseClient> {
  readonly feed: Feed;
  readonly reader: FeedReader<Uint8Array<ArrayBuffer>>;
  readonly heartbeat: Uint8Array<ArrayBuffer>;
  readonly clock: Clock;
}

/**
 * Gives a body what is asked for, when it is asked for: a runtime asks again once the socket has taken the piece before, so
 * that nothing piles up for a client that does not read.
 */
export class ResponseClient implements TapClient, Waiting {
  readonly feed: Feed;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #settings: ResponseClientSettings;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  /** Whether the runtime has asked for a piece. */
  #isAsked = false;
  #lastGivenAt: number;
  /** Whether the runtime was ever interested: if not, it will not say either that the connection has ended. */
  #wasAsked = false;
  #hasEnded = false;
  #isGone = false;

  constructor(settings: ResponseClientSettings) {
    this.#settings = settings;
    this.feed = settings.feed;
    this.#lastGivenAt = settings.clock.monotonic();
    this.body = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => {
        this.#isAsked = this.#wasAsked = true;
        this.proceed();
      },
      cancel: () => this.#gone(),
      // Without a queue in between: what waits, waits in the feed.
    }, { highWaterMark: 0 });
  }

  get stuckSince(): number | undefined {
    return this.#isAsked ? undefined : this.#lastGivenAt;
  }

  proceed(): void {
    if (!this.#isAsked) return;
    // Stuck until now: it takes the end, and may come back.
    if (this.#hasEnded) return this.#close();
    const piece = this.#settings.reader.read();
    if (piece === undefined) this.feed.wait(this);
    else this.#give(piece);
  }

  heartbeat(since: number): void {
    if (this.#isAsked && this.#lastGivenAt <= since) this.#give(this.#settings.heartbeat);
  }

  end(reason: EndReason): void {
    if (reason === "upstream-stopped") this.proceed();
    // Web standards can't cut the connection of a response off: it counts as long as it lasts.
    if (reason === "stuck" && this.#wasAsked) this.#leave();
    else this.#close();
  }

  #give(piece: Uint8Array<ArrayBuffer>): void {
    this.#isAsked = false;
    this.#lastGivenAt = this.#settings.clock.monotonic();
    try {
      this.#controller?.enqueue(piece);
    } catch {
      // Bun 1.4 closes the controller of a client that has gone before it calls `cancel`.
      this.#gone();
    }
  }

  #close(): void {
    try {
      this.#controller?.close();
    } catch {
      // Closed by the runtime, which says so a moment later.
    }
    this.#gone();
  }

  #leave(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.feed.leave(this);
    this.#settings.onEnd(this);
  }

  #gone(): void {
    this.#leave();
    if (this.#isGone) return;
    this.#isGone = true;
    this.#settings.onGone(this);
  }
}
