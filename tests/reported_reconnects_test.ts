/**
 * What was reported of other products' reconnects, and must not happen here. Which report a test is for stands in
 * `docs/reliability.md`.
 *
 * @module
 */

import { connect, type Socket } from "node:net";
import process from "node:process";
import { assert, assertEquals } from "@std/assert";
import type { LocalExchange } from "@rawtick/binance/testing";
import { startBench, startRawServer, switchingProtocols, testEachLibrary, until } from "./support.ts";

/** The streams of each SUBSCRIBE, by connection. */
function subscribed(exchange: LocalExchange): Map<number, string[]> {
  const streams = new Map<number, string[]>();
  for (const { connectionId, text } of exchange.controlMessages) {
    const { method, params } = JSON.parse(text) as { method: string; params: string[] };
    if (method === "SUBSCRIBE") streams.set(connectionId, [...streams.get(connectionId) ?? [], ...params]);
  }
  return streams;
}

testEachLibrary("720 subscriptions are confirmed in a moment, at first and after a reconnect", async (library) => {
  const streams = Array.from({ length: 720 }, (_, index) => `s${index}@trade`);
  await using bench = await startBench(library, {}, { market: "spot" });
  let startedAt = performance.now();
  const stream = bench.manager.createStream({ streams });
  await stream.ready;
  assert(performance.now() - startedAt < 1_000, `${performance.now() - startedAt} ms to connect`);
  startedAt = performance.now();
  bench.exchange.killConnections();
  const isBack = () => bench.exchange.openConnections.some(({ id, streams }) => id === 1 && streams.length === 720);
  await until(isBack, "all subscribed again");
  assert(performance.now() - startedAt < 1_000, `${performance.now() - startedAt} ms to reconnect`);
  assertEquals(subscribed(bench.exchange), new Map([[0, streams], [1, streams]]));
  assertEquals(bench.exchange.handshakes.map(({ target }) => target), ["/stream?streams=", "/stream?streams="]);
});

testEachLibrary("each lost connection is followed by one new one, to the same URL", async (library) => {
  await using bench = await startBench(library, { exchange: "binance.com-futures" }, { market: "futures" });
  const streams = Array.from({ length: 5 }, (_, index) => {
    return bench.manager.createStream({ streams: [`s${index}@depth`, `s${index}@aggTrade`] });
  });
  await Promise.all(streams.map(({ ready }) => ready));
  for (let cut = 1; cut <= 3; cut++) {
    bench.exchange.cut24h();
    await bench.exchange.waitFor(() => bench.exchange.totalHandshakes === 10 * (cut + 1));
    await bench.exchange.waitForConnections(10);
  }
  const byTarget = Map.groupBy(bench.exchange.handshakes, ({ target }) => target);
  assertEquals([...byTarget].map(([target, { length }]) => [target, length]).toSorted(), [
    ["/market/stream?streams=", 20],
    ["/public/stream?streams=", 20],
  ]);
  await until(() => bench.exchange.openConnections.every(({ streams }) => streams.length === 1), "all subscribed");
  assertEquals(streams.map(({ statistics }) => statistics.reconnects), [6, 6, 6, 6, 6]);
});

testEachLibrary("the unit of time is part of every connection's URL", async (library) => {
  await using bench = await startBench(library, { timeUnit: "microsecond" });
  await bench.manager.createStream({ streams: ["a@trade"] }).ready;
  bench.exchange.killConnections();
  await bench.exchange.waitFor(() => bench.exchange.totalHandshakes === 2);
  const target = "/stream?streams=&timeUnit=MICROSECOND";
  assertEquals(bench.exchange.handshakes.map((handshake) => handshake.target), [target, target]);
});

testEachLibrary(
  "what changes while there is no connection is not replayed: the wanted set leaves once",
  async (library) => {
    await using bench = await startBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade", "b@trade"] });
    await stream.ready;
    bench.exchange.refuseConnections(503);
    bench.exchange.killConnections();
    await until(() => stream.state === "restarting", "the loss noticed");
    const changes = [
      stream.subscribe({ streams: ["c@trade", "d@trade"] }),
      stream.unsubscribe({ streams: ["a@trade", "c@trade"] }),
      stream.subscribe({ streams: ["e@trade", "d@trade"] }),
    ];
    bench.exchange.refuseConnections(undefined);
    await Promise.all(changes);
    const wanted = ["b@trade", "d@trade", "e@trade"];
    assertEquals(subscribed(bench.exchange).get(1), wanted);
    assertEquals(bench.exchange.controlMessages.length, 2, "one SUBSCRIBE for each connection, and nothing else");
    assertEquals(bench.exchange.openConnections[0]?.streams, wanted);
  },
);

