/**
 * A function for each method of a WebSocket API, made from the table of methods.
 *
 * @module
 */

import { InvalidOptionsError, listOf } from "../base/mod.ts";
import type { ApiRequestOptions } from "./api_options.ts";
import type { ApiStream } from "./api_stream.ts";
import {
  type ApiMethod,
  type ApiMethodSpec,
  type ApiMethodSpecs,
  type ApiParameterTypes,
  type ApiResults,
  type coinmMethodSpecs,
  methodsOf,
  type spotMethodSpecs,
  usdmMethodSpecs,
} from "./methods/mod.ts";
import type { Params } from "./params.ts";
import { checkObject } from "./request_options.ts";

/**
 * Options of a function of {@linkcode SpotApi} or {@linkcode FuturesApi}.
 *
 * @example
 * ```ts
 * import type { ApiFunctionOptions } from "@rawtick/binance";
 *
 * const options: ApiFunctionOptions = { stream: "orders", timeoutMs: 2_000 };
 * console.log(options.timeoutMs);
 * ```
 */
export interface ApiFunctionOptions extends ApiRequestOptions {
  /** The API stream that sends it, or its id or label. Default: the only one there is. */
  readonly stream?: string | ApiStream;
}

/**
 * The parameters of a method: the required ones, at least one of each group of alternatives, the optional ones, and
 * whatever else: parameters that are not in the table are sent as they are.
 *
 * @example
 * ```ts
 * import type { ApiParameters, spotMethodSpecs } from "@rawtick/binance";
 *
 * const order: ApiParameters<typeof spotMethodSpecs["order.place"]> = {
 *   symbol: "BTCUSDT",
 *   side: "BUY",
 *   type: "MARKET",
 *   quoteOrderQty: "50",
 * };
 * console.log(order.symbol);
 * ```
 */
export type ApiParameters<Spec extends ApiMethodSpec> =
  & Pick<ApiParameterTypes, Spec["required"][number]>
  & {
    readonly [
      Name in keyof Pick<
        ApiParameterTypes,
        Spec["optional"][number] | "returnRateLimits" | (Spec["security"] extends "SIGNED" ? "recvWindow" : never)
      >
    ]?: ApiParameterTypes[Name] | undefined;
  }
  & (Spec extends { readonly alternatives: infer Groups } ? OneOfEach<Groups> : unknown)
  & Params;

/**
 * At least one parameter of each group.
 *
 * @example
 * ```ts
 * import type { OneOfEach } from "@rawtick/binance";
 *
 * const order: OneOfEach<readonly [readonly ["orderId", "origClientOrderId"]]> = { orderId: 12 };
 * console.log(order);
 * ```
 */
export type OneOfEach<Groups> = Groups extends
  readonly [infer Group extends readonly (keyof ApiParameterTypes)[], ...infer Others]
  ? { [Name in Group[number]]: Pick<ApiParameterTypes, Name> }[Group[number]] & OneOfEach<Others>
  : unknown;

/**
 * Name of the function of a method: `order.place` is `orderPlace`, `v2/account.status` is `accountStatusV2`.
 *
 * @example
 * ```ts
 * import type { ApiFunctionName } from "@rawtick/binance";
 *
 * const name: ApiFunctionName<"orderList.place.oco"> = "orderListPlaceOco";
 * console.log(name);
 * ```
 */
export type ApiFunctionName<Method extends string> = Method extends `v2/${infer Name}` ? `${ApiFunctionName<Name>}V2`
  : Method extends `${infer First}.${infer Others}` ? `${First}${Capitalize<ApiFunctionName<Others>>}`
  : Method;

/**
 * The function of a method. It resolves with the `result` of the answer and rejects with an {@linkcode ApiError} for an
 * error, with an {@linkcode InvalidOptionsError} before anything is sent if a required parameter is missing, and as
 * {@linkcode ApiStream.request} does.
 *
 * @example
 * ```ts
 * import type { ApiFunction, spotMethodSpecs } from "@rawtick/binance";
 *
 * const time: ApiFunction<typeof spotMethodSpecs["time"]> = () => Promise.resolve({ serverTime: Date.now() });
 * console.log((await time()).serverTime);
 * ```
 */
export type ApiFunction<Spec extends ApiMethodSpec> = Params extends ApiParameters<Spec>
  ? (params?: ApiParameters<Spec>, options?: ApiFunctionOptions) => Promise<ApiResults[Spec["returns"]]>
  : (params: ApiParameters<Spec>, options?: ApiFunctionOptions) => Promise<ApiResults[Spec["returns"]]>;

