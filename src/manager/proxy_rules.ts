/**
 * What a door makes of the options about proxies, and the door that has none.
 *
 * @module
 */

import * as z from "zod/mini";
import { checkThat } from "../base/mod.ts";
import { type ProxyUrl, refusedProxy, type TlsOptions } from "../transport/portable.ts";
import type { Shape } from "./schema_parts.ts";

/** The legacy form of a proxy. */
export interface LegacyProxyOptions {
  readonly socks5ProxyServer?: string | undefined;
  readonly socks5ProxyUser?: string | undefined;
  readonly socks5ProxyPass?: string | undefined;
  readonly socks5ProxySslVerification?: boolean | undefined;
}

/** The options that are about the proxy. */
export interface ProxyOptions extends LegacyProxyOptions {
  readonly proxy?: string | undefined;
  readonly tls?: TlsOptions | undefined;
}

/** The proxy that a manager keeps to for all of its life. */
export interface ResolvedProxy {
  /** Its URL, with the credentials. */
  readonly url: string;
  /** The same, parsed. */
  readonly proxy: ProxyUrl;
}

/** What a door makes of the options about proxies. */
export interface ProxyRules {
  /** Their schemas. */
  readonly shape: Shape;
  /** Throws unless those that have passed their schemas go together. */
  readonly checkCombination: (options: object) => void;
  /**
   * The proxy for connections to `target`; the environment, if it is asked, is read now and never again.
   *
   * @throws {InvalidProxyUrlError} if the environment's proxy can't be used.
   */
  readonly resolve: (options: ProxyOptions, target: URL) => ResolvedProxy | undefined;
}

/** Refuses an option, whatever it is. */
function refused(name: string, shown?: string) {
  const refuse = (value: unknown) => {
    throw refusedProxy(shown ?? value, name);
  };
  return z.optional(z.unknown().check(checkThat(refuse)));
}

/** Where there are no raw sockets: no proxy can be used, and none is left out silently. */
export const noProxies: ProxyRules = {
  shape: {
    proxy: refused("proxy"),
    ...Object.fromEntries(
      ["Server", "User", "Pass", "SslVerification"].map((part) => {
        const name = `socks5Proxy${part}`;
        return [name, refused(name, "socks5://")];
      }),
    ),
  },
  checkCombination: () => {},
  resolve: () => undefined,
};

/** The TLS options, with what the legacy form of a proxy says of them. */
export function tlsOf({ tls, socks5ProxySslVerification }: ProxyOptions): TlsOptions | undefined {
  return socks5ProxySslVerification === undefined ? tls : { ...tls, rejectUnauthorized: socks5ProxySslVerification };
}
