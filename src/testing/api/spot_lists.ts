/**
 * Order lists of spot: OCO, OTO, OTOCO and their kin (Binance web-socket-api.md, "Order lists").
 *
 * @module
 */

import { ApiFault } from "./api_fault.ts";
import type { Call, Method } from "./call.ts";
import type { OrderList, OrderTicket } from "./order.ts";
import { isOpen } from "./order.ts";
import { clientIdOf, spotTicket, symbolOf } from "./order_params.ts";
import type { RequestParams } from "./request.ts";
import { canceledList, listState, placedList } from "./spot_answers.ts";

/** The parameters of an order of a list, without the prefix that says which one. */
const OF_AN_ORDER = [
  "type",
  "side",
  "price",
  "quantity",
  "stopPrice",
  "trailingDelta",
  "icebergQty",
  "timeInForce",
  "pegPriceType",
  "strategyId",
  "strategyType",
];

/** The order whose parameters begin with `prefix`, such as `abovePrice`. */
function part(
  params: RequestParams,
  prefix: string,
  given: Readonly<Record<string, string | undefined>> = {},
): OrderTicket {
  const named = (name: string) => `${prefix}${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`;
  const own = Object.fromEntries(OF_AN_ORDER.map((name) => [name, params.text(named(name))]));
  const id = params.text(named("clientOrderId"));
  const filled = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, own[name] ?? text]));
  return spotTicket(params.with({ quoteOrderQty: undefined, ...own, ...filled, newClientOrderId: id }));
}

function placeList(
  call: Call,
  contingencyType: "OCO" | "OTO",
  working: number,
  tickets: readonly OrderTicket[],
): unknown {
  const { params, venue, account } = call;
  const clientOrderId = clientIdOf(params, "listClientOrderId");
  const symbol = symbolOf(params);
  const list = venue.engine.placeList(account, { clientOrderId, symbol, contingencyType, working, tickets });
  return placedList(list, params.text("newOrderRespType") ?? "RESULT");
}

/** The deprecated form: a limit order and a stop order. */
function placeOldOco(call: Call): unknown {
  const { params } = call;
  const shared = { side: params.text("side"), quantity: params.text("quantity") };
  const limitId = params.text("limitClientOrderId");
  const isLimit = params.text("stopLimitPrice") !== undefined;
  const stop = params.with({
    type: isLimit ? "STOP_LOSS_LIMIT" : "STOP_LOSS",
    price: params.text("stopLimitPrice"),
    timeInForce: isLimit ? params.text("stopLimitTimeInForce") ?? "GTC" : undefined,
    newClientOrderId: params.text("stopClientOrderId"),
    ...shared,
  });
  const limit = params.with({ type: "LIMIT_MAKER", stopPrice: undefined, newClientOrderId: limitId, ...shared });
  return placeList(call, "OCO", 0, [spotTicket(stop), spotTicket(limit)]);
}

function placeOco(call: Call): unknown {
  const { params } = call;
  const shared = { side: params.text("side"), quantity: params.text("quantity") };
  return placeList(call, "OCO", 0, [part(params, "above", shared), part(params, "below", shared)]);
}

function workingOrder(params: RequestParams): OrderTicket {
  const ticket = part(params, "working", { timeInForce: undefined });
  if (ticket.type !== "LIMIT" && ticket.type !== "LIMIT_MAKER") throw new ApiFault(-1116, "Invalid orderType.");
  return ticket;
}

function placeOto(call: Call): unknown {
  const { params } = call;
  return placeList(call, "OTO", 1, [workingOrder(params), part(params, "pending")]);
}

function pendingPair(params: RequestParams, quantity: string | undefined): OrderTicket[] {
  const shared = { side: params.text("pendingSide"), quantity };
  const above = part(params, "pendingAbove", shared);
  return params.text("pendingBelowType") === undefined ? [above] : [above, part(params, "pendingBelow", shared)];
}

function placeOtoco(call: Call): unknown {
  const { params } = call;
  return placeList(call, "OTO", 1, [workingOrder(params), ...pendingPair(params, params.text("pendingQuantity"))]);
}

/** One pays the other: the pending order is as large as what the working one bought or sold. */
function placeOpo(call: Call): unknown {
  const { params } = call;
  const quantity = params.text("workingQuantity");
  return placeList(call, "OTO", 1, [workingOrder(params), part(params, "pending", { quantity })]);
}

function placeOpoco(call: Call): unknown {
  const { params } = call;
  return placeList(call, "OTO", 1, [workingOrder(params), ...pendingPair(params, params.text("workingQuantity"))]);
}

function findList({ venue, account, params }: Call, clientId: string): OrderList | undefined {
  const id = params.integer("orderListId");
  const name = params.text(clientId);
  if (id === undefined && name === undefined) {
    throw new ApiFault(-1102, `Param '${clientId}' or 'orderListId' must be sent, but both were empty/null!`);
  }
  const lists = venue.engine.orders.listsOf(account);
  return lists.findLast((list) => id === undefined ? list.clientOrderId === name : list.id === id);
}

function cancelList(call: Call): unknown {
  symbolOf(call.params);
  const list = findList(call, "listClientOrderId");
  const order = list?.orders.find(isOpen);
  if (list === undefined || order === undefined) throw new ApiFault(-2011, "Unknown order list sent.");
  const cancelId = clientIdOf(call.params, "newClientOrderId");
  call.venue.engine.cancel(order, cancelId);
  return canceledList(list, cancelId);
}

function listStatus(call: Call): unknown {
  const list = findList(call, "origClientOrderId");
  if (list === undefined) throw new ApiFault(-2018, "Order list does not exist.");
  return listState(list);
}

function listsOf(isWanted: (list: OrderList) => boolean): (call: Call) => unknown {
  return ({ venue, account }) => venue.engine.orders.listsOf(account).filter(isWanted).map(listState);
}

const WORKING = ["workingType", "workingSide", "workingQuantity"];
const PENDING = ["pendingType", "pendingSide"];
const placing = { security: "SIGNED", weight: 1, isFreeOnSuccess: true } as const;

/** The methods by name. */
export const spotLists: Readonly<Record<string, Method>> = {
  "orderList.place": {
    ...placing,
    orders: 1,
    required: ["symbol", "side", "price", "quantity"],
    run: placeOldOco,
  },
  "orderList.place.oco": {
    ...placing,
    orders: 2,
    required: ["symbol", "side", "quantity", "aboveType", "belowType"],
    run: placeOco,
  },
  "orderList.place.oto": {
    ...placing,
    orders: 2,
    required: ["symbol", ...WORKING, ...PENDING, "pendingQuantity"],
    run: placeOto,
  },
  "orderList.place.otoco": {
    ...placing,
    orders: 3,
    required: ["symbol", ...WORKING, "pendingSide", "pendingQuantity", "pendingAboveType"],
    run: placeOtoco,
  },
  "orderList.place.opo": { ...placing, orders: 2, required: ["symbol", ...WORKING, ...PENDING], run: placeOpo },
  "orderList.place.opoco": {
    ...placing,
    orders: 3,
    required: ["symbol", ...WORKING, "pendingSide", "pendingAboveType"],
    run: placeOpoco,
  },
  "orderList.cancel": { ...placing, required: ["symbol"], run: cancelList },
  "orderList.status": { security: "SIGNED", weight: 4, run: listStatus },
  "openOrderLists.status": { security: "SIGNED", weight: 6, run: listsOf(({ status }) => status !== "ALL_DONE") },
  allOrderLists: { security: "SIGNED", weight: 20, run: listsOf(() => true) },
};