/**
 * The functions of a table of methods: one for each, and the same once more for each of its aliases.
 *
 * @example
 * ```ts
 * import type { ApiFunctions, usdmMethodSpecs } from "@rawtick/binance";
 *
 * const price = (api: ApiFunctions<typeof usdmMethodSpecs>) => api.tickerPrice({ symbol: "BTCUSDT" });
 * console.log(price);
 * ```
 */
export type ApiFunctions<Specs extends ApiMethodSpecs> = {
  readonly [
    Method in keyof Specs & string as
      | ApiFunctionName<Method>
      | (Specs[Method] extends { readonly aliases: infer Aliases extends readonly string[] } ? Aliases[number] : never)
  ]: ApiFunction<Specs[Method]>;
};

/**
 * The functions of the spot WebSocket API v3: `docs/websocket_api.md` lists them.
 *
 * @example
 * ```ts
 * import type { SpotApi } from "@rawtick/binance";
 *
 * async function buy(spot: SpotApi): Promise<string | undefined> {
 *   const order = await spot.orderPlace({ symbol: "BTCUSDT", side: "BUY", type: "MARKET", quoteOrderQty: "50" });
 *   return order.status;
 * }
 * console.log(buy);
 * ```
 */
export type SpotApi = ApiFunctions<typeof spotMethodSpecs>;

/**
 * The methods of both futures APIs: those of USD-M, with the parameters of COIN-M beside them.
 *
 * @example
 * ```ts
 * import type { ApiParameters, FuturesMethodSpecs } from "@rawtick/binance";
 *
 * const filter: ApiParameters<FuturesMethodSpecs["account.position"]> = { pair: "BTCUSD" };
 * console.log(filter);
 * ```
 */
export type FuturesMethodSpecs = {
  readonly [Method in keyof typeof usdmMethodSpecs]:
    | typeof usdmMethodSpecs[Method]
    | (Method extends keyof typeof coinmMethodSpecs ? typeof coinmMethodSpecs[Method] : never);
};

/**
 * The functions of the WebSocket APIs of USD-M and COIN-M futures: `docs/websocket_api.md` lists them. COIN-M has fewer.
 *
 * @example
 * ```ts
 * import type { FuturesApi } from "@rawtick/binance";
 *
 * const close = (futures: FuturesApi) =>
 *   futures.orderPlace({ symbol: "BTCUSDT", side: "SELL", type: "MARKET", quantity: "0.01", reduceOnly: true });
 * console.log(close);
 * ```
 */
export type FuturesApi = ApiFunctions<FuturesMethodSpecs>;

/**
 * The methods of both futures APIs by name, for {@linkcode bindApi}.
 */
export const futuresMethodSpecs: FuturesMethodSpecs = usdmMethodSpecs;

/** Sends a request; `method` is as the table has it. */
export type ApiSender = (method: ApiMethod, params: Params, options: ApiFunctionOptions) => Promise<unknown>;

/**
 * Makes the functions of a table. They check what is required, and leave everything else to `send`.
 */
export function bindApi<Specs extends ApiMethodSpecs>(specs: Specs, send: ApiSender): ApiFunctions<Specs> {
  const functions: Record<string, (params?: Params, options?: ApiFunctionOptions) => Promise<unknown>> = {};
  for (const method of methodsOf(specs).values()) {
    const call = async (params: Params = {}, options: ApiFunctionOptions = {}): Promise<unknown> => {
      checkParameters(method, params);
      checkObject(method.method, options, "the options, or nothing");
      return await send(method, params, options);
    };
    for (const name of [method.functionName, ...method.aliases]) functions[name] = call;
  }
  // The cast: the names and the functions are those that the type derives from the same table.
  return Object.freeze(functions) as unknown as ApiFunctions<Specs>;
}

/**
 * Checks that what a method requires is there.
 *
 * @throws {InvalidOptionsError} if something is missing; `path` is its name.
 */
export function checkParameters({ method, required, alternatives }: ApiMethod, params: Params): void {
  checkObject(method, params, "the parameters");
  const isMissing = (name: string) => params[name] === undefined || params[name] === null || params[name] === "";
  const missing = required.filter(isMissing);
  if (missing.length > 0) {
    throw new InvalidOptionsError(`Cannot send "${method}" without ${listOf(missing, "and")}`, {
      path: missing.length === 1 ? missing[0] ?? "" : "",
    });
  }
  const group = alternatives.find((names) => names.every(isMissing));
  if (group !== undefined) {
    throw new InvalidOptionsError(`Cannot send "${method}" without ${listOf(group)}`, { path: group[0] ?? "" });
  }
}
