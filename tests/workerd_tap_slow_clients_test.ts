/**
 * Clients of a tap in workerd that read late or never: they cost a bounded amount, learn what they have missed, and nobody
 * else notices.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { LocalExchange } from "@rawtick/binance/testing";
import { type ClientFormat, formats, TapClient, untilSubscribed } from "./tap_support.ts";
import { until } from "./support.ts";
import { connectEach, inTap } from "./workerd/tap.ts";
import { workerdBinary } from "./workerd/workerd.ts";

const noWorkerd = workerdBinary() === undefined
  ? "the npm package workerd has no binary that runs on this platform"
  : false;
const timeout = 60_000;

const TRADES = "btcusdt@trade";
const MESSAGE_BYTES = 10_000;
/** Far more than what the two sockets of a connection take on Linux. */
const FLOOD = 4_000;
const MB = 2 ** 20;

/** Pushes large trades, no faster than these clients take them. */
async function flood(exchange: LocalExchange, count: number, clients: readonly TapClient[]): Promise<void> {
  const padding = "x".repeat(MESSAGE_BYTES);
  for (let id = 1; id <= count; id++) {
    exchange.push(TRADES, { e: "trade", s: "BTCUSDT", t: id, padding });
    if (id % 20 > 0) continue;
    for (const client of clients) await client.untilMessages(id, 30_000);
  }
}

/** Clients that read nothing, of all formats in turn. */
function pausedClients(port: number, count: number): TapClient[] {
  return Array.from({ length: count }, (_, index) => {
    const format = formats[index % 3] as ClientFormat; // the cast: there are three
    return new TapClient(port, "", { format, isPaused: true });
  });
}

test("a tap in workerd: who reads late is told what it has missed; others get all; memory stays bounded", {
  skip: noWorkerd,
  timeout,
}, async () => {
  await inTap({ streams: TRADES, maxBufferedBytes: MB }, async (tapped) => {
    const { exchange, port, untilStatistics, workerd } = tapped;
    const good = await connectEach(port);
    const slow = pausedClients(port, 24);
    await untilStatistics(({ clients }) => clients === 27, "27 clients");
    await untilSubscribed(tapped, TRADES);
    const before = workerd.residentBytes;
    await flood(exchange, FLOOD, good);
    const grown = (workerd.residentBytes - before) / MB;
    for (const { trades } of good) assertEquals(trades, Array.from({ length: FLOOD }, (_, index) => index + 1));

    let dropped = 0;
    for (const [index, client] of slow.entries()) {
      client.resume();
      const { count } = (await client.untilEvent("dropped")).data as { readonly count: number };
      await until(() => client.trades.at(-1) === FLOOD, "the newest message");
      assertEquals(client.messageCount + count, FLOOD, formats[index % 3]);
      assert(count > FLOOD / 10, `${count} dropped`);
      // What was on its way, then the newest.
      assertEquals(
        client.trades.slice(0, -1),
        Array.from({ length: client.messageCount - 1 }, (_, index) => index + 1),
      );
      dropped += count;
    }
    assertEquals((await tapped.state()).statistics.droppedEvents, dropped);
    // What the sockets did not take of the flood for 24 clients would be 850 MB; V8 alone grows by 100 MB before it
    // collects.
    if (!Number.isNaN(grown)) assert(grown < 300, `workerd has grown by ${grown.toFixed()} MB`);
  });
});

test("a tap in workerd: who takes nothing for `clientTimeoutMs` is no client any more, and only that one", {
  skip: noWorkerd,
  timeout,
}, async () => {
  await inTap({ streams: TRADES, clientTimeoutMs: 500, heartbeatMs: 100 }, async (tapped) => {
    const { exchange, port, untilStatistics } = tapped;
    const good = await connectEach(port);
    const stuck = pausedClients(port, 3);
    await untilStatistics(({ clients }) => clients === 6, "six clients");
    await untilSubscribed(tapped, TRADES);
    await flood(exchange, FLOOD / 4, good);
    const { clients, stuckClients } = await untilStatistics(
      ({ stuckClients }) => stuckClients === 3,
      "the end of the stuck",
    );
    assertEquals([clients, stuckClients], [3, 3]);
    // More than `clientTimeoutMs` with nothing but signs of life.
    const heartbeats = good.map((client) => client.heartbeats);
    await until(() => good.every((client, index) => client.heartbeats > (heartbeats[index] ?? 0) + 6), "heartbeats");
    assertEquals(good.map(({ hasEnded }) => hasEnded), [false, false, false]);
    // What had been written for them is all that they ever get.
    for (const client of stuck) {
      client.resume();
      await until(() => client.hasEnded, "the end of the connection");
      assertEquals(client.events.filter(({ name }) => name === "dropped"), []);
    }
    assertEquals((await tapped.state()).statistics.clients, 3);
  });
});
