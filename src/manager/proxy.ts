/**
 * The proxy of a manager: what its options say in either form, and what the environment says if it is asked.
 *
 * @module
 */

import * as z from "zod/mini";
import { checkThat, flag, InvalidOptionsError, InvalidProxyUrlError } from "../base/mod.ts";
import { environmentProxy, parseProxyUrl, proxySchema, readEnvironment } from "../transport/proxies.ts";
import type { LegacyProxyOptions, ProxyRules } from "./proxy_rules.ts";

/** The options about the proxy before they are checked: what is looked at is only whether they are there. */
interface GivenOptions extends LegacyProxyOptions {
  readonly proxy?: unknown;
  readonly tls?: { readonly rejectUnauthorized?: unknown; readonly checkServerIdentity?: unknown } | undefined;
}

/** The options of the reference product's first form. */
const LEGACY = ["socks5ProxyServer", "socks5ProxyUser", "socks5ProxyPass", "socks5ProxySslVerification"] as const;

/** Throws unless the options about the proxy go together. */
function checkCombination(options: GivenOptions): void {
  const refuse = (path: string, message: string): never => {
    throw new InvalidOptionsError(message, { path });
  };
  const [legacy] = LEGACY.filter((name) => options[name] !== undefined);
  if (legacy === undefined) return;
  if (options.proxy !== undefined) {
    refuse(legacy, `Cannot use \`${legacy}\` together with \`proxy\`: expected one of the two forms`);
  }
  if (options.socks5ProxyServer === undefined) {
    refuse(legacy, `Cannot use \`${legacy}\` without \`socks5ProxyServer\`: expected both, or \`proxy\` alone`);
  }
  legacyProxyUrl(options);
  const { tls = {}, socks5ProxySslVerification } = options;
  const contradiction = tls.rejectUnauthorized !== undefined
    ? "tls.rejectUnauthorized"
    : tls.checkServerIdentity !== undefined && socks5ProxySslVerification === false
    ? "tls.checkServerIdentity"
    : undefined;
  if (socks5ProxySslVerification !== undefined && contradiction !== undefined) {
    refuse(
      "socks5ProxySslVerification",
      `Cannot use \`socks5ProxySslVerification\` together with \`${contradiction}\`: expected one of them`,
    );
  }
}

/** The legacy options as a proxy URL. */
function legacyProxyUrl(
  { socks5ProxyServer = "", socks5ProxyUser = "", socks5ProxyPass = "" }: LegacyProxyOptions,
): string {
  const path = "socks5ProxyServer";
  // The value is not shown: a password may have been written into it.
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s:@/?#[\]]+):\d+$/i.test(socks5ProxyServer)) {
    throw new InvalidProxyUrlError('Cannot use this as `socks5ProxyServer`: expected "host:port"', path);
  }
  const [user, pass] = [socks5ProxyUser, socks5ProxyPass].map(encodeURIComponent);
  const url = `socks5://${user || pass ? `${user}:${pass}@` : ""}${socks5ProxyServer}`;
  try {
    parseProxyUrl(url);
  } catch (error) {
    if (!(error instanceof InvalidProxyUrlError)) throw error;
    throw new InvalidProxyUrlError(error.message, path);
  }
  return url;
}

/** A string, and no message shows what was given in its place. */
function secret(path: string) {
  const check = (value: unknown): void => {
    if (typeof value === "string") return;
    throw new InvalidOptionsError(`Cannot use this as \`${path}\`: expected a string`, { path });
  };
  return z.optional(z.custom<string>().check(checkThat(check)));
}

/** Proxies of all kinds, as options and the environment name them. */
export const allProxies: ProxyRules = {
  shape: {
    proxy: proxySchema,
    socks5ProxyServer: secret("socks5ProxyServer"),
    socks5ProxyUser: secret("socks5ProxyUser"),
    socks5ProxyPass: secret("socks5ProxyPass"),
    socks5ProxySslVerification: flag,
  },
  checkCombination,
  resolve(options, target) {
    const url = options.socks5ProxyServer === undefined ? options.proxy : legacyProxyUrl(options);
    if (url === undefined) return undefined;
    return url === "env" ? environmentProxy(target, readEnvironment()) : { url, proxy: parseProxyUrl(url) };
  },
};
