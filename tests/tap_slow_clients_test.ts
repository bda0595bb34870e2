/**
 * Clients of a tap that read slowly or not at all: they cost a bounded amount, learn what they have missed, and nobody else
 * notices.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { LocalExchange } from "@rawtick/binance/testing";
import { type ClientFormat, formats, pushTrades, startTap, TapClient, untilSubscribed } from "./tap_support.ts";
import { until } from "./support.ts";

const TRADES = "btcusdt@trade";
/** More than what the two sockets of a connection take on Linux, by far. */
const FLOOD = 60_000;

/** Pushes trades no faster than a client takes them. */
async function flood(exchange: LocalExchange, count: number, client: TapClient): Promise<void> {
  for (let done = 0; done < count;) {
    pushTrades(exchange, done + 1, 500);
    done += 500;
    await client.untilMessages(done, 30_000);
  }
}

function testEachFormat(name: string, run: (format: ClientFormat) => Promise<void>): void {
  for (const format of formats) test(`${format}: ${name}`, { timeout: 120_000 }, () => run(format));
}

testEachFormat(
  "who does not read is told how much it has missed, and gets the newest; others get all",
  async (format) => {
    await using tapped = await startTap({ streams: [TRADES, "ethusdt@trade"], maxBufferedBytes: 262_144 });
    using good = new TapClient(tapped.port, "", { format });
    using slow = new TapClient(tapped.port, "", { format, isPaused: true });
    await untilSubscribed(tapped, TRADES, "ethusdt@trade");
    await until(() => tapped.market.statistics.clients === 2, "two clients");
    pushTrades(tapped.exchange, 7, 1, "ethusdt");
    await flood(tapped.exchange, FLOOD, good);
    await good.untilMessages(FLOOD + 1, 30_000);
    const trades = (client: TapClient) => client.messages.filter(({ data }) => data.stream === TRADES).length;
    assertEquals(trades(good), FLOOD);
    assertEquals(good.events.filter(({ name }) => name === "dropped"), []);
    slow.resume();
    const { data } = await slow.untilEvent("dropped");
    const { count } = data as { count: number };
    pushTrades(tapped.exchange, FLOOD + 1, 1);
    await until(() => slow.trades.includes(FLOOD + 1), "the next message");
    assertEquals(trades(slow) + count, FLOOD + 1);
    assert(count > FLOOD / 2, `${count} dropped`);
    // The messages before, then what it has missed, then the newest, each in order.
    const position = slow.events.findIndex(({ name }) => name === "dropped");
    const before = slow.events.slice(0, position).filter(({ data }) => data.stream === TRADES);
    const after = slow.events.slice(position + 1).filter(({ data }) => data.stream === TRADES);
    const ids = (events: typeof before) => events.map(({ data }) => (data.data as { t: number }).t);
    assertEquals(ids(before), Array.from(before, (_, index) => index + 1));
    assertEquals(ids(after), [FLOOD, FLOOD + 1]);
    assertEquals(tapped.market.statistics.droppedEvents, count);
  },
);

testEachFormat("who takes nothing for `clientTimeoutMs` is disconnected, and only that one", async (format) => {
  await using tapped = await startTap({ streams: TRADES, clientTimeoutMs: 1_500, heartbeatMs: 100 });
  using good = new TapClient(tapped.port, "", { format });
  using quiet = new TapClient(tapped.port, "?streams=btcusdt@trade&conflateMs=1", { format });
  using stuck = new TapClient(tapped.port, "", { format, isPaused: true });
  await untilSubscribed(tapped, TRADES);
  await until(() => tapped.market.statistics.clients === 3, "three clients");
  // More than its sockets take.
  await flood(tapped.exchange, FLOOD / 2, good);
  await quiet.untilMessages(FLOOD / 2);
  await until(() => tapped.market.statistics.stuckClients === 1, "the end of the one that is stuck");
  assertEquals(tapped.market.statistics.clients, 2);
  assertEquals([good.hasEnded, quiet.hasEnded, stuck.bytes], [false, false, 0]);
});

testEachFormat("who keeps up and has nothing to read is not disconnected", async (format) => {
  await using tapped = await startTap({ streams: TRADES, clientTimeoutMs: 500, heartbeatMs: 100 });
  using client = new TapClient(tapped.port, "", { format });
  await until(() => client.heartbeats >= 8, "heartbeats");
  assertEquals([tapped.market.statistics.clients, tapped.market.statistics.stuckClients], [1, 0]);
});
