/**
 * A connection is replaced before the exchange cuts it, and nobody notices but by a signal.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Signal } from "@rawtick/binance";
import { startBench, testEachLibrary, until } from "./support.ts";

/** Trade ids of each stream, in the order of delivery. */
function collector() {
  const ids = new Map<string, number[]>();
  const onData = (text: string) => {
    const { stream, data } = JSON.parse(text) as { stream: string; data: { t: number } };
    const list = ids.get(stream);
    if (list === undefined) ids.set(stream, [data.t]);
    else list.push(data.t);
  };
  return { ids, onData };
}

/** How many ids are missing, and how many came twice or late. */
function faults(ids: Map<string, number[]>): { missing: number; disordered: number } {
  let [missing, disordered] = [0, 0];
  for (const list of ids.values()) {
    for (let at = 1; at < list.length; at++) {
      const step = list[at]! - list[at - 1]!;
      if (step < 1) disordered++;
      else missing += step - 1;
    }
  }
  return { missing, disordered };
}

const STREAMS = Array.from({ length: 50 }, (_, index) => `s${index}@trade`);

testEachLibrary("50 streams at 5,000 messages/s are carried over a planned cut without a loss", async (library) => {
  const signals: Signal["type"][] = [];
  const { ids, onData } = collector();
  await using bench = await startBench(library, {
    rolloverAgeMs: 1_500,
    onSignal: ({ type }) => void signals.push(type),
  }, { messagesPerSecond: 100, maxConnectionAgeMs: 2_500 });
  const stream = bench.manager.createStream({ streams: STREAMS, onData });
  await stream.ready;
  await until(() => signals.filter((type) => type === "ROLLOVER").length === 3, "three rollovers");
  const counted = [...ids.values()].reduce((sum, list) => sum + list.length, 0);
  await stream.stop();
  assertEquals(faults(ids), { missing: 0, disordered: 0 });
  assertEquals(ids.size, 50);
  assert(counted > 15_000, `only ${counted} messages`);
  assertEquals(signals, ["CONNECT", "FIRST_RECEIVED_DATA", "ROLLOVER", "ROLLOVER", "ROLLOVER", "DISCONNECT", "STOP"]);
  assertEquals([stream.statistics.reconnects, bench.exchange.totalConnections], [0, 4]);
});

testEachLibrary(
  "a connection that is lost while its successor still subscribes is reconnected, and the gap told",
  async (library) => {
    const signals: Signal[] = [];
    const { ids, onData } = collector();
    await using bench = await startBench(library, {
      rolloverAgeMs: 0,
      onSignal: (signal) => void signals.push(signal),
    }, { messagesPerSecond: 100 });
    const stream = bench.manager.createStream({ streams: ["a@trade"], onData });
    await stream.ready;
    // The successor's SUBSCRIBE stays unanswered for a minute.
    bench.exchange.delayAcks(60_000);
    bench.exchange.broadcast('{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1770123456789}}');
    await until(() => bench.exchange.controlMessages.length === 2, "the successor subscribes");
    bench.exchange.delayAcks(0);
    const [first] = bench.exchange.openConnections;
    assert(first !== undefined);
    bench.exchange.killConnection(first.id);
    await until(() => signals.filter(({ type }) => type === "CONNECT").length === 2, "the reconnect");
    const count = () => ids.get("a@trade")?.length ?? 0;
    const goal = count() + 100;
    await until(() => count() > goal, "data again");
    await stream.stop();
    await until(() => bench.exchange.connections === 0, "all connections closed");
    const { missing, disordered } = faults(ids);
    const told = signals.reduce((sum, signal) => sum + (signal.type === "GAP" ? signal.missed : 0), 0);
    assertEquals([missing, disordered], [told, 0]);
  },
);
