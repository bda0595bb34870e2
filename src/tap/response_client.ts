/**
 * A client that reads the body of a response.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { EndReason, TapClient } from "./client.ts";
import type { Feed, Waiting } from "./feed.ts";
import type { FeedReader } from "./feed_reader.ts";

/** What such a client is made of. */
export interface ResponseClientSettings {
  readonly feed: Feed;
  readonly reader: FeedReader<Uint8Array<ArrayBuffer>>;
  readonly heartbeat: Uint8Array<ArrayBuffer>;
  readonly clock: Clock;
  /** It is gone, or was ended. Called once. */
  readonly onEnd: (client: ResponseClient) => void;
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
  #lastAskedAt: number;
  #isQuiet = false;
  #hasEnded = false;

  constructor(settings: ResponseClientSettings) {
    this.#settings = settings;
    this.feed = settings.feed;
    this.#lastAskedAt = settings.clock.monotonic();
    this.body = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => {
        this.#isAsked = true;
        this.#lastAskedAt = settings.clock.monotonic();
        this.proceed();
      },
      cancel: () => this.#leave(),
      // Without a queue in between: what waits, waits in the feed.
    }, { highWaterMark: 0 });
  }

  get stuckSince(): number | undefined {
    return this.#isAsked ? undefined : this.#lastAskedAt;
  }

  proceed(): void {
    if (!this.#isAsked || this.#hasEnded) return;
    const piece = this.#settings.reader.read();
    if (piece === undefined) this.feed.wait(this);
    else this.#give(piece);
  }

  heartbeat(): void {
    if (this.#isQuiet && this.#isAsked) this.#give(this.#settings.heartbeat);
    this.#isQuiet = true;
  }

  end(reason: EndReason): void {
    if (this.#hasEnded) return;
    if (reason === "upstream-stopped") this.proceed();
    try {
      // Also when it is stuck: an error would not free the socket earlier, and both Deno and Bun print it.
      this.#controller?.close();
    } catch {
      // Closed by the runtime, which says so a moment later.
    }
    this.#leave();
  }

  #give(piece: Uint8Array<ArrayBuffer>): void {
    this.#isAsked = false;
    this.#isQuiet = false;
    try {
      this.#controller?.enqueue(piece);
    } catch {
      // Bun 1.4 closes the controller of a client that has gone before it calls `cancel`.
      this.#leave();
    }
  }

  #leave(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.feed.leave(this);
    this.#settings.onEnd(this);
  }
}
