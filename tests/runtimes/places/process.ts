/**
 * The probes on Deno, Bun and Node: prints a line of JSON for each cell. Its one argument, in JSON, says which.
 *
 * @module
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { Readable } from "node:stream";
import { BinanceWebSocketApiManager, type Tap, type WebSocketUpgrade } from "@rawtick/binance";
import { openConnection, type WebSocketLibrary } from "@rawtick/binance/transport";
import { FEATURES } from "../features.ts";
import { type Place, runProbes, type ServedTap } from "../probe.ts";
import type { Addresses } from "../protocol.ts";
import { messageThrough } from "./door.ts";

/** What the process is to do. */
export interface Task {
  readonly addresses: Addresses;
  readonly libraries: readonly WebSocketLibrary[];
  /** Whether it was started with the authority of the tests among those that it trusts. */
  readonly isTrusting: boolean;
}

interface Serve {
  readonly Deno?: {
    serve(options: object, handler: (request: Request) => Promise<Response>): {
      readonly addr: { readonly port: number };
      shutdown(): Promise<void>;
    };
    readonly upgradeWebSocket: WebSocketUpgrade;
  };
  readonly Bun?: {
    serve(options: object): { readonly port: number; stop(isHard: boolean): Promise<void> };
  };
}

// The cast: what the runtimes have beside web standards.
const { Deno, Bun } = globalThis as Serve;

async function serve(market: Tap): Promise<ServedTap> {
  const urlOf = (port: number): string => `http://127.0.0.1:${port}/`;
  if (Deno !== undefined) {
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, market.fetch);
    return { url: urlOf(server.addr.port), stop: () => server.shutdown() };
  }
  if (Bun !== undefined) {
    const { fetch, websocket } = market;
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch, websocket });
    return { url: urlOf(server.port), stop: () => server.stop(true) };
  }
  // Node's server knows no Request and no Response: this is all that it takes to serve a tap with it.
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const answer = await market.fetch(new Request(`http://${request.headers.host}${request.url}`, { headers }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    // The cast: Node's types have a stream of their own.
    else Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: urlOf((server.address() as AddressInfo).port), // the cast: a listening TCP server has an address with a port
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const { addresses, libraries, isTrusting }: Task = JSON.parse(process.argv[2] ?? "");
const place: Place = {
  addresses,
  open: openConnection,
  Manager: BinanceWebSocketApiManager,
  serve,
  tapOptions: Deno === undefined ? {} : { upgrade: Deno.upgradeWebSocket },
  doors: {
    edge: async (library) =>
      messageThrough((await import("@rawtick/binance/edge")).BinanceWebSocketApiManager, library, addresses),
    "edge-full": async (library) =>
      messageThrough((await import("@rawtick/binance/edge-full")).BinanceWebSocketApiManager, library, addresses),
    main: async (library) =>
      messageThrough((await import("@rawtick/binance")).BinanceWebSocketApiManager, library, addresses),
    async transport(websocketLibrary) {
      const { connect } = await import("@rawtick/binance/transport");
      const connection = await connect(`${addresses.exchange}/ws/btcusdt@trade`, { websocketLibrary });
      await connection.recv();
      await connection.close();
    },
    async testing(library) {
      const { startLocalExchange } = await import("@rawtick/binance/testing");
      const exchange = await startLocalExchange();
      try {
        await messageThrough(BinanceWebSocketApiManager, library, { ...addresses, exchange: exchange.url });
      } finally {
        await exchange.close();
      }
    },
  },
};

const features = FEATURES.filter((feature) => (feature.isTrusting ?? false) === isTrusting);
for (const library of libraries) {
  await runProbes(features, library, place, (line) => void process.stdout.write(`${JSON.stringify(line)}\n`));
}
// What a library can't free, such as a socket whose peer is silent, is a line of its own, and not to hold up the end.
process.exit(0);
