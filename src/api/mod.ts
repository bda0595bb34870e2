/**
 * Requests over a WebSocket API connection: signing, pending requests, rate limits, the methods.
 *
 * @module
 */

export { signedQuery } from "./rest_query.ts";
export { createSigner, type Signer, type SignerOptions } from "./signer.ts";
export type { Params, ParamValue } from "./params.ts";
export { newClientOrderId } from "./client_order_id.ts";
export type {
  ApiMethodFacts,
  ApiRequestOptions,
  ApiSecurity,
  ApiStreamListener,
  ApiStreamStatistics,
  InternalRequestOptions,
  RateLimitPolicy,
} from "./api_options.ts";
export { ApiStream } from "./api_stream.ts";
export { connectWeight, defaultRateLimits } from "./default_rate_limits.ts";
export {
  type ApiFunction,
  type ApiFunctionName,
  type ApiFunctionOptions,
  type ApiFunctions,
  type ApiParameters,
  bindApi,
  type FuturesApi,
  type FuturesMethodSpecs,
  futuresMethodSpecs,
  type OneOfEach,
  type SpotApi,
} from "./functions.ts";
export * from "./methods/mod.ts";
export { isPassing } from "./passing.ts";
export { RateLimits } from "./rate_limits.ts";
export { TimeOffset } from "./time_offset.ts";
