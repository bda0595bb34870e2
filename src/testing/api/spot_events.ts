/**
 * Account events of spot (Binance user-data-stream.md).
 *
 * @module
 */

import type { Account } from "./account.ts";
import { formatDecimal } from "./decimal.ts";
import type { Execution, Order, OrderList, Trade } from "./order.ts";

/** `executionReport`. */
export function executionReport(
  order: Order,
  execution: Execution,
  trade: Trade | undefined,
  cancelId: string | undefined,
  now: number,
  executionId: bigint,
): Record<string, unknown> {
  const { shown } = order;
  return {
    e: "executionReport",
    E: now,
    s: order.symbol,
    c: cancelId ?? order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: formatDecimal(order.quantity),
    p: formatDecimal(order.price),
    P: formatDecimal(order.stopPrice),
    F: shown.icebergQty ?? "0.00000000",
    g: order.list?.id ?? -1,
    C: cancelId === undefined ? "" : order.clientOrderId,
    x: execution === "AMENDMENT" ? "REPLACED" : execution,
    X: order.status,
    r: "NONE",
    i: order.id,
    l: formatDecimal(trade?.quantity ?? 0n),
    z: formatDecimal(order.executed),
    L: formatDecimal(trade?.price ?? 0n),
    n: trade === undefined ? "0" : formatDecimal(trade.commission),
    N: trade?.commissionAsset ?? null,
    T: order.updatedAt,
    t: trade?.id ?? -1,
    I: executionId,
    w: order.workingTime >= 0 && (order.status === "NEW" || order.status === "PARTIALLY_FILLED"),
    m: trade?.isMaker ?? false,
    M: false,
    O: order.createdAt,
    Z: formatDecimal(order.quote),
    Y: formatDecimal(trade === undefined ? 0n : trade.price * trade.quantity / 100_000_000n),
    Q: formatDecimal(order.quoteQuantity),
    W: order.workingTime < 0 ? undefined : order.workingTime,
    V: shown.selfTradePreventionMode ?? "NONE",
    d: numeric(shown.trailingDelta),
    j: numeric(shown.strategyId),
    J: numeric(shown.strategyType),
    uS: shown.usedSor === undefined ? undefined : true,
    k: shown.usedSor === undefined ? undefined : "SOR",
  };
}

function numeric(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text);
}

/** `outboundAccountPosition`. */
export function outboundAccountPosition(
  account: Account,
  assets: readonly string[],
  now: number,
): Record<string, unknown> {
  const balances = assets.map((asset) => {
    const { free, locked } = account.wallet.of(asset);
    return { a: asset, f: formatDecimal(free), l: formatDecimal(locked) };
  });
  return { e: "outboundAccountPosition", E: now, u: account.updatedAt, B: balances };
}

/** `listStatus`. */
export function listStatus(list: OrderList, now: number): Record<string, unknown> {
  return {
    e: "listStatus",
    E: now,
    s: list.symbol,
    g: list.id,
    c: list.contingencyType,
    l: list.status,
    L: list.status === "ALL_DONE" ? "ALL_DONE" : "EXECUTING",
    r: "NONE",
    C: list.clientOrderId,
    T: now,
    O: list.orders.map(({ symbol, id, clientOrderId }) => ({ s: symbol, i: id, c: clientOrderId })),
  };
}

/** `balanceUpdate`. */
export function balanceUpdate(asset: string, delta: string, now: number): Record<string, unknown> {
  return { e: "balanceUpdate", E: now, a: asset, d: delta, T: now };
}
