/**
 * Signed queries for REST requests.
 *
 * @module
 */

import { type Params, percentEncoded, restQuery } from "./params.ts";
import type { Signer } from "./signer.ts";

/**
 * The query of a signed REST request: the parameters percent-encoded in the given order, and their signature at the end
 * (Binance rest-api.md, "Signed Endpoint Examples"). The API key goes into the header `X-MBX-APIKEY`, and `timestamp`
 * has to be among the parameters.
 *
 * @throws {TypeError} for a value that can't be sent.
 *
 * @example
 * ```ts
 * import { createSigner, signedQuery } from "@rawtick/binance";
 *
 * const signer = createSigner({ apiKey: "your-api-key", apiSecret: "your-secret" });
 * const query = await signedQuery(signer, { symbol: "BTCUSDT", timestamp: Date.now() });
 * const request = { url: `/api/v3/openOrders?${query}`, headers: { "X-MBX-APIKEY": signer.apiKey } };
 * console.log(request.url.includes("&signature="));
 * ```
 */
export async function signedQuery(signer: Signer, params: Params): Promise<string> {
  const query = restQuery({ ...params, signature: undefined });
  return `${query}&signature=${percentEncoded(await signer.signRest(query))}`;
}
