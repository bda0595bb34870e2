/**
 * What may go wrong while a connection is replaced: nothing is lost or doubled without being told, and nothing hangs.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { type Bench, startBench, testEachLibrary, trade, until } from "./support.ts";

const NOTICE = '{"e":"serverShutdown","E":1770123456789}';
const idOf = (text: string) => (JSON.parse(text) as { data: { t: number } }).data.t;

/** Collects the trade ids that are delivered. */
function collector() {
  const ids: number[] = [];
  return { ids, onData: (text: string) => void ids.push(idOf(text)) };
}

/** Waits until the exchange carries so many streams on a connection. */
function carried(bench: Bench<"raw">, connectionId: number, streams: number): Promise<void> {
  const isMeant = (connection: { id: number; streams: readonly string[] }) =>
    connection.id === connectionId && connection.streams.length === streams;
  return bench.exchange.waitFor(() => bench.exchange.openConnections.some(isMeant));
}

testEachLibrary("a rollover that is refused is tried again, and not at once", async (library) => {
  await using bench = await startBench(library, { rolloverAgeMs: 500 });
  await bench.manager.createStream({ streams: ["a@trade"] }).ready;
  bench.exchange.refuseConnections(503);
  await bench.exchange.waitFor(() => bench.exchange.refusedHandshakes >= 2);
  await bench.exchange.waitFor(() => bench.exchange.refusedHandshakes > 4, 600).catch(() => {});
  assertEquals(bench.exchange.refusedHandshakes <= 4, true, `${bench.exchange.refusedHandshakes} attempts`);
});

