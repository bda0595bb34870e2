/**
 * The manager for market data at the edge: the library "builtin" only, no requests, no account events, no `@std/log`.
 *
 * @module
 */

import { silentLogger } from "../base/mod.ts";
import type { Output } from "../stream/mod.ts";
import { edgeLibraries } from "./edge_libraries.ts";
import { Manager } from "./manager.ts";
import type { MarketManagerOptions } from "./options.ts";
import { managerParts, type Platform } from "./parts.ts";
import { checkedMarketOptions } from "./schema.ts";

const platform: Platform = { libraries: edgeLibraries, defaultLogger: silentLogger };

/**
 * Keeps any number of Binance streams alive and hands their messages to you: for workerd, browsers and other
 * runtimes that have only web standards. Market data only: requests and account events are in
 * `"@rawtick/binance/edge-full"`. Its default logger is silent.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance/edge";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assert } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * for await (const text of stream) {
 *   assert(text.startsWith('{"stream":"btcusdt@trade"'));
 *   break;
 * }
 * ```
 */
export class BinanceWebSocketApiManager<O extends Output = "raw"> extends Manager<O> {
  /**
   * Checks the options.
   *
   * @throws {InvalidOptionsError} or a subclass, if options can't be used.
   */
  constructor(options: MarketManagerOptions<O> = {}) {
    super(managerParts(platform, checkedMarketOptions(options, platform)));
  }
}
