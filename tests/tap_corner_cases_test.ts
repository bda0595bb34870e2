/**
 * Corner cases of taps that went wrong once.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import process from "node:process";
import { BinanceWebSocketApiManager, tap } from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";
import { FeedLog } from "../src/tap/feed_log.ts";
import { pushTrades, startTap, TapClient, untilSubscribed } from "./tap_support.ts";
import { until } from "./support.ts";

const TRADES = "btcusdt@trade";
const ETH = "ethusdt@trade";
const QUOTES = "btcusdt@bookTicker";
const quote = (u: number) => ({ u, s: "BTCUSDT", b: "1", B: "1", a: "2", A: "1" });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const noBun = "Deno" in globalThis ? "the server of Bun is only there on Bun" : false;

test("ids increase also where a held-back quote comes before a signal, and a resume there loses no signal", async () => {
  await using tapped = await startTap({ streams: QUOTES, conflateMs: 600_000 });
  using client = new TapClient(tapped.port);
  await untilSubscribed(tapped, QUOTES);
  for (const u of [1, 2, 3]) tapped.exchange.push(QUOTES, quote(u));
  await until(() => tapped.market.statistics.receivedMessages === 3, "the quotes at the tap");
  tapped.exchange.killConnections();
  await client.untilEvent("signal", "DISCONNECT");
  const ids = client.events.map(({ id }) => Number(id?.split("-")[1]));
  const afterQuote = client.events.find(({ data }) => (data.data as { u: number } | undefined)?.u === 3)?.id;
  using back = new TapClient(tapped.port, `?lastEventId=${afterQuote}`);
  await back.untilEvent("signal", "CONNECT");
  const types = back.events.filter(({ name }) => name === "signal").map(({ data }) => data.type);
  assertEquals([ids, types], [ids.toSorted((a, b) => a - b), ["DISCONNECT", "CONNECT"]]);
});

test("a refused stream is asked for again, also for a client that wants others too", async () => {
  await using tapped = await startTap({ streams: [TRADES, ETH] });
  using _first = new TapClient(tapped.port, `?streams=${TRADES}`);
  await untilSubscribed(tapped, TRADES);
  tapped.exchange.rejectControl({ code: 3, msg: "not now" });
  using client = new TapClient(tapped.port, `?streams=${ETH}`);
  await client.untilEvent("signal", "SUBSCRIPTION_FAILED");
  tapped.exchange.rejectControl(undefined);
  using _second = new TapClient(tapped.port, `?streams=${TRADES},${ETH}`);
  await untilSubscribed(tapped, TRADES, ETH);
});

test("a tap whose stream was stopped at the manager ends its clients or opens another", async () => {
  await using tapped = await startTap({ streams: [TRADES, ETH] });
  using first = new TapClient(tapped.port, `?streams=${TRADES}`);
  await untilSubscribed(tapped, TRADES);
  await tapped.manager.stopStream(tapped.manager.streams[0]?.id ?? "");
  using second = new TapClient(tapped.port, `?streams=${ETH}`);
  await until(() => second.head !== "", "an answer");
  await until(
    () => first.hasEnded && (second.status >= 500 || tapped.exchange.connections === 1),
    "the end of the first, and an upstream for the second (or an error)",
    3_000,
  );
});

test("a manager that is stopped ends the tap's clients", async () => {
  await using tapped = await startTap({ streams: [TRADES] });
  using first = new TapClient(tapped.port, `?streams=${TRADES}`);
  await untilSubscribed(tapped, TRADES);
  await tapped.manager.stopManager();
  await until(() => first.hasEnded, "the end of the client", 3_000);
});

test("a WebSocket for which no upstream can be opened gets a clear answer", async () => {
  await using tapped = await startTap({ streams: TRADES });
  await tapped.manager.stopManager();
  using client = new TapClient(tapped.port, "", { format: "websocket" });
  await until(() => client.head !== "" || client.hasEnded, "an answer");
  assertEquals(client.status, 503, client.head);
});

test("a client that has just taken something is not stuck, whatever the heartbeat", async () => {
  await using tapped = await startTap({ streams: TRADES, heartbeatMs: 2_000, clientTimeoutMs: 600 });
  const startedAt = performance.now();
  const reader = tapped.market.response().body!.getReader();
  await reader.read();
  const waiting = reader.read();
  await untilSubscribed(tapped, TRADES);
  await waiting; // CONNECT
  const message = reader.read();
  await sleep(startedAt + 1_800 - performance.now());
  pushTrades(tapped.exchange, 1, 1);
  await message;
  await sleep(300);
  assertEquals(tapped.market.statistics.stuckClients, 0);
  await reader.cancel();
});

test("a client that takes nothing is disconnected after clientTimeoutMs, also with a long heartbeat", async () => {
  await using tapped = await startTap({ streams: TRADES, heartbeatMs: 600_000, clientTimeoutMs: 100 });
  const response = tapped.market.response();
  await until(() => tapped.market.statistics.clients === 0, "the end of the one that takes nothing", 3_000);
  await response.body?.cancel();
});

test("a WebSocket on Bun without `websocket` handlers leaves no client behind", { skip: noBun }, async () => {
  await using tapped = await startTap({ streams: TRADES });
  const { Bun } = globalThis as unknown as {
    Bun: { serve(options: object): { port: number; stop(hard: boolean): void } };
  };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch: tapped.market.fetch });
  try {
    using client = new TapClient(server.port, "", { format: "websocket" });
    await until(() => client.head !== "" || client.hasEnded, "an answer");
    assertEquals([client.status, tapped.market.statistics.clients], [501, 0]);
  } finally {
    server.stop(true);
  }
});

test("a WebSocket that is closed already when it is attached leaves no client behind", async () => {
  await using tapped = await startTap({ streams: TRADES });
  const socket = new WebSocket(`ws://127.0.0.1:${tapped.port}/`);
  await new Promise((resolve) => socket.onopen = resolve);
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  await until(() => tapped.market.statistics.clients === 0, "nobody");
  tapped.market.attach(socket);
  await sleep(200);
  assertEquals(tapped.market.statistics.clients, 0);
});

test("a slow client that has missed signals learns how the connection is now", async () => {
  await using tapped = await startTap({ streams: [TRADES], maxBufferedBytes: 4_096 });
  const reader = tapped.market.response().body!.getReader();
  await reader.read();
  using good = new TapClient(tapped.port);
  await untilSubscribed(tapped, TRADES);
  await reader.read(); // CONNECT
  tapped.exchange.killConnections();
  await good.untilEvent("signal", "DISCONNECT");
  await untilSubscribed(tapped, TRADES);
  // One connection is lost, the gap has no signals after it; then many messages.
  pushTrades(tapped.exchange, 10, 100);
  await good.untilMessages(100);
  let text = "";
  while (!text.includes('"t":109')) text += new TextDecoder().decode((await reader.read()).value);
  // It does not know of DISCONNECT and GAP, but how the connection is now.
  assert(/"type":"CONNECT"/.test(text), text);
  await reader.cancel();
});

test("a slow client gets the newest of each quote, also of one that came before many trades", async () => {
  await using tapped = await startTap({ streams: [TRADES, QUOTES], maxBufferedBytes: 4_096, conflateMs: 1 });
  const reader = tapped.market.response().body!.getReader();
  await reader.read();
  using good = new TapClient(tapped.port);
  await untilSubscribed(tapped, TRADES, QUOTES);
  await reader.read(); // CONNECT
  tapped.exchange.push(QUOTES, quote(7));
  await good.untilMessages(1);
  pushTrades(tapped.exchange, 1, 100);
  await good.untilMessages(101);
  let text = "";
  while (!text.includes('"t":100')) text += new TextDecoder().decode((await reader.read()).value);
  assert(/"u":7/.test(text), text);
  await reader.cancel();
});

test("who comes back with a forgotten id gets the newest quotes, as who comes without one", async () => {
  await using tapped = await startTap({ streams: [TRADES, QUOTES], maxBufferedBytes: 4_096, conflateMs: 1 });
  using good = new TapClient(tapped.port);
  await untilSubscribed(tapped, TRADES, QUOTES);
  const { id } = await good.untilEvent("signal", "CONNECT");
  tapped.exchange.push(QUOTES, quote(7));
  await good.untilMessages(1);
  pushTrades(tapped.exchange, 1, 100);
  await good.untilMessages(101);
  using fresh = new TapClient(tapped.port);
  await fresh.untilMessages(1);
  using back = new TapClient(tapped.port, `?lastEventId=${id}`);
  await until(() => back.trades.includes(100), "the newest trade");
  assert(back.messages.some(({ data }) => data.stream === QUOTES), JSON.stringify(back.events.slice(0, 3)));
});

test("a choice of no streams is refused", async () => {
  await using tapped = await startTap({ streams: [TRADES] });
  let response: Response | undefined;
  try {
    response = tapped.market.response({ streams: [] });
  } catch {
    // As it should be.
  }
  await response?.body?.cancel();
  assertEquals(response, undefined);
});

test("the first client is told, too, that the upstream can't be opened", async () => {
  await using tapped = await startTap({ streams: TRADES });
  tapped.exchange.refuseConnections(503);
  using first = new TapClient(tapped.port);
  await until(() => tapped.exchange.refusedHandshakes > 0, "a refusal");
  using second = new TapClient(tapped.port);
  await second.untilEvent("signal", "DISCONNECT");
  await sleep(500);
  assertEquals(first.events.map(({ data }) => data.type), ["DISCONNECT"]);
});

test(
  "Bun.serve keeps quiet clients: with the tap's options, and with a fetch of one's own by the default signs of life",
  { skip: noBun, timeout: 60_000 },
  async () => {
    // Less often than Bun's 10 s, so that only `idleTimeout` keeps its client.
    await using tapped = await startTap({ streams: TRADES, heartbeatMs: 15_000 });
    await using lively = await startTap({ streams: TRADES });
    const { Bun } = globalThis as unknown as {
      Bun: { serve(options: object): { port: number; stop(hard: boolean): void } };
    };
    const server = Bun.serve(Object.assign(tapped.market, { port: 0 }));
    const own = Bun.serve({ port: 0, fetch: () => lively.market.response() });
    using client = new TapClient(server.port);
    using other = new TapClient(own.port);
    await until(() => client.head !== "" && other.head !== "", "head");
    const startedAt = performance.now();
    await until(() => client.hasEnded || other.hasEnded || client.heartbeats > 1, "heartbeats", 40_000);
    const tookMs = performance.now() - startedAt;
    server.stop(true);
    own.stop(true);
    assertEquals([client.hasEnded, other.hasEnded], [false, false], `after ${tookMs} ms`);
    assert(tookMs > 15_000, "longer than Bun's patience");
  },
);

test("a log of large messages holds what it says", () => {
  const log = new FeedLog(1_048_576, 0);
  const before = process.memoryUsage().heapUsed;
  const bytes = new Uint8Array(300_000).fill(97);
  for (let number = 1; number <= 1_000; number++) {
    log.append({ number, name: undefined, stream: "s", text: new TextDecoder().decode(bytes) });
  }
  (globalThis as { Bun?: { gc(isHard: boolean): void } }).Bun?.gc(true);
  const grown = process.memoryUsage().heapUsed - before;
  assert(log.bytes <= 1_048_576 && grown < 100_000_000, `${log.bytes} bytes by its own count, ${grown} in the heap`);
});

test("a newcomer does not get a held-back quote twice", async () => {
  await using tapped = await startTap({ streams: QUOTES, conflateMs: 1_000 });
  using first = new TapClient(tapped.port);
  await untilSubscribed(tapped, QUOTES);
  for (const u of [1, 2]) tapped.exchange.push(QUOTES, quote(u));
  await first.untilMessages(1);
  using newcomer = new TapClient(tapped.port);
  await newcomer.untilMessages(1);
  await first.untilMessages(2);
  await sleep(100);
  assertEquals(newcomer.messages.map(({ data }) => (data.data as { u: number }).u), [1, 2]);
});

test("who is cut off among the first quotes gets the others when it comes back", async () => {
  const other = "ethusdt@bookTicker";
  await using tapped = await startTap({ streams: [QUOTES, other], conflateMs: 1 });
  using first = new TapClient(tapped.port);
  await untilSubscribed(tapped, QUOTES, other);
  for (const stream of [QUOTES, other]) tapped.exchange.push(stream, quote(1));
  await first.untilMessages(2);
  using newcomer = new TapClient(tapped.port);
  await newcomer.untilMessages(2);
  // As if the connection had broken after the first of the two.
  using back = new TapClient(tapped.port, `?lastEventId=${newcomer.messages[0]?.id}`);
  await back.untilMessages(1, 1_000);
});

test("one client after the other uses one upstream, also with maxClients: 1", async () => {
  const streams = [TRADES, ETH];
  await using tapped = await startTap({ streams, maxClients: 1 });
  for (let turn = 0; turn < 10; turn++) {
    const { body } = tapped.market.response({ streams: streams[turn % 2] ?? TRADES });
    await untilSubscribed(tapped, streams[turn % 2] ?? TRADES);
    await body?.cancel();
  }
  assertEquals(tapped.exchange.totalConnections, 1);
});

test("who has streams of a connection that is fine is not told that it is lost", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await using manager = new BinanceWebSocketApiManager({
    exchange: "binance.com-futures",
    websocketBaseUrl: exchange.url,
    reconnectMinDelayMs: 20,
  });
  const trades = "btcusdt@aggTrade";
  await using market = tap(manager, { streams: [trades, QUOTES] });
  const texts: string[] = [];
  const read = async (streams: string) => {
    for await (const text of market.response({ streams }).body!.pipeThrough(new TextDecoderStream())) texts.push(text);
  };
  void market.response({ streams: QUOTES });
  await exchange.waitFor(() => exchange.openConnections.some(({ streams }) => streams.length > 0));
  const reading = read(trades);
  await exchange.waitFor(() => exchange.openConnections.filter(({ streams }) => streams.length > 0).length === 2);
  exchange.refuseConnections(503);
  const lost = exchange.openConnections.find(({ streams }) => streams.includes(QUOTES));
  exchange.killConnection(lost?.id ?? 0);
  await exchange.waitFor(() => exchange.refusedHandshakes > 0);
  await sleep(50);
  await market.stop();
  await reading;
  assert(!texts.join("").includes("DISCONNECT"), texts.join(""));
});
