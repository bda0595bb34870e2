/**
 * A tap: hands streams of a manager to clients over HTTP and WebSockets.
 *
 * @module
 */

import { messageOf, systemClock, TapRefusedError } from "../base/mod.ts";
import type { Manager } from "../manager/manager.ts";
import type { Output } from "../stream/mod.ts";
import { Origins, TokenCheck } from "./access.ts";
import type { TapClient } from "./client.ts";
import type { Feed } from "./feed.ts";
import { Numbering } from "./feed_event.ts";
import { FeedReader } from "./feed_reader.ts";
import { Feeds } from "./feeds.ts";
import { Flusher } from "./flusher.ts";
import { eventStreamFormat, type Format, lineFormat, messageFormat } from "./format.ts";
import { checkedTapOptions, type TapOptions } from "./options.ts";
import { refusal } from "./refusal.ts";
import { ResponseClient } from "./response_client.ts";
import { SocketClient } from "./socket_client.ts";
import {
  checkedQuery,
  clientOptionsOf,
  formatOf,
  parametersOf,
  type TapClientOptions,
  type TapQuery,
  type TapQueryRules,
} from "./tap_request.ts";
import {
  bunWebSocketHandler,
  connectWebSocket,
  isBunServer,
  type TapWebSocketHandler,
  webSocketPairUpgrade,
  type WebSocketUpgrade,
} from "./upgrade.ts";

/**
 * What a tap needs of a manager: that of any door has it.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, type TapManager } from "@rawtick/binance";
 *
 * const quotes = (manager: TapManager) => tap(manager, { streams: "btcusdt@bookTicker", conflateMs: 250 });
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = quotes(manager);
 * console.log(market.statistics);
 * ```
 */
export type TapManager = Pick<Manager<Output>, "createStream" | "streamNames">;

/**
 * What a tap has done so far.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, type TapStatistics } from "@rawtick/binance";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = tap(manager, { streams: "btcusdt@trade" });
 * const { clients, droppedEvents }: TapStatistics = market.statistics;
 * console.log(`${clients} clients, ${droppedEvents} events were dropped for slow ones`);
 * ```
 */
export interface TapStatistics {
  /** Clients that are connected. */
  readonly clients: number;
  /** Clients that were ever connected. */
  readonly totalClients: number;
  /** Requests that were refused. */
  readonly refusedRequests: number;
  /** Clients that were disconnected since they took nothing for `clientTimeoutMs`. */
  readonly stuckClients: number;
  /** Choices of streams that are kept, with clients or since they had some a while ago. */
  readonly feeds: number;
  /** Streams that are subscribed to, in the order in which they were first asked for. */
  readonly streams: readonly string[];
  /** Messages that came from the exchange. */
  readonly receivedMessages: number;
  /** Messages and signals that were handed to clients, counted for each of them. */
  readonly sentEvents: number;
  /** Those that were left out for clients that were too slow. */
  readonly droppedEvents: number;
}

/** How long no client is served after the stream behind the tap has crashed: whatever it was, it needs a moment. */
const CRASH_PAUSE_MS = 5_000;
/** Clients per ms between two writes to each of them: a write costs a server 2 to 10 µs. */
const CLIENTS_PER_MS = 100;

const STREAMING_HEADERS = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Authorization, Last-Event-ID",
  "access-control-max-age": "86400",
};

