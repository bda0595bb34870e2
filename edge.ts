/**
 * The door for market data on edge runtimes (workerd, browsers): the library "builtin" and web standards only, no `node:`,
 * `Bun` or `Deno` in its module graph. Small enough for a worker; requests and account events, which weigh more than half
 * of it again, are in `"@rawtick/binance/edge-full"`.
 *
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance/edge";
 *
 * await using manager = new BinanceWebSocketApiManager();
 * ```
 *
 * @module
 */

export * from "./src/public.ts";
export { BinanceWebSocketApiManager } from "./src/manager/edge.ts";
