/**
 * A tap of the edge door in the real workerd: in a Durable Object, upstream to the local exchange, clients on sockets.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { TapOptions } from "@rawtick/binance";
import { startLocalExchange } from "@rawtick/binance/testing";
import { type ClientFormat, formats, pushTrades, TapClient, untilSubscribed } from "./tap_support.ts";
import { range, trade, until } from "./support.ts";
import { connectEach, inTap, tapIn, tapWorker, type WorkerdTap } from "./workerd/tap.ts";
import { startWorkerd, workerdBinary } from "./workerd/workerd.ts";

const noWorkerd = workerdBinary() === undefined
  ? "the npm package workerd has no binary that runs on this platform"
  : false;
const timeout = 60_000;

const TRADES = "btcusdt@trade";
const OTHER_TRADES = "ethusdt@trade";

/** Registers a test of a tap in a workerd that must write nothing to stderr. */
function testTap(name: string, options: TapOptions, run: (tapped: WorkerdTap) => Promise<void>): void {
  test(`a tap in workerd: ${name}`, { skip: noWorkerd, timeout }, () => inTap(options, run));
}

testTap("every client gets every message in order, from one connection, and resumes", {
  streams: [TRADES, OTHER_TRADES],
}, async (tapped) => {
  const { exchange, port } = tapped;
  const clients = await connectEach(port, `?streams=${TRADES}`);
  await untilSubscribed(tapped, TRADES);
  assertEquals(clients.map(({ status }) => status), [200, 200, 101]);
  pushTrades(exchange, 1, 500);
  for (const client of clients) {
    await client.untilMessages(500);
    assertEquals(client.trades, range(1, 500));
    assertEquals({ ...client.messages[41]?.data }, JSON.parse(trade(42).text));
    const numbers = client.events.map(({ id }) => Number(id?.split("-")[1]));
    assert(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)), `${numbers}`);
  }
  assertEquals([exchange.connections, exchange.totalConnections], [1, 1]);

  const seventh = clients[0]?.messages[6]?.id ?? "";
  for (const client of clients) client[Symbol.dispose]();
  // Nobody reads these: they are for who comes back.
  pushTrades(exchange, 501, 10);
  const back = await connectEach(port, `?streams=${TRADES}`, { "last-event-id": seventh });
  pushTrades(exchange, 511, 1);
  for (const client of back) {
    await client.untilMessages(504);
    assertEquals(client.trades, range(8, 511));
    assertEquals(client.events.filter(({ name }) => name === "dropped"), []);
    client[Symbol.dispose]();
  }
  for (const client of await connectEach(port, `?streams=${TRADES}&lastEventId=00000000-1`)) {
    assertEquals((await client.untilEvent("dropped")).data, { count: null });
    client[Symbol.dispose]();
  }
  assertEquals((await tapped.state()).log, []);
});

testTap("an upstream that is cut and comes back is told between the messages", { streams: TRADES }, async (tapped) => {
  const { exchange, port } = tapped;
  const clients = await connectEach(port);
  await untilSubscribed(tapped, TRADES);
  pushTrades(exchange, 1, 3);
  for (const client of clients) await client.untilMessages(3);
  exchange.killConnections();
  for (const client of clients) await client.untilEvent("signal", "DISCONNECT");
  await untilSubscribed(tapped, TRADES);
  pushTrades(exchange, 6, 2);
  for (const client of clients) {
    await client.untilMessages(5);
    assertEquals(client.trades, [1, 2, 3, 6, 7]);
    const order = client.events.slice(-6).map(({ name, data }) => name === "signal" ? data.type : "message");
    assertEquals(order, ["message", "DISCONNECT", "CONNECT", "GAP", "message", "message"]);
    const { durationMs, ...gap } = client.events.at(-3)?.data ?? {};
    assertEquals(gap, { type: "GAP", stream: TRADES, lastId: 3, nextId: 6, missed: 2 });
    assertEquals(typeof durationMs, "number");
    client[Symbol.dispose]();
  }
});

