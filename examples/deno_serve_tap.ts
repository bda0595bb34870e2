/**
 * A tap on Deno: one connection to the exchange, handed to any number of clients over HTTP and WebSockets.
 *
 *     deno task example deno_serve_tap # against a local exchange, which it starts
 *     UPSTREAM_URL=wss://stream.binance.com:9443 deno task example deno_serve_tap # against Binance
 *     curl -N "http://127.0.0.1:8000/?streams=btcusdt@trade,btcusdt@bookTicker&conflateMs=500" # a client
 *
 * PORT is where it listens (8000); with TOKEN, clients need `Authorization: Bearer …` or `access_token=…`.
 *
 * @module
 */

import { once } from "node:events";
import process from "node:process";
import { BinanceWebSocketApiManager, tap } from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";

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
  upgrade: Deno.upgradeWebSocket,
  ...(TOKEN && { token: TOKEN }),
});

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/?streams=btcusdt@trade`),
}, market.fetch);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await market.stop(); // ends the answers, which the server would wait for
await server.shutdown();