/** Streams of a manager, handed to clients. Made by {@linkcode tap}. */
export class Tap implements AsyncDisposable {
  /**
   * Answers a request: with Server-Sent Events, with lines of JSON (`Accept: application/x-ndjson` or `?format=ndjson`), or
   * with a WebSocket, whatever its path; see `docs/tap.md`. What can't be served is an answer with a status from 400 and a
   * JSON body that says why. It is bound: `Deno.serve(market.fetch)`, `Bun.serve(market)`.
   *
   * @param request The request.
   * @param server Bun's server, which it gives to its handlers by itself; anything else is left alone.
   */
  readonly fetch: (request: Request, server?: unknown) => Promise<Response>;
  /** For `Bun.serve`, which accepts WebSockets with it. */
  readonly websocket: TapWebSocketHandler;
  readonly #options: TapOptions;
  readonly #rules: TapQueryRules;
  readonly #tokens: TokenCheck | undefined;
  readonly #origins: Origins;
  readonly #clock = systemClock;
  readonly #numbering = new Numbering();
  readonly #formats: {
    readonly sse: Format<Uint8Array<ArrayBuffer>>;
    readonly ndjson: Format<Uint8Array<ArrayBuffer>>;
    readonly websocket: Format<readonly string[]>;
  };
  readonly #flusher: Flusher;
  readonly #feeds: Feeds;
  readonly #clients = new Set<TapClient>();
  readonly #counters = { sentEvents: 0, droppedEvents: 0 };
  #totalClients = 0;
  #refusedRequests = 0;
  #stuckClients = 0;
  #isStopped = false;
  #crashedAt = -Infinity;
  #beat: { cancel(): void } | undefined;

  /** Taps are made by {@linkcode tap}. */
  constructor(manager: TapManager, given: TapOptions) {
    const options = this.#options = checkedTapOptions(given);
    const { streams, channels, markets, token, cors, maxClients = 1_000, label = "tap" } = options;
    const selection = Object.fromEntries(
      Object.entries({ streams, channels, markets }).filter(([, value]) => value !== undefined),
    );
    this.#rules = {
      allowed: new Set(manager.streamNames(selection)),
      maxStreamsPerClient: options.maxStreamsPerClient ?? 100,
      conflateMs: options.conflateMs ?? 0,
    };
    this.#tokens = token === undefined ? undefined : new TokenCheck([token].flat());
    this.#origins = new Origins(cors === undefined ? [] : [cors].flat());
    this.#formats = {
      sse: eventStreamFormat(this.#numbering, options.retryMs ?? 2_000),
      ndjson: lineFormat(this.#numbering),
      websocket: messageFormat(this.#numbering),
    };
    this.#flusher = new Flusher(this.#clock, () => Math.floor(this.#clients.size / CLIENTS_PER_MS));
    this.#feeds = new Feeds({
      clock: this.#clock,
      numbering: this.#numbering,
      flusher: this.#flusher,
      maxBytes: options.maxBufferedBytes ?? 1_048_576,
      lingerMs: options.lingerMs ?? 30_000,
      maxFeeds: maxClients,
      open: (selection, onData, onSignal) =>
        manager.createStream({ ...selection, label, output: "raw", onData, onSignal, onCallbackError: "continue" }),
      onCrash: (feeds) => this.#crashed(feeds),
    });
    this.fetch = (request, server) => this.#fetch(request, server);
    this.websocket = bunWebSocketHandler((data) => data instanceof SocketClient);
  }

  /** What it has done so far. */
  get statistics(): TapStatistics {
    return {
      clients: this.#clients.size,
      totalClients: this.#totalClients,
      refusedRequests: this.#refusedRequests,
      stuckClients: this.#stuckClients,
      feeds: this.#feeds.size,
      streams: this.#feeds.streams,
      receivedMessages: this.#feeds.received,
      ...this.#counters,
    };
  }

  /**
   * A response for a client whose request you have read and checked yourself: it is asked for no token and no origin.
   *
   * @param client What it wants.
   * @param format Server-Sent Events or lines of JSON. Default: `"sse"`.
   * @throws {TapRefusedError} if it can't be served.
   *
   * @example
   * ```ts
   * import { BinanceWebSocketApiManager, tap } from "@rawtick/binance";
   * import { startLocalExchange } from "@rawtick/binance/testing";
   * import { assertStringIncludes } from "@std/assert";
   *
   * await using exchange = await startLocalExchange();
   * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
   * await using market = tap(manager, { streams: ["btcusdt@trade", "ethusdt@trade"] });
   * const { body } = market.response({ streams: "ethusdt@trade" }, "ndjson");
   * for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
   *   assertStringIncludes(chunk, '"stream":"ethusdt@trade"');
   *   break;
   * }
   * ```
   */
  response(client: TapClientOptions = {}, format: "sse" | "ndjson" = "sse"): Response {
    return this.#respond(this.#admit(client), format, {});
  }

  /**
   * Serves a client over a WebSocket that you have accepted yourself, open or opening. It is asked for no token and no origin.
   *
   * @throws {TapRefusedError} if it can't be served.
   */
  attach(socket: WebSocket, client: TapClientOptions = {}): void {
    connectWebSocket(socket, this.#socketClient(this.#admit(client)));
  }

  /** Ends all connections and the stream behind them. Can be repeated. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#flusher.stop();
    for (const client of [...this.#clients]) client.end("stopped");
    await this.#feeds.stop();
  }

  /** Stops the tap, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #fetch(request: Request, server: unknown): Promise<Response> {
    const headers = this.#origins.headersFor(request);
    try {
      if (request.method === "OPTIONS") {
        return new Response(null, { status: 204, headers: { ...headers, ...PREFLIGHT_HEADERS } });
      }
      if (request.method !== "GET") {
        throw new TapRefusedError(405, "METHOD_NOT_ALLOWED", `Cannot ${request.method} a tap: expected GET`);
      }
      const url = new URL(request.url);
      const parameters = parametersOf(url);
      await this.#tokens?.check(request, parameters);
      const format = formatOf(request, parameters);
      if (format === "websocket") this.#origins.check(request, url);
      const upgrade = format === "websocket" ? this.#upgrade(request, server) : undefined;
      const query = this.#admit(clientOptionsOf(request, parameters));
      if (format !== "websocket") return this.#respond(query, format, headers);
      return upgrade?.(query) ?? Response.error();
    } catch (error) {
      if (!(error instanceof TapRefusedError)) throw error;
      this.#refusedRequests++;
      return refusal(error, headers);
    }
  }

  /** Checks what a client wants, and whether there is room for it. */
  #admit(client: TapClientOptions): TapQuery {
    const { maxClients = 1_000 } = this.#options;
    if (this.#isStopped) throw new TapRefusedError(503, "TAP_STOPPED", "Cannot serve anybody: the tap is stopped");
    const query = checkedQuery(client, this.#rules);
    if (this.#clients.size >= maxClients) {
      throw new TapRefusedError(429, "TOO_MANY_CLIENTS", `Cannot serve more than ${maxClients} clients`, 10_000);
    }
    const pauseMs = this.#crashedAt + CRASH_PAUSE_MS - this.#clock.monotonic();
    if (pauseMs > 0) {
      throw new TapRefusedError(503, "STREAM_CRASHED", "Cannot serve anybody: the stream has just crashed", pauseMs);
    }
    return query;
  }

  #join({ streams, conflateMs }: TapQuery): Feed {
    try {
      return this.#feeds.join(streams, conflateMs);
    } catch (error) {
      throw new TapRefusedError(
        503,
        "STREAM_UNAVAILABLE",
        `Cannot open the stream: ${messageOf(error)}`,
        CRASH_PAUSE_MS,
      );
    }
  }

  #respond(query: TapQuery, format: "sse" | "ndjson", headers: Readonly<Record<string, string>>): Response {
    const settings = this.#readerSettings(query);
    const client = new ResponseClient({
      feed: settings.feed,
      reader: new FeedReader({ ...settings, format: this.#formats[format] }),
      heartbeat: this.#formats[format].heartbeat,
      clock: this.#clock,
      onEnd: (client) => this.#left(client),
    });
    this.#came(client);
    const type = format === "sse" ? "text/event-stream" : "application/x-ndjson";
    return new Response(client.body, { headers: { ...headers, ...STREAMING_HEADERS, "content-type": type } });
  }

  #socketClient(query: TapQuery): SocketClient {
    const settings = this.#readerSettings(query);
    const client = new SocketClient({
      feed: settings.feed,
      reader: new FeedReader({ ...settings, format: this.#formats.websocket }),
      heartbeat: this.#formats.websocket.heartbeat,
      clock: this.#clock,
      onEnd: (client) => this.#left(client),
    });
    this.#came(client);
    return client;
  }

  #readerSettings(query: TapQuery) {
    return {
      feed: this.#join(query),
      numbering: this.#numbering,
      lastEventId: query.lastEventId,
      isUpstreamLost: this.#feeds.isUpstreamLost,
      counters: this.#counters,
    };
  }

  /** What accepts a WebSocket here. */
  #upgrade(request: Request, server: unknown): (query: TapQuery) => Response {
    const upgrade: WebSocketUpgrade | undefined = this.#options.upgrade ??
      (isBunServer(server) ? undefined : webSocketPairUpgrade());
    if (upgrade !== undefined) {
      return (query) => {
        const { socket, response } = accepted(upgrade, request);
        connectWebSocket(socket, this.#socketClient(query));
        return response;
      };
    }
    if (!isBunServer(server)) {
      throw new TapRefusedError(
        501,
        "WEBSOCKET_UNAVAILABLE",
        "Cannot accept a WebSocket here: expected the option `upgrade`, such as `Deno.upgradeWebSocket`",
      );
    }
    return (query) => {
      const client = this.#socketClient(query);
      if (server.upgrade(request, { data: client })) return new Response();
      client.closed();
      throw notAnUpgrade();
    };
  }

  #came(client: TapClient): void {
    this.#clients.add(client);
    this.#totalClients++;
    this.#beat ??= this.#nextBeat();
  }

  #left(client: TapClient): void {
    this.#clients.delete(client);
    this.#feeds.leave(client.feed);
    if (this.#clients.size > 0) return;
    this.#beat?.cancel();
    this.#beat = undefined;
  }

  #nextBeat(): { cancel(): void } {
    const { heartbeatMs = 15_000, clientTimeoutMs = 60_000 } = this.#options;
    return this.#clock.setTimer(() => {
      this.#beat = this.#nextBeat();
      const stuckBefore = this.#clock.monotonic() - clientTimeoutMs;
      for (const client of [...this.#clients]) {
        if ((client.stuckSince ?? Infinity) >= stuckBefore) client.heartbeat();
        else {
          this.#stuckClients++;
          client.end("stuck");
        }
      }
    }, heartbeatMs);
  }

  #crashed(feeds: ReadonlySet<Feed>): void {
    this.#crashedAt = this.#clock.monotonic();
    for (const client of [...this.#clients]) if (feeds.has(client.feed)) client.end("crashed");
  }
}

