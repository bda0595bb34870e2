/**
 * The parameters of one order of a list, as types.
 *
 * @module
 */

/**
 * What an order of a list can have, under a name that begins with its place in the list, such as `abovePrice`.
 *
 * @example
 * ```ts
 * import type { ApiParameterTypes, OrderLegParameterTypes } from "@rawtick/binance";
 *
 * const price: OrderLegParameterTypes["price"] = "9000.5";
 * const abovePrice: ApiParameterTypes["abovePrice"] = price;
 * console.log(abovePrice);
 * ```
 */
export interface OrderLegParameterTypes {
  /** Your id of the order. */
  readonly clientOrderId: string;
  /** The part of the quantity that is shown. */
  readonly icebergQty: string | number | bigint;
  /** Price. */
  readonly price: string | number | bigint;
  /** Price at which the order is triggered. */
  readonly stopPrice: string | number | bigint;
  /** Distance of a trailing stop, in basis points. */
  readonly trailingDelta: string | number | bigint;
  /** How long the order stays. */
  readonly timeInForce: "GTC" | "IOC" | "FOK" | (string & Record<never, never>);
  /** Your number of the strategy. */
  readonly strategyId: string | number | bigint;
  /** Your number of the kind of strategy, 1000000 or more. */
  readonly strategyType: string | number | bigint;
  /** The price that the order follows. */
  readonly pegPriceType: "PRIMARY_PEG" | "MARKET_PEG" | (string & Record<never, never>);
  /** Unit of the distance from the price that the order follows. */
  readonly pegOffsetType: "PRICE_LEVEL" | (string & Record<never, never>);
  /** Distance from the price that the order follows. */
  readonly pegOffsetValue: string | number | bigint;
}

/**
 * The parameters of one order of a list: those of {@linkcode OrderLegParameterTypes} with a prefix.
 *
 * @example
 * ```ts
 * import type { PrefixedOrderLeg } from "@rawtick/binance";
 *
 * const leg: Partial<PrefixedOrderLeg<"pending">> = { pendingPrice: "9000.5", pendingTimeInForce: "GTC" };
 * console.log(leg);
 * ```
 */
export type PrefixedOrderLeg<Prefix extends string> = {
  readonly [Name in keyof OrderLegParameterTypes as `${Prefix}${Capitalize<Name>}`]: OrderLegParameterTypes[Name];
};
