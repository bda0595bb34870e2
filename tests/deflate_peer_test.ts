/**
 * permessage-deflate with a peer that shares no code with it, npm `ws`, and with servers that do what no library would.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { InvalidOptionsError } from "../src/base/mod.ts";
import { builtinOver } from "../src/transport/builtin.ts";
import type { OpenConnection, PerMessageDeflateOptions } from "../src/transport/connection.ts";
import { openNative } from "../src/transport/native/mod.ts";
import { compressAll, noise, trades } from "./deflate_support.ts";
import { bytesOf, frame } from "./frame_events.ts";
import { paths, Recorder, TestServer, upgradeAnswer } from "./native_server.ts";
import { until } from "./support.ts";

/** What we use of npm `ws`, which comes without types. */
interface WsModule {
  readonly default: new (options: { server: Server; perMessageDeflate: unknown; maxPayload: number }) => {
    on(event: "connection", listener: (socket: WsSocket) => void): void;
  };
}
interface WsSocket {
  readonly extensions: string;
  on(event: "message", listener: (data: Uint8Array, isBinary: boolean) => void): void;
  send(data: Uint8Array, options: { binary: boolean; fin?: boolean; compress?: boolean }): void;
  terminate(): void;
}

/** npm `ws` itself; Bun puts a stand-in of its own where the package's name is imported. */
const { default: WebSocketServer }: WsModule = await import(
  new URL("./lib/websocket-server.js", import.meta.resolve("ws/package.json")).href
);

