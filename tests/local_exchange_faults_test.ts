/**
 * The switches of the local exchange to misbehave.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { generateMessage, type LocalExchange, ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { Client, handshakeRequest, RawClient } from "./exchange_clients.ts";

const LIST = '{"method":"LIST_SUBSCRIPTIONS","id":1}';
const LISTED = '{"result":[],"id":1}';
const SUBSCRIBE = '{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":2}';
const DONE = '{"result":null,"id":2}';

const quietExchange = () => startLocalExchange({ messagesPerSecond: 0, limits: { framesPerSecond: Infinity } });

/** Proves that nothing was sent on any connection by going through a later message that is sent by hand. */
async function nothingElse(exchange: LocalExchange, client: Client): Promise<void> {
  exchange.broadcast("the end");
  assertEquals(await client.next(), "the end");
}

test("handshakes are refused with a status, headers and a body, until that is switched off", async () => {
  await using exchange = await quietExchange();
  exchange.refuseConnections(429, { headers: { "Retry-After": "120" }, body: '{"code":-1003}' });
  for (const _ of [1, 2]) {
    await using client = await RawClient.open(exchange);
    assert(client.response.startsWith("HTTP/1.1 429 Too Many Requests\r\n"), client.response);
    assert(client.response.includes("Retry-After: 120\r\n"));
    assert(client.response.endsWith('\r\n\r\n{"code":-1003}'));
    assertEquals(await client.ended, "fin");
  }
  await exchange.waitForConnections(0);
  exchange.refuseConnections(undefined);
  await using client = await RawClient.open(exchange);
  assertEquals(client.status, 101);
  assertEquals(
    [exchange.refusedHandshakes, exchange.totalHandshakes, exchange.totalConnections],
    [2, 1, 3],
  );
  assertEquals(exchange.handshakes.map(({ status }) => status), [429, 429, 101]);
});

test("a number of handshakes is refused", async () => {
  await using exchange = await quietExchange();
  exchange.refuseConnections(503, { count: 2 });
  const statuses: number[] = [];
  for (const _ of [1, 2, 3]) {
    await using client = await RawClient.open(exchange);
    statuses.push(client.status);
  }
  assertEquals(statuses, [503, 503, 101]);
  assertThrows(() => exchange.refuseConnections(101), RangeError, "expected 200 to 599");
});

test("the runtime's WebSocket can't open a connection that is refused", async () => {
  await using exchange = await quietExchange();
  exchange.refuseConnections(418);
  await assertRejects(() => Client.open(exchange, "/ws"));
});

test("ignored handshakes are read and never answered, and later ones are", async () => {
  await using exchange = await quietExchange();
  exchange.ignoreHandshakes(true);
  await using ignored = await RawClient.connect(exchange);
  ignored.write(handshakeRequest("/ws"));
  await exchange.waitFor(() => exchange.handshakes.length === 1);
  assertEquals(exchange.handshakes[0]?.status, 0);
  exchange.ignoreHandshakes(false);
  await using answered = await RawClient.open(exchange, "/ws");
  assertEquals([answered.status, ignored.response, exchange.connections, exchange.totalHandshakes], [101, "", 2, 1]);
  exchange.killConnections();
  assertEquals([await ignored.ended, await answered.ended], ["reset", "reset"]);
});

test("a silent exchange sends, answers and obeys nothing, keeps the socket open, and goes on afterwards", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock, pingIntervalMs: 1_000, pongTimeoutMs: 2_000 });
  await using client = await RawClient.open(exchange, "/ws/btcusdt@trade");
  clock.advance(0);
  assertEquals(await client.text(), generateMessage("btcusdt@trade", 0));
  exchange.goSilent(true);
  client.send(9, "ping");
  client.send(1, '{"method":"SUBSCRIBE","params":["ethusdt@trade"],"id":1}');
  client.send(1, "no JSON");
  await exchange.waitFor(() => exchange.controlMessages.length === 2 && exchange.pingsReceived === 1);
  clock.advance(10_000);
  exchange.goSilent(false);
  clock.advance(100);
  assertEquals(await client.text(), generateMessage("btcusdt@trade", 101), "what fell due meanwhile is lost");
  client.send(1, LIST);
  assertEquals(await client.text(), '{"result":["btcusdt@trade"],"id":1}');
  assertEquals(client.frames.length, 3, "no pong, no ping, no answer");
});

