/**
 * Orders and accounts as the derivatives' WebSocket APIs write them (Binance USD-M and COIN-M "WebSocket API" pages).
 *
 * @module
 */

import type { Account } from "./account.ts";
import { divide, formatDecimal, formatShort } from "./decimal.ts";
import type { Order } from "./order.ts";
import type { FuturesSettlement, Position } from "./settlement.ts";

type Json = Record<string, unknown>;

const isTrue = (text: string | undefined) => text === "true";

/** An order; COIN-M counts what was traded in the base asset and names the pair. */
export function futuresOrder(order: Order, isCoinM: boolean, times: "update" | "both" = "update"): Json {
  const { shown } = order;
  const traded = isCoinM ? { cumBase: formatShort(order.quote), pair: order.symbol.split("_")[0] } : {
    cumQuote: formatShort(order.quote),
  };
  return {
    orderId: order.id,
    symbol: order.symbol,
    status: order.status,
    clientOrderId: order.clientOrderId,
    price: formatShort(order.price),
    avgPrice: formatShort(divide(order.quote, order.executed)),
    origQty: formatShort(order.quantity),
    executedQty: formatShort(order.executed),
    cumQty: formatShort(order.executed),
    ...traded,
    timeInForce: order.timeInForce,
    type: order.type,
    reduceOnly: isTrue(shown.reduceOnly),
    closePosition: isTrue(shown.closePosition),
    side: order.side,
    positionSide: shown.positionSide ?? "BOTH",
    stopPrice: formatShort(order.stopPrice),
    workingType: shown.workingType ?? "CONTRACT_PRICE",
    priceProtect: isTrue(shown.priceProtect),
    origType: order.type,
    priceMatch: shown.priceMatch ?? "NONE",
    selfTradePreventionMode: shown.selfTradePreventionMode ?? "NONE",
    goodTillDate: Number(shown.goodTillDate ?? 0),
    time: times === "both" ? order.createdAt : undefined,
    updateTime: order.updatedAt,
  };
}

/** An order that waits for its trigger. */
export function algoOrder(order: Order): Json {
  const { shown } = order;
  return {
    algoId: order.id,
    clientAlgoId: order.clientOrderId,
    algoType: "CONDITIONAL",
    orderType: order.type,
    symbol: order.symbol,
    side: order.side,
    positionSide: shown.positionSide ?? "BOTH",
    timeInForce: order.timeInForce,
    quantity: formatShort(order.quantity),
    algoStatus: order.status,
    triggerPrice: formatShort(order.stopPrice),
    price: formatShort(order.price),
    icebergQuantity: null,
    selfTradePreventionMode: shown.selfTradePreventionMode ?? "EXPIRE_MAKER",
    workingType: shown.workingType ?? "CONTRACT_PRICE",
    priceMatch: shown.priceMatch ?? "NONE",
    closePosition: isTrue(shown.closePosition),
    priceProtect: isTrue(shown.priceProtect),
    reduceOnly: isTrue(shown.reduceOnly),
    activatePrice: shown.activationPrice ?? "",
    callbackRate: shown.callbackRate ?? "",
    createTime: order.createdAt,
    updateTime: order.updatedAt,
    triggerTime: 0,
    goodTillDate: Number(shown.goodTillDate ?? 0),
  };
}

/** A position as `account.position` writes it. */
export function positionRow({ symbol, side, amount, entryPrice, updatedAt }: Position): Json {
  return {
    symbol,
    positionSide: side,
    positionAmt: formatShort(amount),
    entryPrice: formatDecimal(entryPrice),
    breakEvenPrice: formatDecimal(entryPrice),
    markPrice: formatDecimal(entryPrice),
    unRealizedProfit: "0.00000000",
    liquidationPrice: "0",
    isolatedMargin: "0.00000000",
    notional: "0",
    marginAsset: "USDT",
    isolatedWallet: "0",
    initialMargin: "0",
    maintMargin: "0",
    updateTime: updatedAt,
  };
}

/** A balance as `account.balance` writes it. */
export function balanceRow(account: Account, asset: string): Json {
  const balance = formatDecimal(account.wallet.of(asset).free);
  return {
    accountAlias: `local${account.uid}`,
    asset,
    balance,
    crossWalletBalance: balance,
    crossUnPnl: "0.00000000",
    availableBalance: balance,
    maxWithdrawAmount: balance,
    marginAvailable: true,
    updateTime: account.updatedAt,
  };
}

/** `account.status`. */
export function futuresAccount(account: Account, settlement: FuturesSettlement, asset: string): Json {
  const balance = formatDecimal(account.wallet.of(asset).free);
  return {
    feeTier: 0,
    canTrade: true,
    canDeposit: true,
    canWithdraw: true,
    updateTime: account.updatedAt,
    multiAssetsMargin: false,
    totalInitialMargin: "0.00000000",
    totalMaintMargin: "0.00000000",
    totalWalletBalance: balance,
    totalUnrealizedProfit: "0.00000000",
    totalMarginBalance: balance,
    availableBalance: balance,
    maxWithdrawAmount: balance,
    assets: [{
      asset,
      walletBalance: balance,
      unrealizedProfit: "0.00000000",
      marginBalance: balance,
      availableBalance: balance,
      updateTime: account.updatedAt,
    }],
    positions: settlement.positions(account).map(positionRow),
  };
}
