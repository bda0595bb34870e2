/**
 * What a stream says and does when the exchange can't be reached: each reason in its own words, and an end only where
 * nothing can heal.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects } from "@std/assert";
import {
  BinanceWebSocketApiManager,
  HandshakeRejectedError,
  type ManagerOptions,
  StreamCrashedError,
} from "@rawtick/binance";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { ConnectionFailedError } from "../src/base/mod.ts";
import { failureOf } from "../src/stream/failure.ts";
import { startManualBench } from "./manual_bench.ts";
import { memoryLogger, startBench, startRawServer, testEachLibrary, until } from "./support.ts";

/** What the stream says of itself after a few attempts; it must go on trying. */
async function reasonOf(library: WebSocketLibrary, options: ManagerOptions): Promise<string | undefined> {
  let failures = 0;
  await using manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    reconnectMinDelayMs: 10,
    onSignal: ({ type }) => void (type === "CONNECT_FAILED" && failures++),
    ...options,
  });
  const stream = manager.createStream({ streams: ["a@trade"] });
  await until(() => failures >= 2, "two failures");
  assertEquals(stream.state, "restarting");
  return stream.stateReason;
}

const statusTexts: readonly (readonly [number, string])[] = [
  [403, "the exchange's firewall refuses this address or what it asked for (403)"],
  [404, "there is nothing at this URL (404)"],
  [451, "the exchange does not serve this country (451)"],
  [500, "the exchange answers with status 500"],
  [503, "the exchange answers with status 503"],
];

testEachLibrary("a status that refuses the connection is named for what it is, and tried again", async (library) => {
  for (const [status, text] of statusTexts) {
    await using bench = await startBench(library);
    bench.exchange.refuseConnections(status);
    assertEquals(await reasonOf(library, { websocketBaseUrl: bench.exchange.url }), text);
  }
});

testEachLibrary("a refused connection, a reset and silence are named, and tried again", async (library) => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const address = closed.address();
  assert(typeof address === "object" && address !== null);
  await new Promise((resolve) => closed.close(resolve));
  const refused = await reasonOf(library, { websocketBaseUrl: `ws://127.0.0.1:${address.port}` });
  // Deno's own WebSocket does not tell the two apart.
  const hidden = library === "builtin" && "Deno" in globalThis;
  assertEquals(
    refused,
    hidden ? "the connection is refused, or the network is unreachable" : "the connection is refused",
  );

  await using resetting = await startRawServer((_, socket) => void socket.resetAndDestroy());
  assertEquals(await reasonOf(library, { websocketBaseUrl: resetting.url }), "the connection was reset");

  await using silent = await startRawServer(() => {});
  assertEquals(
    await reasonOf(library, { websocketBaseUrl: silent.url, handshakeTimeoutMs: 100 }),
    "the exchange does not answer in time",
  );
});

testEachLibrary("a name that is not found is no crash, and said to be one", async (library) => {
  assertEquals(
    await reasonOf(library, { websocketBaseUrl: "ws://no-such-exchange.invalid" }),
    "the name of the exchange is not found (DNS)",
  );
});

testEachLibrary("a certificate that is not trusted is named, and tried again", async (library) => {
  const file = (name: string) => readFileSync(new URL(`./certs/${name}`, import.meta.url), "utf8");
  await using bench = await startBench(library, {}, {
    tls: { cert: file("localhost.pem"), key: file("localhost.key") },
  });
  assertEquals(
    await reasonOf(library, { websocketBaseUrl: bench.exchange.url }),
    "the TLS connection is not trusted or fails",
  );
});

testEachLibrary("a proxy that fails is named, and tried again", async (library) => {
  const reason = await reasonOf(library, { websocketBaseUrl: "ws://127.0.0.1:1", proxy: "http://127.0.0.1:1" });
  assert(reason?.includes("proxy"), reason);
});

for (const [status, text] of [[429, "limits this address (429)"], [418, "has banned this address (418)"]] as const) {
  testEachLibrary(
    `with onRateLimited "wait", nothing connects until the time of a ${status} is over`,
    async (library) => {
      await using bench = await startManualBench(library, { onRateLimited: "wait" });
      bench.exchange.refuseConnections(status, { headers: { "Retry-After": "120" } });
      const first = bench.manager.createStream({ streams: ["a@trade"] });
      await until(() => bench.signals.length === 1, "the refusal");
      const second = bench.manager.createStream({ streams: ["b@trade"] });
      assertEquals([first.state, first.stateReason, second.state], ["restarting", `the exchange ${text}`, "starting"]);
      // Most runtimes' own WebSocket hides the answer's headers: then it is a minute for 429, and 5 minutes for 418.
      const isKnown = first.lastError instanceof HandshakeRejectedError && first.lastError.retryAfterMs !== undefined;
      assert(isKnown || library === "builtin");
      const waitMs = isKnown ? 120_000 : status === 429 ? 60_000 : 300_000;
      await bench.advance(waitMs - 1_000);
      assertEquals(bench.attempts.length, 1, "not even the other stream");
      bench.exchange.refuseConnections(undefined);
      // Then the backoff is long: up to 32 s.
      await bench.advance(35_000);
      await Promise.all([first.ready, second.ready]);
      assertEquals([first.state, second.state, bench.attempts.length], ["running", "running", 3]);
    },
  );
}

