/**
 * A tap: hands streams of a manager to clients over HTTP and WebSockets.
 *
 * @module
 */

import { bunWebSocketHandler, type TapWebSocketHandler } from "./bun_server.ts";
import type { Manager } from "../manager/manager.ts";
import type { Output } from "../stream/mod.ts";
import { checkedTapOptions, type TapOptions } from "./options.ts";
import { RequestHandler } from "./request_handler.ts";
import { TapService } from "./service.ts";
import type { TapStatistics } from "./statistics.ts";
import type { TapClientOptions } from "./tap_request.ts";
import { connectWebSocket } from "./upgrade.ts";

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
 * Streams of a manager, handed to clients. Made by {@linkcode tap}.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type Tap, tap } from "@rawtick/binance";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market: Tap = tap(manager, { streams: "btcusdt@trade" });
 * const response = await market.fetch(new Request("https://tap.example/?streams=ethusdt@trade"));
 * console.log(response.status, (await response.json()).error.code); // 403 STREAM_NOT_ALLOWED
 * ```
 */
export class Tap implements AsyncDisposable {
  /**
   * Answers a request: with Server-Sent Events, with lines of JSON (`Accept: application/x-ndjson` or `?format=ndjson`), or
   * with a WebSocket, whatever its path; see `docs/tap.md`. What can't be served is an answer with a status from 400 and a
   * JSON body that says why. It is bound: `Deno.serve(market.fetch)`,
   * `Bun.serve({ ...market, port: 8000 })`.
   *
   * @param request The request.
   * @param server Bun's server, which it gives to its handlers by itself; anything else is left alone.
   */
  readonly fetch: (request: Request, server?: unknown) => Promise<Response>;
  /** For `Bun.serve`, which accepts WebSockets with it. */
  readonly websocket: TapWebSocketHandler = bunWebSocketHandler;
  /** For `Bun.serve`, which would cut clients off that are quiet for 10 s. */
  readonly idleTimeout: 0 = 0;
  readonly #service: TapService;
  readonly #handler: RequestHandler;

  /** Taps are made by {@linkcode tap}. */
  constructor(manager: TapManager, given: TapOptions) {
    const options = checkedTapOptions(given);
    const { streams, channels, markets, label = "tap" } = options;
    const allowed = manager.streamNames({
      ...(streams === undefined ? {} : { streams }),
      ...(channels === undefined ? {} : { channels }),
      ...(markets === undefined ? {} : { markets }),
    });
    this.#service = new TapService(
      allowed,
      options,
      (selection, onData, onSignal) =>
        manager.createStream({ ...selection, label, output: "raw", onData, onSignal, onCallbackError: "continue" }),
    );
    this.#handler = new RequestHandler(this.#service, options);
    this.fetch = (request, server) => this.#handler.handle(request, server);
  }

  /** What it has done so far. */
  get statistics(): TapStatistics {
    return { ...this.#service.statistics, refusedRequests: this.#handler.refused };
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
   *
   * await using exchange = await startLocalExchange();
   * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
   * await using market = tap(manager, { streams: ["btcusdt@trade", "ethusdt@trade"] });
   * const { body } = market.response({ streams: "ethusdt@trade" }, "ndjson");
   * for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
   *   console.log(chunk);
   *   if (chunk.includes('"stream":"ethusdt@trade"')) break;
   * }
   * ```
   */
  response(client: TapClientOptions = {}, format: "sse" | "ndjson" = "sse"): Response {
    return this.#service.respond(this.#service.admit(client), format);
  }

  /**
   * Serves a client over a WebSocket that you have accepted yourself, open or opening. It is asked for no token and no origin.
   *
   * @param client What it wants.
   * @param format One event in each message, or as many as there are at once, in lines: for fast streams. Default: `"json"`.
   * @throws {TapRefusedError} if it can't be served.
   */
  attach(socket: WebSocket, client: TapClientOptions = {}, format: "json" | "ndjson" = "json"): void {
    connectWebSocket(socket, this.#service.socketClient(this.#service.admit(client), format));
  }

  /** Ends all connections and the stream behind them. Can be repeated. */
  stop(): Promise<void> {
    return this.#service.stop();
  }

  /** Stops the tap, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
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
 * // Deno.serve(market.fetch), Bun.serve({ ...market, port: 8000 }), or what your framework calls with a request.
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
