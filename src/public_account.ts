/**
 * What the doors with requests and account events have beside `public.ts`. It is apart, because nothing that a door exports
 * can be left out of a bundle.
 *
 * @module
 */

export { ApiError, type ApiRateLimit, RequestOutcomeUnknownError, RequestTimeoutError } from "./base/mod.ts";
export {
  createSigner,
  newClientOrderId,
  type Params,
  type ParamValue,
  signedQuery,
  type Signer,
  type SignerOptions,
} from "./api/mod.ts";
export {
  type ApiFunction,
  type ApiFunctionName,
  type ApiFunctionOptions,
  type ApiFunctions,
  type ApiMethod,
  type ApiMethods,
  type ApiMethodSpec,
  type ApiMethodSpecs,
  type ApiParameters,
  type ApiParameterTypes,
  type ApiResults,
  coinmMethods,
  coinmMethodSpecs,
  type FuturesApi,
  type FuturesMethodSpecs,
  type OneOfEach,
  type OrderLegParameterTypes,
  type PrefixedOrderLeg,
  type SpotApi,
  spotMethods,
  spotMethodSpecs,
  usdmMethods,
  usdmMethodSpecs,
  type WeightRuleName,
} from "./api/mod.ts";
export type {
  ApiMethodFacts,
  ApiRequestOptions,
  ApiSecurity,
  ApiStream,
  ApiStreamListener,
  ApiStreamStatistics,
  InternalRequestOptions,
  RateLimitPolicy,
} from "./api/mod.ts";
export type { UserDataAccount, UserDataAccountOptions, UserDataOptions, UserDataStream } from "./user_data/mod.ts";
export type { ManagerApi } from "./manager/api_streams.ts";
export type { AccountManager } from "./manager/account_manager.ts";
export type { ApiStreamOptions, ManagerOptions, UserDataStreamOptions } from "./manager/account_options.ts";
