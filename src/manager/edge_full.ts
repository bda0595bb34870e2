/**
 * The manager with everything for edge runtimes: the library "builtin" only, and no `@std/log`.
 *
 * @module
 */

import { silentLogger } from "../base/mod.ts";
import type { Output } from "../stream/mod.ts";
import { AccountManager, type AccountPlatform } from "./account_manager.ts";
import type { ManagerOptions } from "./account_options.ts";
import { edgeLibraries } from "./edge_libraries.ts";
import { plainFetch } from "./rest_fetch.ts";

const platform: AccountPlatform = { libraries: edgeLibraries, defaultLogger: silentLogger, fetch: plainFetch };

/**
 * Keeps any number of Binance streams alive and hands their messages to you: the same as in `"@rawtick/binance"`, for
 * workerd, browsers and other runtimes that have only web standards. Its default logger is silent.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance/edge-full";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketApiBaseUrl: exchange.url });
 * manager.createStream({ api: true });
 * const { serverTime } = await manager.api.spot.time();
 * assertEquals(typeof serverTime, "number");
 * ```
 */
export class BinanceWebSocketApiManager<O extends Output = "raw"> extends AccountManager<O> {
  /**
   * Checks the options.
   *
   * @throws {InvalidOptionsError} or a subclass, if options can't be used.
   */
  constructor(options: ManagerOptions<O> = {}) {
    super(platform, options);
  }
}
