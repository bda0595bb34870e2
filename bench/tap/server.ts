/**
 * The tap of the tap's benchmark, a process of its own: a manager, a tap, and the runtime's own server.
 *
 * @module
 */

import process from "node:process";
import { BinanceWebSocketApiManager, type Tap, tap, type TapStatistics, type WebSocketUpgrade } from "../../mod.ts";
import type { WebSocketLibrary } from "../../src/transport/mod.ts";
import { answer, ownUsage, type Usage } from "./asking.ts";
import { STREAM } from "./upstream.ts";

/** What the process is started with. */
export interface TapSettings {
  readonly upstreamPort: number;
  readonly library: WebSocketLibrary;
  readonly maxClients: number;
}

/** What it says about itself. */
export interface TapReport extends Usage {
  readonly statistics: TapStatistics;
}

/** What is used of the runtimes; neither's types know the other's. The casts: globals of these names are theirs. */
const { Bun, Deno, gc } = globalThis as {
  readonly Bun?: {
    serve(options: object): { readonly port: number };
    gc(isFull: boolean): void;
  };
  readonly Deno?: {
    serve(options: object, fetch: Tap["fetch"]): { readonly addr: { readonly port: number } };
    readonly upgradeWebSocket: WebSocketUpgrade;
  };
  readonly gc?: () => void;
};

function serve({ fetch, websocket }: Tap): number {
  if (Bun !== undefined) return Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch, websocket }).port;
  if (Deno !== undefined) return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, fetch).addr.port;
  throw new Error("Cannot serve: expected to run on Bun or Deno");
}

/** Collects garbage as well as the runtime can, and lets it give pages back. */
async function collect(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    Bun?.gc(true);
    gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

if (import.meta.main) {
  const { upstreamPort, library, maxClients }: TapSettings = JSON.parse(process.argv[2] ?? "{}");
  const manager = new BinanceWebSocketApiManager({
    websocketBaseUrl: `ws://127.0.0.1:${upstreamPort}`,
    websocketLibrary: library,
  });
  const upgrade = Deno?.upgradeWebSocket;
  const market = tap(manager, { streams: STREAM, maxClients, ...(upgrade && { upgrade }) });
  await answer({ port: serve(market) }, async ({ ask }): Promise<TapReport> => {
    if (ask === "collect") await collect();
    return { ...ownUsage(), statistics: market.statistics };
  });
  process.exit(0);
}
