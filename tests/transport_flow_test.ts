/**
 * Flow and liveness of a connection: pausing, draining, keepalive, round trips and addresses, on both libraries.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { RawtickError, type WebSocketLibrary } from "@rawtick/binance/transport";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { certificate, paths, type Peer, Recorder, settle, TestServer } from "./native_server.ts";
import { Command } from "./command.ts";
import { testEachLibrary, until } from "./support.ts";
import { canDoMore, isBun, openPair } from "./transport_pair.ts";

const UNMASKED = { mask: false };
const MIB = 1 << 20;

/** Registers a test for each library that has pings and can pause here. */
function testEachAble(name: string, run: (library: WebSocketLibrary) => Promise<void>): void {
  for (const library of ["builtin", "native"] as const) {
    if (canDoMore(library)) test(`${library}: ${name}`, { timeout: 60_000 }, () => run(library));
  }
}

testEachLibrary("a connection says what it can and which sockets carry it", async (library) => {
  await using pair = await openPair(library);
  const { connection, server } = pair;
  const runtimeSockets = isBun ? "bun" : "Deno" in globalThis ? "deno" : "node";
  assertEquals(connection.path, library === "builtin" ? "builtin" : runtimeSockets);
  assertEquals([connection.canPause, connection.canPing, connection.isPaused], [
    canDoMore(library),
    canDoMore(library),
    false,
  ]);
  const { localAddress, remoteAddress } = connection;
  if (library === "builtin") assertEquals([localAddress, remoteAddress], [undefined, undefined]);
  else {
    assertEquals(remoteAddress, { hostname: "127.0.0.1", port: server.port });
    assertEquals(localAddress, { hostname: "127.0.0.1", port: pair.peer.socket.remotePort ?? 0 });
  }
  connection.terminate();
  assertEquals([connection.localAddress, connection.remoteAddress], [undefined, undefined]);
  assertEquals(connection.latencyMs, undefined);
});

for (const [path, open] of paths) {
  test(`${path}: addresses are known with TLS too`, async () => {
    await using server = await TestServer.start({ certificate: "localhost" });
    const connection = await open(`wss://127.0.0.1:${server.port}/`, new Recorder(), {
      tls: { ca: [certificate("ca.pem")] },
    });
    assertEquals(connection.remoteAddress, { hostname: "127.0.0.1", port: server.port });
    assertEquals(connection.localAddress?.hostname, "127.0.0.1");
    connection.terminate();
  });

  for (const scheme of ["ws", "wss"] as const) {
    test(
      `${path}, ${scheme}: pausing holds the server back, and resuming loses nothing`,
      { timeout: 60_000 },
      async () => {
        await using server = await TestServer.start(scheme === "wss" ? { certificate: "localhost" } : {});
        const recorder = new Recorder();
        const connection = await open(`${scheme}://localhost:${server.port}/`, recorder, {
          tls: { ca: [certificate("ca.pem")] },
        });
        const peer = await server.peer();
        connection.pause();
        connection.pause();
        assert(connection.isPaused);
        const frame = encodeFrame(Opcode.Binary, new Uint8Array(MIB), UNMASKED);
        const count = 48;
        for (let i = 0; i < count; i++) peer.socket.write(frame);
        await settle();
        await settle();
        // All that TCP's buffers take has left; the rest waits at the server.
        const waiting = peer.socket.writableLength;
        assert(waiting > 16 * MIB, `${waiting} bytes wait at the server`);
        assert(recorder.binaries.length <= 1, `${recorder.binaries.length} messages came while it was paused`);
        connection.resume();
        assertEquals(connection.isPaused, false);
        await recorder.wait(1 + count);
        connection.resume();
        connection.terminate();
      },
    );
  }
}

testEachAble("a pause holds messages back until it ends", async (library) => {
  await using pair = await openPair(library);
  const { connection, peer, recorder } = pair;
  connection.pause();
  for (let i = 0; i < 100; i++) peer.send(encodeText(`message ${i}`, UNMASKED));
  await settle();
  assertEquals([recorder.texts.length, connection.isPaused, connection.isOpen], [0, true, true]);
  connection.send("sending goes on");
  assertEquals(await peer.next(), ["text", "sending goes on"]);
  connection.resume();
  await recorder.wait(101);
  assertEquals(recorder.texts.map((text) => Number(text.slice(8))), Array.from({ length: 100 }, (_, i) => i));
});

