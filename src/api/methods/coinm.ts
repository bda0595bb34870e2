/**
 * WebSocket API of COIN-M futures. Source: Binance websocket-api-general-info.md and the pages of its methods.
 *
 * @module
 */

import { futuresSession } from "./futures_session.ts";
import type { ApiMethodSpecs } from "./method.ts";

/**
 * The methods of the WebSocket API of COIN-M futures, as literals.
 *
 * @example
 * ```ts
 * import { coinmMethodSpecs } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(coinmMethodSpecs["account.position"].optional, ["marginAsset", "pair"]);
 * ```
 */
export const coinmMethodSpecs = {
  ...futuresSession,
  "order.place": {
    about: "Places an order.",
    access: "TRADE",
    security: "SIGNED",
    changesState: true,
    weight: 0,
    orders: 1,
    required: ["symbol", "side", "type"],
    optional: [
      "positionSide",
      "timeInForce",
      "quantity",
      "reduceOnly",
      "price",
      "newClientOrderId",
      "stopPrice",
      "closePosition",
      "activationPrice",
      "callbackRate",
      "workingType",
      "priceProtect",
      "newOrderRespType",
      "priceMatch",
      "selfTradePreventionMode",
    ],
    returns: "Order",
    aliases: ["createOrder"],
    note:
      "`quantity` is in contracts. Since the merge with USD-M in 2026-06 orders with a trigger are refused with -4120.",
  },
  "order.modify": {
    about: "Changes the price and the quantity of a `LIMIT` order, which loses its place in the queue.",
    access: "TRADE",
    security: "SIGNED",
    changesState: true,
    weight: 1,
    orders: 1,
    required: ["symbol", "side", "quantity"],
    optional: [],
    alternatives: [["orderId", "origClientOrderId"], ["price", "priceMatch"]],
    returns: "Order",
    aliases: ["modifyOrder"],
  },
  "order.cancel": {
    about: "Cancels an order.",
    access: "TRADE",
    security: "SIGNED",
    changesState: true,
    weight: 1,
    required: ["symbol"],
    optional: [],
    alternatives: [["orderId", "origClientOrderId"]],
    returns: "Order",
    aliases: ["cancelOrder"],
  },
  "order.status": {
    about: "An order as it is now.",
    access: "USER_DATA",
    security: "SIGNED",
    weight: 1,
    required: ["symbol"],
    optional: [],
    alternatives: [["orderId", "origClientOrderId"]],
    returns: "Order",
    aliases: ["getOrder"],
  },
  "account.position": {
    about: "The positions.",
    access: "USER_DATA",
    security: "SIGNED",
    weight: 5,
    required: [],
    optional: ["marginAsset", "pair"],
    returns: "List",
    aliases: ["getAccountPosition"],
  },
  "account.balance": {
    about: "The balances.",
    access: "USER_DATA",
    security: "SIGNED",
    weight: 5,
    required: [],
    optional: [],
    returns: "List",
    aliases: ["getAccountBalance"],
  },
  "account.status": {
    about: "The account with its assets and positions.",
    access: "USER_DATA",
    security: "SIGNED",
    weight: 5,
    required: [],
    optional: [],
    returns: "Details",
    aliases: ["getAccountStatus"],
  },
} as const satisfies ApiMethodSpecs;