testTap("quotes are conflated, quiet connections get signs of life, and its end is told", {
  streams: [TRADES, "btcusdt@bookTicker"],
  conflateMs: 200,
  heartbeatMs: 100,
}, async (tapped) => {
  const { exchange, port, workerd } = tapped;
  const clients = await connectEach(port);
  for (const client of clients) await until(() => client.heartbeats >= 3, "heartbeats");
  await untilSubscribed(tapped, TRADES, "btcusdt@bookTicker");
  const startedAt = performance.now();
  for (let u = 1; u <= 100; u++) {
    exchange.push("btcusdt@bookTicker", { u, s: "BTCUSDT", b: "1", B: "1", a: "2", A: "1" });
    pushTrades(exchange, u, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const client of clients) {
    const quotes = () => client.messages.flatMap(({ data }) => (data.data as { u?: number }).u ?? []);
    await until(() => quotes().at(-1) === 100, "the newest quote");
    const most = (performance.now() - startedAt) / 200 + 2;
    assert(quotes().length >= 2 && quotes().length <= most, `${quotes().length} quotes, expected ${most} at most`);
    assertEquals(client.trades.filter((id) => id !== undefined), range(1, 100));
  }
  await workerd.fetch("/control/stop");
  for (const client of clients) await until(() => client.hasEnded, "the end of the connection");
  assertEquals(clients.map(({ closeCode }) => closeCode), [undefined, undefined, 1001]);
  await exchange.waitForConnections(0);
  for (const client of await connectEach(port)) assertEquals(client.status, 503);
});

/** The status of the answers to a request of each format. */
async function statusEach(port: number, query: string, headers: Record<string, string> = {}): Promise<number[]> {
  const clients = await connectEach(port, query, headers);
  for (const client of clients) client[Symbol.dispose]();
  return clients.map(({ status }) => status);
}

testTap("clear answers for those who may not, and limits that hold", {
  streams: [TRADES, OTHER_TRADES],
  token: "secret",
  cors: "https://charts.example",
  maxClients: 2,
  maxStreamsPerClient: 1,
  heartbeatMs: 100,
}, async ({ exchange, port, state, untilStatistics }) => {
  const known = `?streams=${TRADES}&access_token=secret`;
  assertEquals(await statusEach(port, ""), [401, 401, 401]);
  assertEquals(await statusEach(port, "?access_token=other"), [401, 401, 401]);
  assertEquals(await statusEach(port, "", { authorization: "Basic secret" }), [401, 401, 401]);
  const authorization = "Bearer secret";
  assertEquals(await statusEach(port, "?streams=xrpusdt@trade", { authorization }), [403, 403, 403]);
  assertEquals(await statusEach(port, `?streams=${TRADES},${OTHER_TRADES}`, { authorization }), [400, 400, 400]);
  assertEquals(await statusEach(port, "", { authorization }), [400, 400, 400]);
  assertEquals(await statusEach(port, `${known}&x=1`), [400, 400, 400]);
  assertEquals(await statusEach(port, `${known}&lastEventId=${"1".repeat(9_000)}`), [414, 414, 414]);
  assertEquals(await statusEach(port, "?streams=%ff%00,,"), [401, 401, 401]);
  assertEquals(await statusEach(port, "?streams=%ff%00,,", { authorization }), [400, 400, 400]);
  // Of no other origin, browsers show what is answered; WebSockets are not left to them.
  using foreign = new TapClient(port, known, { format: "websocket", headers: { origin: "https://other.example" } });
  await until(() => foreign.head !== "", "an answer");
  assertEquals(foreign.status, 403);
  assertEquals([exchange.totalConnections, (await state()).statistics.totalClients], [0, 0]);

  using one = new TapClient(port, known, { headers: { origin: "https://charts.example" } });
  using two = new TapClient(port, known, { format: "websocket", headers: { origin: "https://charts.example" } });
  await until(() => one.head !== "" && two.head !== "", "two clients");
  assertEquals([one.status, two.status], [200, 101]);
  assertMatch(one.head, /^access-control-allow-origin: https:\/\/charts\.example\r?$/mi);
  assertEquals(await statusEach(port, known), [429, 429, 429]);
  one[Symbol.dispose]();
  await untilStatistics(({ clients }) => clients === 1, "room for another one");
  using three = new TapClient(port, `?streams=${TRADES}`, { format: "ndjson", headers: { authorization } });
  await until(() => three.head !== "", "an answer");
  assertEquals(three.status, 200);
});

test("a tap in workerd: handshakes that are none are refused, and leave nobody behind", {
  skip: noWorkerd,
  timeout,
}, async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  // Not `inWorkerd`: workerd itself refuses them, and reports the answer that it could not use as a lost connection.
  await using workerd = await startWorkerd(tapWorker(exchange, { streams: TRADES }));
  const tapped = tapIn(workerd, exchange);
  const upgrade = { connection: "Upgrade", upgrade: "websocket" };
  const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  for (
    const headers of [
      upgrade,
      { ...upgrade, ...key },
      { ...upgrade, ...key, "sec-websocket-version": "12" },
      { ...upgrade, "sec-websocket-version": "13" },
    ]
  ) {
    using client = new TapClient(tapped.port, "", { headers });
    await until(() => client.head !== "", "an answer");
    assert(client.status >= 400 && client.status < 500, client.head);
  }
  await tapped.untilStatistics(({ clients }) => clients === 0, "no client");
});

testTap("those who go are noticed with the next signs of life, 200 of them too", {
  streams: TRADES,
  heartbeatMs: 200,
  lingerMs: 300,
}, async (tapped) => {
  const { exchange, port, untilStatistics } = tapped;
  using witness = new TapClient(port);
  await until(() => witness.heartbeats > 0, "a heartbeat");
  for (const client of await connectEach(port)) {
    const { clients } = (await tapped.state()).statistics;
    const { heartbeats } = witness;
    client[Symbol.dispose]();
    await untilStatistics((statistics) => statistics.clients === clients - 1, "one client less");
    // One for what was quiet before, one that the client's system refuses, one that workerd knows it at.
    assert(witness.heartbeats - heartbeats <= 4, `noticed after ${witness.heartbeats - heartbeats} heartbeats`);
  }

  const all: TapClient[] = [];
  for (let index = 0; index < 200; index++) {
    all.push(new TapClient(port, "", { format: formats[index % 3] as ClientFormat })); // the cast: there are three
  }
  await untilStatistics(({ clients }) => clients === 201, "all clients");
  await untilSubscribed(tapped, TRADES);
  pushTrades(exchange, 1, 10);
  for (const client of all) await client.untilMessages(10);
  for (const [index, client] of all.entries()) {
    // Some go in the middle of messages, some when it is quiet.
    if (index % 4 === 0) pushTrades(exchange, 11 + index / 4, 1);
    client[Symbol.dispose]();
  }
  await untilStatistics(({ clients }) => clients === 1, "the end of all but one");
  await witness.untilMessages(60);
  assertEquals(witness.trades, range(1, 60));
  assertEquals(exchange.totalConnections, 1);
  witness[Symbol.dispose]();
  const { clients, totalClients, stuckClients } = await untilStatistics(
    ({ streams }) => streams.length === 0,
    "its end",
  );
  assertEquals([clients, totalClients, stuckClients], [0, 204, 0]);
  await exchange.waitForConnections(0);
});
