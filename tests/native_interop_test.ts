/**
 * The native client with a server that shares no code with it: npm `ws`, or on Bun its stand-in over `Bun.serve`.
 *
 * @module
 */

import { createRequire } from "node:module";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { bytesOf, hex } from "./frame_events.ts";
import { paths, pattern, Recorder, unicode } from "./native_server.ts";
import { until } from "./support.ts";

const MIB = 1 << 20;

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
