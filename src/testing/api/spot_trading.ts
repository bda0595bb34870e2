/**
 * Orders of spot: placing, testing, canceling, replacing, amending (Binance web-socket-api.md, "Trading requests").
 *
 * @module
 */

import { ApiFault } from "./api_fault.ts";
import type { Call, Method } from "./call.ts";
import { formatDecimal } from "./decimal.ts";
import { isOpen, type Order } from "./order.ts";
import { clientIdOf, madeUpId, orderName, spotTicket, symbolOf } from "./order_params.ts";
import type { RequestParams } from "./request.ts";
import { canceledList, canceledOrder, orderStatus, placedOrder } from "./spot_answers.ts";

/** What the tests of orders are answered with. */
const NO_COMMISSION = { maker: "0.00000000", taker: "0.00000000" };
const COMMISSION = {
  standardCommissionForOrder: { maker: "0.00100000", taker: "0.00100000" },
  taxCommissionForOrder: NO_COMMISSION,
  discount: { enabledForAccount: true, enabledForSymbol: true, discountAsset: "BNB", discount: "0.75000000" },
};

const ORDER = ["symbol", "side", "type"];
const testWeight = (params: RequestParams) => params.boolean("computeCommissionRates") === true ? 20 : 1;

/** FULL for MARKET and LIMIT, ACK for the others (Binance web-socket-api.md, "Place new order"). */
export function responseType(params: RequestParams, type: string): string {
  return params.text("newOrderRespType") ?? (type === "MARKET" || type === "LIMIT" ? "FULL" : "ACK");
}

/** The open order that a request names. @throws {ApiFault} -2011 if there is none. */
export function openOrder({ venue, account, params }: Call, id?: string, clientId?: string): Order {
  const order = venue.engine.orders.find(account, symbolOf(params), orderName(params, id, clientId));
  if (order === undefined || !isOpen(order)) throw new ApiFault(-2011, "Unknown order sent.");
  return order;
}

function place(call: Call): unknown {
  const ticket = spotTicket(call.params);
  return placedOrder(call.venue.engine.place(call.account, ticket), responseType(call.params, ticket.type));
}

function placeSor(call: Call): unknown {
  const ticket = spotTicket(call.params);
  if (ticket.type !== "LIMIT" && ticket.type !== "MARKET") throw new ApiFault(-1116, "Invalid orderType.");
  const order = call.venue.engine.place(call.account, { ...ticket, shown: { ...ticket.shown, usedSor: "true" } });
  return [placedOrder(order, responseType(call.params, ticket.type))];
}

function test(call: Call): unknown {
  call.venue.engine.check(call.account, spotTicket(call.params));
  return call.params.boolean("computeCommissionRates") === true ? COMMISSION : {};
}

function cancel(call: Call): unknown {
  const order = openOrder(call);
  const cancelId = clientIdOf(call.params, "newClientOrderId");
  const only = call.params.text("cancelRestrictions");
  if ((only === "ONLY_NEW" && order.status !== "NEW") || (only === "ONLY_PARTIALLY_FILLED" && order.executed === 0n)) {
    throw new ApiFault(-2011, "Order was not canceled due to cancel restrictions.");
  }
  call.venue.engine.cancel(order, cancelId);
  return canceledOrder(order, cancelId);
}

/** What a part of a cancel-and-replace came to. */
type Part = { readonly ok: true; readonly response: unknown } | { readonly ok: false; readonly response: unknown };

function attempt(action: () => unknown): Part {
  try {
    return { ok: true, response: action() };
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error;
    return { ok: false, response: { code: error.code, msg: error.message } };
  }
}

