/**
 * What spot answers without a key (Binance web-socket-api.md, "General requests" and "Market data requests").
 *
 * @module
 */

import type { Call, Method } from "./call.ts";
import * as market from "./market_answers.ts";
import { symbolOf } from "./order_params.ts";
import type { RequestParams } from "./request.ts";
import { knownAssets, SPOT_SYMBOLS } from "./symbols.ts";

const ORDER_TYPES = ["LIMIT", "LIMIT_MAKER", "MARKET", "STOP_LOSS_LIMIT", "TAKE_PROFIT_LIMIT"];

function symbolInfo(symbol: string): Record<string, unknown> {
  const { base, quote } = knownAssets(symbol);
  return {
    baseAsset: base,
    baseAssetPrecision: 8,
    quoteAsset: quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    baseCommissionPrecision: 8,
    quoteCommissionPrecision: 8,
    orderTypes: ORDER_TYPES,
    icebergAllowed: true,
    ocoAllowed: true,
    otoAllowed: true,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: true,
    cancelReplaceAllowed: true,
    amendAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: true,
    filters: [{
      filterType: "PRICE_FILTER",
      minPrice: "0.01000000",
      maxPrice: "1000000.00000000",
      tickSize: "0.01000000",
    }],
    permissions: [],
    permissionSets: [["SPOT", "MARGIN"]],
    defaultSelfTradePreventionMode: "NONE",
    allowedSelfTradePreventionModes: ["NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH"],
  };
}

/** How many symbols a request is about; `undefined` for all. */
function symbolsOf(params: RequestParams): number | undefined {
  return params.text("symbol") === undefined ? params.list("symbols")?.length : 1;
}

function depthWeight(params: RequestParams): number {
  const limit = params.number("limit") ?? 100;
  return limit <= 100 ? 5 : limit <= 500 ? 25 : limit <= 1000 ? 50 : 250;
}

function dayWeight(params: RequestParams): number {
  const count = symbolsOf(params) ?? Infinity;
  return count <= 20 ? 2 : count <= 100 ? 40 : 80;
}

const windowWeight = (params: RequestParams) => Math.min(200, 4 * (symbolsOf(params) ?? 50));
const pairWeight = (params: RequestParams) => params.text("symbol") === undefined ? 4 : 2;
const rulesWeight = (params: RequestParams) => Math.min(40, 2 * (symbolsOf(params) ?? 20));

function each(row: (call: Call, symbol: string) => Record<string, unknown>): (call: Call) => unknown {
  return (call) => market.eachSymbol(call, SPOT_SYMBOLS, (symbol) => row(call, symbol));
}

function rules(call: Call): unknown {
  const rule = { ruleType: "PRICE_RANGE", bidLimitMultUp: "5", bidLimitMultDown: "0.2" };
  const symbols = call.params.list("symbols") ?? [call.params.text("symbol") ?? "BTCUSDT"];
  return { symbolRules: symbols.map((symbol) => ({ symbol, rules: [rule] })) };
}

function referencePrice(call: Call): Record<string, unknown> {
  return { symbol: symbolOf(call.params), referencePrice: market.averagePrice(call).price, timestamp: call.now };
}

const SYMBOL = ["symbol"];

/** The methods by name. */
export const spotMarket: Readonly<Record<string, Method>> = {
  ping: { security: "NONE", weight: 1, run: () => ({}) },
  time: { security: "NONE", weight: 1, run: ({ now }) => ({ serverTime: now }) },
  exchangeInfo: {
    security: "NONE",
    weight: 20,
    run: (call) => market.exchangeInfo(call, SPOT_SYMBOLS, symbolInfo),
  },
  executionRules: { security: "NONE", weight: rulesWeight, run: rules },
  depth: { security: "NONE", weight: depthWeight, required: SYMBOL, run: market.depth },
  "trades.recent": { security: "NONE", weight: 25, required: SYMBOL, run: market.trades },
  "trades.historical": { security: "NONE", weight: 25, required: SYMBOL, run: market.trades },
  "blockTrades.historical": { security: "NONE", weight: 25, required: SYMBOL, run: market.trades },
  "trades.aggregate": { security: "NONE", weight: 4, required: SYMBOL, run: market.aggregates },
  klines: { security: "NONE", weight: 2, required: ["symbol", "interval"], run: market.klines },
  uiKlines: { security: "NONE", weight: 2, required: ["symbol", "interval"], run: market.klines },
  avgPrice: { security: "NONE", weight: 2, required: SYMBOL, run: market.averagePrice },
  "ticker.24hr": { security: "NONE", weight: dayWeight, run: each(market.tickerRow) },
  "ticker.tradingDay": { security: "NONE", weight: windowWeight, run: each(market.tickerRow) },
  ticker: { security: "NONE", weight: windowWeight, run: each(market.tickerRow) },
  "ticker.price": { security: "NONE", weight: pairWeight, run: each(market.priceRow) },
  "ticker.book": { security: "NONE", weight: pairWeight, run: each(market.bookRow) },
  referencePrice: { security: "NONE", weight: 2, required: SYMBOL, run: referencePrice },
  "referencePrice.calculation": {
    security: "NONE",
    weight: 2,
    required: SYMBOL,
    run: (call) => ({
      ...referencePrice(call),
      calculationType: "ARITHMETIC_MEAN",
      bucketCount: 10,
      bucketWidthMs: 1000,
    }),
  },
};