testEachLibrary(
  "a connection that replaced another subscribes once, and is reconnected like any other",
  async (library) => {
    await using bench = await startBench(library, { overlapMs: 500 }, { messagesPerSecond: 50 });
    const streams = ["a@trade", "b@trade"];
    const stream = bench.manager.createStream({ streams, onData() {} });
    await stream.ready;
    const closed = bench.exchange.serverShutdown(3_000);
    await until(() => bench.signalTypes.includes("ROLLOVER"), "the replacement");
    const rollover = bench.signals.find(({ type }) => type === "ROLLOVER");
    assert(rollover?.type === "ROLLOVER");
    assertEquals(rollover.reason, "the exchange shuts the server down");
    assertEquals(bench.signalTypes.includes("DISCONNECT"), false);
    await bench.exchange.waitForConnections(1);
    bench.exchange.killConnections();
    await until(() => stream.statistics.reconnects === 1 && stream.state === "running", "running again");
    const before = stream.statistics.receivedMessages;
    await until(() => stream.statistics.receivedMessages > before + 20, "data again");
    assertEquals(subscribed(bench.exchange), new Map([[0, streams], [1, streams], [2, streams]]));
    await bench.manager.stopManager();
    await bench.exchange.close();
    await closed;
  },
);

testEachLibrary(
  "a handshake that nobody answers leaves no socket behind when the next one is tried",
  async (library) => {
    await using bench = await startBench(library, { handshakeTimeoutMs: 100 });
    bench.exchange.ignoreHandshakes(true);
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    let most = 0;
    const isSixth = () => {
      most = Math.max(most, bench.exchange.connections);
      return bench.exchange.totalConnections >= 6;
    };
    await bench.exchange.waitFor(isSixth, 10_000);
    // The next one may be accepted before the end of the one before is read.
    assert(most <= 2, `${most} sockets at a time`);
    bench.exchange.ignoreHandshakes(false);
    await stream.ready;
    await bench.exchange.waitForConnections(1);
  },
);

