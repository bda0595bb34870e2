/**
 * The manager for edge runtimes: the library "builtin" only, and no `@std/log`.
 *
 * @module
 */

import { silentLogger } from "../base/mod.ts";
import type { Output } from "../stream/mod.ts";
import { builtinEntry, leftOut } from "../transport/portable.ts";
import { Manager } from "./manager.ts";
import { plainFetch } from "./rest_fetch.ts";
import type { ManagerOptions } from "./options.ts";

const libraries = {
  builtin: builtinEntry(),
  native: leftOut(
    'raw sockets are not part of "@rawtick/binance/edge"; expected "builtin", or import "@rawtick/binance"',
  ),
};

/**
 * Keeps any number of Binance streams alive and hands their messages to you: the same as in `"@rawtick/binance"`, for
 * workerd, browsers and other runtimes that have only web standards. Its default logger is silent.
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
  constructor(options: ManagerOptions<O> = {}) {
    super({ libraries, defaultLogger: silentLogger, fetch: plainFetch }, options);
  }
}
