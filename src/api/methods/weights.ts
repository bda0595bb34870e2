/**
 * The weights that depend on the parameters, as the documents state them: once in words, once as a function.
 *
 * @module
 */

import type { Params, ParamValue } from "../params.ts";

/** A weight that depends on the parameters. */
export interface WeightRule {
  /** The rule in words. */
  readonly text: string;
  /** The weight of a request with these parameters. */
  of(params: Params): number;
}

/** How many symbols a request is about; `undefined` if it names none and so is about all of them. */
function symbolCount({ symbol, symbols }: Params): number | undefined {
  if (Array.isArray(symbols)) return symbols.length;
  return isGiven(symbols) || isGiven(symbol) ? 1 : undefined;
}

function isGiven(value: ParamValue | undefined): boolean {
  return value !== undefined && value !== "";
}

/** A limit as a number; what isn't one is left to the exchange, and counted as the default. */
function limitOf(value: ParamValue | undefined, standard: number): number {
  const limit = isGiven(value) ? Number(value) : standard;
  return Number.isFinite(limit) ? limit : standard;
}

/**
 * Name of a rule for a weight that depends on the parameters.
 *
 * @example
 * ```ts
 * import type { WeightRuleName } from "@rawtick/binance";
 *
 * const rule: WeightRuleName = "openOrders";
 * console.log(rule);
 * ```
 */
export type WeightRuleName =
  | "spotDepth"
  | "executionRules"
  | "ticker24hr"
  | "tickerWindow"
  | "spotTicker"
  | "orderTest"
  | "openOrders"
  | "myTrades"
  | "preventedMatches"
  | "futuresDepth"
  | "futuresPrice"
  | "futuresBook";

/** The rules by name. Sources: Binance web-socket-api.md, and the pages of the futures methods. */
export const weightRules: Readonly<Record<WeightRuleName, WeightRule>> = {
  spotDepth: {
    text: "5 up to 100 levels, 25 up to 500, 50 up to 1000, 250 above",
    of: ({ limit }) => {
      const levels = limitOf(limit, 100);
      return levels <= 100 ? 5 : levels <= 500 ? 25 : levels <= 1000 ? 50 : 250;
    },
  },
  executionRules: {
    text: "2 for each symbol, 40 at most and for all",
    of: (params) => Math.min(40, 2 * (symbolCount(params) ?? 20)),
  },
  ticker24hr: {
    text: "2 up to 20 symbols, 40 up to 100, 80 above and for all",
    of: (params) => {
      const count = symbolCount(params) ?? Infinity;
      return count <= 20 ? 2 : count <= 100 ? 40 : 80;
    },
  },
  tickerWindow: {
    text: "4 for each symbol, 200 at most",
    of: (params) => Math.min(200, 4 * (symbolCount(params) ?? 50)),
  },
  spotTicker: {
    text: "2 with `symbol`, 4 with `symbols` or for all",
    of: ({ symbol }) => isGiven(symbol) ? 2 : 4,
  },
  orderTest: {
    text: "1, or 20 with `computeCommissionRates`",
    of: ({ computeCommissionRates }) => String(computeCommissionRates) === "true" ? 20 : 1,
  },
  openOrders: {
    text: "6 with `symbol`, 80 for all",
    of: ({ symbol }) => isGiven(symbol) ? 6 : 80,
  },
  myTrades: {
    text: "20, or 5 with `orderId`",
    of: ({ orderId }) => isGiven(orderId) ? 5 : 20,
  },
  preventedMatches: {
    text: "2, or 20 with `orderId`",
    of: ({ orderId }) => isGiven(orderId) ? 20 : 2,
  },
  futuresDepth: {
    text: "2 up to 50 levels, 5 up to 100, 10 up to 500, 20 above",
    of: ({ limit }) => {
      const levels = limitOf(limit, 500);
      return levels <= 50 ? 2 : levels <= 100 ? 5 : levels <= 500 ? 10 : 20;
    },
  },
  futuresPrice: {
    text: "1 with `symbol`, 2 for all",
    of: ({ symbol }) => isGiven(symbol) ? 1 : 2,
  },
  futuresBook: {
    text: "2 with `symbol`, 5 for all",
    of: ({ symbol }) => isGiven(symbol) ? 2 : 5,
  },
};
