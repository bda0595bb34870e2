/**
 * Runs `../cloudflare_worker_tap.ts` in workerd, the runtime of Cloudflare Workers, on this machine.
 *
 *     deno task example cloudflare/run_local # against a local exchange, which it starts; or bun run example …
 *     UPSTREAM_URL=wss://stream.binance.com:9443 deno task example cloudflare/run_local # against Binance
 *
 * PORT is where it listens (8787); with TOKEN, clients need it.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { startLocalExchange } from "@rawtick/binance/testing";
import { bundle } from "../../tools/bundle.ts";
import { workerdBinary } from "../../tests/workerd/workerd.ts";

const { UPSTREAM_URL, TOKEN = "", PORT = "8787" } = process.env;

/** What wrangler makes of wrangler.toml, in the notation of Cap'n Proto, whose texts are escaped as in JSON. */
function configuration(upstreamUrl: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    ( name = "main", worker = .worker ),
    ( name = "internet", network = ( allow = ["public", "private", "local"], tlsOptions = ( trustBrowserCas = true ) ) )
  ],
  sockets = [( name = "http", address = "127.0.0.1:${Number(PORT)}", http = (), service = "main" )]
);

const worker :Workerd.Worker = (
  modules = [( name = "worker.js", esModule = embed "worker.js" )],
  compatibilityDate = "2026-11-01",
  bindings = [
    ( name = "TAP", durableObjectNamespace = "MarketTap" ),
    ( name = "UPSTREAM_URL", text = ${JSON.stringify(upstreamUrl)} ),
    ( name = "TOKEN", text = ${JSON.stringify(TOKEN)} )
  ],
  durableObjectNamespaces = [( className = "MarketTap", uniqueKey = "MarketTap" )],
  durableObjectStorage = ( inMemory = void )
);
`;
}

await using resources = new AsyncDisposableStack();
const binary = workerdBinary();
if (binary === undefined) throw new Error("Cannot run workerd: its npm package has no binary for this platform");
const upstreamUrl = UPSTREAM_URL || resources.use(await startLocalExchange()).url;
const folder = mkdtempSync(join(tmpdir(), "workerd-"));
resources.defer(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "worker.js"), bundle(new URL("../cloudflare_worker_tap.ts", import.meta.url)));
writeFileSync(join(folder, "config.capnp"), configuration(upstreamUrl));

// --verbose: it tells what the worker logs. On file descriptor 1 it says where it listens, once it does.
const args = ["serve", "--verbose", "--control-fd=1", join(folder, "config.capnp")];
const workerd = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
let isAskedToEnd = false;
const end = (): void => {
  isAskedToEnd = true;
  workerd.kill("SIGKILL"); // told nicely, it would wait until all clients have gone
};
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
createInterface({ input: workerd.stdout }).on("line", (line) => {
  const port = /^\{"event":"listen","socket":"http","port":(\d+)\}$/.exec(line)?.[1];
  console.log(port === undefined ? line : `http://127.0.0.1:${port}/?streams=btcusdt@trade`);
});
// It also tells, with a stack of its own, of every client that has left without a word.
createInterface({ input: workerd.stderr }).on("line", (line) => {
  if (!/: disconnected: |^stack: /.test(line)) console.error(line);
});
const code = await new Promise((resolve, reject) => workerd.on("error", reject).on("exit", resolve));
if (!isAskedToEnd) {
  console.error(`workerd has ended with code ${code}`);
  process.exitCode = 1;
}