function cancelReplace(call: Call): unknown {
  const { params, venue, account } = call;
  const mode = params.required("cancelReplaceMode");
  if (mode !== "STOP_ON_FAILURE" && mode !== "ALLOW_FAILURE") throw new ApiFault(-1102, "Invalid cancelReplaceMode.");
  orderName(params, "cancelOrderId", "cancelOrigClientOrderId");
  const ticket = spotTicket(params);
  const canceled = attempt(() => {
    const order = openOrder(call, "cancelOrderId", "cancelOrigClientOrderId");
    const cancelId = clientIdOf(params, "cancelNewClientOrderId");
    venue.engine.cancel(order, cancelId);
    return canceledOrder(order, cancelId);
  });
  const isAttempted = canceled.ok || mode === "ALLOW_FAILURE";
  const placed = isAttempted
    ? attempt(() => placedOrder(venue.engine.place(account, ticket), responseType(params, ticket.type)))
    : undefined;
  const word = (part: Part | undefined) => part === undefined ? "NOT_ATTEMPTED" : part.ok ? "SUCCESS" : "FAILURE";
  const data = {
    cancelResult: word(canceled),
    newOrderResult: word(placed),
    cancelResponse: canceled.response,
    newOrderResponse: placed?.response ?? null,
  };
  if (canceled.ok && placed?.ok === true) return data;
  if (canceled.ok || placed?.ok === true) {
    throw new ApiFault(-2021, "Order cancel-replace partially failed.", { status: 409, data });
  }
  throw new ApiFault(-2022, "Order cancel-replace failed.", { data });
}

function amend(call: Call): unknown {
  const order = openOrder(call);
  const newQty = call.params.decimal("newQty") ?? 0n;
  if (newQty <= order.executed || newQty >= order.quantity) {
    throw new ApiFault(-2038, "The requested action would change no state; rejecting.");
  }
  const origClientOrderId = order.clientOrderId;
  call.venue.engine.amend(order, { quantity: newQty, execution: "REPLACED" });
  const { fills: _fills, ...amendedOrder } = placedOrder(order, "FULL");
  return {
    transactTime: order.updatedAt,
    executionId: call.venue.nextExecutionId(),
    amendedOrder: { ...amendedOrder, origClientOrderId, qty: formatDecimal(order.quantity) },
  };
}

function cancelAll(call: Call): unknown {
  const open = call.venue.engine.orders.openOrders(call.account, symbolOf(call.params));
  if (open.length === 0) throw new ApiFault(-2011, "Unknown order sent.");
  const answers: unknown[] = [];
  const lists = new Set<unknown>();
  for (const order of open) {
    if (order.list !== undefined) {
      if (lists.has(order.list)) continue;
      lists.add(order.list);
    }
    const cancelId = madeUpId();
    call.venue.engine.cancel(order, cancelId);
    answers.push(order.list === undefined ? canceledOrder(order, cancelId) : canceledList(order.list, cancelId));
  }
  return answers;
}

function status(call: Call): unknown {
  const { venue, account, params } = call;
  const order = venue.engine.orders.find(account, symbolOf(params), orderName(params));
  if (order === undefined) throw new ApiFault(-2013, "Order does not exist.");
  return orderStatus(order);
}

/** The methods by name. */
export const spotTrading: Readonly<Record<string, Method>> = {
  "order.place": { security: "SIGNED", weight: 1, isFreeOnSuccess: true, orders: 1, required: ORDER, run: place },
  "order.test": { security: "SIGNED", weight: testWeight, required: ORDER, run: test },
  "order.status": { security: "SIGNED", weight: 4, required: ["symbol"], run: status },
  "order.cancel": { security: "SIGNED", weight: 1, isFreeOnSuccess: true, required: ["symbol"], run: cancel },
  "order.cancelReplace": {
    security: "SIGNED",
    weight: 1,
    isFreeOnSuccess: true,
    orders: 1,
    required: ["symbol", "cancelReplaceMode", "side", "type"],
    run: cancelReplace,
  },
  "order.amend.keepPriority": {
    security: "SIGNED",
    weight: 4,
    isFreeOnSuccess: true,
    required: ["symbol", "newQty"],
    run: amend,
  },
  "openOrders.cancelAll": {
    security: "SIGNED",
    weight: 1,
    isFreeOnSuccess: true,
    required: ["symbol"],
    run: cancelAll,
  },
  "sor.order.place": {
    security: "SIGNED",
    weight: 1,
    isFreeOnSuccess: true,
    orders: 1,
    required: ORDER,
    run: placeSor,
  },
  "sor.order.test": { security: "SIGNED", weight: testWeight, required: ORDER, run: test },
};