function notAnUpgrade(): TapRefusedError {
  return new TapRefusedError(400, "INVALID_UPGRADE", "Cannot accept this WebSocket: its handshake is not valid");
}

function accepted(upgrade: WebSocketUpgrade, request: Request): ReturnType<WebSocketUpgrade> {
  try {
    return upgrade(request);
  } catch (error) {
    // What runtimes throw for a handshake that is none.
    if (error instanceof TypeError) throw notAnUpgrade();
    throw error;
  }
}

/**
 * Hands streams of a manager to any number of clients, from one upstream connection: it is opened for the first client and
 * closed a while after the last.
 *
 * Clients ask with GET for streams that are on offer, such as `?streams=btcusdt@trade,btcusdt@bookTicker`, and get every
 * message as the exchange has sent it, with an id of its own, and signals between them when the upstream was interrupted. A
 * client that is slow gets the newest and is told what it has missed, and no other notices. See `docs/tap.md`.
 *
 * @param manager Where the streams come from. It stays yours: the tap stops only its own stream.
 * @throws {InvalidOptionsError} if the options can't be used.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertMatch } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * await using market = tap(manager, { channels: ["trade", "bookTicker"], markets: ["btcusdt", "ethusdt"] });
 *
 * // Deno.serve(market.fetch), Bun.serve(market), or what your framework calls with a request.
 * const response = await market.fetch(new Request("https://tap.example/?streams=btcusdt@trade"));
 * let text = "";
 * for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
 *   text += chunk;
 *   if (text.includes("data:")) break;
 * }
 * assertMatch(text, /^retry: 2000\n\n(event: signal\n.*\n\n|id: .*\n(event: signal\n)?data: .*\n\n)+/);
 * ```
 */
export function tap(manager: TapManager, options: TapOptions): Tap {
  return new Tap(manager, options);
}
