/**
 * What the request path of an API stream adds to the bare round trip on loopback, and how long requests take:
 * `deno run -A --config deno.offline.json bench/api_requests.ts [builtin|native] [requests]`, or with `bun`.
 *
 * The server is another process. Blocks of bare round trips and of requests take turns on two connections to it, so that
 * both see the same machine. Bare: one `send` of a text that is ready, the answer parsed, a promise resolved.
 *
 * @module
 */

import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { BinanceWebSocketApiManager, createSigner } from "../mod.ts";
import { openConnection, type WebSocketLibrary } from "../src/transport/mod.ts";

/** Limits that are never reached: what is measured is the way of a request, not the wait for a window. */
const RATE_LIMITS = [
  { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: 1e9, count: 1 },
  { rateLimitType: "RAW_REQUESTS", interval: "MINUTE", intervalNum: 5, limit: 1e9, count: 1 },
];
const BLOCKS = 20;

if (process.argv[2] === "server") serve();
else await measure((process.argv[2] ?? "native") as WebSocketLibrary, Number(process.argv[3] ?? 10_000)); // the cast: an unknown library is refused

function serve(): void {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  const tail = `,"status":200,"result":{"serverTime":${Date.now()}},"rateLimits":${JSON.stringify(RATE_LIMITS)}}`;
  server.on("listening", () => console.log(server.address().port));
  server.on(
    "connection",
    (socket: { on: (event: string, listener: (data: object) => void) => void; send: (text: string) => void }) => {
      socket.on("message", (data) => {
        // The id is the first member of every request here.
        const text = String(data);
        socket.send(`{"id":${text.slice(6, text.indexOf(","))}${tail}`);
      });
    },
  );
}

async function measure(library: WebSocketLibrary, requests: number): Promise<void> {
  const arguments_ = [
    ...("Deno" in globalThis ? ["run", "-A", "--config", "deno.offline.json"] : []),
    fileURLToPath(import.meta.url),
    "server",
  ];
  const child = spawn(process.execPath, arguments_, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (data) => resolve(String(data).trim()))
  );
  const url = `ws://127.0.0.1:${port}`;
  let answered: (value: unknown) => void = () => {};
  const connection = await openConnection(library, `${url}/ws-api/v3`, {
    onText: (text) => answered(JSON.parse(text)),
    onClose: () => {},
  });
  const bare = (id: number) =>
    new Promise((resolve) => {
      answered = resolve;
      connection.send(`{"id":${id},"method":"ping"}`);
    });
  const signer = createSigner({ apiKey: "k".repeat(64), apiSecret: "s".repeat(64) });
  const manager = new BinanceWebSocketApiManager({ websocketLibrary: library, websocketApiBaseUrl: url, signer });
  const stream = manager.createStream({ api: true });
  await stream.ready;
  const ways: Record<string, (id: number) => Promise<unknown>> = {
    "bare round trip": bare,
    "request": () => stream.request("ping"),
    "signed request (HMAC)": () =>
      stream.request("order.test", { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" }),
  };
  const times = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let block = -2; block < BLOCKS; block++) {
    for (const [name, way] of Object.entries(ways)) {
      for (let index = 0; index < requests / BLOCKS; index++) {
        const startedAt = performance.now();
        await way(index);
        // The first blocks warm up.
        if (block >= 0) times.get(name)?.push((performance.now() - startedAt) * 1_000);
      }
    }
  }
  const runtime = "Deno" in globalThis ? "Deno" : "Bun" in globalThis ? "Bun" : "Node";
  console.log(`${runtime}, ${library}: ${requests} one after the other, in µs`);
  const baseline = times.get("bare round trip") ?? [];
  for (const [name, all] of times) {
    const added = name === "bare round trip" ? "" : `, adds ${(at(all, 0.5) - at(baseline, 0.5)).toFixed(1)} at p50`;
    console.log(`  ${name}: p50 ${at(all, 0.5).toFixed(1)}, p99 ${at(all, 0.99).toFixed(1)}${added}`);
  }
  for (const inFlight of [1, 100]) {
    console.log(`  ${await inFlightTimes(stream.request.bind(stream), requests, inFlight)}`);
  }
  connection.close();
  await manager.stopManager();
  child.kill();
}

/** Always as many requests in flight, answered in their order. */
async function inFlightTimes(
  request: (method: string) => Promise<unknown>,
  requests: number,
  inFlight: number,
): Promise<string> {
  const times: number[] = [];
  let left = requests;
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (left-- > 0) {
      const sentAt = performance.now();
      await request("ping");
      times.push((performance.now() - sentAt) * 1_000);
    }
  }));
  const rate = requests / (performance.now() - startedAt) * 1_000;
  return `${inFlight} in flight: p50 ${at(times, 0.5).toFixed(1)}, p99 ${at(times, 0.99).toFixed(1)}, ${
    Math.round(rate)
  } requests/s`;
}

function at(times: number[], quantile: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? NaN;
}