testEachLibrary("whatever answers the handshake, the stream goes on trying and comes back", async (library) => {
  const answers: ((head: string, socket: Socket) => void)[] = [
    (_, socket) => void socket.end(),
    (_, socket) => void socket.destroy(),
    (_, socket) => void socket.end("garbage\r\n\r\n"),
    (_, socket) => void socket.end(new Uint8Array(100)),
    (_, socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\n"),
    (_, socket) => void socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
    (head, socket) => void socket.end(switchingProtocols(head.replace(/(key: *)\S+/i, "$1wrong"))),
    (head, socket) => void socket.end(switchingProtocols(head, "Sec-WebSocket-Extensions: made-up\r\n")),
    (_, socket) => void socket.end(`HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n`),
    (_, socket) => void socket.end(`HTTP/1.1 500 ${"x".repeat(100_000)}\r\n\r\n`),
  ];
  await using real = await startBench(library);
  let attempts = 0;
  await using server = await startRawServer((head, socket) => {
    const answer = answers[attempts++];
    if (answer !== undefined) return answer(head, socket);
    const upstream = connect(real.exchange.port, "127.0.0.1");
    upstream.on("error", () => socket.destroy()).write(head, "latin1");
    socket.pipe(upstream).pipe(socket);
  });
  await using bench = await startBench(library, { websocketBaseUrl: server.url, reconnectMaxDelayMs: 50 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  assertEquals([attempts, stream.state], [answers.length + 1, "running"]);
  const failed = bench.signalTypes.filter((type) => type === "CONNECT_FAILED").length;
  const lost = bench.signalTypes.filter((type) => type === "DISCONNECT").length;
  // A runtime's own WebSocket may overlook a wrong key or extension: then a connection was opened and lost.
  assertEquals(failed + lost, answers.length, bench.signalTypes.join(" "));
  assert(library === "builtin" || lost === 0);
});

testEachLibrary(
  "after a close with 1008 the next attempt waits long, after 1001 it is made at once",
  async (library) => {
    const { random } = Math;
    Math.random = () => 0.999;
    try {
      for (const code of [1001, 1008]) {
        await using bench = await startBench(library, { reconnectMinDelayMs: 250 });
        const stream = bench.manager.createStream({ streams: ["a@trade"] });
        await stream.ready;
        bench.exchange.closeConnections(code);
        await until(() => stream.state === "restarting" || bench.exchange.totalHandshakes === 2, "the end noticed");
        await bench.exchange.waitFor(() => bench.exchange.totalHandshakes === 2, 500).catch(() => {});
        assertEquals(bench.exchange.totalHandshakes, code === 1008 ? 1 : 2, String(code));
      }
    } finally {
      Math.random = random;
    }
  },
);

testEachLibrary(
  "an exchange that takes connections and closes them at once is tried ever more rarely",
  async (library) => {
    const attempts: number[] = [];
    await using server = await startRawServer((head, socket) => {
      attempts.push(performance.now());
      socket.end(switchingProtocols(head));
    });
    await using bench = await startBench(library, { websocketBaseUrl: server.url, reconnectMinDelayMs: 100 });
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await until(() => attempts.length > 3, "some attempts");
    await until(() => performance.now() - (attempts[0] ?? 0) > 1_500, "a second and a half");
    // One at once, then waits of up to 0, 100, 200, 400 ms …: more than 12 in that time are next to impossible.
    assert(attempts.length <= 12, `${attempts.length} attempts`);
    assertEquals(stream.state === "crashed", false);
  },
);

testEachLibrary("thirty reconnects pile nothing up that the runtime would warn of", async (library) => {
  const warnings: string[] = [];
  const warn = (warning: Error) => void warnings.push(String(warning));
  process.on("warning", warn);
  try {
    await using bench = await startBench(library, { reconnectMinDelayMs: 1, reconnectMaxDelayMs: 1 });
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await stream.ready;
    for (let reconnects = 1; reconnects <= 30; reconnects++) {
      bench.exchange.killConnections();
      await bench.exchange.waitFor(() => bench.exchange.controlMessages.length > reconnects);
    }
    await until(() => stream.statistics.reconnects === 30, "the last one");
    assertEquals([...subscribed(bench.exchange).values()], new Array(31).fill(["a@trade"]));
    await bench.exchange.waitForConnections(1);
  } finally {
    process.off("warning", warn);
  }
  assertEquals(warnings, []);
});

testEachLibrary(
  "a resubscription that is never answered does not end a connection on which data flows",
  async (library) => {
    await using bench = await startBench(library, { ackTimeoutMs: 100 }, { messagesPerSecond: 50 });
    const stream = bench.manager.createStream({ streams: ["a@trade"], onData() {} });
    await stream.ready;
    bench.exchange.silenceAcks(true);
    bench.exchange.killConnections();
    await until(() => bench.signalTypes.includes("SUBSCRIPTION_FAILED"), "the missing answers reported");
    const before = stream.statistics.receivedMessages;
    await until(() => stream.statistics.receivedMessages > before + 10, "data");
    assertEquals([bench.exchange.totalConnections, stream.state, stream.subscriptions], [2, "running", ["a@trade"]]);
    assertEquals(subscribed(bench.exchange).get(1), ["a@trade", "a@trade"], "asked for twice, and then left alone");
  },
);

testEachLibrary("a connection that ends while it is being replaced is taken over without a loss", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { overlapMs: 20_000, onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.broadcast('{"e":"serverShutdown","E":1770123456789}');
  await until(() => bench.log.some((line) => line.endsWith('{"result":null,"id":2}')), "the second acknowledgement");
  bench.exchange.killConnection(0);
  await until(() => bench.signalTypes.includes("ROLLOVER"), "the replacement");
  bench.exchange.send(1, '{"stream":"a@trade","data":{"e":"trade","t":2}}');
  await until(() => received.length > 0, "the next message");
  assertEquals(received, ['{"stream":"a@trade","data":{"e":"trade","t":2}}'], "the notice is no data");
  assertEquals(bench.signalTypes.filter((type) => type !== "FIRST_RECEIVED_DATA"), ["CONNECT", "ROLLOVER"]);
  assertEquals([stream.statistics.reconnects, bench.exchange.totalConnections], [0, 2]);
});

testEachLibrary("a replacement that fails is dropped, and the connection goes on", async (library) => {
  const received: string[] = [];
  await using bench = await startBench(library, { overlapMs: 20_000, onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  const notice = '{"e":"serverShutdown","E":1770123456789}';
  bench.exchange.refuseConnections(503);
  bench.exchange.broadcast(notice);
  await bench.exchange.waitFor(() => bench.exchange.refusedHandshakes === 1);
  await until(() => bench.log.some((line) => line.includes("Cannot replace a connection yet")), "the failure logged");
  bench.exchange.refuseConnections(undefined);
  bench.exchange.broadcast(notice);
  await bench.exchange.waitFor(() => bench.exchange.controlMessages.length === 2);
  bench.exchange.killConnection(1);
  await bench.exchange.waitForConnections(1);
  bench.exchange.push("a@trade", { e: "trade", t: 1 });
  await until(() => received.length === 1, "the message");
  assertEquals([stream.state, bench.signalTypes], ["running", ["CONNECT", "FIRST_RECEIVED_DATA"]]);
});
