/**
 * What normalized events and the objects in them may have.
 *
 * @module
 */

import type {
  NormalizedFlagName,
  NormalizedIdName,
  NormalizedNumberName,
  NormalizedTextName,
} from "./normalized_names.ts";
import type { ExactId, PriceLevel } from "./values.ts";

/**
 * Fields that normalized events and the objects in them may have. Those that this version does not know are there too, under
 * Binance's own names.
 *
 * @example
 * ```ts
 * import type { NormalizedFields } from "@rawtick/binance";
 *
 * const balance: NormalizedFields = { asset: "ETH", free: "10000.000000", locked: "0.000000", news: true };
 * console.log(balance.free, balance.news);
 * ```
 */
export interface NormalizedFields
  extends
    Readonly<Partial<Record<NormalizedTextName, string>>>,
    Readonly<Partial<Record<NormalizedNumberName, number>>>,
    Readonly<Partial<Record<NormalizedFlagName, boolean>>>,
    Readonly<Partial<Record<NormalizedIdName, ExactId>>> {
  /** Levels of an order book to buy at. */
  readonly bids?: readonly PriceLevel[];
  /** Levels of an order book to sell at. */
  readonly asks?: readonly PriceLevel[];
  /** A candle. */
  readonly kline?: NormalizedFields;
  /** Parts of a composite index. */
  readonly composition?: readonly NormalizedFields[];
  /** Leverage brackets of a contract. */
  readonly brackets?: readonly NormalizedFields[];
  /** Balances of an account. */
  readonly balances?: readonly NormalizedFields[];
  /** Positions of an account. */
  readonly positions?: readonly NormalizedFields[];
  /** Orders of an order list. */
  readonly objects?: readonly NormalizedFields[];
  /** Losses of open orders. */
  readonly losses?: readonly NormalizedFields[];
  /** Greeks of an options account. */
  readonly greeks?: readonly NormalizedFields[];
  /** Asset of the commission, if there was one. */
  readonly commission_asset?: null | string;
  /** Reference price, if there is one. */
  readonly reference_price?: null | string;
  /** Why an order expired. */
  readonly expiry_reason?: number | string;
  /** Kind of a strategy. */
  readonly strategy_type?: number | string;
  /** To be ignored. */
  readonly ignore?: boolean | string;
  /** Any other field. */
  readonly [name: string]: unknown;
}
