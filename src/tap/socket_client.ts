/**
 * A client that is connected by a WebSocket.
 *
 * @module
 */

import type { Clock, Timer } from "../base/mod.ts";
import type { ClientListener, EndReason, TapClient } from "./client.ts";
import type { Feed, Waiting } from "./feed.ts";
import type { FeedReader } from "./feed_reader.ts";

/** What is needed of an open WebSocket. */
export interface ClientSocket {
  /** Bytes that were sent and have not left yet; `undefined` where the runtime does not tell. */
  readonly bufferedAmount: number | undefined;
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Ends the connection without waiting for the client, where that can be done. */
  terminate(): void;
  /** Calls `send`, and writes all that it sends at once, where that can be done. */
  cork(send: () => void): void;
}

/** What such a client is made of. */
export interface SocketClientSettings extends ClientListener<SocketClient> {
  readonly feed: Feed;
  readonly reader: FeedReader<readonly string[]>;
  readonly heartbeat: readonly string[];
  readonly clock: Clock;
}

/** Bytes in flight from which on a client waits. */
const HIGH_WATER_BYTES = 64 * 1024;
/**
 * When in ms a client is looked at again whose bytes have not left, at first and at last: Deno does not tell when they have,
 * and a healthy client takes a batch in less than a ms.
 */
const DRAIN_CHECK_MS = { first: 1, last: 64 };

/** Sends messages as long as they leave; the others wait in the feed. */
export class SocketClient implements TapClient, Waiting {
  readonly feed: Feed;
  readonly #settings: SocketClientSettings;
  #socket: ClientSocket | undefined;
  #drainTimer: Timer | undefined;
  #drainCheckMs = DRAIN_CHECK_MS.first;
  #stuckSince: number | undefined;
  #lastSentAt: number;
  #hasEnded = false;
  #isGone = false;

  constructor(settings: SocketClientSettings) {
    this.#settings = settings;
    this.feed = settings.feed;
    this.#stuckSince = this.#lastSentAt = settings.clock.monotonic();
  }

  get stuckSince(): number | undefined {
    return this.#stuckSince;
  }

  /** The connection is open. */
  opened(socket: ClientSocket): void {
    this.#socket = socket;
    if (this.#hasEnded) socket.terminate();
    else this.proceed();
  }

  /** The client has sent something. */
  received(): void {
    this.#close(1008, "This tap takes no messages: say what you want in the URL");
  }

  /** The connection has ended. */
  closed(): void {
    this.#leave();
    if (this.#isGone) return;
    this.#isGone = true;
    this.#settings.onGone(this);
  }

  /** What was sent has left, or may have. */
  drained(): void {
    this.#drainTimer?.cancel();
    this.#drainTimer = undefined;
    this.proceed();
  }

  proceed(): void {
    const socket = this.#socket;
    if (socket === undefined || this.#hasEnded || this.#drainTimer !== undefined) return;
    while (!this.#hasEnded) {
      if ((socket.bufferedAmount ?? 0) > HIGH_WATER_BYTES) {
        this.#stuckSince ??= this.#settings.clock.monotonic();
        this.#drainTimer = this.#settings.clock.setTimer(() => this.drained(), this.#drainCheckMs);
        this.#drainCheckMs = Math.min(2 * this.#drainCheckMs, DRAIN_CHECK_MS.last);
        return;
      }
      this.#stuckSince = undefined;
      this.#drainCheckMs = DRAIN_CHECK_MS.first;
      const texts = this.#settings.reader.read();
      if (texts === undefined) return this.feed.wait(this);
      this.#send(socket, texts);
    }
  }

  heartbeat(since: number): void {
    if (this.#socket === undefined || this.#stuckSince !== undefined || this.#lastSentAt > since) return;
    this.#send(this.#socket, this.#settings.heartbeat);
  }

  end(reason: EndReason): void {
    if (this.#hasEnded) return;
    if (reason === "upstream-stopped") this.proceed();
    if (this.#socket === undefined) this.closed();
    else if (reason === "stuck") {
      this.#leave();
      this.#socket.terminate();
    } else if (reason === "upstream-stopped") this.#close(1011, "The stream behind this tap was stopped");
    else this.#close(1001, "The tap was closed");
  }

  #send(socket: ClientSocket, texts: readonly string[]): void {
    this.#lastSentAt = this.#settings.clock.monotonic();
    try {
      socket.cork(() => {
        for (const text of texts) socket.send(text);
      });
    } catch {
      // Closing or closed, which the runtime says a moment later.
      this.closed();
    }
  }

  #close(code: number, reason: string): void {
    if (this.#hasEnded) return;
    this.#leave();
    try {
      this.#socket?.close(code, reason);
    } catch {
      // Closed already, or one of those that let only clients' codes through.
      this.#socket?.terminate();
    }
  }

  #leave(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#drainTimer?.cancel();
    this.feed.leave(this);
    this.#settings.onEnd(this);
  }
}
