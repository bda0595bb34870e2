/**
 * The stand-in for a proxy as its user sees it.
 *
 * @module
 */

import { type LocalProxyOptions, resolveProxyOptions } from "./local_proxy_options.ts";
import { startProxyServer } from "./local_proxy_server.ts";

/**
 * A request that a client made of the stand-in, whatever became of it.
 *
 * @example
 * ```ts
 * import { type LocalProxyRequest, startLocalExchange, startLocalProxy } from "@rawtick/binance/testing";
 * import { openConnection } from "@rawtick/binance/transport";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using proxy = await startLocalProxy({ scheme: "socks5h", username: "bot", password: "secret" });
 * const listener = { onText: () => {}, onClose: () => {} };
 * const url = `ws://localhost:${exchange.port}/ws`;
 * const connection = await openConnection("native", url, listener, { proxy: proxy.url });
 * const [request]: readonly LocalProxyRequest[] = proxy.requests;
 * assertEquals([request?.host, request?.username], ["localhost", "bot"]);
 * connection.terminate();
 * ```
 */
export interface LocalProxyRequest {
  /** The host as it was asked for: a name, or an IP address (IPv6 without brackets) if the client had resolved it. */
  readonly host: string;
  /** The TCP port that was asked for. */
  readonly port: number;
  /** The user name that came with it; `undefined` if none did. */
  readonly username: string | undefined;
  /** The headers of an HTTP request by lower-case name; none with SOCKS. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What goes wrong at the stand-in, for the connections that are accepted from now on. All of it is off by default.
 *
 * @example
 * ```ts
 * import { type LocalProxyFaults, startLocalProxy } from "@rawtick/binance/testing";
 * import { openConnection, ProxyConnectionError } from "@rawtick/binance/transport";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const faults: LocalProxyFaults = { refuse: 403, body: "Not from here", chop: true };
 * await using proxy = await startLocalProxy();
 * proxy.misbehave(faults);
 * const listener = { onText: () => {}, onClose: () => {} };
 * const error = await assertRejects(
 *   () => openConnection("native", "ws://127.0.0.1:9/ws", listener, { proxy: proxy.url }),
 *   ProxyConnectionError,
 * );
 * assertEquals([error.stage, error.status], ["tunnel", 403]);
 * ```
 */
export interface LocalProxyFaults {
  /** Sends each byte of its answers in a segment of its own. */
  readonly chop?: boolean;
  /** Accepts connections, and TLS, and never says a word. */
  readonly silent?: boolean;
  /** Sends this before anything was asked. */
  readonly early?: string | Uint8Array;
  /** Sends this right behind the answer that opens the tunnel, in the same segment. */
  readonly garbage?: string | Uint8Array;
  /** Sends this in the place of its answer to a request, and then nothing; no tunnel is opened. */
  readonly reply?: string | Uint8Array;
  /**
   * Refuses every request: an HTTP status (200 to 599), a SOCKS4 code (91 to 93, or any other byte but 90), or a SOCKS5
   * reply code (1 to 255, RFC 1928 6).
   */
  readonly refuse?: number;
  /** Body of an HTTP refusal. */
  readonly body?: string;
  /** The value of `Proxy-Authenticate` in a 407; `""` for none. Default: `Basic realm="local proxy"`. */
  readonly challenge?: string;
  /** SOCKS5: accepts none of the methods that the client offers (RFC 1928 3, 0xFF). */
  readonly refuseMethods?: boolean;
  /** SOCKS5: asks for a login and rejects whatever comes, as HTTP does with `refuse: 407`. */
  readonly rejectLogins?: boolean;
  /** Hangs up once a client has connected, has sent its request, or has its tunnel. */
  readonly hangUp?: "connected" | "asked" | "open";
}

/**
 * A running stand-in for a proxy. Close it with {@linkcode LocalProxy.close} or `await using`.
 *
 * @example
 * ```ts
 * import { type LocalProxy, startLocalProxy } from "@rawtick/binance/testing";
 *
 * await using proxy: LocalProxy = await startLocalProxy({ scheme: "socks5h", username: "bot", password: "secret" });
 * console.log(proxy.url); // socks5h://bot:secret@127.0.0.1:40123
 * ```
 */
export interface LocalProxy extends AsyncDisposable {
  /** Its URL for the option `proxy`, with the credentials that it asks for, percent-encoded. */
  readonly url: string;
  /** TCP port on 127.0.0.1. */
  readonly port: number;
  /** Open TCP connections of clients. */
  readonly connections: number;
  /** TCP connections of clients since the start. */
  readonly totalConnections: number;
  /** Tunnels that are open. */
  readonly openTunnels: number;
  /** Tunnels that were opened since the start. */
  readonly tunnels: number;
  /** Requests that were refused because of their credentials, or for the lack of them. */
  readonly rejectedLogins: number;
  /** Every request since the start. */
  readonly requests: readonly LocalProxyRequest[];
  /** The targets that were asked for, such as `"localhost:443"`, `"127.0.0.1:443"` or `"[::1]:443"`. */
  readonly targets: readonly string[];
  /** Misbehaves from now on as `faults` say, in the place of what was said before; `{}` ends that. */
  misbehave(faults: LocalProxyFaults): void;
  /** Resets every tunnel, and the connections to the targets with them. */
  killTunnels(): void;
  /**
   * Resolves once `condition` holds; it is looked at whenever something happens here.
   *
   * @param timeoutMs Default: 5000.
   * @throws {DOMException} named `TimeoutError` if it doesn't hold in time.
   */
  waitFor(condition: () => boolean, timeoutMs?: number): Promise<void>;
  /** Stops: destroys every connection and tunnel. */
  close(): Promise<void>;
}

/**
 * Starts a stand-in for a proxy on 127.0.0.1: HTTP CONNECT (RFC 9110 9.3.6) with or without TLS, SOCKS4 and SOCKS4a, or
 * SOCKS5 (RFC 1928) with a login by user name and password (RFC 1929). It opens tunnels and nothing else, and
 * misbehaves on demand.
 *
 * @throws {InvalidOptionsError} if an option can't be used.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance";
 * import { startLocalExchange, startLocalProxy } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * await using proxy = await startLocalProxy({ username: "bot", password: "secret" });
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url, proxy: proxy.url });
 * await manager.createStream({ streams: ["btcusdt@trade"] }).ready;
 * assertEquals([proxy.tunnels, proxy.targets], [1, [`127.0.0.1:${exchange.port}`]]);
 * ```
 */
export async function startLocalProxy(options: LocalProxyOptions = {}): Promise<LocalProxy> {
  return await startProxyServer(resolveProxyOptions(options));
}
