/**
 * What spot says about an account (Binance web-socket-api.md, "Account requests").
 *
 * @module
 */

import { ApiFault } from "./api_fault.ts";
import type { Call, Method } from "./call.ts";
import { formatDecimal } from "./decimal.ts";
import { symbolOf } from "./order_params.ts";
import { accountTrade, orderStatus } from "./spot_answers.ts";
import { assetsOf } from "./symbols.ts";

const RATES = { maker: "0.00100000", taker: "0.00100000", buyer: "0.00000000", seller: "0.00000000" };
const NO_RATES = { maker: "0.00000000", taker: "0.00000000", buyer: "0.00000000", seller: "0.00000000" };
const DEFAULT_LIMIT = 500;

function status({ account, params }: Call): unknown {
  // So that there is something to see before the first order.
  for (const asset of ["BTC", "USDT"]) account.wallet.of(asset);
  const omitZero = params.boolean("omitZeroBalances") === true;
  const balances = [...account.wallet.all].filter(([, { free, locked }]) => !omitZero || free + locked > 0n);
  return {
    makerCommission: 10,
    takerCommission: 10,
    buyerCommission: 0,
    sellerCommission: 0,
    canTrade: true,
    canWithdraw: true,
    canDeposit: true,
    commissionRates: RATES,
    brokered: false,
    requireSelfTradePrevention: false,
    preventSor: false,
    updateTime: account.updatedAt,
    accountType: "SPOT",
    balances: balances.map(([asset, { free, locked }]) => ({
      asset,
      free: formatDecimal(free),
      locked: formatDecimal(locked),
    })),
    permissions: ["SPOT"],
    uid: account.uid,
  };
}

function openOrders({ venue, account, params }: Call): unknown {
  const symbol = params.text("symbol") === undefined ? undefined : symbolOf(params);
  return venue.engine.orders.openOrders(account, symbol).map(orderStatus);
}

function limitOf({ params }: Call): number {
  return Math.min(params.number("limit") ?? DEFAULT_LIMIT, 1000);
}

function allOrders(call: Call): unknown {
  const { venue, account, params } = call;
  const symbol = symbolOf(params);
  const orders = venue.engine.orders.of(account).filter((order) => order.symbol === symbol);
  const from = params.integer("orderId");
  const wanted = from === undefined
    ? orders.slice(-limitOf(call))
    : orders.filter(({ id }) => id >= from).slice(0, limitOf(call));
  return wanted.map(orderStatus);
}

function myTrades(call: Call): unknown {
  const { venue, account, params } = call;
  const symbol = symbolOf(params);
  const orderId = params.integer("orderId");
  const from = params.integer("fromId") ?? 0n;
  return venue.engine.orders.of(account)
    .filter((order) => order.symbol === symbol && (orderId === undefined || order.id === orderId))
    .flatMap((order) => order.trades.filter(({ id }) => id >= from).map((trade) => accountTrade(order, trade)))
    .slice(-limitOf(call));
}

function amendments({ venue, account, params }: Call): unknown {
  const symbol = symbolOf(params);
  const order = venue.engine.orders.find(account, symbol, {
    orderId: params.integer("orderId"),
    clientOrderId: undefined,
  });
  if (order === undefined) throw new ApiFault(-2013, "Order does not exist.");
  return order.amendments.map(({ time, origQty, newQty }, index) => ({
    symbol,
    orderId: order.id,
    executionId: index,
    origClientOrderId: order.clientOrderId,
    newClientOrderId: order.clientOrderId,
    origQty: formatDecimal(origQty),
    newQty: formatDecimal(newQty),
    time,
  }));
}

function commission({ params }: Call): unknown {
  return {
    symbol: symbolOf(params),
    standardCommission: RATES,
    specialCommission: NO_RATES,
    taxCommission: NO_RATES,
    discount: { enabledForAccount: true, enabledForSymbol: true, discountAsset: "BNB", discount: "0.75000000" },
  };
}

function filters({ params }: Call): unknown {
  const symbol = symbolOf(params);
  return {
    exchangeFilters: [{ filterType: "EXCHANGE_MAX_NUM_ORDERS", maxNumOrders: 1000 }],
    symbolFilters: [{ filterType: "MAX_NUM_ORDERS", maxNumOrders: 200 }],
    assetFilters: [{ filterType: "MAX_ASSET", asset: assetsOf(symbol)?.base, limit: "1000000.00000000" }],
  };
}

/** Lists that stay empty here: there is no self-trade prevention, and no pool that SOR would allocate from. */
function none({ params }: Call): unknown {
  symbolOf(params);
  return [];
}

/** The methods by name. */
export const spotAccount: Readonly<Record<string, Method>> = {
  "account.status": { security: "SIGNED", weight: 20, run: status },
  "account.rateLimits.orders": {
    security: "SIGNED",
    weight: 40,
    run: ({ venue, account, now }) => venue.orderWindows(account).map((window) => window.usage(now)),
  },
  "account.commission": { security: "SIGNED", weight: 20, required: ["symbol"], run: commission },
  "openOrders.status": {
    security: "SIGNED",
    weight: (params) => params.text("symbol") === undefined ? 80 : 6,
    run: openOrders,
  },
  allOrders: { security: "SIGNED", weight: 20, required: ["symbol"], run: allOrders },
  myTrades: {
    security: "SIGNED",
    weight: (params) => params.text("orderId") === undefined ? 20 : 5,
    required: ["symbol"],
    run: myTrades,
  },
  myPreventedMatches: {
    security: "SIGNED",
    weight: (params) => params.text("orderId") === undefined ? 2 : 20,
    required: ["symbol"],
    run: none,
  },
  myAllocations: { security: "SIGNED", weight: 20, required: ["symbol"], run: none },
  "order.amendments": { security: "SIGNED", weight: 4, required: ["symbol", "orderId"], run: amendments },
  myFilters: { security: "SIGNED", weight: 40, required: ["symbol"], run: filters },
};