test("a silent exchange at max stops, doesn't answer a Close frame, and loses nothing", async () => {
  await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 100_000 });
  await using client = await Client.open(exchange, "/ws/btcusdt@trade");
  await client.take(10);
  exchange.goSilent(true);
  await using closing = await RawClient.open(exchange, "/ws");
  const sent = exchange.messagesSent;
  assert(sent < 100_000);
  closing.send(8);
  closing.send(1, LIST);
  await using other = await RawClient.open(exchange, "/ws");
  other.send(1, LIST);
  await exchange.waitFor(() => exchange.controlMessages.length === 1);
  assertEquals([exchange.messagesSent, closing.frames.length, other.frames.length], [sent, 0, 0]);
  exchange.goSilent(false);
  const received = await client.take(99_990);
  assertEquals(received.at(-1), generateMessage("btcusdt@trade", 99_999));
});

test("pings are ignored while that is switched on", async () => {
  await using exchange = await quietExchange();
  await using client = await RawClient.open(exchange);
  client.send(9, "first");
  assertEquals(String((await client.next()).payload), "first");
  exchange.ignorePings(true);
  client.send(9, "second");
  client.send(1, LIST);
  assertEquals(await client.text(), LISTED);
  exchange.ignorePings(false);
  client.send(9, "third");
  const pong = await client.next();
  assertEquals([pong.opcode, String(pong.payload), exchange.pingsReceived], [10, "third", 3]);
});

test("Close frames are ignored while that is switched on, and the socket is kept", async () => {
  await using exchange = await quietExchange();
  await using ignored = await RawClient.open(exchange);
  exchange.ignoreClose(true);
  ignored.send(8, Buffer.from([0x03, 0xe8]));
  await using client = await RawClient.open(exchange);
  client.send(1, LIST);
  await client.text();
  exchange.broadcast("still there");
  assertEquals([await ignored.text(), await client.text()], ["still there", "still there"]);
  assertEquals(exchange.connections, 2);
  exchange.ignoreClose(false);
  client.send(8, Buffer.from([0x03, 0xe8]));
  assertEquals(await client.closeFrame(), [1000, ""]);
});

test("silenced acks: control messages are obeyed and not answered", async () => {
  await using exchange = await quietExchange();
  await using client = await Client.open(exchange, "/ws");
  exchange.silenceAcks(true);
  client.send(SUBSCRIBE);
  client.send('{"method":"nonsense","id":3}');
  await exchange.waitFor(() => exchange.controlMessages.length === 2);
  assertEquals(exchange.openConnections[0]?.streams, ["btcusdt@trade"]);
  await nothingElse(exchange, client);
  exchange.silenceAcks(false);
  assertEquals(await client.ask(LIST), '{"result":["btcusdt@trade"],"id":1}');
});

test("a number of acks is dropped, and what they were for is done", async () => {
  await using exchange = await quietExchange();
  await using client = await Client.open(exchange, "/ws");
  exchange.dropAcks(2);
  client.send(SUBSCRIBE);
  client.send(LIST);
  assertEquals(await client.ask(LIST), '{"result":["btcusdt@trade"],"id":1}');
  assertEquals(client.received.length, 1);
});

test("acks are delayed, and what they are for is done at once", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({ clock, messagesPerSecond: 0 });
  await using client = await Client.open(exchange, "/ws");
  exchange.delayAcks(500);
  client.send(SUBSCRIBE);
  client.send('{"method":');
  await exchange.waitFor(() => exchange.controlMessages.length === 2);
  assertEquals(exchange.push("btcusdt@trade", "{}"), 1);
  assertEquals(await client.next(), "{}");
  clock.advance(499);
  await nothingElse(exchange, client);
  clock.advance(1);
  assertEquals(await client.next(), DONE);
  assert(String(await client.next()).startsWith('{"error":{"code":3'), "errors are delayed too");
  assertEquals(await client.closed, [1008, "Invalid request"], "and closed after the error");
});

test("control messages are rejected with an error of choice, and not obeyed", async () => {
  await using exchange = await quietExchange();
  await using client = await Client.open(exchange, "/ws");
  exchange.rejectControl({ code: 4, msg: "Too many subscriptions" });
  assertEquals(await client.ask(SUBSCRIBE), '{"error":{"code":4,"msg":"Too many subscriptions"},"id":2}');
  assertEquals(await client.ask("no JSON"), '{"error":{"code":4,"msg":"Too many subscriptions"},"id":null}');
  exchange.rejectControl(undefined);
  assertEquals(await client.ask(LIST), LISTED);
});
