/**
 * The methods of the USD-M and COIN-M futures' WebSocket APIs (Binance USD-M and COIN-M "WebSocket API" pages).
 *
 * @module
 */

import { ApiFault } from "./api_fault.ts";
import type { Call, Method } from "./call.ts";
import * as answers from "./futures_answers.ts";
import * as market from "./market_answers.ts";
import { isConditional, isOpen, type Order } from "./order.ts";
import { futuresTicket, orderName, symbolOf } from "./order_params.ts";
import type { RequestParams } from "./request.ts";
import { listenKeyMethods, sessions } from "./sessions.ts";
import { FuturesSettlement } from "./settlement.ts";
import { assetsOf, USDM_SYMBOLS } from "./symbols.ts";

const isCoinM = ({ venue }: Call) => venue.name === "coinm";

function openOrder(call: Call): Order {
  const { venue, account, params } = call;
  const order = venue.engine.orders.find(account, symbolOf(params), orderName(params));
  if (order === undefined || !isOpen(order)) throw new ApiFault(-2011, "Unknown order sent.");
  return order;
}

function place(call: Call): unknown {
  return answers.futuresOrder(call.venue.engine.place(call.account, futuresTicket(call.params)), isCoinM(call));
}

function modify(call: Call): unknown {
  const order = openOrder(call);
  const quantity = call.params.decimal("quantity");
  const price = call.params.decimal("price");
  if (quantity === undefined && price === undefined) {
    throw new ApiFault(-1102, "Mandatory parameter 'quantity' was not sent, was empty/null, or malformed.");
  }
  if ((quantity ?? order.quantity) === order.quantity && (price ?? order.price) === order.price) {
    throw new ApiFault(-5027, "No need to modify the order.");
  }
  call.venue.engine.amend(order, {
    ...(quantity === undefined ? {} : { quantity }),
    ...(price === undefined ? {} : { price }),
    execution: "AMENDMENT",
  });
  return answers.futuresOrder(order, isCoinM(call));
}

function cancel(call: Call): unknown {
  const order = openOrder(call);
  call.venue.engine.cancel(order);
  return answers.futuresOrder(order, isCoinM(call));
}

function status(call: Call): unknown {
  const order = call.venue.engine.orders.find(call.account, symbolOf(call.params), orderName(call.params));
  if (order === undefined) throw new ApiFault(-2013, "Order does not exist.");
  return answers.futuresOrder(order, isCoinM(call), "both");
}

function placeAlgo(call: Call): unknown {
  const { params } = call;
  if (params.required("algoType") !== "CONDITIONAL") throw new ApiFault(-1102, "Invalid algoType.");
  const own = params.with({ newClientOrderId: params.text("clientAlgoId") });
  const ticket = futuresTicket(own, true);
  if (!isConditional(ticket)) throw new ApiFault(-1116, "Invalid orderType.");
  return answers.algoOrder(call.venue.engine.place(call.account, ticket));
}

function cancelAlgo({ venue, account, params }: Call): unknown {
  const order = venue.engine.orders.find(account, undefined, orderName(params, "algoId", "clientAlgoId"));
  if (order === undefined || !isOpen(order) || order.workingTime >= 0) {
    throw new ApiFault(-2011, "Unknown order sent.");
  }
  venue.engine.cancel(order);
  return { algoId: order.id, clientAlgoId: order.clientOrderId, code: "200", msg: "success" };
}

function settlementOf({ venue }: Call): FuturesSettlement {
  const { settlement } = venue.engine;
  if (!(settlement instanceof FuturesSettlement)) throw new TypeError(`${venue.name} has no positions`);
  return settlement;
}

function positions(call: Call): unknown {
  const symbol = call.params.text("symbol");
  return settlementOf(call).positions(call.account)
    .filter((position) => symbol === undefined || position.symbol === symbol)
    .map(answers.positionRow);
}

function depthWeight(params: RequestParams): number {
  const limit = params.number("limit") ?? 500;
  return limit <= 50 ? 2 : limit <= 100 ? 5 : limit <= 500 ? 10 : 20;
}

/** Spot's numbers without trailing zeros, and with the times that the derivatives add. */
function depth(call: Call): unknown {
  const { lastUpdateId, bids, asks } = market.depth(call);
  return { lastUpdateId, E: call.now, T: call.now, bids, asks };
}

const SIGNED = { security: "SIGNED", weight: 5 } as const;
const ORDER = ["symbol", "side", "type"];

/** What both APIs have; `asset` is the one that margin is in. */
function shared(asset: string, modifyWeight: number): Readonly<Record<string, Method>> {
  const balance = ({ account }: Call) => [answers.balanceRow(account, asset)];
  const account = (call: Call) => answers.futuresAccount(call.account, settlementOf(call), asset);
  return {
    ...sessions,
    ...listenKeyMethods,
    ping: { security: "NONE", weight: 1, run: () => ({}) },
    time: { security: "NONE", weight: 1, run: ({ now }) => ({ serverTime: now }) },
    "order.place": { security: "SIGNED", weight: 0, orders: 1, required: ORDER, run: place },
    "order.modify": {
      security: "SIGNED",
      weight: modifyWeight,
      orders: 1,
      required: ["symbol", "side"],
      run: modify,
    },
    "order.cancel": { security: "SIGNED", weight: 1, required: ["symbol"], run: cancel },
    "order.status": { security: "SIGNED", weight: 1, required: ["symbol"], run: status },
    "account.position": { ...SIGNED, run: positions },
    "account.balance": { ...SIGNED, run: balance },
    "account.status": { ...SIGNED, run: account },
  };
}

/** The methods of USD-M futures by name. */
export const usdmMethods: Readonly<Record<string, Method>> = {
  ...shared("USDT", 0),
  depth: { security: "NONE", weight: depthWeight, required: ["symbol"], run: depth },
  "ticker.price": {
    security: "NONE",
    weight: (params) => params.text("symbol") === undefined ? 2 : 1,
    run: (call) => market.eachSymbol(call, USDM_SYMBOLS, (symbol) => market.priceRow(call, symbol)),
  },
  "ticker.book": {
    security: "NONE",
    weight: (params) => params.text("symbol") === undefined ? 5 : 2,
    run: (call) => market.eachSymbol(call, USDM_SYMBOLS, (symbol) => market.bookRow(call, symbol)),
  },
  "algoOrder.place": {
    security: "SIGNED",
    weight: 0,
    orders: 1,
    required: ["algoType", "symbol", "side", "type"],
    run: placeAlgo,
  },
  "algoOrder.cancel": { security: "SIGNED", weight: 1, run: cancelAlgo },
  "v2/account.position": { ...SIGNED, run: positions },
  "v2/account.balance": { ...SIGNED, run: ({ account }) => [answers.balanceRow(account, "USDT")] },
  "v2/account.status": {
    ...SIGNED,
    run: (call) => answers.futuresAccount(call.account, settlementOf(call), "USDT"),
  },
};

/** The methods of COIN-M futures by name. */
export const coinmMethods: Readonly<Record<string, Method>> = shared("BTC", 1);

/** The asset that the margin of a symbol is in. */
export function marginAsset(symbol: string): string {
  const assets = assetsOf(symbol);
  return assets === undefined ? "USDT" : assets.quote === "USD" ? assets.base : assets.quote;
}
