/**
 * The edge door stays free of anything that only some runtimes have.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { plainFetch } from "../src/manager/rest_fetch.ts";

const IMPORT = /^(?:import|export)\s(?!type\b)[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gms;

/** All modules that `entry` loads at run time, and what they import from outside. */
function moduleGraph(entry: URL): { modules: Set<string>; packages: Set<string> } {
  const modules = new Set<string>();
  const packages = new Set<string>();
  const visit = (url: URL): void => {
    if (modules.has(url.href)) return;
    modules.add(url.href);
    for (const match of readFileSync(url, "utf8").matchAll(IMPORT)) {
      const specifier = match[1] ?? match[2] ?? match[3] ?? "";
      if (specifier.startsWith(".")) visit(new URL(specifier, url));
      else packages.add(specifier);
    }
  };
  visit(entry);
  return { modules, packages };
}

for (const [door, file] of [["./edge", "edge.ts"], ["./edge-full", "edge_full.ts"]] as const) {
  test(`the module graph of ${door} reaches no node:, no raw sockets, no @std/log`, () => {
    const { modules, packages } = moduleGraph(new URL(`../${file}`, import.meta.url));
    assertEquals([...packages], ["zod/mini"]);
    assertEquals([...modules].filter((href) => /\/native\/|all_libraries|std_log|\/testing\/|\/cli\//.test(href)), []);
    assert(modules.size > 20, "the graph was walked");
  });
}

test("the module graph of ./edge has nothing of requests and account events, which ./edge-full has", () => {
  const ofAccounts = (door: string) =>
    [...moduleGraph(new URL(door, import.meta.url)).modules].filter((href) =>
      /\/src\/(api|user_data)\/|\/account_|public_account/.test(href)
    );
  assertEquals(ofAccounts("../edge.ts"), []);
  assert(ofAccounts("../edge_full.ts").some((href) => href.endsWith("/src/api/signer.ts")));
});

test("the same walk finds raw sockets behind the main door", () => {
  const { modules, packages } = moduleGraph(new URL("../mod.ts", import.meta.url));
  assert(packages.has("node:net") && packages.has("@std/log"));
  assert([...modules].some((href) => href.includes("/native/")));
});

test("a REST request of the edge doors follows no redirect: nobody else sees the API key", async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url);
    if (url === "/fine") response.end("fine");
    else response.writeHead(Number(url?.slice(1)), { location: "/fine" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // the cast: a listening TCP server has an address with a port
  const init = { method: "POST", headers: { "X-MBX-APIKEY": "key" }, signal: AbortSignal.timeout(10_000) } as const;
  try {
    for (const status of [301, 302, 303, 307, 308]) {
      await assertRejects(() => plainFetch(`http://127.0.0.1:${port}/${status}`, init), TypeError, "redirects");
    }
    assertEquals(await (await plainFetch(`http://127.0.0.1:${port}/fine`, init)).text(), "fine");
    assertEquals(paths, ["/301", "/302", "/303", "/307", "/308", "/fine"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
