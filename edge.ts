/**
 * The door for edge runtimes (workerd, browsers): the library "builtin" and web standards only, no `node:`, `Bun` or
 * `Deno` in its module graph.
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
export * from "./src/tap/mod.ts";
export { BinanceWebSocketApiManager } from "./src/manager/edge.ts";
