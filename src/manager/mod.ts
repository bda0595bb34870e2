/**
 * The manager for Deno, Bun and Node, with all libraries.
 *
 * @module
 */

import { stdLogger } from "../base/std_log.ts";
import type { Output } from "../stream/mod.ts";
import { allLibraries } from "../transport/all_libraries.ts";
import { fetchThrough } from "../transport/mod.ts";
import { AccountManager, type AccountPlatform } from "./account_manager.ts";
import type { ManagerOptions } from "./account_options.ts";
import { allProxies } from "./proxy.ts";
import { hasColors } from "./terminal.ts";

const platform: AccountPlatform = {
  libraries: allLibraries,
  defaultLogger: stdLogger,
  proxies: allProxies,
  hasColors,
  fetch: fetchThrough,
};

/**
 * Keeps any number of Binance streams alive and hands their messages to you. Connects when streams are created.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url, output: "json" });
 * const stream = manager.createStream({ channels: "trade", markets: ["btcusdt", "ethusdt"] });
 * await stream.ready;
 * for await (const message of stream) {
 *   assertEquals(message.stream.endsWith("@trade"), true);
 *   break;
 * }
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