testEachLibrary("a rollover that is limited with 429 waits as long as the exchange says", async (library) => {
  await using bench = await startBench(library, { rolloverAgeMs: 200 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.refuseConnections(429, { headers: { "Retry-After": "60" } });
  await bench.exchange.waitFor(() => bench.exchange.refusedHandshakes > 1, 1_000).catch(() => {});
  assertEquals([bench.exchange.refusedHandshakes, stream.state], [1, "running"]);
});

testEachLibrary("a stream that is stopped by what a rollover delivers stops", async (library) => {
  const ids: number[] = [];
  let stopped: Promise<void> | undefined;
  await using bench = await startBench(library, {
    overlapMs: 200,
    onData: (text, stream) => {
      ids.push(idOf(text));
      if (idOf(text) === 5) stopped = stream.stop();
    },
  });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.broadcast(NOTICE);
  await carried(bench, 1, 1);
  bench.exchange.send(0, trade(1, "a").text);
  for (const id of [5, 6]) bench.exchange.send(1, trade(id, "a").text);
  await until(() => stopped !== undefined, "the end of the overlap");
  await bench.exchange.waitForConnections(0, 3_000);
  await stopped;
  assertEquals(ids, [1, 5]);
});

testEachLibrary("a successor is reconnected at once, however long its predecessor takes to close", async (library) => {
  await using bench = await startBench(library, { overlapMs: 200, closeTimeoutMs: 3_000 }, { messagesPerSecond: 50 });
  await bench.manager.createStream({ streams: ["a@trade"], onData() {} }).ready;
  bench.exchange.ignoreClose(true);
  bench.exchange.broadcast(NOTICE);
  await until(() => bench.signalTypes.includes("ROLLOVER"), "the rollover");
  bench.exchange.killConnection(1);
  await until(() => bench.signalTypes.filter((type) => type === "CONNECT").length === 2, "the reconnect", 1_000);
  bench.exchange.killConnections();
  bench.exchange.ignoreClose(false);
});

testEachLibrary("a successor that is refused a stream does not replace who carries it", async (library) => {
  const { ids, onData } = collector();
  await using bench = await startBench(library, { overlapMs: 100, ackTimeoutMs: 100, onData });
  await bench.manager.createStream({ streams: ["a@trade"] }).ready;
  bench.exchange.rejectControl({ code: 1, msg: "not now" });
  bench.exchange.broadcast(NOTICE);
  await bench.exchange.waitForConnections(2);
  await bench.exchange.waitForConnections(1);
  bench.exchange.push("a@trade", { e: "trade", t: 1 });
  await until(() => ids.length === 1, "the message", 1_000);
  assertEquals(bench.signalTypes.includes("ROLLOVER"), false);
});

testEachLibrary("a stream that is subscribed to during a rollover misses nothing", async (library) => {
  const { ids, onData } = collector();
  // As many messages as a connection may send at a time: the next one has to wait on the successor.
  const names = Array.from({ length: 780 }, (_, index) => `sym${index}usdt@trade`);
  await using bench = await startBench(library, { overlapMs: 5_000, onData });
  const stream = bench.manager.createStream({ streams: names });
  await stream.ready;
  const readyAt = performance.now();
  await until(() => performance.now() - readyAt > 1_200, "room for another message");
  bench.exchange.broadcast(NOTICE);
  await carried(bench, 1, 780);
  bench.exchange.push("sym0usdt@trade", { e: "trade", t: 0 });
  const completeAt = performance.now();
  await until(() => performance.now() - completeAt > 75, "the successor known to be complete");
  await stream.subscribe({ streams: ["x@trade"] });
  let id = 0;
  await until(() => {
    bench.exchange.push("x@trade", { e: "trade", t: ++id });
    return bench.signalTypes.includes("ROLLOVER");
  }, "the rollover");
  bench.exchange.push("x@trade", { e: "trade", t: ++id });
  await until(() => ids.at(-1) === id, "the last message");
  assertEquals(ids, Array.from({ length: id + 1 }, (_, index) => index));
});

testEachLibrary("a stream that is unsubscribed from during a rollover brings nothing more", async (library) => {
  const received: string[] = [];
  const names = Array.from({ length: 780 }, (_, index) => `sym${index}usdt@trade`);
  await using bench = await startBench(library, { overlapMs: 5_000, onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: names });
  await stream.ready;
  const readyAt = performance.now();
  await until(() => performance.now() - readyAt > 1_200, "room for another message");
  bench.exchange.broadcast(NOTICE);
  await carried(bench, 1, 780);
  const push = (name: string, t: number) => void bench.exchange.push(name, { e: "trade", t });
  push("sym0usdt@trade", 1);
  await until(() => received.length === 1, "the first message");
  await stream.unsubscribe({ streams: ["sym0usdt@trade"] });
  const before = received.length;
  await until(() => {
    push("sym0usdt@trade", 2);
    push("sym1usdt@trade", 1);
    return bench.signalTypes.includes("ROLLOVER");
  }, "the rollover");
  push("sym2usdt@trade", 1);
  await until(() => received.some((text) => text.includes("sym2usdt@trade")), "the last message");
  assertEquals(received.slice(before).filter((text) => text.includes("sym0usdt@trade")), []);
});

testEachLibrary("a successor that is behind repeats nothing of a stream that was quiet meanwhile", async (library) => {
  const { ids, onData } = collector();
  await using bench = await startBench(library, { onData });
  await bench.manager.createStream({ streams: ["a@trade", "quiet@trade"] }).ready;
  bench.exchange.push("quiet@trade", { e: "trade", t: 7 });
  await until(() => ids.length === 1, "the first message");
  bench.exchange.broadcast(NOTICE);
  await carried(bench, 1, 2);
  bench.exchange.push("a@trade", { e: "trade", t: 100 });
  await until(() => bench.signalTypes.includes("ROLLOVER"), "the rollover");
  for (const id of [7, 8]) bench.exchange.send(1, trade(id, "quiet").text);
  await until(() => ids.includes(8), "the next message");
  assertEquals(ids, [7, 100, 8]);
});

testEachLibrary("a connection that is replaced while it is still behind repeats nothing", async (library) => {
  const { ids, onData } = collector();
  await using bench = await startBench(library, { onData });
  await bench.manager.createStream({ streams: ["a@trade"] }).ready;
  bench.exchange.broadcast(NOTICE);
  await carried(bench, 1, 1);
  for (let id = 1; id <= 9; id++) bench.exchange.send(0, trade(id, "a").text);
  bench.exchange.send(1, trade(3, "a").text);
  await until(() => bench.signalTypes.includes("ROLLOVER"), "the rollover");
  bench.exchange.send(1, NOTICE);
  await carried(bench, 2, 1);
  for (let id = 4; id <= 12; id++) bench.exchange.send(1, trade(id, "a").text);
  await until(() => ids.includes(12), "the last message");
  assertEquals(ids, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

testEachLibrary("a successor whose server shuts down as well is given up", async (library) => {
  await using bench = await startBench(library, { onData() {} });
  await bench.manager.createStream({ streams: ["a@trade"] }).ready;
  bench.exchange.broadcast(NOTICE);
  await carried(bench, 1, 1);
  bench.exchange.send(1, NOTICE);
  bench.exchange.push("a@trade", { e: "trade", t: 1 });
  await bench.exchange.waitForConnections(1);
  assertEquals([bench.exchange.openConnections[0]?.id, bench.signalTypes.includes("ROLLOVER")], [0, false]);
});

testEachLibrary("what a predecessor was still to bring when it ended is told as a gap", async (library) => {
  const { ids, onData } = collector();
  await using bench = await startBench(library, { onData });
  await bench.manager.createStream({ streams: ["a@trade"] }).ready;
  bench.exchange.broadcast(NOTICE);
  await until(() => bench.log.some((line) => line.endsWith('{"result":null,"id":2}')), "the second acknowledgement");
  bench.exchange.send(0, trade(1, "a").text);
  bench.exchange.send(1, trade(5, "a").text);
  await until(() => ids.length === 1, "the predecessor's message");
  bench.exchange.killConnection(0);
  await until(() => ids.length === 2, "the successor's message");
  const gaps = bench.signals.flatMap((signal) => signal.type === "GAP" ? [[signal.lastId, signal.nextId]] : []);
  assertEquals([ids, gaps], [[1, 5], [[1, 5]]]);
});
