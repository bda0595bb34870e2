/**
 * HTTP requests on the same terms as the connections: through the proxy that was asked for, or through none.
 *
 * @module
 */

import { ConnectionFailedError, InvalidOptionsError, RawtickError } from "../base/mod.ts";
import { originOf } from "./origin.ts";
import type { TlsOptions } from "./connection.ts";
import { borrowHttpClient } from "./deno_http_client.ts";
import { openBridge } from "./proxy/bridge.ts";
import { proxyFor } from "./proxy/environment.ts";
import { needsBridge } from "./proxy/loopback.ts";

/**
 * A request, and how it gets to the server.
 *
 * @example
 * ```ts
 * import type { FetchThroughOptions } from "@rawtick/binance/transport";
 *
 * const options: FetchThroughOptions = {
 *   method: "POST",
 *   headers: { "X-MBX-APIKEY": "…" },
 *   proxy: "socks5h://127.0.0.1:9050",
 * };
 * console.log(options.method);
 * ```
 */
export interface FetchThroughOptions {
  /** The method. Default: `"GET"`. */
  readonly method?: string;
  /** Headers of the request. Default: the runtime's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of the request. Default: none. */
  readonly body?: string;
  /** Aborts the request, its body included. Give it a timeout: there is no other one. Default: none. */
  readonly signal?: AbortSignal;
  /** The proxy, as in {@linkcode ConnectOptions.proxy}. Default: none, whatever the environment says. */
  readonly proxy?: string;
  /** TLS of an `https://` URL, and of an `https` proxy, as in {@linkcode ConnectOptions.tls}. */
  readonly tls?: TlsOptions;
}

/**
 * Makes an HTTP request with the runtime's `fetch`, through the proxy that is asked for and never through another one;
 * redirects are errors.
 *
 * A request through a proxy, around a proxy that the environment would impose, or with TLS options has a connection of its
 * own, which ends with it; read its body.
 *
 * @throws {InvalidOptionsError} if the URL or the proxy can't be used.
 * @throws {ProxyUnavailableError} if this runtime can't keep to the proxy, or to none.
 * @throws {ProxyConnectionError} if the proxy opened no way to the server.
 * @throws {ConnectionFailedError} if there is no answer for any other reason.
 * @throws What `signal` was aborted with.
 *
 * @example
 * ```ts
 * import { fetchThrough } from "@rawtick/binance/transport";
 * import { startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const response = await fetchThrough(`${exchange.url.replace("ws:", "http:")}/nothing/here`);
 * assertEquals(response.ok, false);
 * await response.body?.cancel();
 * ```
 */
export async function fetchThrough(url: string, options: FetchThroughOptions = {}): Promise<Response> {
  const location = checkedHttpUrl(url);
  const proxy = proxyFor(options.proxy, location);
  const { tls = {}, signal = new AbortController().signal } = options;
  const hasTls = location.protocol === "https:" && Object.keys(tls).length > 0;
  signal.throwIfAborted();
  if (!needsBridge("fetch", proxy, true) && !hasTls) {
    return await send(location.href, options, { client: borrowHttpClient({})?.client }, location, signal);
  }
  const bridge = await openBridge({ url: location, proxy, tls, closesAfterResponse: true }, signal);
  const loan = borrowHttpClient({ proxy: bridge.proxyUrl });
  const onAbort = () => bridge.destroy();
  signal.addEventListener("abort", onAbort);
  bridge.closed.then(() => {
    signal.removeEventListener("abort", onAbort);
    loan?.release();
  });
  try {
    // Bun's and Deno's `fetch` may go to a proxy of the environment, unless they are told another one: the bridge.
    const own = { client: loan?.client, proxy: bridge.proxyUrl };
    return await send(bridge.url.href, options, own, location, signal);
  } catch (error) {
    bridge.destroy();
    throw error;
  }
}

/** What the runtimes' `fetch` takes beyond the standard. */
interface RuntimeFetchOptions {
  /** Deno: the HTTP client. */
  readonly client?: unknown;
  /** Bun: the proxy. */
  readonly proxy?: string;
}

async function send(
  href: string,
  { method = "GET", headers = {}, body }: FetchThroughOptions,
  own: RuntimeFetchOptions,
  location: URL,
  signal: AbortSignal,
): Promise<Response> {
  const { client, proxy } = own;
  const init: RequestInit & RuntimeFetchOptions = {
    method,
    headers,
    signal,
    redirect: "error",
    ...(body === undefined ? {} : { body }),
    ...(client === undefined ? {} : { client }),
    ...(proxy === undefined || !("Bun" in globalThis) ? {} : { proxy }),
  };
  try {
    return await fetch(href, init);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RawtickError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    const why = text.replaceAll(href, originOf(location)).replaceAll(new URL(href).pathname, "");
    throw new ConnectionFailedError(`Cannot get an answer from ${originOf(location)}: ${why}`);
  }
}

function checkedHttpUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.password !== "") {
    throw new InvalidOptionsError(
      'Cannot request this URL: expected one that starts with "http://" or "https://", without credentials',
      { path: "url" },
    );
  }
  return parsed;
}
