/**
 * The local exchange's disturbed data, its ledger and its strict counters.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import {
  type DataFault,
  generateMessage,
  type LocalExchange,
  ManualClock,
  type Recording,
  startLocalExchange,
} from "@rawtick/binance/testing";
import { Client, RawClient } from "./exchange_clients.ts";

const STREAM = "btcusdt@trade";

/** Numbers of messages by their text. */
function numbersOf(messages: readonly unknown[], stream = STREAM): number[] {
  const numbers = new Map(Array.from({ length: 2000 }, (_, n) => [generateMessage(stream, n), n]));
  return messages.map((message) => numbers.get(String(message)) ?? NaN);
}

const NUMBERS: Record<DataFault, number[]> = {
  duplicate: [0, 0, 1, 2],
  drop: [1, 2, 3, 4],
  reorder: [1, 0, 2, 3],
};
const recording: Recording = {
  rows: Array.from({ length: 20 }, (_, n) => ({
    t: n * 10,
    text: `{"stream":"${STREAM}","data":${generateMessage(STREAM, n)}}`,
  })),
};

for (const fault of ["duplicate", "drop", "reorder"] as const) {
  for (
    const [name, options] of [
      ["live", { messagesPerSecond: 100 }],
      ["at max", { speed: "max", messagesPerStream: 20 }],
      ["replayed", { replay: recording }],
      ["replayed at max", { replay: recording, speed: "max" }],
    ] as const
  ) {
    test(`${name}: a message of the chosen stream is disturbed: ${fault}`, async () => {
      await using exchange = await startLocalExchange(options);
      exchange.disturbData(fault, { stream: STREAM });
      exchange.disturbData("drop", { stream: "other@trade", count: 100 });
      await using client = await Client.open(exchange, `/ws/${STREAM}`);
      assertEquals(numbersOf(await client.take(4)), NUMBERS[fault]);
      await exchange.waitFor(() => exchange.messagesSent >= 4);
      const sent = exchange.statistics.connections[0]?.sent.get(STREAM);
      assert(sent !== undefined && sent.count >= 4 && sent.first === NUMBERS[fault][0], JSON.stringify(sent));
    });
  }
}

test("disturbed messages are counted, on the chosen connection only, one order after the other", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 100 });
  await using disturbed = await Client.open(exchange, "/ws");
  await using other = await Client.open(exchange, "/ws");
  exchange.disturbData("duplicate", { connectionId: 0, count: 2 });
  exchange.disturbData("drop", { connectionId: 0 });
  const subscribe = `{"method":"SUBSCRIBE","params":["${STREAM}"],"id":1}`;
  await other.ask(subscribe);
  const [first = 0] = numbersOf([await other.next()]);
  await disturbed.ask(subscribe);
  const numbers = numbersOf(await disturbed.take(6));
  const start = numbers[0] ?? 0;
  assertEquals(numbers.map((n) => n - start), [0, 0, 1, 1, 3, 4]);
  assertEquals(numbersOf(await other.take(9)), Array.from({ length: 9 }, (_, i) => first + 1 + i));
  assertThrows(() => exchange.disturbData("drop", { count: 0 }), RangeError, "at least 1");
});

test("muted streams are acknowledged, listed and silent; the others go on", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 50 });
  exchange.muteStreams([STREAM]);
  await using client = await Client.open(exchange, `/stream?streams=${STREAM}/ethusdt@trade`);
  const received = await client.take(10);
  assert(received.every((text) => String(text).startsWith('{"stream":"ethusdt@trade"')));
  assertEquals(exchange.openConnections[0]?.streams, [STREAM, "ethusdt@trade"]);
  exchange.muteStreams(undefined);
  while (!String(await client.next()).startsWith(`{"stream":"${STREAM}"`));
});

test("ignored subscriptions are acknowledged and nothing comes, until they are asked for again", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 100 });
  await using client = await Client.open(exchange, "/ws");
  exchange.ignoreSubscriptions(1);
  const subscribe = `{"method":"SUBSCRIBE","params":["${STREAM}"],"id":1}`;
  assertEquals(await client.ask(subscribe), '{"result":null,"id":1}');
  assertEquals(exchange.openConnections[0]?.streams, []);
  assertEquals(await client.ask(subscribe), '{"result":null,"id":1}');
  assertEquals(numbersOf([await client.next()]), [0]);
  assertEquals([...exchange.statistics.connections[0]?.subscribes ?? []], [[STREAM, 2]]);
});

test("two connections get the same messages of a stream at the same time, at 5000 messages per second", async () => {
  const streams = Array.from({ length: 50 }, (_, i) => `s${i}@trade`);
  await using exchange = await startLocalExchange({ messagesPerSecond: 100 });
  const path = `/stream?streams=${streams.join("/")}`;
  await using first = await Client.open(exchange, path);
  await first.take(2_000);
  await using second = await Client.open(exchange, path);
  const startedAt = performance.now();
  await second.take(5_000);
  const ms = performance.now() - startedAt;
  assert(ms > 900 && ms < 4_000, `5000 messages took ${ms} ms`);
  const texts = (client: Client) => client.received.map(String);
  const perStream = (all: string[], stream: string) => all.filter((text) => text.startsWith(`{"stream":"${stream}"`));
  for (const stream of streams) {
    const late = perStream(texts(second), stream);
    const early = perStream(texts(first), stream);
    const from = early.indexOf(late[0] ?? "");
    assert(from > 0, "the second one joins the messages of the first one");
    const both = Math.min(late.length, early.length - from);
    assertEquals(late.slice(0, both), early.slice(from, from + both));
    assert(Math.abs(late.length - both) <= 20, "neither is far behind the other");
  }
});

