/**
 * The methods of Binance's WebSocket APIs.
 *
 * @module
 */

import { coinmMethodSpecs } from "./coinm.ts";
import { type ApiMethods, methodsOf } from "./method.ts";
import { spotMethodSpecs } from "./spot.ts";
import { usdmMethodSpecs } from "./usdm.ts";

export { type ApiMethod, type ApiMethods, type ApiMethodSpec, type ApiMethodSpecs, methodsOf } from "./method.ts";
export type { OrderLegParameterTypes, PrefixedOrderLeg } from "./order_leg.ts";
export type { ApiParameterTypes } from "./parameters.ts";
export type { ApiResults } from "./results.ts";
export type { WeightRuleName } from "./weights.ts";
export { coinmMethodSpecs, spotMethodSpecs, usdmMethodSpecs };

/**
 * The methods of the spot WebSocket API v3 by name, those of Binance.US among them.
 *
 * @example
 * ```ts
 * import { spotMethods } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(spotMethods.get("ticker")?.weight({ symbols: ["BTCUSDT", "ETHUSDT"] }), 8);
 * ```
 */
export const spotMethods: ApiMethods = methodsOf(spotMethodSpecs);

/**
 * The methods of the WebSocket API of USD-M futures by name.
 *
 * @example
 * ```ts
 * import { usdmMethods } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(usdmMethods.get("depth")?.weight({ symbol: "BTCUSDT", limit: 1000 }), 20);
 * ```
 */
export const usdmMethods: ApiMethods = methodsOf(usdmMethodSpecs);

/**
 * The methods of the WebSocket API of COIN-M futures by name.
 *
 * @example
 * ```ts
 * import { coinmMethods } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(coinmMethods.has("depth"), false);
 * ```
 */
export const coinmMethods: ApiMethods = methodsOf(coinmMethodSpecs);