test("a time that the exchange has named holds for streams that are created after the crash, too", async () => {
  await using bench = await startManualBench("native");
  bench.exchange.refuseConnections(429, { headers: { "Retry-After": "120" } });
  await assertRejects(() => bench.manager.createStream({ streams: ["a@trade"] }).ready, StreamCrashedError);
  bench.exchange.refuseConnections(undefined);
  const next = bench.manager.createStream({ streams: ["b@trade"] });
  assertEquals([next.state, next.stateReason], ["starting", "the exchange allows no attempt to connect just now"]);
  await bench.advance(119_000);
  assertEquals(bench.attempts.length, 1);
  await bench.advance(2_000);
  await next.ready;
  assertEquals([bench.attempts.length, next.stateReason], [2, undefined]);
});

test("a time beyond all bans is waited for without a hot loop, and no longer than the longest ban", async () => {
  for (const retryAfter of ["5000000", "99999999999999", "Wed, 21 Oct 2099 07:28:00 GMT"]) {
    const log = memoryLogger();
    const onlyByChance = { reconnectMinDelayMs: 60_000, reconnectMaxDelayMs: 60_000 };
    await using bench = await startBench("native", { onRateLimited: "wait", logger: log, ...onlyByChance });
    bench.exchange.refuseConnections(429, { headers: { "Retry-After": retryAfter } });
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await until(() => bench.signalTypes.includes("CONNECT_FAILED"), "the refusal");
    // The first one is in its backoff; the next asks for an attempt at once.
    bench.manager.createStream({ streams: ["b@trade"] });
    await new Promise((resolve) => setTimeout(resolve, 100));
    assertEquals(log.lines.filter((line) => line.includes("next attempt to connect")).length, 1);
    const { waitMs } = bench.manager.statistics.connectBudget;
    assert(waitMs > 3 * 86_400_000 - 60_000 && waitMs <= 3 * 86_400_000, `${waitMs} ms`);
    assertEquals(stream.stateReason, "the exchange limits this address (429)");
  }
});

test("a permission that Deno does not give is no failure of the network: it will not be there the next time", () => {
  const notCapable = Object.assign(new Error("Requires net access"), { name: "NotCapable" });
  const flag = new Error('Requires net access to "a:443", run again with the --allow-net flag');
  for (const cause of [notCapable, flag, new Error("getaddrinfo EPERM stream.binance.com")]) {
    const { isFatal, text } = failureOf(new ConnectionFailedError("Cannot open it", { cause }));
    assertEquals([isFatal, text.includes("--allow-net")], [true, true]);
  }
  assertEquals(failureOf(new ConnectionFailedError("Cannot open it", { cause: new Error("EPERM") })).isFatal, false);
});

testEachLibrary("a stream that is stopped has no reason to be down any more", async (library) => {
  await using bench = await startBench(library);
  bench.exchange.refuseConnections(503);
  const stream = bench.manager.createStream({ streams: ["a@trade"] });
  await until(() => bench.exchange.refusedHandshakes >= 2, "two refusals");
  bench.exchange.refuseConnections(undefined);
  bench.exchange.ignoreHandshakes(true);
  const before = bench.exchange.totalConnections;
  await until(() => bench.exchange.totalConnections > before, "an attempt under way");
  assert(stream.stateReason !== undefined);
  await stream.stop();
  assertEquals([stream.state, stream.stateReason, stream.info.stateReason], ["stopped", undefined, undefined]);
  assertEquals(stream.statistics.links[0]?.reason, undefined);
});

testEachLibrary("a connection that was lost is the reason, until the next one is open", async (library) => {
  const { random } = Math;
  Math.random = () => 0.999;
  try {
    await using bench = await startBench(library);
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    await stream.ready;
    assertEquals([stream.stateReason, stream.statistics.links[0]?.reason], [undefined, undefined]);
    bench.exchange.closeConnections(1008);
    await until(() => stream.state === "restarting", "the loss");
    assertMatch(stream.stateReason ?? "", /^the connection ended \(code 1008/);
    assertEquals(stream.statistics.links[0]?.reason, stream.stateReason);
  } finally {
    Math.random = random;
  }
});

test("managers that share their attempts to connect wait for each other's ban, others do not", async () => {
  await using bench = await startBench("native", { connectBudget: "process", onRateLimited: "wait" });
  bench.exchange.refuseConnections(429, { headers: { "Retry-After": "600" } });
  bench.manager.createStream({ streams: ["a@trade"] });
  await until(() => bench.signalTypes.includes("CONNECT_FAILED"), "the refusal");
  bench.exchange.refuseConnections(undefined);
  const options = { websocketBaseUrl: bench.exchange.url, websocketLibrary: "native" } as const;
  await using sharing = new BinanceWebSocketApiManager({ ...options, connectBudget: "process" });
  await using other = new BinanceWebSocketApiManager(options);
  const waiting = sharing.createStream({ streams: ["b@trade"] });
  await other.createStream({ streams: ["c@trade"] }).ready;
  assertEquals([waiting.state, bench.exchange.totalHandshakes], ["starting", 1]);
});

testEachLibrary("by default a limit or a ban crashes the stream, and what was thrown is attached", async (library) => {
  await using bench = await startBench(library);
  for (const status of [429, 418]) {
    bench.exchange.refuseConnections(status);
    const stream = bench.manager.createStream({ streams: ["a@trade"] });
    const error = await assertRejects(() => stream.ready, StreamCrashedError);
    assertInstanceOf(error.cause, HandshakeRejectedError);
    assertEquals([stream.state, error.cause.status], ["crashed", status]);
  }
});
