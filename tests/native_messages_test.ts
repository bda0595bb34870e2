/**
 * Messages over a native connection: whole, in order, in both directions, whatever their size and the server's pace.
 *
 * @module
 */

import { createRequire } from "node:module";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Connection, ConnectOptions, OpenConnection } from "../src/transport/connection.ts";
import { encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { Command } from "./command.ts";
import { bytesOf, hex } from "./frame_events.ts";
import { certificate, paths, type Peer, Recorder, settle, TestServer } from "./native_server.ts";
import { until } from "./support.ts";

const UNMASKED = { mask: false };
const MIB = 1 << 20;

/** A connection and its peer. */
interface Pair {
  readonly open: OpenConnection;
  readonly server: TestServer;
  readonly peer: Peer;
  readonly connection: Connection;
  readonly recorder: Recorder;
}

/** Registers a test for each kind of socket, over TCP and over TLS. */
function testEachPath(name: string, run: (pair: Pair) => Promise<void>, options: ConnectOptions = {}): void {
  for (const [path, open] of paths) {
    for (const scheme of ["ws", "wss"]) {
      test(`${path}, ${scheme}: ${name}`, { timeout: 60_000 }, async () => {
        await using server = await TestServer.start(scheme === "wss" ? { certificate: "localhost" } : {});
        const recorder = new Recorder();
        const url = `${scheme}://localhost:${server.port}`;
        const connection = await open(url, recorder, { tls: { ca: [certificate("ca.pem")] }, ...options });
        try {
          await run({ open, server, peer: await server.peer(), connection, recorder });
        } finally {
          connection.terminate();
        }
      });
    }
  }
}

/** Bytes that repeat only after a prime number of them, so that a shifted or lost piece shows. */
function pattern(length: number): Uint8Array {
  return new Uint8Array(length).map((_, index) => (index % 8_191) * 37);
}

/** A text of `length` characters that is not ASCII everywhere. */
function unicode(length: number): string {
  return "a🚀é币 0123456789 ".repeat(Math.ceil(length / 17)).slice(0, length).toWellFormed();
}

testEachPath("texts of every length class come back from an echo", async ({ connection, peer, recorder }) => {
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

testEachPath("bytes of every length class come back from an echo", async ({ connection, peer, recorder }) => {
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

testEachPath("20 MiB of text and of bytes go both ways", async ({ connection, peer, recorder }) => {
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

testEachPath("fragments with pings between them are one message", async ({ peer, recorder }) => {
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

testEachPath("10,000 small messages arrive in order, in both directions", async ({ connection, peer, recorder }) => {
  const texts = Array.from({ length: 10_000 }, (_, index) => `{"id":${index},"x":"${"y".repeat(index % 50)}"}`);
  for (const text of texts) connection.send(text);
  for (const text of texts) {
    const event = await peer.next();
    assert(event[0] === "text" && event[1] === text);
  }
  peer.send(bytesOf(...texts.map((text) => encodeText(text, UNMASKED))));
  await recorder.wait(1 + texts.length);
  assertEquals(recorder.texts, texts);
});

testEachPath(
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

testEachPath(
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

testEachPath("messages before a close all arrive", async ({ connection, peer }) => {
  for (let i = 0; i < 30; i++) connection.send(new Uint8Array(MIB));
  connection.close(4000);
  for (let i = 0; i < 30; i++) assertEquals((await peer.next())[0], "binary");
  assertEquals(await peer.next(), ["close", 4000, ""]);
}, { closeTimeoutMs: 20_000 });

testEachPath(
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

testEachPath(
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
    const flooded = await open(url, { onText: () => void count++, onClose: () => {} });
    const recorder = new Recorder();
    const other = await open(url, recorder);
    flooded.send("flood");
    // Each waits for an event that never comes if the flood hogs the process; the flood ends only afterwards.
    await until(() => count > 10_000, "the flood has begun");
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      other.send(`echo ${i}`);
      await recorder.wait(2 + i);
    }
    assertEquals(recorder.texts.at(-1), "echo 19");
    flooded.send("stop");
    flooded.terminate();
    other.terminate();
  });
}

/** What we use of npm `ws`, which comes without types. On Bun it is Bun's own stand-in over `Bun.serve`. */
interface WsModule {
  readonly WebSocketServer: new (
    options: { port: number; host: string; perMessageDeflate: boolean; maxPayload: number },
  ) => {
    on(event: "connection", listener: (socket: WsSocket) => void): void;
    once(event: "listening", listener: () => void): void;
    address(): { port: number };
    close(): void;
  };
}

/** What we use of a socket of npm `ws`. */
interface WsSocket {
  on(event: "message", listener: (data: Uint8Array, isBinary: boolean) => void): void;
  on(event: "ping" | "pong", listener: (data: Uint8Array) => void): void;
  on(event: "close", listener: (code: number, reason: Uint8Array) => void): void;
  send(data: Uint8Array | string, options?: { binary?: boolean; fin?: boolean }): void;
  ping(data: string): void;
  close(code: number, reason: string): void;
}

/** A server that is none of ours. */
async function startWs(onConnection: (socket: WsSocket) => void): Promise<{ url: string; close(): void }> {
  const { WebSocketServer }: WsModule = createRequire(import.meta.url)("ws");
  const options = { port: 0, host: "127.0.0.1", perMessageDeflate: false, maxPayload: 64 * MIB };
  const server = new WebSocketServer(options);
  server.on("connection", onConnection);
  await new Promise<void>((resolve) => server.once("listening", resolve));
  return { url: `ws://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

for (const [path, open] of paths) {
  test(`${path}: a server of npm ws echoes texts and bytes, and sees our close`, { timeout: 60_000 }, async () => {
    let closed: [number, string] | undefined;
    const server = await startWs((socket) => {
      socket.on(
        "message",
        (data, isBinary) => socket.send(isBinary ? data : new TextDecoder().decode(data), { binary: isBinary }),
      );
      socket.on("close", (code, reason) => closed = [code, new TextDecoder().decode(reason)]);
    });
    const recorder = new Recorder();
    const connection = await open(server.url, recorder);
    const lengths = [0, 1, 125, 126, 65_535, 65_536, 3 * MIB];
    for (const length of lengths) {
      connection.send(unicode(length));
      connection.send(pattern(length));
    }
    await recorder.wait(1 + 2 * lengths.length);
    assert(recorder.texts.every((text, index) => text === unicode(lengths[index] ?? 0)));
    assertEquals(recorder.binaries.map(hex), lengths.map((length) => hex(pattern(length))));
    connection.close(4001, "ünï");
    assertEquals(await connection.closed, { code: 4001, reason: "ünï", wasClean: true });
    await until(() => closed !== undefined, "the server saw the close");
    assertEquals(closed, [4001, "ünï"]);
    server.close();
  });

  test(`${path}: a server of npm ws pings us, is pinged, and closes us`, { timeout: 60_000 }, async () => {
    const seen: string[] = [];
    const server = await startWs((socket) => {
      socket.on("pong", (data) => {
        seen.push(`pong ${new TextDecoder().decode(data)}`);
        socket.close(1012, "restart");
      });
      socket.on("ping", (data) => seen.push(`ping ${new TextDecoder().decode(data)}`));
      socket.on("message", () => socket.ping("from the server"));
    });
    const recorder = new Recorder();
    const connection = await open(server.url, recorder);
    connection.ping(bytesOf("from us"));
    await recorder.wait(2);
    connection.send("your turn");
    assertEquals(await connection.closed, { code: 1012, reason: "restart", wasClean: true });
    assertEquals(seen, ["ping from us", "pong from the server"]);
    assertEquals(recorder.events, ["open", "pong", "ping", "close"]);
    server.close();
  });
}
