/**
 * How the local exchange ends connections: by hand, at their age, and when pongs are missing.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { Client, RawClient } from "./exchange_clients.ts";

const LIST = '{"method":"LIST_SUBSCRIPTIONS","id":1}';
const LISTED = '{"result":[],"id":1}';

const quietExchange = () => startLocalExchange({ messagesPerSecond: 0, limits: { framesPerSecond: Infinity } });

test("connections are closed with a code and a reason", async () => {
  for (const [code, reason] of [[1000, ""], [1001, "going away"], [1008, "disconnected"], [4999, "€"]] as const) {
    await using exchange = await quietExchange();
    await using client = await Client.open(exchange, "/ws");
    exchange.closeConnections(code, reason);
    assertEquals(await client.closed, [code, reason]);
    await exchange.waitForConnections(0);
  }
});

test("a Close frame without a code can be sent", async () => {
  await using exchange = await quietExchange();
  await using client = await RawClient.open(exchange);
  exchange.closeConnections(1005);
  assertEquals(await client.closeFrame(), [1005, ""]);
});

test("after its Close frame the exchange sends nothing, and destroys the socket of a client that never answers", async () => {
  await using exchange = await startLocalExchange({ speed: "max" });
  await using client = await RawClient.open(exchange, "/ws/btcusdt@trade");
  for (let n = 0; n < 1000; n++) await client.text();
  exchange.closeConnections(1001);
  client.send(1, LIST);
  await client.ended;
  const close = client.frames.findIndex(({ opcode }) => opcode === 8);
  assert(close > 0);
  assertEquals(close, client.frames.length - 1);
});

test("killed connections are reset, without a Close frame", async () => {
  await using exchange = await quietExchange();
  await using raw = await RawClient.open(exchange);
  await using client = await Client.open(exchange, "/ws");
  exchange.killConnections();
  assertEquals([await raw.ended, raw.frames.length], ["reset", 0]);
  assertEquals(await client.closed, [1006, ""]);
  await exchange.waitForConnections(0);
});

test("ended connections get a FIN, without a Close frame", async () => {
  await using exchange = await quietExchange();
  await using raw = await RawClient.open(exchange);
  await using client = await Client.open(exchange, "/ws");
  exchange.endConnections();
  assertEquals([await raw.ended, raw.frames.length], ["fin", 0]);
  assertEquals(await client.closed, [1006, ""]);
  await exchange.waitForConnections(0);
});

test("a server shutdown is announced in the form of the connection, and comes after its grace", async () => {
  const clock = new ManualClock(1770123456789);
  await using exchange = await startLocalExchange({ clock, messagesPerSecond: 0 });
  await using raw = await Client.open(exchange, "/ws");
  await using combined = await Client.open(exchange, "/stream");
  await exchange.waitForConnections(2);
  const done = exchange.serverShutdown(3_000);
  const event = '{"e":"serverShutdown","E":1770123456789}';
  assertEquals(await raw.next(), event);
  assertEquals(await combined.next(), `{"stream":"!serverShutdown","data":${event}}`);
  clock.advance(2_999);
  assertEquals(await raw.ask(LIST), LISTED);
  await using successor = await Client.open(exchange, "/ws");
  clock.advance(1);
  await done;
  assertEquals([await raw.closed, await combined.closed], [[1001, ""], [1001, ""]]);
  assertEquals(await successor.ask(LIST), LISTED, "a connection that was opened after the announcement stays");
});

test("the code of a shutdown and of the 24 hours' end can be chosen", async () => {
  await using exchange = await quietExchange();
  await using first = await Client.open(exchange, "/ws");
  await exchange.serverShutdown(0, { code: 1012, reason: "restart" });
  assertEquals(await first.closed, [1012, "restart"]);
  await using second = await Client.open(exchange, "/ws");
  exchange.cut24h();
  assertEquals(await second.closed, [1001, ""]);
  await using third = await Client.open(exchange, "/ws");
  exchange.cut24h({ code: 1008, reason: "disconnected" });
  assertEquals(await third.closed, [1008, "disconnected"]);
});

test("closing the exchange ends an announced shutdown", async () => {
  const exchange = await startLocalExchange({ clock: new ManualClock() });
  const done = exchange.serverShutdown(60_000);
  await exchange.close();
  await done;
});

test("a reason that has no room in a Close frame is refused", async () => {
  await using exchange = await quietExchange();
  const reason = "€".repeat(42);
  assertThrows(() => exchange.closeConnections(1000, reason), TypeError, "126 bytes: expected at most 123");
  assertThrows(() => exchange.cut24h({ reason }), TypeError);
  assertThrows(() => exchange.serverShutdown(0, { reason }), TypeError);
});

test("a connection ends after 24 hours", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock, pingIntervalMs: 0, messagesPerSecond: 0 });
  await using old = await Client.open(exchange, "/ws");
  clock.advance(43_200_000);
  await using young = await Client.open(exchange, "/ws");
  clock.advance(43_199_999);
  assertEquals([await old.ask(LIST), await young.ask(LIST)], [LISTED, LISTED]);
  clock.advance(1);
  assertEquals(await old.closed, [1001, ""]);
  assertEquals(await young.ask(LIST), LISTED);
});

for (
  const [market, intervalMs, timeoutMs] of [
    ["spot", 20_000, 60_000],
    ["futures", 180_000, 600_000],
    ["options", 300_000, 900_000],
  ] as const
) {
  test(`${market}: pings come every ${intervalMs} ms with the time, and have ${timeoutMs} ms for their pongs`, async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using exchange = await startLocalExchange({ market, clock });
    await using good = await RawClient.open(exchange);
    await using bad = await RawClient.open(exchange);
    for (let time = 0; time < intervalMs + timeoutMs;) {
      clock.advance(intervalMs - 1);
      const before = good.frames.length;
      clock.advance(1);
      time += intervalMs;
      assertEquals(good.frames.length, before, "no ping before its time");
      const ping = await good.next();
      assertEquals([ping.opcode, String(ping.payload)], [9, String(clock.now())]);
      good.send(10, ping.payload);
      await exchange.waitFor(() => exchange.pongsReceived === time / intervalMs);
    }
    assertEquals(exchange.unsolicitedPongsReceived, 0);
    while ((await bad.next()).opcode !== 8);
    assertEquals(String(bad.frames.at(-1)?.payload.subarray(2)), "Pong timeout");
    assertEquals(bad.frames.at(-1)?.payload.readUInt16BE(0), 1008);
    assertEquals(exchange.openConnections.map(({ id }) => id), [0]);
  });
}

test("a pong with another payload doesn't count as an answer", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock, pingIntervalMs: 1_000, pongTimeoutMs: 500 });
  await using client = await RawClient.open(exchange);
  clock.advance(1_000);
  await client.next();
  client.send(10, "");
  await exchange.waitFor(() => exchange.unsolicitedPongsReceived === 1);
  clock.advance(500);
  assertEquals(await client.closeFrame(), [1008, "Pong timeout"]);
});

test("a ping by hand has any payload up to 125 bytes, and the runtime's WebSocket answers it", async () => {
  await using exchange = await quietExchange();
  await using client = await Client.open(exchange, "/ws");
  await exchange.waitForConnections(1);
  for (const payload of ["1672515782136", "", new Uint8Array([0, 255]), "x".repeat(125), undefined]) {
    const before = exchange.pongsReceived;
    exchange.ping(payload);
    await exchange.waitFor(() => exchange.pongsReceived === before + 1);
  }
  assertEquals(exchange.unsolicitedPongsReceived, 0);
  assertThrows(() => exchange.ping("x".repeat(126)), TypeError, "at most 125");
  assertEquals(await client.ask(LIST), LISTED);
});
