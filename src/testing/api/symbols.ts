/**
 * Which symbols there are, and what they consist of.
 *
 * @module
 */

import { ApiFault } from "./api_fault.ts";

const QUOTES = ["USDT", "USDC", "FDUSD", "BTC", "ETH", "BNB", "EUR", "TRY", "USD"];

/** A symbol's assets. */
export interface SymbolAssets {
  readonly base: string;
  readonly quote: string;
}

/** The assets of a symbol; a symbol that isn't ASCII counts as one traded in USDT. */
export function assetsOf(symbol: string): SymbolAssets | undefined {
  // Deliveries and perpetuals: `BTCUSD_PERP`, `BTCUSDT_261225`.
  const [pair = ""] = symbol.split("_");
  const quote = QUOTES.find((asset) => pair.endsWith(asset) && pair.length > asset.length);
  if (quote !== undefined && pair === pair.toUpperCase()) return { base: pair.slice(0, -quote.length), quote };
  // deno-lint-ignore no-control-regex -- all of ASCII is meant
  return /[^\x00-\x7f]/.test(symbol) ? { base: symbol, quote: "USDT" } : undefined;
}

/** The same. @throws {ApiFault} -1121 if there is no such symbol. */
export function knownAssets(symbol: string): SymbolAssets {
  const assets = assetsOf(symbol);
  if (assets === undefined) throw new ApiFault(-1121, "Invalid symbol.");
  return assets;
}

/** Symbols that answers about the whole market list. */
export const SPOT_SYMBOLS: readonly string[] = ["BTCUSDT", "ETHUSDT", "BNBUSDT", "BNBBTC", "ETHBTC"];

/** The same of USD-M futures. */
export const USDM_SYMBOLS: readonly string[] = ["BTCUSDT", "ETHUSDT", "BNBUSDT"];

/** The same of COIN-M futures. */
export const COINM_SYMBOLS: readonly string[] = ["BTCUSD_PERP", "ETHUSD_PERP"];
