/**
 * One process that serves a page and the tap that it reads: a live order book and trades. On Deno and on Bun.
 *
 *     deno task example browser/server # against a local exchange, which it starts; or bun run example …
 *     UPSTREAM_URL=wss://stream.binance.com:9443 deno task example browser/server # against Binance
 *
 * Then open the URL that it prints. PORT is where it listens (8000).
 *
 * @module
 */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import process from "node:process";
import { BinanceWebSocketApiManager, tap } from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";
import { serve } from "./serve.ts";

const { UPSTREAM_URL, PORT = "8000" } = process.env;

const SECURITY_HEADERS = {
  "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** The page: nothing else in this folder is ever served. */
const files = new Map([
  ["/", fileOf("index.html", "text/html")],
  ["/style.css", fileOf("style.css", "text/css")],
  ["/page.js", fileOf("page.js", "text/javascript")],
  ["/tap_source.js", fileOf("tap_source.js", "text/javascript")],
  ["/views.js", fileOf("views.js", "text/javascript")],
]);

function fileOf(name: string, type: string): { readonly body: string; readonly headers: HeadersInit } {
  const body = readFileSync(new URL(name, import.meta.url), "utf8");
  return { body, headers: { ...SECURITY_HEADERS, "content-type": `${type}; charset=utf-8` } };
}

await using resources = new AsyncDisposableStack();
const manager = resources.use(
  new BinanceWebSocketApiManager({
    websocketBaseUrl: UPSTREAM_URL || resources.use(await startLocalExchange()).url,
    onSignal: (signal) =>
      console.error(`${signal.streamLabel}: ${signal.type}${"error" in signal ? `: ${signal.error}` : ""}`),
  }),
);
const market = tap(manager, { streams: ["btcusdt@depth20@100ms", "btcusdt@trade"] });

const server = serve(Number(PORT), (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/tap") return market.fetch(request);
  const file = files.get(pathname);
  if (file === undefined) return new Response("There is nothing here\n", { status: 404, headers: SECURITY_HEADERS });
  return new Response(request.method === "HEAD" ? null : file.body, { headers: file.headers });
});
console.log(`http://127.0.0.1:${server.port}/`);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await market.stop(); // ends the answers, which Deno's server would wait for
await server.stop();
