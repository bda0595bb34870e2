/**
 * The data that the local exchange generates: as fast as it is taken or at a pace, by path and by market.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { generateMessage, ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { Client, maskedFrame, RawClient } from "./exchange_clients.ts";

const bare = (stream: string, n: number, options = {}) => generateMessage(stream, n, options) ?? "not generated";
const wrapped = (stream: string, n: number, options = {}) =>
  `{"stream":"${stream}","data":${bare(stream, n, options)}}`;

test("timeUnit=MICROSECOND gives times in microseconds, on spot and not on futures", async () => {
  for (const [market, timeUnit] of [["spot", "MICROSECOND"], ["futures", "MILLISECOND"]] as const) {
    for (const speed of ["max", 1] as const) {
      await using exchange = await startLocalExchange({ market, speed, messagesPerStream: 1 });
      await using client = await Client.open(exchange, "/ws/btcusdt@trade?timeUnit=microsecond");
      assertEquals(await client.next(), bare("btcusdt@trade", 0, { market, timeUnit }));
    }
  }
});

test("at max, every connection gets every stream from message 0, none lost, none twice, in order", async () => {
  for (const [path, market] of [["/stream?streams=", "spot"], ["/market/stream?streams=", "futures"]] as const) {
    await using exchange = await startLocalExchange({ speed: "max", seed: 3, messagesPerStream: 5000 });
    const streams = ["btcusdt@aggTrade", "ethusdt@kline_1m", "这是usdt@aggTrade"];
    for (const _ of ["first connection", "second connection"]) {
      await using client = await Client.open(exchange, path + streams.map(encodeURIComponent).join("/"));
      const received = await client.take(15_000);
      for (const stream of streams) {
        const own = received.filter((text) => String(text).startsWith(`{"stream":"${stream}"`));
        const expected = Array.from({ length: 5000 }, (_, n) => wrapped(stream, n, { seed: 3, market }));
        assert(own.length === 5000 && own.every((text, n) => text === expected[n]), stream);
      }
      await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}');
    }
    assertEquals(exchange.messagesSent, 30_000);
  }
});

test("at max, messages larger than a write arrive whole", async () => {
  await using exchange = await startLocalExchange({
    speed: "max",
    messagesPerStream: 30,
    limits: { controlMessageBytes: Infinity },
  });
  await using client = await Client.open(exchange, "/ws");
  const stream = `${"x".repeat(70_000)}@trade`;
  await client.ask(JSON.stringify({ method: "SUBSCRIBE", params: [stream], id: 1 }));
  const received = await client.take(30);
  assert(received.every((text, n) => text === bare(stream, n)));
});

test("messages on both sides of each frame length form arrive", async () => {
  await using exchange = await startLocalExchange({
    speed: "max",
    messagesPerStream: 1,
    limits: { controlMessageBytes: Infinity },
  });
  await using client = await Client.open(exchange, "/ws");
  for (const length of [125, 126, 65_535, 65_536]) {
    // Other symbols have other prices, so which one makes this length is found by trying.
    const symbols = [..."abcdefghijk"].flatMap((letter) =>
      Array.from({ length: 20 }, (_, index) => letter.repeat(length - 110 + index))
    );
    const stream = symbols.map((symbol) => `${symbol}@bookTicker`).find((name) => bare(name, 0).length === length);
    assert(stream !== undefined);
    await client.ask(JSON.stringify({ method: "SUBSCRIBE", params: [stream], id: 1 }));
    assertEquals(await client.next(), bare(stream, 0));
  }
});

test("a stream that is subscribed again comes no second time, and one that is unsubscribed stops", async () => {
  const row = { t: 1, text: '{"stream":"btcusdt@trade","data":{"t":1}}' };
  for (const replay of [undefined, { rows: [row] }]) {
    await using exchange = await startLocalExchange({
      speed: "max",
      messagesPerStream: 1,
      ...(replay === undefined ? {} : { replay }),
    });
    const control = (method: string) => `{"method":"${method}","params":["btcusdt@trade"],"id":1}`;
    const acknowledged = '{"result":null,"id":1}';
    await using client = await RawClient.open(exchange, "/stream");
    // In one write, so that both are read before any data is sent.
    client.write(Buffer.concat(["SUBSCRIBE", "UNSUBSCRIBE"].map((method) => maskedFrame(1, control(method)))));
    assertEquals([await client.text(), await client.text()], [acknowledged, acknowledged]);
    client.send(1, control("SUBSCRIBE"));
    assertEquals(await client.text(), acknowledged);
    assertEquals(await client.text(), replay === undefined ? wrapped("btcusdt@trade", 0) : row.text);
    for (const _ of [1, 2]) {
      client.send(1, control("SUBSCRIBE"));
      assertEquals(await client.text(), acknowledged);
    }
    assertEquals(exchange.messagesSent, 1);
  }
});

test("at max, a client that reads nothing holds the exchange back, and loses nothing", async () => {
  await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 200_000 });
  await using client = await RawClient.open(exchange, "/ws/btcusdt@trade");
  client.pause();
  let before = -1;
  // Nothing more is written once the buffers of both sockets are full.
  while (before !== exchange.messagesSent) {
    before = exchange.messagesSent;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert(before < 200_000, `${before} messages written to a client that reads nothing`);
  client.resume();
  await exchange.waitFor(() => exchange.messagesSent === 200_000, 20_000);
  let last = "";
  for (let n = 0; n < 200_000; n++) last = await client.text();
  assertEquals(last, bare("btcusdt@trade", 199_999));
});

test("at a factor, all connections get the same message of a stream at the same time", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock, speed: 2, messagesPerSecond: 5 });
  await using early = await Client.open(exchange, "/stream?streams=btcusdt@trade");
  await exchange.waitForConnections(1);
  clock.advance(0);
  assertEquals(await early.next(), wrapped("btcusdt@trade", 0), "message 0 comes at once");
  clock.advance(99);
  await early.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}');
  clock.advance(1);
  assertEquals(await early.next(), wrapped("btcusdt@trade", 1));
  await using late = await Client.open(exchange, "/ws/btcusdt@trade");
  await exchange.waitForConnections(2);
  clock.advance(300);
  assertEquals(await late.take(3), [2, 3, 4].map((n) => bare("btcusdt@trade", n)));
  assertEquals(await early.take(3), [2, 3, 4].map((n) => wrapped("btcusdt@trade", n)));
});

test("at a factor, a stream goes on while nobody listens", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock });
  await using client = await Client.open(exchange, "/ws");
  await client.ask('{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}');
  clock.advance(0);
  assertEquals(await client.next(), bare("btcusdt@trade", 0));
  await client.ask('{"method":"UNSUBSCRIBE","params":["btcusdt@trade"],"id":2}');
  clock.advance(1_050);
  await client.ask('{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":3}');
  clock.advance(50);
  assertEquals(await client.next(), bare("btcusdt@trade", 11));
});

test("at a factor, a client that reads too little is disconnected instead of filling the memory", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 400_000 });
  await using client = await RawClient.open(exchange, "/ws/btcusdt@depth20");
  client.pause();
  await exchange.waitFor(() => exchange.connections === 0, 20_000);
  assertEquals(exchange.openConnections, []);
});

test("a stream on the wrong path of futures is acknowledged and stays silent", async () => {
  const all = ["btcusdt@bookTicker", "btcusdt@depth", "btcusdt@trade", "btcusdt@markPrice", "btcusdt@aggTrade"];
  for (const [path, served] of [["/public/ws", 3], ["/ws", 3], ["/market/ws", 2], ["/private/ws", 0]] as const) {
    await using exchange = await startLocalExchange({ market: "futures", speed: "max", messagesPerStream: 1 });
    await using client = await Client.open(exchange, path);
    const params = JSON.stringify(all);
    assertEquals(await client.ask(`{"method":"SUBSCRIBE","params":${params},"id":1}`), '{"result":null,"id":1}');
    await client.take(served);
    assertEquals(await client.ask('{"method":"LIST_SUBSCRIPTIONS","id":2}'), `{"result":${params},"id":2}`);
    assertEquals(exchange.messagesSent, served, path);
    assertEquals(all.filter((stream) => exchange.push(stream, "{}") > 0).length, served, path);
  }
});

test("any serves every stream on every path, in the shape of the path's market", async () => {
  for (const [path, market] of [["/ws", "spot"], ["/public/ws", "futures"], ["/market/ws", "futures"]] as const) {
    await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 1 });
    await using client = await Client.open(exchange, `${path}/btcusdt@trade/btcusdt@markPrice`);
    assertEquals(await client.take(2), [
      bare("btcusdt@trade", 0, { market }),
      bare("btcusdt@markPrice", 0, { market: "futures" }),
    ]);
  }
});