testEachAble("close ends a pause, so that the server's answer is read", async (library) => {
  await using pair = await openPair(library, { closeTimeoutMs: 10_000 });
  const { connection, peer, recorder } = pair;
  connection.pause();
  connection.close(4000);
  assertEquals(connection.isPaused, false);
  assertEquals(await peer.next(), ["close", 4000, ""]);
  peer.send(encodeClose(4000, "", UNMASKED));
  assertEquals((await connection.closed).wasClean, true);
  connection.pause();
  connection.resume();
  assertEquals(recorder.events, ["open", "close"]);
});

testEachAble("terminate ends a paused connection", async (library) => {
  await using pair = await openPair(library);
  const { connection, recorder, server } = pair;
  connection.pause();
  connection.terminate();
  await until(() => server.connections === 0, "the socket gone");
  assertEquals([recorder.events, connection.isPaused], [["open", "close"], false]);
});

testEachAble("the end of a paused connection is reported once it resumes", async (library) => {
  await using pair = await openPair(library);
  const { connection, peer, recorder } = pair;
  connection.pause();
  peer.send(encodeText("last", UNMASKED), encodeClose(1001, "bye", UNMASKED));
  await settle();
  assertEquals(recorder.events, ["open"]);
  connection.resume();
  assertEquals(await connection.closed, { code: 1001, reason: "bye", wasClean: true });
  assertEquals(recorder.events, ["open", "text", "close"]);
});

if (!isBun) {
  test("builtin: pausing is refused where the runtime's own WebSocket always reads", async () => {
    await using pair = await openPair("builtin");
    assertThrows(() => pair.connection.pause(), TypeError, "always reads");
    assertThrows(() => pair.connection.resume(), TypeError, "always reads");
  });
}

test("builtin: send always says that the caller may go on", async () => {
  await using pair = await openPair("builtin");
  assertEquals(pair.connection.send("x".repeat(1_000_000)), true);
});

for (const highWaterMark of [0, 100_000]) {
  test(
    `native: beyond ${highWaterMark} bytes send says wait, and onDrain that all has left`,
    { timeout: 60_000 },
    async () => {
      let drains = 0;
      await using pair = await openPair("native", { highWaterMark }, { onDrain: () => void drains++ });
      const { connection, peer } = pair;
      const waiting = (): boolean => connection.bufferedAmount > highWaterMark;
      peer.socket.pause();
      const message = new Uint8Array(MIB);
      let sent = 0;
      while (connection.send(message)) {
        assertEquals(waiting(), false);
        sent++;
        assert(sent < 1_000, "TCP never has enough");
      }
      sent++;
      assert(waiting());
      // Nothing is refused beyond the mark.
      for (let i = 0; i < 16; i++) connection.send(message);
      sent += 16;
      assertEquals(connection.send(""), false);
      await settle();
      assertEquals(drains, 0);
      peer.socket.resume();
      await until(() => drains > 0, "the drain");
      assertEquals([drains, connection.bufferedAmount], [1, 0]);
      for (let i = 0; i < sent; i++) assertEquals((await peer.next())[0], "binary");
      assertEquals(await peer.next(), ["text", ""]);
      assertEquals(drains, 1);
    },
  );
}

test("native: onDrain does not come after the end", async () => {
  let drains = 0;
  await using pair = await openPair("native", { highWaterMark: 0 }, { onDrain: () => void drains++ });
  pair.peer.socket.pause();
  while (pair.connection.send(new Uint8Array(MIB)));
  for (let i = 0; i < 16; i++) pair.connection.send(new Uint8Array(MIB));
  pair.connection.terminate();
  pair.peer.socket.resume();
  await settle();
  assertEquals([drains, pair.recorder.events], [0, ["open", "close"]]);
});

testEachAble("the round trip of the last answered ping is known", async (library) => {
  await using pair = await openPair(library);
  const { connection, peer, recorder } = pair;
  connection.ping(new Uint8Array([1, 2, 3]));
  assertEquals(connection.latencyMs, undefined);
  assertEquals((await peer.next())[0], "ping");
  // Pongs that answer nothing (RFC 6455 5.5.3) don't count.
  peer.send(encodeFrame(Opcode.Pong, new Uint8Array([9]), UNMASKED));
  peer.send(encodeFrame(Opcode.Pong, new Uint8Array([1, 2, 4]), UNMASKED));
  await recorder.wait(3);
  assertEquals(connection.latencyMs, undefined);
  await settle();
  peer.send(encodeFrame(Opcode.Pong, new Uint8Array([1, 2, 3]), UNMASKED));
  await recorder.wait(4);
  const { latencyMs = 0 } = connection;
  assert(latencyMs >= 25 && latencyMs < 5_000, `${latencyMs} ms`);
});

