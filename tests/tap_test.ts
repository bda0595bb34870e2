/**
 * What the clients of a tap get, whatever they are connected by.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type ClientFormat, formats, pushTrades, startTap, TapClient, untilSubscribed } from "./tap_support.ts";
import { range, trade, until } from "./support.ts";

const TRADES = "btcusdt@trade";

function testEachFormat(name: string, run: (format: ClientFormat) => Promise<void>): void {
  for (const format of formats) test(`${format}: ${name}`, { timeout: 60_000 }, () => run(format));
}

testEachFormat(
  "every message arrives as the exchange has sent it, in order, with ids that increase",
  async (format) => {
    await using tapped = await startTap({ streams: [TRADES, "ethusdt@trade"] });
    using client = new TapClient(tapped.port, `?streams=${TRADES}`, { format });
    await until(() => client.head !== "", "the head of the answer, before there is any message");
    await untilSubscribed(tapped, TRADES);
    assertMatch(
      client.head,
      {
        sse: /content-type: text\/event-stream/i,
        ndjson: /content-type: application\/x-ndjson/i,
        websocket: /101 Switching Protocols/,
      }[format],
    );
    pushTrades(tapped.exchange, 1, 500);
    await client.untilMessages(500);
    assertEquals(client.trades, range(1, 500));
    assertEquals({ ...client.messages[41]?.data }, JSON.parse(trade(42).text));
    const numbers = client.events.map(({ id }) => Number(id?.split("-")[1]));
    assert(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)), `${numbers}`);
  },
);

test("any number of clients share one upstream connection, opened by the first and closed after the last", async () => {
  await using tapped = await startTap({ streams: [TRADES, "ethusdt@trade"], lingerMs: 300 });
  assertEquals(tapped.exchange.totalConnections, 0);
  const clients = formats.flatMap((format) =>
    ["", `?streams=${TRADES}`, "?streams=ethusdt@trade"].map((query) => new TapClient(tapped.port, query, { format }))
  );
  await untilSubscribed(tapped, TRADES, "ethusdt@trade");
  await until(() => tapped.market.statistics.clients === 9, "nine clients");
  pushTrades(tapped.exchange, 1, 10, "btcusdt");
  pushTrades(tapped.exchange, 1, 10, "ethusdt");
  for (const [index, client] of clients.entries()) await client.untilMessages(index % 3 === 0 ? 20 : 10);
  assertEquals([tapped.exchange.connections, tapped.exchange.totalConnections], [1, 1]);
  for (const client of clients) client[Symbol.dispose]();
  await until(() => tapped.market.statistics.clients === 0, "no clients");
  assertEquals(tapped.exchange.connections, 1);
  await tapped.exchange.waitFor(() => tapped.exchange.connections === 0);
  assertEquals(tapped.market.statistics.streams, []);
  // And again.
  using client = new TapClient(tapped.port, `?streams=${TRADES}`);
  await untilSubscribed(tapped, TRADES);
  pushTrades(tapped.exchange, 11, 1);
  await client.untilMessages(1);
  assertEquals(tapped.exchange.totalConnections, 2);
});

test("what nobody wants any more is unsubscribed, and the rest goes on", async () => {
  await using tapped = await startTap({ streams: [TRADES, "ethusdt@trade"], lingerMs: 50 });
  using client = new TapClient(tapped.port, `?streams=${TRADES}`);
  const other = new TapClient(tapped.port);
  await untilSubscribed(tapped, TRADES, "ethusdt@trade");
  other[Symbol.dispose]();
  await tapped.exchange.waitFor(() => tapped.exchange.openConnections[0]?.streams.join() === TRADES);
  pushTrades(tapped.exchange, 1, 1);
  await client.untilMessages(1);
});

testEachFormat("a client that comes back with its last id misses nothing and gets nothing twice", async (format) => {
  await using tapped = await startTap({ streams: TRADES });
  const client = new TapClient(tapped.port, "", { format });
  await untilSubscribed(tapped, TRADES);
  pushTrades(tapped.exchange, 1, 10);
  await client.untilMessages(10);
  client[Symbol.dispose]();
  await until(() => tapped.market.statistics.clients === 0, "the client's end");
  pushTrades(tapped.exchange, 11, 10);
  const seventh = client.messages[6]?.id ?? "";
  using back = new TapClient(tapped.port, "", { format, headers: { "last-event-id": seventh } });
  await back.untilMessages(13);
  pushTrades(tapped.exchange, 21, 1);
  await back.untilMessages(14);
  assertEquals(back.trades, range(8, 21));
  using backByQuery = new TapClient(tapped.port, `?lastEventId=${client.lastId}`, { format });
  await backByQuery.untilMessages(11);
  assertEquals(backByQuery.trades, range(11, 21));
  assertEquals(back.events.filter(({ name }) => name === "dropped"), []);
});

testEachFormat(
  "a client that comes back with an id that is forgotten, or another tap's, is told so",
  async (format) => {
    await using tapped = await startTap({ streams: TRADES, maxBufferedBytes: 4_096, lingerMs: 60_000 });
    using client = new TapClient(tapped.port, "", { format });
    await untilSubscribed(tapped, TRADES);
    pushTrades(tapped.exchange, 1, 1);
    await client.untilMessages(1);
    const { lastId } = client;
    pushTrades(tapped.exchange, 2, 100);
    await client.untilMessages(101);
    using late = new TapClient(tapped.port, `?lastEventId=${lastId}`, { format });
    assertEquals((await late.untilEvent("dropped")).data, { count: null });
    pushTrades(tapped.exchange, 102, 1);
    await late.untilMessages(2);
    // As slow clients, it goes on with the newest, and learns how the connection is.
    assertEquals(late.trades, [101, 102]);
    assertEquals((await late.untilEvent("signal", "CONNECT")).data.streams, [TRADES]);
    for (const id of ["00000000-1", "nonsense", lastId.replace(/\d+$/, "999999999"), "x".repeat(1000)]) {
      using foreign = new TapClient(tapped.port, `?lastEventId=${id}`, { format });
      assertEquals((await foreign.untilEvent("dropped")).data, { count: null });
      await foreign.untilMessages(1);
      assertEquals(foreign.trades, [102]);
    }
  },
);

test("an id does not outlive its subscription: who comes back after that is told so", async () => {
  await using tapped = await startTap({ streams: TRADES, lingerMs: 50 });
  const client = new TapClient(tapped.port);
  await untilSubscribed(tapped, TRADES);
  pushTrades(tapped.exchange, 1, 1);
  await client.untilMessages(1);
  client[Symbol.dispose]();
  await tapped.exchange.waitFor(() => tapped.exchange.connections === 0);
  using back = new TapClient(tapped.port, `?lastEventId=${client.lastId}`);
  assertEquals((await back.untilEvent("dropped")).data, { count: null });
});

testEachFormat(
  "an upstream that is cut and comes back is told between the messages, with what is missing",
  async (format) => {
    await using tapped = await startTap({ streams: TRADES });
    using client = new TapClient(tapped.port, "", { format });
    await untilSubscribed(tapped, TRADES);
    pushTrades(tapped.exchange, 1, 3);
    await client.untilMessages(3);
    tapped.exchange.killConnections();
    await client.untilEvent("signal", "DISCONNECT");
    await untilSubscribed(tapped, TRADES);
    pushTrades(tapped.exchange, 6, 2);
    await client.untilMessages(5);
    assertEquals(client.trades, [1, 2, 3, 6, 7]);
    const order = client.events.slice(-6).map(({ name, data }) => name === "signal" ? data.type : "message");
    assertEquals(order, ["message", "DISCONNECT", "CONNECT", "GAP", "message", "message"]);
    const { durationMs, ...gap } = client.events.at(-3)?.data ?? {};
    assertEquals(gap, { type: "GAP", stream: TRADES, lastId: 3, nextId: 6, missed: 2 });
    assertEquals(typeof durationMs, "number");
  },
);

test("a stream that crashes is told, and opened again for the clients, which stay", { timeout: 60_000 }, async () => {
  await using tapped = await startTap({ streams: TRADES });
  const clients = formats.map((format) => new TapClient(tapped.port, "", { format }));
  await until(() => tapped.market.statistics.clients === formats.length, "all clients");
  await untilSubscribed(tapped, TRADES);
  pushTrades(tapped.exchange, 1, 1);
  for (const client of clients) await client.untilMessages(1);
  // What the manager does not mend by itself, unless it is told to wait.
  tapped.exchange.refuseConnections(429);
  tapped.exchange.killConnections();
  for (const client of clients) await client.untilEvent("signal", "STREAM_UNREPAIRABLE");
  const { refusedHandshakes } = tapped.exchange;
  using late = new TapClient(tapped.port);
  await late.untilEvent("signal", "DISCONNECT");
  tapped.exchange.refuseConnections(undefined);
  assertEquals(tapped.manager.streams, []);
  await untilSubscribed(tapped, TRADES);
  assertEquals(tapped.exchange.refusedHandshakes, refusedHandshakes, "nothing was tried during the pause");
  pushTrades(tapped.exchange, 5, 1);
  for (const client of [...clients, late]) {
    await until(() => client.trades.includes(5), "the next message");
    assertEquals(client.hasEnded, false);
    client[Symbol.dispose]();
  }
});

test("after a crash without clients nothing is opened, and the next client waits for the rest of the pause", {
  timeout: 60_000,
}, async () => {
  await using tapped = await startTap({ streams: TRADES, lingerMs: 0 });
  const client = new TapClient(tapped.port);
  await untilSubscribed(tapped, TRADES);
  tapped.exchange.refuseConnections(418);
  tapped.exchange.killConnections();
  await client.untilEvent("signal", "STREAM_UNREPAIRABLE");
  client[Symbol.dispose]();
  await until(() => tapped.market.statistics.streams.length === 0, "no streams");
  tapped.exchange.refuseConnections(undefined);
  const { totalHandshakes } = tapped.exchange;
  const startedAt = performance.now();
  using next = new TapClient(tapped.port);
  await next.untilEvent("signal", "DISCONNECT");
  assertEquals(tapped.exchange.totalHandshakes, totalHandshakes);
  await untilSubscribed(tapped, TRADES);
  // Of the 5 s, some have passed before.
  assert(performance.now() - startedAt > 3_000, "it waited");
});

testEachFormat("a stream that somebody else stops is told and ends its clients", async (format) => {
  await using tapped = await startTap({ streams: TRADES });
  using client = new TapClient(tapped.port, "", { format });
  await untilSubscribed(tapped, TRADES);
  await tapped.manager.stopManager();
  await client.untilEvent("signal", "STOP");
  await until(() => client.hasEnded, "the end of the connection");
  if (format === "websocket") assertEquals(client.closeCode, 1011);
  using late = new TapClient(tapped.port, "", { format });
  await until(() => late.head !== "", "an answer");
  assertEquals(late.status, 503);
  const { clients, feeds, streams } = tapped.market.statistics;
  assertEquals([clients, feeds, streams], [0, 0, []]);
});

test("a WebSocket gets several events in a message, as lines, if it wants to", async () => {
  await using tapped = await startTap({ streams: TRADES });
  using client = new TapClient(tapped.port, "?format=json", { format: "websocket" });
  await untilSubscribed(tapped, TRADES);
  pushTrades(tapped.exchange, 1, 1_000);
  await client.untilMessages(1_000);
  const [first] = client.messages;
  using back = new TapClient(tapped.port, `?format=ndjson&lastEventId=${first?.id}`, { format: "websocket" });
  await back.untilMessages(999);
  assertEquals(back.trades, range(2, 1_000));
  assert(client.frames > 1_000 && back.frames < 50, `${client.frames} and ${back.frames} messages`);
});

test("quotes are conflated to the newest at the chosen rate, trades are not", async () => {
  const quotes = "btcusdt@bookTicker";
  await using tapped = await startTap({ streams: [TRADES, quotes], conflateMs: 300 });
  using client = new TapClient(tapped.port);
  using slower = new TapClient(tapped.port, "?conflateMs=600000");
  await untilSubscribed(tapped, TRADES, quotes);
  const startedAt = performance.now();
  for (let u = 1; u <= 200; u++) {
    tapped.exchange.push(quotes, { u, s: "BTCUSDT", b: "1", B: "1", a: "2", A: "1" });
    pushTrades(tapped.exchange, u, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const updates = (of: TapClient) =>
    of.messages.filter(({ data }) => data.stream === quotes).map(({ data }) => Number((data.data as { u: number }).u));
  await until(() => updates(client).at(-1) === 200, "the newest quote");
  const elapsedMs = performance.now() - startedAt;
  const count = updates(client).length;
  assert(count >= 3 && count <= elapsedMs / 300 + 2, `${count} quotes in ${elapsedMs} ms`);
  assertEquals(client.messages.filter(({ data }) => data.stream === TRADES).length, 200);
  assertEquals(updates(slower).length, 1);
  // Who comes now gets the newest at once.
  using late = new TapClient(tapped.port, `?streams=${quotes},${TRADES}`);
  await late.untilMessages(1);
  assertEquals(updates(late), [200]);
});

test("a client can't have quotes more often than the tap's owner wants", async () => {
  await using tapped = await startTap({ streams: TRADES, conflateMs: 300 });
  for (const conflateMs of ["299", "-1", "1e9", "abc", "300.5", ""]) {
    using client = new TapClient(tapped.port, `?conflateMs=${conflateMs}`);
    await until(() => client.head !== "", "an answer");
    assertEquals(client.status, 400, conflateMs);
  }
});

testEachFormat("a quiet connection gets signs of life", async (format) => {
  await using tapped = await startTap({ streams: TRADES, heartbeatMs: 100 });
  using client = new TapClient(tapped.port, "", { format });
  await until(() => client.heartbeats >= 3, "heartbeats");
  await untilSubscribed(tapped, TRADES);
  pushTrades(tapped.exchange, 1, 1);
  await client.untilMessages(1);
});

testEachFormat(
  "a tap that is stopped ends its clients and its upstream, and serves nobody any more",
  async (format) => {
    await using tapped = await startTap({ streams: TRADES });
    using client = new TapClient(tapped.port, "", { format });
    await untilSubscribed(tapped, TRADES);
    await tapped.market.stop();
    await until(() => client.hasEnded, "the end of the connection");
    if (format === "websocket") assertEquals(client.closeCode, 1001);
    await tapped.exchange.waitFor(() => tapped.exchange.connections === 0);
    assertEquals(tapped.manager.streams, []);
    using late = new TapClient(tapped.port, "", { format });
    await until(() => late.head !== "", "an answer");
    assertEquals(late.status, 503);
  },
);

test("a stream that the exchange refuses is told, and asked for again for the next client", async () => {
  await using tapped = await startTap({ streams: [TRADES, "ethusdt@trade"] });
  using first = new TapClient(tapped.port, `?streams=${TRADES}`);
  await untilSubscribed(tapped, TRADES);
  tapped.exchange.rejectControl({ code: 3, msg: "not now" });
  using client = new TapClient(tapped.port, "?streams=ethusdt@trade");
  const { data } = await client.untilEvent("signal", "SUBSCRIPTION_FAILED");
  assertEquals(data.streams, ["ethusdt@trade"]);
  assertEquals(first.events.filter(({ data }) => data.type === "SUBSCRIPTION_FAILED"), []);
  tapped.exchange.rejectControl(undefined);
  using second = new TapClient(tapped.port, "?streams=ethusdt@trade");
  await untilSubscribed(tapped, TRADES, "ethusdt@trade");
  pushTrades(tapped.exchange, 1, 1, "ethusdt");
  await client.untilMessages(1);
  await second.untilMessages(1);
});

testEachFormat("who comes while the upstream is lost is told so", async (format) => {
  await using tapped = await startTap({ streams: TRADES });
  using first = new TapClient(tapped.port, "", { format });
  await untilSubscribed(tapped, TRADES);
  tapped.exchange.refuseConnections(503);
  tapped.exchange.killConnections();
  await first.untilEvent("signal", "DISCONNECT");
  using second = new TapClient(tapped.port, "", { format });
  await second.untilEvent("signal", "DISCONNECT");
  tapped.exchange.refuseConnections(undefined);
  await second.untilEvent("signal", "CONNECT");
  using third = new TapClient(tapped.port, "", { format });
  await until(() => third.head !== "", "the third client");
  await untilSubscribed(tapped, TRADES);
  pushTrades(tapped.exchange, 1, 1);
  await third.untilMessages(1);
  assertEquals(third.events.map(({ name }) => name), ["message"]);
});

test("a quote that is held back comes before a signal that came after it", async () => {
  const quotes = "btcusdt@bookTicker";
  await using tapped = await startTap({ streams: quotes, conflateMs: 600_000 });
  using client = new TapClient(tapped.port);
  await untilSubscribed(tapped, quotes);
  for (const u of [1, 2, 3]) tapped.exchange.push(quotes, { u, s: "BTCUSDT", b: "1", B: "1", a: "2", A: "1" });
  await until(() => tapped.market.statistics.receivedMessages === 3, "the quotes at the tap");
  tapped.exchange.killConnections();
  await client.untilEvent("signal", "DISCONNECT");
  const updates = client.events.map(({ name, data }) => name === "signal" ? data.type : (data.data as { u: number }).u // the cast: the quotes above
  );
  assertEquals(updates.slice(0, 4), ["CONNECT", 1, 3, "DISCONNECT"]);
  const numbers = client.events.map(({ id }) => Number(id?.split("-")[1]));
  assertEquals(numbers, numbers.toSorted((a, b) => a - b), "ids increase");
});

test("who comes to a fresh tap with an old id is not told that all is well before it is", async () => {
  await using tapped = await startTap({ streams: TRADES });
  tapped.exchange.ignoreHandshakes(true);
  using client = new TapClient(tapped.port, "?lastEventId=00000000-1");
  await client.untilEvent("dropped");
  tapped.exchange.killConnections();
  await client.untilEvent("signal");
  assertEquals(client.events.map(({ name, data }) => name === "signal" ? data.type : name), ["dropped", "DISCONNECT"]);
});
