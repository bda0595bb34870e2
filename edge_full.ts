/**
 * The door for trading on edge runtimes (workerd, browsers): everything of the main door that web standards can do. The
 * library "builtin" only, no `node:`, `Bun` or `Deno` in its module graph. Who needs market data alone takes
 * `"@rawtick/binance/edge"`, which is a third smaller.
 *
 * ```ts
 * import { BinanceWebSocketApiManager, createSigner } from "@rawtick/binance/edge-full";
 *
 * const signer = createSigner({ apiKey: "the API key", apiSecret: "the secret" });
 * await using manager = new BinanceWebSocketApiManager({ signer });
 * ```
 *
 * @module
 */

export * from "./src/public.ts";
export * from "./src/public_account.ts";
export { BinanceWebSocketApiManager } from "./src/manager/edge_full.ts";
