/**
 * Spot WebSocket API v3: all its methods, and here those about the connection and the exchange.
 * Source: Binance web-socket-api.md, "General requests".
 *
 * @module
 */

import type { ApiMethodSpecs } from "./method.ts";
import { spotAccount } from "./spot_account.ts";
import { spotMarket } from "./spot_market.ts";
import { spotOrderLists } from "./spot_order_lists.ts";
import { spotSession } from "./spot_session.ts";
import { spotTrading } from "./spot_trading.ts";

/**
 * The methods of the spot WebSocket API v3, as literals.
 *
 * @example
 * ```ts
 * import { spotMethodSpecs } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(spotMethodSpecs["order.place"].required, ["symbol", "side", "type"]);
 * ```
 */
export const spotMethodSpecs = {
  ping: {
    about: "Tests the connection.",
    access: "NONE",
    security: "NONE",
    weight: 1,
    required: [],
    optional: [],
    returns: "Nothing",
  },
  time: {
    about: "The exchange's clock.",
    access: "NONE",
    security: "NONE",
    weight: 1,
    required: [],
    optional: [],
    returns: "ServerTime",
    aliases: ["getServerTime"],
  },
  exchangeInfo: {
    about: "Rate limits, filters and the rules of the symbols.",
    access: "NONE",
    security: "NONE",
    weight: 20,
    required: [],
    optional: ["symbol", "symbols", "permissions", "showPermissionSets", "symbolStatus"],
    returns: "ExchangeInfo",
    aliases: ["getExchangeInfo"],
    note: "Only one of `symbol`, `symbols` and `permissions` at a time.",
  },
  executionRules: {
    about: "The execution rules of symbols, such as the range of prices in which orders execute.",
    access: "NONE",
    security: "NONE",
    weight: "executionRules",
    required: [],
    optional: ["symbol", "symbols", "symbolStatus"],
    returns: "Details",
  },
  ...spotMarket,
  ...spotTrading,
  ...spotOrderLists,
  ...spotAccount,
  ...spotSession,
} as const satisfies ApiMethodSpecs;