/** An echo server of npm `ws`; what it says about its connection comes as the first text. */
async function startWs(
  perMessageDeflate: unknown,
): Promise<AsyncDisposable & { url: string; tcp: Socket[] }> {
  const http = createServer();
  const sockets: WsSocket[] = [];
  const tcp: Socket[] = [];
  http.on("connection", (socket) => void tcp.push(socket));
  new WebSocketServer({ server: http, perMessageDeflate, maxPayload: 1 << 26 }).on("connection", (socket) => {
    sockets.push(socket);
    socket.on("message", (data, binary) => {
      // Every third message goes back in fragments.
      if (data.length % 3 !== 0) return socket.send(data, { binary });
      const cut = data.length >> 1;
      socket.send(data.subarray(0, cut), { binary, fin: false });
      socket.send(data.subarray(cut), { binary, fin: true });
    });
    socket.send(bytesOf(socket.extensions), { binary: false, compress: false });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    tcp,
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`, // the cast: a listening server has a port
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Sends the messages and expects all of them back; returns the extensions of the connection. */
async function echo(
  url: string,
  option: PerMessageDeflateOptions,
  messages: readonly (string | Uint8Array)[],
  open: OpenConnection = openNative,
): Promise<string> {
  const recorder = new Recorder();
  const connection = await open(url, recorder, { perMessageDeflate: option });
  for (const message of messages) connection.send(message);
  await recorder.wait(2 + messages.length);
  connection.close();
  await connection.closed;
  const [extensions = "", ...texts] = recorder.texts;
  assertEquals(connection.extensions.split(";")[0], extensions, "what the connection says of itself");
  assert(texts.every((text, index) => text === messages.filter((message) => typeof message === "string")[index]));
  const sent = messages.filter((message) => typeof message !== "string");
  assert(recorder.binaries.every((bytes, index) => Buffer.compare(bytes, sent[index] ?? new Uint8Array()) === 0));
  assertEquals(recorder.binaries.length + texts.length, messages.length);
  assertEquals(recorder.closes.map(({ code }) => code), [1000]);
  return extensions;
}

const sizes = [0, 1, 3, 125, 126, 600, 4_096, 33_000, 70_001, 200_000];
const conversation = [...sizes, ...sizes].flatMap((size) => [trades(size), noise(size), bytesOf(trades(size))]);

for (const serverNoContextTakeover of [false, true]) {
  for (const clientNoContextTakeover of [false, true]) {
    const takeover = { serverNoContextTakeover, clientNoContextTakeover };
    const title = `server ${serverNoContextTakeover ? "no " : ""}takeover, client ${
      clientNoContextTakeover ? "no " : ""
    }takeover`;
    test(`npm ws and we exchange all messages with every window: ${title}`, { timeout: 120_000 }, async () => {
      await using server = await startWs({ threshold: 0 });
      for (let bits = 9; bits <= 15; bits++) {
        const clientBits = 24 - bits;
        const option = { ...takeover, serverMaxWindowBits: bits, clientMaxWindowBits: clientBits, threshold: 0 };
        const [, open] = paths[bits % paths.length] ?? [];
        const agreed = await echo(server.url, option, conversation, open);
        assertEquals(agreed, "permessage-deflate");
      }
    });
  }
}

test("npm ws chooses parameters by itself, and all messages arrive", { timeout: 120_000 }, async () => {
  for (let bits = 9; bits <= 15; bits++) {
    const option = {
      serverNoContextTakeover: bits % 2 === 0,
      clientNoContextTakeover: bits % 3 === 0,
      serverMaxWindowBits: bits,
      clientMaxWindowBits: bits,
      threshold: 0,
    };
    await using server = await startWs(option);
    assertEquals(await echo(server.url, { threshold: 0 }, conversation), "permessage-deflate");
  }
});

test("messages of up to 20 MiB go both ways", { timeout: 120_000 }, async () => {
  await using server = await startWs({ threshold: 0 });
  const large = 20 << 20;
  await echo(server.url, { threshold: 0 }, [trades(1 << 20), noise(large), noise(1 << 20), trades(large), "", "end"]);
});

test("what can be compressed is, in both directions", { timeout: 60_000 }, async () => {
  await using server = await startWs({ threshold: 0 });
  await echo(server.url, {}, [trades(400_000)]);
  const [socket] = server.tcp;
  assert(socket !== undefined && socket.bytesRead > 5_000 && socket.bytesWritten > 5_000);
  assert(socket.bytesRead < 100_000 && socket.bytesWritten < 100_000, `${socket.bytesRead} ${socket.bytesWritten}`);
});

test(
  "a server without the extension, and one with a threshold, get and send the same",
  { timeout: 60_000 },
  async () => {
    for (const option of [false, { threshold: 5_000 }]) {
      await using server = await startWs(option);
      assertEquals(await echo(server.url, {}, conversation), option === false ? "" : "permessage-deflate");
    }
  },
);

/** A raw server that has agreed to compress, the client's end, and what the client has sent. */
async function openRaw(maxMessageBytes?: number) {
  const { promise, resolve } = Promise.withResolvers<(bytes: Uint8Array) => void>();
  const fromClient: Uint8Array[] = [];
  const server = await TestServer.start({
    respond(head, socket) {
      socket.write(upgradeAnswer(head, { "Sec-WebSocket-Extensions": "permessage-deflate" }));
      socket.on("data", (chunk: Uint8Array) => void fromClient.push(chunk));
      resolve((bytes) => void socket.write(bytes));
    },
  });
  const recorder = new Recorder();
  const options = { perMessageDeflate: true, ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }) };
  const connection = await openNative(`ws://localhost:${server.port}`, recorder, options);
  return { server, recorder, connection, send: await promise, fromClient };
}

/** Waits for the Close frame that a client sends as the only frame, and returns its code. */
async function closeCodeOf(chunks: readonly Uint8Array[]): Promise<number> {
  await until(() => Buffer.concat(chunks).length >= 8, "the client's Close frame");
  const [first, second, k0 = 0, k1 = 0, , , high = 0, low = 0] = Buffer.concat(chunks);
  assertEquals([first, second], [0x88, 0x82]);
  return ((high ^ k0) << 8) | (low ^ k1);
}

/** Over 1 GB of zeros in about 1 MB: the same compressed MiB again and again, which refers to the one before. */
async function bomb(): Promise<Uint8Array> {
  const zeros = new Uint8Array(1 << 20);
  const [first = zeros, second = zeros] = await compressAll([zeros, zeros]);
  const flushEnd = new Uint8Array([0, 0, 0xff, 0xff]);
  return bytesOf(first, ...Array.from({ length: 1030 }, () => [flushEnd, second]).flat());
}

test("1 GB in 1 MB ends with 1009 after the first 64 MiB, whole or in fragments", { timeout: 60_000 }, async () => {
  const payload = await bomb();
  assert(payload.length < 1.2e6);
  for (const cuts of [[], [700_000]]) {
    const raw = await openRaw();
    await using _server = raw.server;
    const bounds = [0, ...cuts, payload.length];
    const memory = process.memoryUsage().rss;
    bounds.slice(1).forEach((end, index) => {
      const first = (index === 0 ? 0x42 : 0) | (end === payload.length ? 0x80 : 0);
      raw.send(frame(first, payload.subarray(bounds[index], end)));
    });
    await raw.recorder.wait(2);
    const { code, error } = raw.recorder.closes[0] ?? {};
    assert(error !== undefined && "code" in error);
    assertEquals([code, error.code, await closeCodeOf(raw.fromClient)], [1006, "MESSAGE_TOO_LARGE", 1009]);
    // The limit, what it was before it grew to that, and what else this process does.
    assert(process.memoryUsage().rss - memory < 300e6, "far less than 1 GB was held");
  }
});

test("corrupt data end with 1007, and nothing of the message is delivered", { timeout: 60_000 }, async () => {
  const [hello = new Uint8Array()] = await compressAll([bytesOf("Hello")]);
  for (const payload of [bytesOf(0xff, 0xff), hello.slice(0, 3), bytesOf(hello, hello), noise(1_000)]) {
    const raw = await openRaw();
    await using _server = raw.server;
    raw.send(bytesOf(frame(0xc1, hello), frame(0xc1, payload), frame(0x81, "never read")));
    await raw.recorder.wait(3);
    assertEquals(raw.recorder.events, ["open", "text", "close"]);
    assertEquals(raw.recorder.texts, ["Hello"]);
    assertEquals(await closeCodeOf(raw.fromClient), 1007);
  }
});

test(
  "compressed fragments with pings between them, in small pieces of TCP, are one message",
  { timeout: 60_000 },
  async () => {
    const message = trades(30_000);
    const payloads = await compressAll([bytesOf(message), bytesOf(message)]);
    const stream = bytesOf(...payloads.flatMap((payload) => [
      frame(0x41, payload.subarray(0, 10)),
      frame(0x89, "ping"),
      frame(0x00, payload.subarray(10, 10)),
      frame(0x00, payload.subarray(10, 500)),
      frame(0x89, "pong"),
      frame(0x80, payload.subarray(500)),
    ]));
    const raw = await openRaw(30_000);
    await using _server = raw.server;
    for (let at = 0, step = 1; at < stream.length; at += step, step = step * 7 % 251) {
      raw.send(stream.subarray(at, at + step));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await raw.recorder.wait(7);
    assertEquals(raw.recorder.events, ["open", "ping", "ping", "text", "ping", "ping", "text"]);
    assert(raw.recorder.texts.every((text) => text === message));
    raw.connection.terminate();
  },
);

test("a message over the limit once it is decompressed ends with 1009", { timeout: 60_000 }, async () => {
  const [fits = new Uint8Array(), tooLarge = fits] = await compressAll([
    bytesOf(trades(1_000)),
    bytesOf(trades(1_001)),
  ]);
  const raw = await openRaw(1_000);
  await using _server = raw.server;
  raw.send(bytesOf(frame(0xc1, fits), frame(0xc1, tooLarge)));
  await raw.recorder.wait(3);
  assertEquals(raw.recorder.texts, [trades(1_000)]);
  assertEquals(await closeCodeOf(raw.fromClient), 1009);
});

test(
  "a listener that ends the connection inside a burst of compressed messages hears no more",
  { timeout: 60_000 },
  async () => {
    const payloads = await compressAll(Array.from({ length: 50 }, () => bytesOf(trades(300))));
    const raw = await openRaw();
    await using _server = raw.server;
    raw.recorder.onText = (text) => {
      raw.recorder.texts.push(text);
      if (raw.recorder.texts.length === 3) raw.connection.terminate();
    };
    raw.send(bytesOf(...payloads.map((payload) => frame(0xc1, payload))));
    await raw.connection.closed;
    assertEquals([raw.recorder.texts.length, raw.recorder.closes.length], [3, 1]);
  },
);

test(
  "builtin compresses on Bun if it is told to; elsewhere it refuses what it can't know",
  { timeout: 60_000 },
  async () => {
    await using server = await startWs({ threshold: 0 });
    const message = trades(400_000);
    for (const perMessageDeflate of [false, true]) {
      const recorder = new Recorder();
      const opening = builtinOver(undefined)(server.url, recorder, { perMessageDeflate });
      if (perMessageDeflate && !("Bun" in globalThis)) {
        await assertRejects(() => opening, InvalidOptionsError, "perMessageDeflate");
        continue;
      }
      const connection = await opening;
      connection.send(message);
      await recorder.wait(3);
      connection.close();
      await connection.closed;
      assert(recorder.texts[1] === message);
      assertEquals(recorder.texts[0], perMessageDeflate ? "permessage-deflate" : "");
      assertEquals(connection.extensions.split(";")[0], recorder.texts[0]);
    }
  },
);
