/**
 * A tap on Cloudflare Workers: one Durable Object owns the connection to the exchange, and every request goes to it.
 *
 *     deno task example cloudflare/run_local # in workerd on this machine, against a local exchange; or bun run example …
 *     UPSTREAM_URL=wss://stream.binance.com:9443 deno task example cloudflare/run_local # the same against Binance
 *     curl -N "http://127.0.0.1:8787/?streams=btcusdt@trade,btcusdt@bookTicker&conflateMs=500" # a client
 *
 * To deploy it, with `examples/cloudflare/wrangler.toml`, which has all that wrangler needs to know:
 *
 *     npx wrangler deploy --config examples/cloudflare/wrangler.toml
 *     npx wrangler secret put TOKEN --config examples/cloudflare/wrangler.toml # then clients need it
 *
 * @module
 */

import { BinanceWebSocketApiManager, type Tap, tap } from "@rawtick/binance/edge";

/** What wrangler.toml binds. */
interface Env {
  readonly TAP: DurableObjectNamespace;
  /** The exchange's base URL. Default: Binance's own. */
  readonly UPSTREAM_URL?: string;
  /** What clients need as `Authorization: Bearer …` or `access_token=…`. Default: nothing. */
  readonly TOKEN?: string;
}

/** What is used of a namespace of Durable Objects; with `@cloudflare/workers-types`, this can go. */
interface DurableObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** The Durable Object. What it holds outlives every request, and there is only one of each name in the world. */
export class MarketTap {
  readonly #tap: Tap;

  constructor(_state: unknown, { UPSTREAM_URL, TOKEN }: Env) {
    const manager = new BinanceWebSocketApiManager({
      ...(UPSTREAM_URL && { websocketBaseUrl: UPSTREAM_URL }),
      onSignal: (signal) =>
        console.log(`${signal.streamLabel}: ${signal.type}${"error" in signal ? `: ${signal.error}` : ""}`),
    });
    this.#tap = tap(manager, {
      channels: ["trade", "bookTicker", "depth20@100ms"],
      markets: ["btcusdt", "ethusdt", "bnbusdt"],
      cors: "*", // the pages that show it come from elsewhere
      // An object that nobody is connected to is evicted after about 140 s by workerd (70 to 140 s, Cloudflare says of those
      // that can't hibernate). The upstream is closed before that, `lingerMs` after the last client.
      ...(TOKEN && { token: TOKEN }),
    });
  }

  /** Answers a request that the worker has passed on. */
  fetch(request: Request): Promise<Response> {
    return this.#tap.fetch(request);
  }
}

export default {
  /** Passes every request on to the one object. */
  fetch(request: Request, { TAP }: Env): Promise<Response> {
    return TAP.get(TAP.idFromName("market")).fetch(request);
  },
};