testEachAble("a silent peer is pinged, and given up when it stays silent", async (library) => {
  await using pair = await openPair(library, { pingIntervalMs: 60, pingTimeoutMs: 60 });
  const { connection, peer, recorder, server } = pair;
  const before = performance.now();
  assertEquals((await peer.next())[0], "ping");
  const { code, wasClean, error } = await connection.closed;
  const took = performance.now() - before;
  assertEquals([code, wasClean], [1006, false]);
  assert(error instanceof RawtickError && error.code === "PING_TIMEOUT", String(error));
  assert(took >= 50 && took < 5_000, `${took} ms`);
  await until(() => server.connections === 0, "the socket gone");
  await settle();
  assertEquals(recorder.events, ["open", "close"]);
});

testEachAble("a pong, a ping or a message is a sign of life", async (library) => {
  for (
    const sign of [
      encodeFrame(Opcode.Pong, new Uint8Array(0), UNMASKED),
      encodeFrame(Opcode.Ping, new Uint8Array(0), UNMASKED),
      encodeText("data", UNMASKED),
    ]
  ) {
    await using pair = await openPair(library, { pingIntervalMs: 20, pingTimeoutMs: 300 });
    const { connection, peer } = pair;
    for (let pings = 0; pings < 3;) {
      const [type] = await peer.next();
      if (type !== "ping") continue;
      pings++;
      // A second ping means that the sign counted: without it, nothing is sent until the end.
      peer.send(sign);
    }
    assert(connection.isOpen);
  }
});

test("native: bytes of a message that is not complete are a sign of life", async () => {
  await using pair = await openPair("native", { pingIntervalMs: 60, pingTimeoutMs: 120 });
  const { connection, peer } = pair;
  const frame = encodeText("x".repeat(30), UNMASKED);
  const end = performance.now() + 600;
  let at = 0;
  while (performance.now() < end && at < frame.length - 1) {
    peer.send(frame.subarray(at, ++at));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert(connection.isOpen);
  // Then it falls silent in the middle of the message.
  assertEquals((await connection.closed).code, 1006);
});

testEachAble("a paused connection is not given up", async (library) => {
  await using pair = await openPair(library, { pingIntervalMs: 20, pingTimeoutMs: 20 });
  const { connection } = pair;
  connection.pause();
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert(connection.isOpen);
  connection.resume();
  assertEquals((await connection.closed).code, 1006);
});

testEachAble("no keepalive goes on after close or terminate", async (library) => {
  for (const way of ["close", "terminate"] as const) {
    await using pair = await openPair(library, { pingIntervalMs: 40, pingTimeoutMs: 40, closeTimeoutMs: 400 });
    const { connection, peer, recorder } = pair;
    connection[way]();
    const info = await connection.closed;
    assertEquals(info.error, undefined);
    if (way === "close") assertEquals((await peer.next())[0], "close");
    assertEquals(await peer.next(), ["end"]);
    assertEquals(recorder.events, ["open", "close"]);
  }
});

testEachLibrary("what the listener throws stops neither opening nor closing", async (library) => {
  // In a process of its own, because a test runner has its own idea of uncaught errors.
  await using server = await TestServer.start();
  using command = new Command("tests/fixtures/throwing_listener.ts", [library, `ws://127.0.0.1:${server.port}/`]);
  const peer = await server.peer();
  peer.send(encodeText("hello", UNMASKED));
  // Deno's own WebSocket can't be destroyed; it keeps its process alive until its Close frame is answered.
  if ((await peer.next())[0] === "close") peer.send(encodeClose(1005, "", UNMASKED));
  assertEquals(await command.ended, 0, command.errors);
  const uncaught = command.lines.filter((line) => line.startsWith("uncaught: "));
  assertEquals(uncaught, ["uncaught: onOpen", "uncaught: onText", "uncaught: onClose"]);
  assertEquals(command.lines.filter((line) => !uncaught.includes(line)), ["opened", "closed 1006"]);
});

testEachLibrary("no way out leaves anything behind that keeps the process alive", async (library) => {
  await using server = await TestServer.start();
  const answering = async (): Promise<void> => {
    while (true) answerClose(await server.peer());
  };
  const answerClose = async (peer: Peer): Promise<void> => {
    for (let event = await peer.next(); event[0] !== "end"; event = await peer.next()) {
      if (event[0] === "close") peer.send(encodeClose(event[1], "", UNMASKED));
    }
  };
  answering();
  using command = new Command("tests/fixtures/transport_exit.ts", [library, `ws://127.0.0.1:${server.port}/`]);
  assertEquals(await command.ended, 0, `${command.output}${command.errors}`);
  assertEquals(command.lines, ["done"]);
});
