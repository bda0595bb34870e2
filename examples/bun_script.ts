/**
 * Trades and quotes on the terminal, from TypeScript as it is, without a build step.
 *
 *     bun run examples/bun_script.ts # against a local exchange, which it starts; Ctrl-C ends it
 *     UPSTREAM_URL=wss://stream.binance.com:9443 bun run examples/bun_script.ts 20 # against Binance; 20 messages
 *
 * Nothing in it is Bun's own: `deno task example bun_script` does the same. In a fresh clone, `bun run setup` comes first.
 *
 * @module
 */

import process from "node:process";
import { BinanceWebSocketApiManager } from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";

const { UPSTREAM_URL } = process.env;
/** After so many messages it ends. */
const limit = Number(process.argv[2] ?? Infinity);

await using resources = new AsyncDisposableStack();
const manager = resources.use(
  new BinanceWebSocketApiManager({
    websocketLibrary: "native",
    websocketBaseUrl: UPSTREAM_URL || resources.use(await startLocalExchange()).url,
    onSignal: (signal) => console.error(`${signal.type}${"error" in signal ? `: ${signal.error}` : ""}`),
  }),
);
// Ends the loop below, and so the script.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void manager.stopManager());

const streams = ["btcusdt@trade", "btcusdt@bookTicker"] as const;
let count = 0;
for await (const message of manager.createStream({ streams, output: "typed" })) {
  // The names of the streams tell the compiler what their data is.
  if (message.stream === "btcusdt@trade") {
    const { m: isBuyerMaker, p: price, q: quantity } = message.data;
    console.log(isBuyerMaker ? "sold  " : "bought", quantity, "at", price);
  } else {
    const { b: bid, a: ask } = message.data;
    console.log("quote ", bid, "to", ask);
  }
  if (++count >= limit) break;
}
