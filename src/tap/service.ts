/**
 * What a tap does for its clients: lets them in, gives each a place in a feed, and lets go of them.
 *
 * @module
 */

import { messageOf, systemClock, TapRefusedError } from "../base/mod.ts";
import { Clients } from "./clients.ts";
import type { Feed } from "./feed.ts";
import { Numbering } from "./feed_event.ts";
import { FeedReader } from "./feed_reader.ts";
import { Feeds } from "./feeds.ts";
import { Flusher } from "./flusher.ts";
import { eventStreamFormat, type Format, lineFormat, lineMessageFormat, messageFormat } from "./format.ts";
import type { TapOptions } from "./options.ts";
import { ResponseClient } from "./response_client.ts";
import { SocketClient } from "./socket_client.ts";
import type { TapStatistics } from "./statistics.ts";
import { checkedQuery, type TapClientOptions, type TapQuery } from "./tap_request.ts";
import type { OpenStream } from "./upstream.ts";

/** For so many clients, a ms between two flushes: a write costs about 7 µs on Deno and 5 on Bun (`deno task bench-tap`). */
const CLIENTS_PER_MS = 100;
const DEFAULT_MAX_CLIENTS = 1_000;

const STREAMING_HEADERS = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };

/** A way to answer a request. */
interface ResponseFormat {
  readonly type: string;
  readonly format: Format<Uint8Array<ArrayBuffer>>;
}

/** Serves clients whose requests were read. */
export class TapService {
  readonly #options: TapOptions;
  /** The streams that are on offer. */
  readonly #allowed: ReadonlySet<string>;
  readonly #clock = systemClock;
  readonly #numbering = new Numbering();
  readonly #responses: { readonly sse: ResponseFormat; readonly ndjson: ResponseFormat };
  readonly #messages: { readonly json: Format<readonly string[]>; readonly ndjson: Format<readonly string[]> };
  readonly #flusher: Flusher;
  readonly #feeds: Feeds;
  readonly #clients: Clients;
  readonly #counters = { sentEvents: 0, droppedEvents: 0 };
  #stopping: Promise<void> | undefined;

  /** @param allowed Names of the streams that are on offer. */
  constructor(allowed: readonly string[], options: TapOptions, open: OpenStream) {
    this.#options = options;
    this.#allowed = new Set(allowed);
    this.#responses = {
      sse: { type: "text/event-stream", format: eventStreamFormat(this.#numbering, options.retryMs ?? 2_000) },
      ndjson: { type: "application/x-ndjson", format: lineFormat(this.#numbering) },
    };
    this.#messages = { json: messageFormat(this.#numbering), ndjson: lineMessageFormat(this.#numbering) };
    this.#clients = new Clients({
      clock: this.#clock,
      heartbeatMs: options.heartbeatMs ?? 5_000,
      clientTimeoutMs: options.clientTimeoutMs ?? 60_000,
    });
    this.#flusher = new Flusher(this.#clock, () => Math.floor(this.#clients.size / CLIENTS_PER_MS));
    this.#feeds = new Feeds({
      clock: this.#clock,
      numbering: this.#numbering,
      flusher: this.#flusher,
      maxBytes: options.maxBufferedBytes ?? 1_048_576,
      lingerMs: options.lingerMs ?? 30_000,
      maxFeeds: options.maxClients ?? DEFAULT_MAX_CLIENTS,
      open,
      onEnd: (feeds) => this.#clients.end("upstream-stopped", ({ feed }) => feeds.has(feed)),
    });
  }

  /** What it has done so far. */
  get statistics(): Omit<TapStatistics, "refusedRequests"> {
    return {
      clients: this.#clients.size,
      totalClients: this.#clients.total,
      endingClients: this.#clients.ending,
      stuckClients: this.#clients.stuck,
      feeds: this.#feeds.size,
      streams: this.#feeds.streams,
      receivedMessages: this.#feeds.received,
      ...this.#counters,
    };
  }

  /**
   * Checks what a client wants, and whether there is room for it.
   *
   * @throws {TapRefusedError} if it can't be served.
   */
  admit(client: TapClientOptions): TapQuery {
    const { maxClients = DEFAULT_MAX_CLIENTS, maxStreamsPerClient = 100, conflateMs = 0 } = this.#options;
    if (this.#stopping !== undefined) {
      throw new TapRefusedError(503, "TAP_STOPPED", "Cannot serve anybody: the tap is stopped");
    }
    const query = checkedQuery(client, { allowed: this.#allowed, maxStreamsPerClient, conflateMs });
    if (this.#clients.size + this.#clients.ending >= maxClients) {
      throw new TapRefusedError(429, "TOO_MANY_CLIENTS", `Cannot serve more than ${maxClients} clients`, 10_000);
    }
    return query;
  }

  /**
   * The response for a client that was admitted.
   *
   * @throws {TapRefusedError} if the stream behind the tap can't be opened.
   */
  respond(query: TapQuery, kind: "sse" | "ndjson", headers: Readonly<Record<string, string>> = {}): Response {
    const { type, format } = this.#responses[kind];
    const client = new ResponseClient(this.#clientSettings(query, format));
    this.#clients.add(client);
    return new Response(client.body, { headers: { ...headers, ...STREAMING_HEADERS, "content-type": type } });
  }

  /**
   * A client that was admitted, and whose WebSocket is about to be accepted.
   *
   * @param kind One event in each message, or as many as there are at once, in lines.
   * @throws {TapRefusedError} if the stream behind the tap can't be opened.
   */
  socketClient(query: TapQuery, kind: "json" | "ndjson"): SocketClient {
    const client = new SocketClient(this.#clientSettings(query, this.#messages[kind]));
    this.#clients.add(client);
    return client;
  }

  /** Ends all connections and the stream behind them. */
  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    this.#flusher.stop();
    this.#clients.end("stopped");
    await this.#feeds.stop();
  }

  #clientSettings<T>({ streams, conflateMs, lastEventId }: TapQuery, format: Format<T>) {
    const feed = this.#join(streams, conflateMs);
    return {
      feed,
      reader: new FeedReader({
        feed,
        format,
        numbering: this.#numbering,
        lastEventId,
        lost: this.#feeds.lost,
        connected: this.#feeds.connected,
        counters: this.#counters,
      }),
      heartbeat: format.heartbeat,
      clock: this.#clock,
      onEnd: (client: ResponseClient | SocketClient) => {
        this.#clients.delete(client);
        this.#feeds.leave(feed);
      },
      onGone: (client: ResponseClient | SocketClient) => this.#clients.forget(client),
    };
  }

  #join(streams: readonly string[], conflateMs: number): Feed {
    try {
      return this.#feeds.join(streams, conflateMs);
    } catch (error) {
      const message = `Cannot open the stream: ${messageOf(error)}`;
      throw new TapRefusedError(503, "STREAM_UNAVAILABLE", message);
    }
  }
}
