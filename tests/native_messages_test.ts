/**
 * Messages over a native connection: whole, in order, in both directions, whatever their size and the server's pace.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { Command } from "./command.ts";
import { bytesOf, hex } from "./frame_events.ts";
import { testEachConnection } from "./native_each.ts";
import { paths, pattern, Recorder, settle, unicode } from "./native_server.ts";
import { until } from "./support.ts";

const UNMASKED = { mask: false };
const MIB = 1 << 20;

testEachConnection("texts of every length class come back from an echo", async ({ connection, peer, recorder }) => {
  const texts = [0, 1, 125, 126, 65_535, 65_536, 300_000].flatMap((length) => ["x".repeat(length), unicode(length)]);
  for (const text of texts) connection.send(text);
  for (const text of texts) {
    const event = await peer.next();
    assert(event[0] === "text" && event[1] === text, `a text of ${text.length}`);
    peer.send(encodeText(text, UNMASKED));
  }
  await recorder.wait(1 + texts.length);
  for (const [index, text] of texts.entries()) assert(recorder.texts[index] === text, `a text of ${text.length}`);
});

testEachConnection("bytes of every length class come back from an echo", async ({ connection, peer, recorder }) => {
  const messages = [0, 1, 125, 126, 65_535, 65_536, 300_000].map(pattern);
  for (const bytes of messages) connection.send(bytes);
  for (const bytes of messages) {
    const event = await peer.next();
    assert(event[0] === "binary" && hex(event[1]) === hex(bytes), `${bytes.length} bytes`);
    peer.send(encodeFrame(Opcode.Binary, event[1], UNMASKED));
  }
  await recorder.wait(1 + messages.length);
  assertEquals(recorder.binaries.map(hex), messages.map(hex));
});

testEachConnection("20 MiB of text and of bytes go both ways", async ({ connection, peer, recorder }) => {
  for (const text of ["x".repeat(20 * MIB), unicode(10 * MIB)]) {
    connection.send(text);
    const event = await peer.next();
    assert(event[0] === "text" && event[1] === text, "the text that the server got");
    peer.send(encodeText(text, UNMASKED));
    await recorder.wait(1 + recorder.texts.length + 1);
    assert(recorder.texts.at(-1) === text, "the text that came back");
  }
  const bytes = pattern(20 * MIB);
  connection.send(bytes);
  const event = await peer.next();
  assert(event[0] === "binary" && hex(event[1]) === hex(bytes), "the bytes that the server got");
  peer.send(encodeFrame(Opcode.Binary, bytes, UNMASKED));
  await recorder.wait(4);
  assert(recorder.binaries.map(hex)[0] === hex(bytes), "the bytes that came back");
}, { handshakeTimeoutMs: 30_000 });

testEachConnection("fragments with pings between them are one message", async ({ peer, recorder }) => {
  const [euro, fin] = [bytesOf("€"), { fin: false, mask: false }];
  peer.send(encodeFrame(Opcode.Text, euro.slice(0, 1), fin));
  peer.send(encodeFrame(Opcode.Ping, bytesOf("p"), UNMASKED));
  assertEquals(await peer.next(), ["pong", bytesOf("p")]);
  peer.send(
    encodeFrame(Opcode.Continuation, euro.slice(1, 2), fin),
    encodeFrame(Opcode.Continuation, euro.slice(2), fin),
  );
  peer.send(encodeFrame(Opcode.Continuation, bytesOf("!"), UNMASKED));
  peer.send(encodeFrame(Opcode.Binary, pattern(100_000), fin), encodeFrame(Opcode.Continuation, pattern(50), UNMASKED));
  await recorder.wait(4);
  assertEquals([recorder.events, recorder.texts], [["open", "ping", "text", "binary"], ["€!"]]);
  assertEquals(recorder.binaries.map(hex), [hex(bytesOf(pattern(100_000), pattern(50)))]);
});

testEachConnection(
  "10,000 small messages arrive in order, in both directions",
  async ({ connection, peer, recorder }) => {
    const texts = Array.from({ length: 10_000 }, (_, index) => `{"id":${index},"x":"${"y".repeat(index % 50)}"}`);
    for (const text of texts) connection.send(text);
    for (const text of texts) {
      const event = await peer.next();
      assert(event[0] === "text" && event[1] === text);
    }
    peer.send(bytesOf(...texts.map((text) => encodeText(text, UNMASKED))));
    await recorder.wait(1 + texts.length);
    assertEquals(recorder.texts, texts);
  },
);

testEachConnection(
  "what a server does not read waits here, is counted, and is overtaken by pings",
  async ({ connection, peer }) => {
    peer.socket.pause();
    const messages = Array.from({ length: 48 }, (_, index) => new Uint8Array(MIB).fill(index));
    for (const message of messages) connection.send(message);
    await settle();
    const waiting = connection.bufferedAmount;
    // The kernel's buffers of both ends take a few MiB.
    assert(waiting > 24 * MIB && waiting < 48 * MIB + 48 * 14, `${waiting} bytes`);
    connection.ping(bytesOf("overtakes"));
    connection.send("last");
    assertEquals(connection.bufferedAmount > waiting, true);
    peer.socket.resume();
    const order: unknown[] = [];
    while (order.at(-1) !== "last") {
      const event = await peer.next();
      if (event[0] === "binary") {
        assert(event[1].length === MIB && event[1].every((byte) => byte === event[1][0]), "a message of one piece");
        order.push(event[1][0]);
      } else order.push(event[1]);
    }
    const pingAt = order.findIndex((what) => what instanceof Uint8Array);
    assert(pingAt >= 0 && pingAt < 40, `the ping came as number ${pingAt} of ${order.length}`);
    order.splice(pingAt, 1);
    assertEquals(order, [...messages.keys(), "last"]);
    await until(() => connection.bufferedAmount === 0, "everything has left");
  },
);

testEachConnection(
  "a close waits for the messages before it, and no longer than its timeout",
  async ({ connection, peer, recorder }) => {
    peer.socket.pause();
    for (let i = 0; i < 48; i++) connection.send(new Uint8Array(MIB));
    const before = performance.now();
    connection.close();
    await settle();
    assertEquals(recorder.events, ["open"]);
    assertEquals((await connection.closed).code, 1006);
    assert(performance.now() - before < 5_000);
  },
  { closeTimeoutMs: 200 },
);

testEachConnection("messages before a close all arrive", async ({ connection, peer }) => {
  for (let i = 0; i < 30; i++) connection.send(new Uint8Array(MIB));
  connection.close(4000);
  for (let i = 0; i < 30; i++) assertEquals((await peer.next())[0], "binary");
  assertEquals(await peer.next(), ["close", 4000, ""]);
}, { closeTimeoutMs: 20_000 });

testEachConnection(
  "a server that closes is answered although it has not read all",
  async ({ connection, peer, recorder }) => {
    for (let i = 0; i < 30; i++) connection.send(new Uint8Array(MIB));
    peer.send(encodeFrame(Opcode.Close, bytesOf(3, 233), UNMASKED));
    await recorder.wait(2);
    let event = await peer.next();
    let count = 0;
    for (; event[0] === "binary"; event = await peer.next()) count++;
    assertEquals(event, ["close", 1001, ""]);
    assert(count < 30, "what had not been sent was dropped");
    assertEquals(recorder.closes, [{ code: 1001, reason: "", wasClean: true }]);
  },
  { closeTimeoutMs: 20_000 },
);

testEachConnection(
  "a flood of pings does not pile up pongs for a server that does not read",
  async ({ connection, peer, recorder }) => {
    peer.socket.pause();
    connection.send(new Uint8Array(60 * MIB));
    await settle();
    const before = connection.bufferedAmount;
    const ping = encodeFrame(Opcode.Ping, bytesOf("x".repeat(125)), UNMASKED);
    for (let i = 0; i < 100; i++) peer.send(bytesOf(...Array<Uint8Array>(1_000).fill(ping)));
    peer.send(encodeFrame(Opcode.Ping, bytesOf("the last"), UNMASKED));
    await recorder.wait(1 + 100_001);
    const grown = connection.bufferedAmount - before;
    assert(grown < 1_000, `${grown} bytes of pongs wait`);
    peer.socket.resume();
    assertEquals((await peer.next())[0], "binary");
    assertEquals(await peer.next(), ["pong", bytesOf("the last")]);
  },
);

for (const [path, open] of paths) {
  test(`${path}: a flood of messages leaves timers and other connections their turn`, { timeout: 60_000 }, async () => {
    using server = new Command("tests/native_flood_server.ts", []);
    await until(() => server.output.includes("\n"), "the server's port");
    const url = `ws://127.0.0.1:${Number(server.output)}`;
    let count = 0;
    const onText = (): void => {
      count++;
      if (path !== "Deno.connect") return;
      // Slower than the server: the next chunk is always there, and nothing but our own read loop gives way.
      for (const end = performance.now() + 0.02; performance.now() < end;);
    };
    const flooded = await open(url, { onText, onClose: () => {} });
    const recorder = new Recorder();
    const other = await open(url, recorder);
    flooded.send("flood");
    await until(() => count > 5_000, "the flood has begun");
    for (let i = 0; i < 5; i++) {
      const before = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 1));
      const took = performance.now() - before;
      // A chunk takes 15 ms here. Deno by itself gives way only after 128 of them.
      assert(path !== "Deno.connect" || took < 500, `a timer had to wait for ${took} ms`);
      other.send(`echo ${i}`);
      await recorder.wait(2 + i);
    }
    assertEquals(recorder.texts.at(-1), "echo 4");
    flooded.send("stop");
    flooded.terminate();
    other.terminate();
  });
}
