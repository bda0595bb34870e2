/**
 * The certificates of the authorities that the runtime trusts, for sockets where own ones would replace them.
 *
 * @module
 */

import tls from "node:tls";

/** `node:tls` as of Node 22.15, Deno 2.9 and Bun 1.4; older type declarations don't have it. */
interface TlsModule {
  readonly getCACertificates?: (type: "default") => readonly string[];
}

const withOwn = new WeakMap<readonly string[], string[]>();

/**
 * The authorities that the runtime trusts by default, those of NODE_EXTRA_CA_CERTS and the like among them, followed by
 * `own`. Cached by the identity of `own`: reading them takes milliseconds.
 */
export function authoritiesWith(own: readonly string[]): string[] {
  let all = withOwn.get(own);
  if (all === undefined) {
    const { getCACertificates }: TlsModule = tls;
    all = [...(getCACertificates?.("default") ?? tls.rootCertificates), ...own];
    withOwn.set(own, all);
  }
  return all;
}
