/**
 * Account events of the derivatives, as they come by a listen key (Binance USD-M and COIN-M "User Data Streams").
 *
 * @module
 */

import type { Account } from "./account.ts";
import { divide, formatShort } from "./decimal.ts";
import { type Execution, isConditional, type Order, type Trade } from "./order.ts";
import type { FuturesSettlement } from "./settlement.ts";

type Json = Record<string, unknown>;

const isTrue = (text: string | undefined) => text === "true";

/** The type that an order has once it was triggered. */
function workingType({ type }: Order): string {
  return type.endsWith("MARKET") ? "MARKET" : "LIMIT";
}

function orderUpdate(order: Order, execution: Execution, trade: Trade | undefined, cancelId: string | undefined): Json {
  const { shown } = order;
  return {
    s: order.symbol,
    c: cancelId ?? order.clientOrderId,
    S: order.side,
    o: isConditional(order) ? workingType(order) : order.type,
    f: order.timeInForce,
    q: formatShort(order.quantity),
    p: formatShort(order.price),
    ap: formatShort(divide(order.quote, order.executed)),
    sp: formatShort(order.stopPrice),
    x: execution,
    X: order.status,
    i: order.id,
    l: formatShort(trade?.quantity ?? 0n),
    z: formatShort(order.executed),
    L: formatShort(trade?.price ?? 0n),
    N: trade?.commissionAsset,
    n: trade === undefined ? undefined : formatShort(trade.commission),
    T: order.updatedAt,
    t: trade?.id ?? 0,
    b: "0",
    a: "0",
    m: trade?.isMaker ?? false,
    R: isTrue(shown.reduceOnly),
    wt: shown.workingType ?? "CONTRACT_PRICE",
    ot: order.type,
    ps: shown.positionSide ?? "BOTH",
    cp: isTrue(shown.closePosition),
    rp: "0",
    pP: isTrue(shown.priceProtect),
    si: 0,
    ss: 0,
    V: shown.selfTradePreventionMode ?? "EXPIRE_MAKER",
    pm: shown.priceMatch ?? "NONE",
    gtd: Number(shown.goodTillDate ?? 0),
    er: "0",
  };
}

function algoUpdate(order: Order, status: string, now: number): Json {
  const { shown } = order;
  return {
    e: "ALGO_UPDATE",
    T: now,
    E: now,
    o: {
      caid: order.clientOrderId,
      aid: order.id,
      at: "CONDITIONAL",
      o: order.type,
      s: order.symbol,
      S: order.side,
      ps: shown.positionSide ?? "BOTH",
      f: order.timeInForce,
      q: formatShort(order.quantity),
      X: status,
      ai: status === "TRIGGERED" ? String(order.id) : "",
      ap: "0",
      aq: "0",
      act: "0",
      tp: formatShort(order.stopPrice),
      p: formatShort(order.price),
      V: shown.selfTradePreventionMode ?? "EXPIRE_MAKER",
      wt: shown.workingType ?? "CONTRACT_PRICE",
      pm: shown.priceMatch ?? "NONE",
      cp: isTrue(shown.closePosition),
      pP: isTrue(shown.priceProtect),
      R: isTrue(shown.reduceOnly),
      tt: status === "TRIGGERED" ? now : 0,
      gtd: Number(shown.goodTillDate ?? 0),
      rm: "",
    },
  };
}

/** What is sent when something happens to an order, in this order. */
export function orderEvents(
  order: Order,
  execution: Execution,
  trade: Trade | undefined,
  cancelId: string | undefined,
  now: number,
): Json[] {
  if (isConditional(order) && order.workingTime < 0) {
    return [algoUpdate(order, execution === "NEW" ? "NEW" : execution, now)];
  }
  const events: Json[] = [];
  if (isConditional(order) && execution === "NEW") events.push(algoUpdate(order, "TRIGGERED", now));
  events.push({
    e: "ORDER_TRADE_UPDATE",
    E: now,
    T: order.updatedAt,
    o: orderUpdate(order, execution, trade, cancelId),
  });
  if (trade !== undefined) {
    events.push({
      e: "TRADE_LITE",
      E: now,
      T: trade.time,
      s: order.symbol,
      q: formatShort(order.quantity),
      p: formatShort(order.price),
      m: trade.isMaker,
      c: order.clientOrderId,
      S: order.side,
      L: formatShort(trade.price),
      l: formatShort(trade.quantity),
      t: trade.id,
      i: order.id,
    });
  }
  return events;
}

/** `ACCOUNT_UPDATE`: the margin asset, and the positions whose keys are given. */
export function accountUpdate(
  account: Account,
  settlement: FuturesSettlement,
  asset: string,
  keys: readonly string[],
  now: number,
): Json {
  const positions = settlement.positions(account).filter(({ symbol, side }) => keys.includes(`${symbol} ${side}`));
  const balance = formatShort(account.wallet.of(asset).free);
  return {
    e: "ACCOUNT_UPDATE",
    E: now,
    T: now,
    a: {
      m: "ORDER",
      B: [{ a: asset, wb: balance, cw: balance, bc: "0" }],
      P: positions.map(({ symbol, side, amount, entryPrice }) => ({
        s: symbol,
        pa: formatShort(amount),
        ep: formatShort(entryPrice),
        bep: formatShort(entryPrice),
        cr: "0",
        up: "0",
        mt: "cross",
        iw: "0",
        ps: side,
      })),
    },
  };
}
