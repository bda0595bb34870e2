/**
 * Orders, lists and trades as the answers of spot write them (Binance web-socket-api.md, "Trading requests" and "Account
 * requests").
 *
 * @module
 */

import { formatDecimal, multiply } from "./decimal.ts";
import type { Order, OrderList, Trade } from "./order.ts";

type Json = Record<string, unknown>;

/** The members that only some orders have. */
function conditional(order: Order): Json {
  const { shown } = order;
  const numeric = (text: string | undefined) => text === undefined ? undefined : BigInt(text);
  return {
    icebergQty: shown.icebergQty,
    stopPrice: order.stopPrice === 0n ? undefined : formatDecimal(order.stopPrice),
    trailingDelta: numeric(shown.trailingDelta),
    strategyId: numeric(shown.strategyId),
    strategyType: numeric(shown.strategyType),
    usedSor: shown.usedSor === undefined ? undefined : true,
    workingFloor: shown.usedSor === undefined ? undefined : "SOR",
  };
}

/** The answer of a placed order: `ACK`, `RESULT` or `FULL`. */
export function placedOrder(order: Order, responseType: string): Json {
  const ack = {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: order.list?.id ?? -1,
    clientOrderId: order.clientOrderId,
    transactTime: order.updatedAt,
  };
  if (responseType === "ACK") return ack;
  const result = {
    ...ack,
    price: formatDecimal(order.price),
    origQty: formatDecimal(order.quantity),
    executedQty: formatDecimal(order.executed),
    origQuoteOrderQty: formatDecimal(order.quoteQuantity),
    cummulativeQuoteQty: formatDecimal(order.quote),
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.type,
    side: order.side,
    workingTime: order.workingTime,
    ...conditional(order),
  };
  const selfTradePreventionMode = order.shown.selfTradePreventionMode ?? "NONE";
  if (responseType === "RESULT") return { ...result, selfTradePreventionMode };
  return { ...result, fills: order.trades.map(fill), selfTradePreventionMode };
}

function fill({ price, quantity, commission, commissionAsset, id }: Trade): Json {
  return {
    price: formatDecimal(price),
    qty: formatDecimal(quantity),
    commission: formatDecimal(commission),
    commissionAsset,
    tradeId: id,
  };
}

/** The answer of a canceled order. */
export function canceledOrder(order: Order, cancelId: string): Json {
  const { symbol, ...rest } = placedOrder(order, "RESULT");
  return { symbol, origClientOrderId: order.clientOrderId, ...rest, clientOrderId: cancelId };
}

/** An order as `order.status` and the lists of orders write it. */
export function orderStatus(order: Order): Json {
  return {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: order.list?.id ?? -1,
    clientOrderId: order.clientOrderId,
    price: formatDecimal(order.price),
    origQty: formatDecimal(order.quantity),
    executedQty: formatDecimal(order.executed),
    cummulativeQuoteQty: formatDecimal(order.quote),
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.type,
    side: order.side,
    stopPrice: formatDecimal(order.stopPrice),
    icebergQty: order.shown.icebergQty ?? "0.00000000",
    time: order.createdAt,
    updateTime: order.updatedAt,
    isWorking: order.workingTime >= 0,
    workingTime: order.workingTime,
    origQuoteOrderQty: formatDecimal(order.quoteQuantity),
    selfTradePreventionMode: order.shown.selfTradePreventionMode ?? "NONE",
    preventedMatchId: undefined,
    ...conditional(order),
  };
}

/** A list as the queries of lists write it. */
export function listState(list: OrderList): Json {
  return {
    orderListId: list.id,
    contingencyType: list.contingencyType,
    listStatusType: list.status,
    listOrderStatus: list.status === "ALL_DONE" ? "ALL_DONE" : "EXECUTING",
    listClientOrderId: list.clientOrderId,
    transactionTime: list.createdAt,
    symbol: list.symbol,
    orders: list.orders.map(({ symbol, id, clientOrderId }) => ({ symbol, orderId: id, clientOrderId })),
  };
}

/** A list as the answer of its placement writes it. */
export function placedList(list: OrderList, responseType: string): Json {
  return { ...listState(list), orderReports: list.orders.map((order) => placedOrder(order, responseType)) };
}

/** A list as the answer of its cancelation writes it. */
export function canceledList(list: OrderList, cancelId: string): Json {
  return { ...listState(list), orderReports: list.orders.map((order) => canceledOrder(order, cancelId)) };
}

/** A trade as `myTrades` writes it. */
export function accountTrade(order: Order, trade: Trade): Json {
  return {
    symbol: order.symbol,
    id: trade.id,
    orderId: order.id,
    orderListId: order.list?.id ?? -1,
    price: formatDecimal(trade.price),
    qty: formatDecimal(trade.quantity),
    quoteQty: formatDecimal(multiply(trade.price, trade.quantity)),
    commission: formatDecimal(trade.commission),
    commissionAsset: trade.commissionAsset,
    time: trade.time,
    isBuyer: order.side === "BUY",
    isMaker: trade.isMaker,
    isBestMatch: true,
  };
}
