/**
 * What a bridge on loopback is, and when the runtime's own WebSocket or `fetch` needs one: the part of it that runs
 * everywhere.
 *
 * @module
 */

import { ProxyUnavailableError } from "../../base/mod.ts";
import type { TlsOptions } from "../connect_options.ts";
import type { ProxyUrl } from "./proxy_url.ts";
import { withoutRawSockets } from "./refusal.ts";
import { mayListen, type OwnProxy, ownProxy } from "./runtime_proxy.ts";

/** Where a bridge leads to. */
export interface BridgeTarget {
  /** The server, by a URL of any of the schemes ws, wss, http and https. */
  readonly url: URL;
  /** The proxy on the way, or none. */
  readonly proxy: ProxyUrl | undefined;
  /** TLS of a wss or https URL, and of an https proxy. */
  readonly tls: TlsOptions;
  /** Whether the request asks the server to end the connection after its response. */
  readonly closesAfterResponse?: boolean;
}

/**
 * A way from 127.0.0.1 to one server: what this process sends to `url` arrives there as if it had been sent to the
 * server. Open until its owner ends it, or both sides have ended.
 */
export interface Bridge {
  /** What to open in place of the server's URL: ws or http, with a secret in its path. */
  readonly url: URL;
  /** The bridge as an HTTP proxy, for runtimes that may go to a proxy of the environment unless told another one. */
  readonly proxyUrl: string;
  /** Status of the server's response, once it has begun: not every runtime shows it. */
  readonly status: number | undefined;
  /** What the connection to the server failed with, if it did. */
  readonly failure: Error | undefined;
  /** Resolves when nothing is left of it. */
  readonly closed: Promise<void>;
  /** Lets what is on its way arrive, for at most `ms`. */
  finish(ms: number): void;
  /** Ends everything at once. */
  destroy(): void;
}

/**
 * Opens a bridge: the connection to the server first, then the loopback side.
 *
 * @throws {ConnectionFailedError} if the server can't be reached, and its subclass ProxyConnectionError.
 * @throws What `signal` was aborted with; nothing is left then.
 */
export type OpenBridge = (target: BridgeTarget, signal: AbortSignal) => Promise<Bridge>;

/**
 * Whether the runtime's own WebSocket or `fetch` has to go over a bridge to `proxy`, or, without a proxy, around the one
 * that the runtime would take from the environment by itself.
 *
 * @param isAllowed Whether a bridge may listen.
 * @throws {ProxyUnavailableError} if it has to and can't.
 */
export function needsBridge(
  user: "WebSocket" | "fetch",
  proxy: ProxyUrl | undefined,
  canBridge: boolean,
  own: OwnProxy | undefined = ownProxy(user),
  isAllowed: boolean = mayListen(),
): boolean {
  if (own !== undefined && !(own.canBeBypassed && canBridge)) {
    throw new ProxyUnavailableError(
      proxy?.masked,
      `${own.reason}, and can't be kept from it here; expected ${own.expected}` +
        (canBridge ? ', or the library "native"' : ', or "@rawtick/binance" in place of its edge door'),
    );
  }
  if (proxy !== undefined && !canBridge) throw withoutRawSockets(proxy.masked);
  if (proxy === undefined && own === undefined) return false;
  if (!isAllowed) {
    throw new ProxyUnavailableError(
      proxy?.masked,
      `${
        own === undefined ? "" : `${own.reason}, and `
      }Deno's ${user} needs a bridge on 127.0.0.1 for that; expected the ` +
        `permission --allow-net=127.0.0.1${own === undefined ? "" : `, ${own.expected}`}` +
        (user === "WebSocket" ? ', or the library "native"' : ""),
    );
  }
  return true;
}