/** Waits until the ledger of a connection is complete, and returns it as `count first last`. */
async function ledgerOf(exchange: LocalExchange, id: number, count: number): Promise<string> {
  const read = () => exchange.statistics.connections[id]?.sent.get(STREAM);
  await exchange.waitFor(() => read()?.count === count);
  const sent = read();
  return `${sent?.count} ${sent?.first} ${sent?.last}`;
}

test("the ledger tells what was published and what each connection was sent, also after its end", async () => {
  const clock = new ManualClock(1_000_000);
  await using exchange = await startLocalExchange({ clock, messagesPerSecond: 10 });
  const first = await RawClient.open(exchange, `/ws/${STREAM}`);
  clock.advance(1_000);
  assertEquals(await ledgerOf(exchange, 0, 11), "11 0 10");
  await using second = await RawClient.open(exchange, `/ws/${STREAM}`);
  clock.advance(500);
  assertEquals(await ledgerOf(exchange, 1, 5), "5 11 15");
  first.destroy();
  await exchange.waitForConnections(1);
  clock.advance(500);
  assertEquals(await ledgerOf(exchange, 1, 10), "10 11 20");
  const { published, connections } = exchange.statistics;
  assertEquals([...published], [[STREAM, 21]]);
  assertEquals(connections.map(({ openedAt, closedAt }) => [openedAt, closedAt]), [
    [1_000_000, 1_001_500],
    [1_001_000, undefined],
  ]);
  assertEquals(await ledgerOf(exchange, 0, 16), "16 0 15");
  exchange.closeConnections(1001, "bye");
  assertEquals(exchange.statistics.connections[1]?.closeSent, { code: 1001, reason: "bye" });
  assertEquals(second.status, 101);
});

test("most frames within any second are counted, whatever the limit", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({
    clock,
    messagesPerSecond: 0,
    limits: { framesPerSecond: Infinity },
  });
  await using client = await RawClient.open(exchange);
  let frames = 0;
  const send = async (count: number) => {
    for (let i = 0; i < count; i++) client.send(9, "x");
    frames += count;
    await exchange.waitFor(() => exchange.pingsReceived === frames);
  };
  await send(3);
  clock.advance(999);
  await send(4);
  clock.advance(1);
  await send(2);
  assertEquals(exchange.statistics.maxFramesPerSecond, 7);
  clock.advance(1_500);
  await send(6);
  assertEquals(exchange.statistics.connections[0]?.maxFramesPerSecond, 7);
  exchange.goSilent(true);
  await send(3);
  assertEquals(exchange.statistics.maxFramesPerSecond, 9, "a silent exchange counts on");
});

test("too many connections within the window are refused with 429, more are banned with 418, both with Retry-After", async () => {
  const clock = new ManualClock();
  await using exchange = await startLocalExchange({
    clock,
    messagesPerSecond: 0,
    limits: { connectionAttempts: 3, connectionWindowMs: 60_000, banMs: 90_000 },
  });
  const attempt = async (): Promise<string> => {
    await using client = await RawClient.open(exchange);
    const retryAfter = /^retry-after: (.+)$/im.exec(client.response)?.[1];
    return `${client.status} ${retryAfter ?? "-"}`;
  };
  assertEquals([await attempt(), await attempt()], ["101 -", "101 -"]);
  clock.advance(20_000);
  assertEquals([await attempt(), await attempt()], ["101 -", "429 40"]);
  clock.advance(10_000);
  assertEquals(await attempt(), "418 90");
  clock.advance(50_000);
  assertEquals(await attempt(), "418 40", "the ban goes on though the window is free");
  clock.advance(40_000);
  assertEquals(await attempt(), "101 -");
  assertEquals([exchange.statistics.maxConnectionAttempts, exchange.refusedHandshakes], [5, 3]);
  for (const expected of ["101 -", "429 60", "418 180"]) assertEquals(await attempt(), expected);
});

for (const market of ["spot", "futures"] as const) {
  test(`${market}: 300 connections within 5 minutes are taken, and no more`, async () => {
    await using exchange = await startLocalExchange({ market, clock: new ManualClock(), messagesPerSecond: 0 });
    for (let i = 0; i < 300; i++) {
      const client = await RawClient.open(exchange, "/ws");
      assertEquals(client.status, 101);
      client.destroy();
    }
    await using client = await RawClient.open(exchange, "/ws");
    assertEquals([client.status, exchange.statistics.maxConnectionAttempts], [429, 301]);
  });
}

test("statuses of refusals that name their reason: 403 and 451", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  for (const [status, phrase] of [[403, "Forbidden"], [451, "Unavailable For Legal Reasons"]] as const) {
    exchange.refuseConnections(status);
    await using client = await RawClient.open(exchange);
    assert(client.response.startsWith(`HTTP/1.1 ${status} ${phrase}\r\n`), client.response);
  }
});
