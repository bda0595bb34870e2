/**
 * The result of a whole run as documents: docs/runtimes.md, and the short table in the README.
 *
 * @module
 */

import type { Run } from "./runs.ts";
import { shortTable, tablesOf } from "./table.ts";

/** The lines of the README between which its table stands. */
const START = "<!-- The next table is written by `deno task runtimes --markdown`. -->";
const END = "<!-- The end of that table. -->";

/** The README with the short table in its place. */
export function readmeWith(readme: string, table: readonly string[]): string {
  const [before, rest] = readme.split(START);
  const [, after] = (rest ?? "").split(END);
  if (before === undefined || after === undefined) throw new Error("The README has no place for the table");
  return `${before}${START}\n\n${table.join("\n")}\n\n${END}${after}`;
}

/** The README of a whole run. */
export function readmeOf(readme: string, runs: readonly Run[]): string {
  return readmeWith(readme, shortTable(runs));
}

/** The text of docs/runtimes.md. */
export function documentOf(runs: readonly Run[]): string {
  return `# What runs where

Written by \`deno task runtimes --markdown\`; do not edit. The code is in \`tests/runtimes\`, and \`tests/runtimes_test.ts\`
fails when a cell for Deno, Bun, workerd or Chromium is not what it measures.

Each cell is a probe that ran on that runtime, with that library, against servers in another process: the same functions
everywhere, bundled by esbuild for workerd, Chromium and Node, run as they are by Deno and Bun. What a probe says is what
the other side saw too, where that can be seen: that a socket was closed, a pong came, a proxy was gone through, nothing
was sent before a certificate was rejected.

- **yes**: it worked.
- **refused**: by design. An error of the class that the number stands for came in the place of it, before anything was
  opened; \`TypeError\` comes from a method whose \`canPing\` or \`canPause\` is false. Where a tap can't accept a WebSocket, its
  client gets the status.
- **not known**: it happens, but the runtime does not say what.
- **no**: it does not work; the number says what was seen.

## Result

On ${runs.map(({ version }) => version).join(", ")}:

${tablesOf(runs).join("\n")}

## How it is measured

- Deno, Bun and Node use \`@rawtick/binance\` and \`@rawtick/binance/transport\`; workerd and Chromium use
  \`@rawtick/binance/edge-full\` and the library as its managers have it.
- Deno, Bun and Node run twice: once as they are, and once with the authority of the tests among those that they trust
  (\`DENO_CERT\`, \`NODE_EXTRA_CA_CERTS\`), for the rows about certificates that nobody gives as \`tls.ca\`. workerd trusts it by its
  configuration. Chromium is told to take the key of the one good certificate (\`--ignore-certificate-errors-spki-list\`).
- The probes in workerd run in a Durable Object, with a compatibility date at which it has Node's globals.
- Node is the oldest that is promised, from npm; \`deno task runtimes --runtime node --node 24\` says where another one
  differs: Node 24 tells at once that a handshake was refused, but not with which status. Its tap is behind \`node:http\` with an adapter of ten lines; a way to
  accept WebSockets, which a tap's option \`upgrade\` would take, was not given to it.
- The doors that need raw sockets are given to esbuild as the edge doors are, without a stand-in for Node's modules, which
  some bundlers bring along.
- A socket is freed if the server sees TCP end within a second.
- The local exchange sends no CORS headers: that is what fails in a browser with a listen key. What Binance's own REST
  sends was not measured.
- The proxies are \`startLocalProxy()\` of \`@rawtick/binance/testing\`; [Proxies](proxies.md) has real ones.
`;
}
