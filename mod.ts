/**
 * Keeps Binance WebSocket streams alive and hands their messages to you: one manager, two WebSocket libraries.
 *
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url, websocketLibrary: "native" });
 * const stream = manager.createStream({ channels: ["trade"], markets: ["btcusdt"] });
 * for await (const text of stream) {
 *   console.log(text);
 *   break;
 * }
 * ```
 *
 * @module
 */

export * from "./src/public.ts";
export * from "./src/tap/mod.ts";
export { BinanceWebSocketApiManager } from "./src/manager/mod.ts";
