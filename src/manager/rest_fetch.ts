/**
 * REST requests under the proxy rules of a manager.
 *
 * @module
 */

import { InvalidOptionsError } from "../base/mod.ts";
import type { Exchange } from "../exchange/mod.ts";
import type { TlsOptions } from "../transport/portable.ts";
import type { RestFetch, RestInit } from "../user_data/mod.ts";
import type { ManagerOptions } from "./account_options.ts";
import { type ProxyRules, tlsOf } from "./proxy_rules.ts";

/** Makes a REST request through the proxy that is asked for, and through none without; redirects are errors. */
export type RestRequest = (
  url: string,
  init: RestInit & { readonly proxy?: string; readonly tls?: TlsOptions },
) => Promise<Response>;

/** The `fetch` of runtimes that have no proxies, where a manager with a proxy can't be made. */
export const plainFetch: RestRequest = async (url, { method, headers, signal }) => {
  // Not "error", which workerd does not have.
  const response = await fetch(url, { method, headers, signal, redirect: "manual" });
  if (response.type !== "opaqueredirect" && (response.status < 300 || response.status > 399)) return response;
  await response.body?.cancel();
  throw new TypeError("The server redirects elsewhere, which must not see the API key");
};

/**
 * The REST requests of a manager; the proxy is resolved now and never again.
 *
 * @throws {InvalidProxyUrlError} if the environment's proxy can't be used.
 */
export function restFetchOf(
  options: ManagerOptions,
  exchange: Exchange,
  request: RestRequest,
  proxies: ProxyRules,
): RestFetch {
  const { restBaseUrl, websocketBaseUrl } = options;
  const proxy = proxies.resolve(options, new URL(restBaseUrl ?? exchange.restBaseUrl))?.url;
  const tls = tlsOf(options);
  return async (url, init) => {
    // Who tries something out against another address must not show his key to the real exchange by mistake.
    if (websocketBaseUrl !== undefined && restBaseUrl === undefined) {
      throw new InvalidOptionsError(
        "Cannot make REST requests with `websocketBaseUrl` alone: expected `restBaseUrl` as well",
        {
          path: "restBaseUrl",
        },
      );
    }
    return await request(url, { ...init, ...(proxy !== undefined && { proxy }), ...(tls && { tls }) });
  };
}
