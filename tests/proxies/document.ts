/**
 * The result of a whole run as a document.
 *
 * @module
 */

import type { MatrixResult } from "./matrix.ts";
import { PACKAGES, PROXY_ADDRESS } from "./programs.ts";
import { countsOf, tableOf } from "./table.ts";

/** The text of docs/proxies.md. */
export function documentOf(result: MatrixResult): string {
  const { ok, refused, direct, failed } = countsOf(result);
  return `# Proxies

Written by \`deno task proxies --markdown\`; do not edit. The code is in \`tests/proxies\`.

Each cell is two connections of a library, in a process of its own, through one proxy to a local exchange: one in an
environment whose \`NO_PROXY=*\` would lead a runtime around the proxy, one in an environment whose \`HTTP_PROXY\`,
\`HTTPS_PROXY\`, \`ALL_PROXY\`, \`WS_PROXY\` and \`WSS_PROXY\` name a proxy that nobody has asked for.

- **ok**: both times a request was answered by the exchange, or a stream of a manager became ready, and
  - exactly one connection came to the proxy and exactly one to the exchange, from the proxy's address;
  - the proxy was given the login that it was to be given, and the exchange's name where the scheme leaves it to the
    proxy to look it up (all but \`socks4\` and \`socks5\`), else its address;
  - neither user name nor password came to the exchange, plain, percent-encoded or in Base64, encrypted or decrypted, nor
    any \`Proxy-\` header;
  - nothing came to the proxy of the environment, and all connections ended on both sides.
- **refused**: it must not work, failed with the error that it has to fail with, and nothing came to the exchange.
- **direct**: a connection came to the exchange that was not the proxy's. The command fails.
- **failed**: anything else. The command fails.

Before the table, each library connects without the option \`proxy\` in both environments, and the command fails unless
that is seen as a direct connection. What a login of \`wrong\` means: one that the proxy does not know.

## Result

On ${result.clients.join(" and ")}:

${tableOf(result).join("\n")}

${ok} ok, ${refused} refused, ${direct} direct, ${failed} failed

## Proxies

${result.notes.map((note) => `- ${note}`).join("\n")}

The real ones are programs of Debian's packages ${
    Object.values(PACKAGES).map((name) => `\`${name}\``).join(", ")
  }, which
\`.ci/run\` installs where it is root. They listen on free ports of 127.0.0.1, connect to the exchange from
${PROXY_ADDRESS}, and end with the command, in whatever way it ends. Where one is not installed, and with
\`deno task proxies --stand-ins\`, \`startLocalProxy()\` of \`@rawtick/binance/testing\` takes its place, and the list above
says so. All of them are behind a relay that counts; the one of an https proxy is behind its TLS, if it is a real one.

- dante lets every user name of SOCKS4 in: that it gets there is seen by the relay. Its login for SOCKS5 takes a user of
  the system, so microsocks does that part.
- tinyproxy answers a wrong login with 401 in the place of 407, and its passwords can't have reserved characters; those
  of microsocks and squid are full of them.
`;
}
