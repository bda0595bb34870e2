/**
 * The limits of the local exchange: bytes of a control message, streams of a connection, frames in a second.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { type LocalExchangeOptions, ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { Client, RawClient } from "./exchange_clients.ts";

/** An exchange that sends nothing by itself and whose limits don't get in the way. */
const quiet: LocalExchangeOptions = {
  messagesPerSecond: 0,
  limits: { framesPerSecond: Infinity },
};

test("of a control message over 4096 bytes only the first 4096 are read", async () => {
  await using exchange = await startLocalExchange(quiet);
  await using fits = await Client.open(exchange, "/ws");
  const subscribe = (name: string) => `{"method":"SUBSCRIBE","params":["${name}@trade"],"id":1}`;
  const longest = subscribe("x".repeat(4096 - subscribe("").length));
  assertEquals(await fits.ask(longest), '{"result":null,"id":1}');
  assertEquals(exchange.controlMessages[0]?.bytes, 4096);
  assertEquals(
    await fits.ask(longest.replace("x", "xx")),
    '{"error":{"code":3,"msg":"Invalid JSON: EOF while parsing an object at line 1 column 4096"}}',
  );
  assertEquals(await fits.closed, [1008, "Invalid request"]);
  await using tooLong = await Client.open(exchange, "/ws");
  assertEquals(
    await tooLong.ask(subscribe("€".repeat(1500))),
    '{"error":{"code":3,"msg":"Invalid JSON: EOF while parsing a string at line 1 column 4096"}}',
  );
});

for (const [market, maximum] of [["spot", 1024], ["futures", 1024], ["options", 200]] as const) {
  test(`${market}: stream ${maximum + 1} is answered with code 4, and the connection is closed`, async () => {
    const names = (from: number, count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, index) => `s${from + index}@trade`));
    await using exchange = await startLocalExchange({
      ...quiet,
      market,
      limits: { framesPerSecond: Infinity, controlMessageBytes: Infinity },
    });
    await using client = await Client.open(exchange, "/stream");
    const ask = (from: number, count: number) =>
      client.ask(`{"method":"SUBSCRIBE","params":${names(from, count)},"id":1}`);
    assertEquals(await ask(0, maximum - 1), '{"result":null,"id":1}');
    assertEquals(await ask(0, maximum), '{"result":null,"id":1}', "those that are there don't count twice");
    assertEquals(await ask(maximum, 1), '{"error":{"code":4,"msg":"Too many subscriptions"}}');
    assertEquals(await client.closed, [1008, "Invalid request"]);
  });
}

test("the same holds for the streams of a URL", async () => {
  await using exchange = await startLocalExchange({ ...quiet, limits: { streamsPerConnection: 2 } });
  await using fits = await Client.open(exchange, "/stream?streams=a@trade/b@trade/a@trade");
  assertEquals(await fits.ask('{"method":"LIST_SUBSCRIPTIONS","id":1}'), '{"result":["a@trade","b@trade"],"id":1}');
  await using many = await Client.open(exchange, "/stream?streams=a@trade/b@trade/c@trade");
  assertEquals(await many.next(), '{"error":{"code":4,"msg":"Too many subscriptions"}}');
  assertEquals(await many.closed, [1008, "Invalid request"]);
  await using malformed = await Client.open(exchange, "/ws/btcusdt");
  assertEquals(await malformed.next(), '{"error":{"code":2,"msg":"Invalid request: invalid stream"}}');
  assertEquals(await malformed.closed, [1008, "Invalid request"]);
});

for (const [market, limit] of [["spot", 5], ["futures", 10], ["options", 10]] as const) {
  test(`${market}: ${limit} messages, pings and pongs in any second pass, one more closes the connection`, async () => {
    const clock = new ManualClock();
    await using exchange = await startLocalExchange({ market, clock, messagesPerSecond: 0 });
    await using client = await RawClient.open(exchange);
    const list = '{"method":"LIST_SUBSCRIPTIONS","id":1}';
    client.send(1, list);
    await client.text();
    clock.advance(999);
    for (let frame = 2; frame <= limit; frame++) client.send(frame % 2 === 0 ? 9 : 10, "x");
    for (let frame = 2; frame <= limit; frame += 2) assertEquals((await client.next()).opcode, 10);
    await exchange.waitFor(() => exchange.pingsReceived + exchange.pongsReceived === limit - 1);
    clock.advance(1);
    client.send(1, list);
    assertEquals(await client.text(), '{"result":[],"id":1}', "the first one is a second old: the window rolls");
    clock.advance(998);
    client.send(9, "one too many");
    assertEquals(await client.closeFrame(), [1008, "Too many requests"]);
  });
}
