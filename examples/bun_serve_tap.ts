/**
 * A tap on Bun: one connection to the exchange, handed to any number of clients over HTTP and WebSockets.
 *
 *     bun run example bun_serve_tap # against a local exchange, which it starts
 *     UPSTREAM_URL=wss://stream.binance.com:9443 bun run example bun_serve_tap # against Binance
 *     curl -N "http://127.0.0.1:8000/?streams=btcusdt@trade,btcusdt@bookTicker&conflateMs=500" # a client
 *
 * PORT is where it listens (8000); with TOKEN, clients need `Authorization: Bearer …` or `access_token=…`.
 *
 * @module
 */

import { once } from "node:events";
import process from "node:process";
import { BinanceWebSocketApiManager, tap, type TapWebSocketHandler } from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";

/** What is used of Bun; with `@types/bun`, this can go. */
declare const Bun: {
  serve(options: {
    readonly hostname: string;
    readonly port: number;
    readonly idleTimeout: number;
    readonly fetch: (request: Request, server: unknown) => Promise<Response>;
    readonly websocket: TapWebSocketHandler;
  }): { readonly port: number; stop(closeActiveConnections: boolean): Promise<void> };
};

const { UPSTREAM_URL, TOKEN, PORT = "8000" } = process.env;

await using resources = new AsyncDisposableStack();
const manager = resources.use(
  new BinanceWebSocketApiManager({
    websocketBaseUrl: UPSTREAM_URL || resources.use(await startLocalExchange()).url,
    onSignal: (signal) =>
      console.error(`${signal.streamLabel}: ${signal.type}${"error" in signal ? `: ${signal.error}` : ""}`),
  }),
);
const market = tap(manager, {
  channels: ["trade", "bookTicker", "depth20@100ms"],
  markets: ["btcusdt", "ethusdt", "bnbusdt"],
  ...(TOKEN && { token: TOKEN }),
});

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  idleTimeout: 0, // the tap has its own signs of life, and finds out who takes nothing
  fetch: market.fetch,
  websocket: market.websocket,
});
console.log(`http://127.0.0.1:${server.port}/?streams=btcusdt@trade`);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await market.stop();
await server.stop(true);
