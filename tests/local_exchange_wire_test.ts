/**
 * The local exchange's faults on the way of bytes: kills at any byte, stalls, slowness, refused TCP connections.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import { test } from "node:test";
import { generateMessage, type KillOptions, type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { Client, handshakeRequest, RawClient } from "./exchange_clients.ts";

const quietExchange = () => startLocalExchange({ messagesPerSecond: 0, limits: { framesPerSecond: Infinity } });

/** Everything that a connection got after the head of the response, and how it ended. */
async function bytesOf(exchange: LocalExchange, act: () => void): Promise<{ bytes: Buffer; end: "fin" | "reset" }> {
  const socket = connect(exchange.port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<"fin" | "reset">((resolve) => {
    socket.on("end", () => resolve("fin"));
    socket.on("error", () => resolve("reset"));
  });
  socket.write(handshakeRequest("/ws"));
  await exchange.waitForConnections(1);
  act();
  const end = await ended;
  socket.destroy();
  await exchange.waitForConnections(0);
  const all = Buffer.concat(chunks);
  return { bytes: all.subarray(all.indexOf("\r\n\r\n") + 4), end };
}

test("a connection is killed at any byte of any frame", async () => {
  await using exchange = await quietExchange();
  // Three frames of 2 + 5, 4 + 200 and 10 + 70000 bytes: each form of the length.
  const messages = ["first", "x".repeat(200), "y".repeat(70_000)];
  const cases: [options: KillOptions, bytes: number][] = [
    [{}, 0],
    [{ bytes: 1 }, 1],
    [{ bytes: 6 }, 6],
    [{ afterFrames: 1 }, 7],
    [{ afterFrames: 1, bytes: 3 }, 7 + 3],
    [{ afterFrames: 2, bytes: 2 }, 7 + 204 + 2],
    [{ afterFrames: 2, bytes: 40_000 }, 7 + 204 + 40_000],
    [{ bytes: 7 + 204 + 10 }, 7 + 204 + 10],
    [{ afterFrames: 3 }, 7 + 204 + 70_010],
  ];
  for (const [options, expected] of cases) {
    const { bytes, end } = await bytesOf(exchange, () => {
      exchange.killConnection(-1, { ...options, end: "fin" });
      for (const message of messages) exchange.broadcast(message);
    });
    assertEquals([bytes.length, end], [expected, "fin"], JSON.stringify(options));
  }
});

test("a killed connection is reset unless a FIN is asked for, and the others go on", async () => {
  await using exchange = await quietExchange();
  await using survivor = await RawClient.open(exchange);
  await using killed = await RawClient.open(exchange);
  exchange.killConnection(1, { bytes: 4 });
  exchange.broadcast("something");
  assertEquals(await killed.ended, "reset");
  assertEquals(await survivor.text(), "something");
  assertThrows(() => exchange.killConnection(1), RangeError, "open are 0");
  assertThrows(() => exchange.killConnection(0, { bytes: -1 }), RangeError, "expected an integer from 0");
});

test("generated data is cut in the middle of a frame too", async () => {
  await using exchange = await startLocalExchange({ speed: "max" });
  await using client = await RawClient.open(exchange, "/ws");
  exchange.killConnection(-1, { afterFrames: 1001, bytes: 50, end: "fin" });
  client.send(1, '{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}');
  assertEquals(await client.ended, "fin");
  assertEquals(client.frames.length, 1001);
  assertEquals(String(client.frames.at(-1)?.payload), generateMessage("btcusdt@trade", 999), "the first is the answer");
});

test("one connection is stalled: its TCP connection stays open, nothing comes, and the others go on", async () => {
  await using exchange = await quietExchange();
  await using stalled = await RawClient.open(exchange, "/ws");
  await using closing = await RawClient.open(exchange, "/ws");
  await using other = await RawClient.open(exchange, "/ws");
  exchange.stallConnection(0);
  exchange.stallConnection(1);
  for (const client of [stalled, other]) client.send(1, '{"method":"LIST_SUBSCRIPTIONS","id":1}');
  stalled.send(9, "ping");
  closing.send(8);
  assertEquals(await other.text(), '{"result":[],"id":1}');
  await exchange.waitFor(() => exchange.controlMessages.length === 2 && exchange.pingsReceived === 1);
  assertEquals(
    [stalled.frames.length, closing.frames.length, exchange.connections],
    [0, 0, 3],
    "not even a Close frame",
  );
  exchange.stallConnection(0, false);
  stalled.send(9, "again");
  assertEquals(String((await stalled.next()).payload), "again");
});

test("what is sent slowly arrives in pieces and in order, and at once when that is over", async () => {
  await using exchange = await quietExchange();
  await using client = await RawClient.open(exchange, "/ws");
  exchange.throttle({ sendBytesPerSecond: 20_000 });
  const startedAt = performance.now();
  const messages = ["a".repeat(1000), "b".repeat(1000)];
  for (const message of messages) exchange.broadcast(message);
  assertEquals([await client.text(), await client.text()], messages);
  const ms = performance.now() - startedAt;
  assert(ms > 80, `2008 bytes at 20000 bytes/s took ${ms} ms`);
  exchange.throttle({ sendBytesPerSecond: 1 });
  exchange.broadcast("at once");
  exchange.throttle(undefined);
  assertEquals(await client.text(), "at once");
  assertThrows(() => exchange.throttle({ sendBytesPerSecond: 0 }), RangeError, "over 0");
});

test("an exchange that reads nothing lets its clients' messages pile up, and reads them all afterwards", async () => {
  await using exchange = await quietExchange();
  await using client = await Client.open(exchange, "/ws");
  exchange.throttle({ readBytesPerSecond: 0 });
  const list = '{"method":"LIST_SUBSCRIPTIONS","id":1}';
  // What was read before the switch may still be handed over: more than that has to wait.
  for (let i = 0; i < 200_000; i++) client.send(list);
  await using later = await RawClient.connect(exchange);
  later.write(handshakeRequest("/ws"));
  await exchange.waitFor(() => exchange.totalHandshakes === 2);
  assert(exchange.controlMessages.length < 100_000, `${exchange.controlMessages.length} were read`);
  exchange.throttle(undefined);
  await exchange.waitFor(() => exchange.controlMessages.length === 200_000, 20_000);
});

test("an exchange that reads slowly takes the time that it takes", async () => {
  await using exchange = await quietExchange();
  await using client = await RawClient.open(exchange, "/ws");
  exchange.throttle({ readBytesPerSecond: 1_000 });
  const startedAt = performance.now();
  for (const id of ["first", "second"]) {
    client.send(9, id.repeat(20));
    assertEquals(String((await client.next()).payload), id.repeat(20));
  }
  const ms = performance.now() - startedAt;
  assert(ms > 90, `106 bytes before the second one, at 1000 bytes/s, took ${ms} ms`);
});

test("TCP connections are refused while the exchange doesn't accept them, and open ones stay", async () => {
  await using exchange = await quietExchange();
  const { port } = exchange;
  await using before = await RawClient.open(exchange, "/ws");
  await exchange.acceptConnections(false);
  const code = await new Promise((resolve) => {
    connect(port, "127.0.0.1").on("error", (error) => resolve("code" in error ? error.code : error.message));
  });
  assertEquals(code, "ECONNREFUSED");
  exchange.broadcast("still there");
  assertEquals(await before.text(), "still there");
  await exchange.acceptConnections(true);
  await exchange.acceptConnections(true);
  await using after = await RawClient.open(exchange, "/ws");
  assertEquals([after.status, exchange.port, exchange.connections], [101, port, 2]);
});
