/**
 * Answers that are lost, late or refuse, and attempts to connect that are many at once: nobody waits for ever, and nothing
 * runs hot.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { SubscriptionTimeoutError } from "@rawtick/binance";
import { startBench, startRawServer, switchingProtocols, testEachLibrary, until } from "./support.ts";

testEachLibrary("streams that are created in one moment share the attempts to connect", async (library) => {
  await using bench = await startBench(library, { reconnectMinDelayMs: 1, reconnectMaxDelayMs: 1 });
  bench.exchange.refuseConnections(503);
  for (let index = 0; index < 260; index++) bench.manager.createStream({ streams: [`s${index}@trade`] });
  await bench.exchange.waitFor(() => bench.exchange.refusedHandshakes >= 250);
  await bench.exchange.waitFor(() => bench.exchange.refusedHandshakes > 250, 500).catch(() => {});
  assertEquals(bench.exchange.refusedHandshakes, 250);
});

testEachLibrary("what an audit finds after unanswered messages is settled for who asks for it", async (library) => {
  await using bench = await startBench(library, { ackTimeoutMs: 100 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.dropAcks(2);
  await assertRejects(() => stream.subscribe({ streams: ["x@trade"] }), SubscriptionTimeoutError);
  await stream.auditSubscriptions();
  let isSettled = false;
  void stream.subscribe({ streams: ["x@trade"] }).then(() => isSettled = true);
  await until(() => isSettled, "the subscription settled", 1_000);
});

testEachLibrary("an unsubscription that is refused is not sent for ever", async (library) => {
  await using bench = await startBench(library, { ackTimeoutMs: 100 });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  bench.exchange.dropAcks(1);
  const subscribed = assertRejects(() => stream.subscribe({ streams: ["x@trade"] }));
  await bench.exchange.waitFor(() => bench.exchange.controlMessages.length === 2);
  bench.exchange.rejectControl({ code: 1, msg: "unknown" });
  await subscribed;
  await bench.exchange.waitFor(() => bench.exchange.controlMessages.length > 5, 2_500).catch(() => {});
  const sent = bench.exchange.controlMessages.map(({ text }) => text);
  assert(sent.length <= 5, sent.join("\n"));
});

testEachLibrary("an answer that waits unread behind a slow callback is not taken for none", async (library) => {
  const held: (() => void)[] = [];
  await using bench = await startBench(library, {
    ackTimeoutMs: 150,
    bufferSize: 40,
    onData: () => new Promise<void>((resolve) => held.push(resolve)),
  });
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await stream.ready;
  for (let t = 1; t <= 20; t++) bench.exchange.push("a@trade", { e: "trade", t });
  await until(() => stream.statistics.bufferedMessages > 10, "more than the high-water mark");
  const startedAt = performance.now();
  const subscribed = stream.subscribe({ streams: ["b@trade"] });
  await until(() => performance.now() - startedAt > 500, "more time than two answers may take");
  const releasing = setInterval(() => held.shift()?.(), 1);
  try {
    await subscribed;
  } finally {
    clearInterval(releasing);
  }
  assertEquals(bench.signalTypes.includes("SUBSCRIPTION_FAILED"), false);
});

testEachLibrary("an exchange that refuses a message and then closes everything is not tried hotly", async (library) => {
  let attempts = 0;
  await using server = await startRawServer((head, socket) => {
    attempts++;
    socket.write(switchingProtocols(head));
    if (attempts > 1) return void socket.end();
    socket.once("data", () => {
      const text = '{"error":{"code":2,"msg":"Invalid request"}}';
      socket.end(new Uint8Array([0x81, text.length, ...new TextEncoder().encode(text)]));
    });
  });
  await using bench = await startBench(library, { websocketBaseUrl: server.url, reconnectMinDelayMs: 250 });
  bench.manager.createStream({ streams: ["a@trade", "b@trade"] });
  const startedAt = performance.now();
  await until(() => performance.now() - startedAt > 1_500, "a second and a half");
  assert(attempts > 1 && attempts <= 15, `${attempts} attempts`);
});
