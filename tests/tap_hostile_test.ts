/**
 * A tap under clients that mean no good: clear answers, limits that hold, memory that comes back, and a good client that
 * notices nothing.
 *
 * @module
 */

import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { TapStatistics } from "@rawtick/binance";
import { Command } from "./command.ts";
import { TapClient } from "./tap_support.ts";

const CONNECTS = 10_000;
const AT_ONCE = 100;
/** What 10,000 connects may leave behind: less than 500 bytes each. */
const MOST_BYTES = 5_000_000;

/**
 * What Deno 2.9 keeps of every WebSocket that its server has ever accepted, ours or not: measured with `Deno.serve` and
 * `Deno.upgradeWebSocket` alone.
 */
const bytesPerWebSocket = "Deno" in globalThis ? 4_000 : 0;

type Statistics = TapStatistics & {
  readonly heapUsed: number;
  readonly rss: number;
  readonly totalConnections: number;
};

/** One of the ways to be a nuisance: what is sent, and whether the connection then stays for a while. */
type Nuisance = (n: number) => { readonly text: string; readonly stays?: boolean; readonly isHalf?: boolean };

const token = "authorization: Bearer token\r\n";
const get = (query: string, headers = token) => `GET /${query} HTTP/1.1\r\nhost: tap\r\n${headers}\r\n`;
const upgrade = "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n" +
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

const nuisances: Readonly<Record<string, Nuisance>> = {
  "leaves after the head": () => ({ text: get("?streams=btcusdt@trade") }),
  "leaves without waiting": (n) => ({ text: get(`?streams=s${n % 50}usdt@trade`), isHalf: true }),
  "asks for something else each time": (n) => ({
    text: get(`?streams=s${n % 50}usdt@trade,s${(n * 7) % 50}usdt@bookTicker&conflateMs=${n}`),
    stays: true,
  }),
  "a WebSocket that leaves": (n) => ({ text: get(`?streams=s${n % 50}usdt@bookTicker`, token + upgrade) }),
  "a WebSocket that sends": () => ({
    text: get("?streams=btcusdt@trade", token + upgrade) + "\x81\x82\x00\x00\x00\x00hi",
    stays: true,
  }),
  "never reads": () => ({ text: get("?format=ndjson&streams=btcusdt@trade"), stays: true }),
  "a wrong token": (n) => ({ text: get("?streams=btcusdt@trade", `authorization: Bearer ${n}\r\n`) }),
  "no token": () => ({ text: get("?streams=btcusdt@trade", "") }),
  "an unknown stream": (n) => ({ text: get(`?streams=unknown${n}@trade`) }),
  "a huge query": (n) => ({ text: get(`?streams=${"btcusdt@trade,".repeat(600 + (n % 400))}`) }),
  "a made-up id": (n) => ({
    text: get("?streams=btcusdt@trade", `${token}last-event-id: ${"9".repeat(n % 2_000)}\r\n`),
  }),
  "a body": () => ({ text: `POST / HTTP/1.1\r\nhost: tap\r\ncontent-length: 1000000\r\n\r\nxxxx` }),
  "half of a request": () => ({ text: "GET /?streams=btcusdt@trade HTTP/1.1\r\nhost:", stays: true, isHalf: true }),
  "no HTTP": (n) => ({ text: `\x16\x03\x01${n}\x00\x00`, isHalf: true }),
};
const kinds = Object.values(nuisances);

/** Connects once; the answer's status, or 0 if none was waited for. */
function bother(port: number, n: number, staying: Socket[]): Promise<number> {
  const kind = kinds[n % kinds.length];
  const { text, stays = false, isHalf = false } = kind?.(n) ?? { text: "" };
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text, "latin1");
      if (isHalf) end(0);
    });
    const end = (status: number) => {
      if (stays) staying.push(socket);
      // Half of them without a FIN.
      else if (n % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
      resolve(status);
    };
    socket.on("error", () => resolve(0)).on("close", () => resolve(0));
    if (!isHalf) socket.once("data", (chunk) => end(Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString("latin1"))?.[1])));
  });
}

test(`${CONNECTS} hostile connects get clear answers and leave nothing behind; a good client notices nothing`, {
  timeout: 120_000,
}, async () => {
  using command = new Command("tests/fixtures/tap_server.ts", []);
  await command.untilLines(1);
  const port = Number(command.lines[0]);
  const statistics = async (): Promise<Statistics> => await (await fetch(`http://127.0.0.1:${port}/statistics`)).json();
  using good = new TapClient(port, "?streams=btcusdt@trade", { headers: { authorization: "Bearer token" } });
  await good.untilMessages(1);

  const statuses = new Map<number, number>();
  const round = async (from: number, to: number) => {
    const staying: Socket[] = [];
    for (let n = from; n < to; n += AT_ONCE) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => bother(port, n + index, staying)),
      );
      for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (staying.length > 500) { for (const socket of staying.splice(0)) socket.destroy(); }
    }
    for (const socket of staying) socket.destroy();
  };
  const settled = async (): Promise<Statistics> => {
    const end = performance.now() + 10_000;
    let now = await statistics();
    while ((now.clients > 1 || now.endingClients > 0 || now.feeds > 1) && performance.now() < end) {
      now = await statistics();
    }
    return now;
  };
  // Once to warm up, so that caches and pools have their sizes.
  await round(0, CONNECTS / 5);
  const before = await settled();
  await round(0, CONNECTS);
  const after = await settled();

  assertEquals([after.clients, after.endingClients, after.feeds, after.streams], [1, 0, 1, ["btcusdt@trade"]]);
  assertEquals(after.totalConnections, 1, "one upstream connection");
  const grown = after.heapUsed - before.heapUsed - (statuses.get(101) ?? 0) * bytesPerWebSocket;
  assert(grown < MOST_BYTES, `the heap grew by ${grown} bytes to ${after.heapUsed}`);
  const answered = [...statuses.keys()].filter((status) => status !== 0).sort((a, b) => a - b);
  const expected = [101, 200, 400, 401, 403, 405, 414, 429, 431];
  assertEquals(answered.filter((status) => !expected.includes(status)), [], JSON.stringify([...statuses]));
  for (const status of [101, 200, 401, 403, 405]) assert(statuses.has(status), `${status} in ${[...statuses]}`);
  assert(after.refusedRequests > CONNECTS / 5, `${after.refusedRequests} refused`);

  const ids = good.trades.map(Number);
  assert(ids.length > 50, `${ids.length} messages`);
  assertEquals(ids, ids.map((_, index) => (ids[0] ?? 0) + index), "in order and without a hole");
  assertEquals(good.events.filter(({ name }) => name === "dropped"), []);
  console.log(
    `${CONNECTS} connects: statuses ${JSON.stringify([...statuses].sort(([a], [b]) => a - b))}, ` +
      `heap ${before.heapUsed} to ${after.heapUsed} bytes, RSS ${before.rss} to ${after.rss} bytes`,
  );
});
