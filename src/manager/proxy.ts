/**
 * The proxy of a manager: what its options say in either form, and what the environment says if it is asked.
 *
 * @module
 */

import { InvalidOptionsError, InvalidProxyUrlError } from "../base/mod.ts";
import {
  environmentProxy,
  parseProxyUrl,
  type ProxyUrl,
  readEnvironment,
  type TlsOptions,
} from "../transport/portable.ts";

/** The legacy form of a proxy. */
interface LegacyOptions {
  readonly socks5ProxyServer?: string | undefined;
  readonly socks5ProxyUser?: string | undefined;
  readonly socks5ProxyPass?: string | undefined;
  readonly socks5ProxySslVerification?: boolean | undefined;
}

/** The options that are about the proxy. */
export interface ProxyOptions extends LegacyOptions {
  readonly proxy?: string | undefined;
  readonly tls?: TlsOptions | undefined;
}

/** The same, before they are checked: what is looked at is only whether they are there. */
interface GivenOptions extends LegacyOptions {
  readonly proxy?: unknown;
  readonly tls?: { readonly rejectUnauthorized?: unknown; readonly checkServerIdentity?: unknown } | undefined;
}

/** The options of the reference product's first form. */
const LEGACY = ["socks5ProxyServer", "socks5ProxyUser", "socks5ProxyPass", "socks5ProxySslVerification"] as const;

/** Throws unless the options about the proxy go together. */
export function checkProxyCombination(options: GivenOptions): void {
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
  { socks5ProxyServer = "", socks5ProxyUser = "", socks5ProxyPass = "" }: LegacyOptions,
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

/** The proxy that a manager keeps to for all of its life. */
export interface ResolvedProxy {
  /** Its URL, with the credentials. */
  readonly url: string;
  /** The same, parsed. */
  readonly proxy: ProxyUrl;
}

/**
 * The proxy for connections to `target`; the environment, if it is asked, is read now and never again.
 *
 * @throws {InvalidProxyUrlError} if the environment's proxy can't be used.
 */
export function resolveProxy(options: ProxyOptions, target: URL): ResolvedProxy | undefined {
  const url = options.socks5ProxyServer === undefined ? options.proxy : legacyProxyUrl(options);
  if (url === undefined) return undefined;
  return url === "env" ? environmentProxy(target, readEnvironment()) : { url, proxy: parseProxyUrl(url) };
}

/** The TLS options, with what the legacy form says of them. */
export function tlsOf({ tls, socks5ProxySslVerification }: ProxyOptions): TlsOptions | undefined {
  return socks5ProxySslVerification === undefined ? tls : { ...tls, rejectUnauthorized: socks5ProxySslVerification };
}
