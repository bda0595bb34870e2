/**
 * The native client's opening handshake: what it sends, what it accepts, and how each failure is told apart.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConnectionFailedError, InvalidOptionsError } from "../src/base/mod.ts";
import { acceptKey, HttpHeadReader } from "../src/transport/native/mod.ts";
import { USER_AGENT } from "../src/transport/native/handshake.ts";
import { frame } from "./frame_events.ts";
import { testEachPath } from "./native_each.ts";
import { hasIpv6, headerOf, paths, Recorder, TestServer, upgradeAnswer } from "./native_server.ts";

test("the accept value is the one of RFC 6455 1.3", () => {
  assertEquals(acceptKey("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});

test("the user agent names the version of the package", () => {
  const { version } = JSON.parse(readFileSync(new URL("../deno.json", import.meta.url), "utf8"));
  assertEquals(USER_AGENT, `rawtick-binance/${version}`);
});

testEachPath("the request is a GET with the path, the host and a fresh key", async (open) => {
  await using server = await TestServer.start();
  const keys = new Set<string>();
  for (let i = 0; i < 3; i++) {
    const connection = await open(`ws://localhost:${server.port}/ws/btcusdt@trade?a=1%2F2`, new Recorder());
    const { head } = await server.peer();
    assertMatch(head, /^GET \/ws\/btcusdt@trade\?a=1%2F2 HTTP\/1\.1\r\n/);
    assertEquals(headerOf(head, "host"), `localhost:${server.port}`);
    assertEquals(headerOf(head, "upgrade"), "websocket");
    assertEquals(headerOf(head, "connection"), "Upgrade");
    assertEquals(headerOf(head, "sec-websocket-version"), "13");
    assertEquals(headerOf(head, "user-agent"), USER_AGENT);
    assertEquals(headerOf(head, "sec-websocket-extensions"), "");
    assertEquals(atob(headerOf(head, "sec-websocket-key")).length, 16);
    keys.add(headerOf(head, "sec-websocket-key"));
    connection.terminate();
  }
  assertEquals(keys.size, 3);
});

for (const [path, open] of paths) {
  test(`${path}: an IPv6 address has brackets in the header Host, and none for the socket`, {
    skip: hasIpv6 ? false : "this machine has no IPv6 on loopback",
  }, async () => {
    await using server = await TestServer.start({ host: "::1" });
    const connection = await open(`ws://[::1]:${server.port}`, new Recorder());
    const { head } = await server.peer();
    assertEquals(headerOf(head, "host"), `[::1]:${server.port}`);
    assertMatch(head, /^GET \/ HTTP\/1\.1\r\n/);
    connection.terminate();
  });
}

testEachPath(
  "own headers replace the defaults, and none can change the handshake or smuggle in a line",
  async (open) => {
    await using server = await TestServer.start();
    const url = `ws://127.0.0.1:${server.port}/`;
    const headers = { "user-agent": "bot/1", Host: "stream.binance.com", "X-Empty": "" };
    const connection = await open(url, new Recorder(), { headers });
    const { head } = await server.peer();
    assertEquals(headerOf(head, "user-agent"), "bot/1");
    assertEquals(headerOf(head, "host"), "stream.binance.com");
    assertEquals(head.match(/^(?:host|user-agent):/gim)?.length, 2);
    connection.terminate();
    for (
      const bad of [
        { "Sec-WebSocket-Key": "x" },
        { upgrade: "x" },
        { Connection: "close" },
        { "Content-Length": "1" },
        { "X-Line": "a\r\nX-Smuggled: b" },
        { "X-Line": "a\nb" },
        { "X-Nul": "a\0b" },
        { "X-Snowman": "☃" },
        { "X Space": "a" },
        { "": "a" },
      ]
    ) {
      await assertRejects(
        () => open(url, new Recorder(), { headers: bad }),
        InvalidOptionsError,
        "Cannot send the header",
      );
    }
    for (const protocols of [["a b"], [""], ["a", "a"], ["a,b"]]) {
      await assertRejects(
        () => open(url, new Recorder(), { protocols }),
        InvalidOptionsError,
        "Cannot offer the subprotocol",
      );
    }
  },
);

testEachPath("frames that come with the 101 are delivered after onOpen", async (open) => {
  await using server = await TestServer.start({ greeting: Uint8Array.from([...frame(0x81, "hello"), 0x81, 2, 104]) });
  const recorder = new Recorder();
  const connection = await open(`ws://127.0.0.1:${server.port}`, recorder);
  assertEquals([recorder.events, recorder.texts], [["open", "text"], ["hello"]]);
  (await server.peer()).send(Uint8Array.of(105));
  await recorder.wait(3);
  assertEquals(recorder.texts, ["hello", "hi"]);
  connection.terminate();
});

testEachPath("an answer in single bytes is understood", async (open) => {
  await using server = await TestServer.start({
    respond: async (head, socket) => {
      for (const byte of upgradeAnswer(head)) {
        socket.write(byte);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    },
  });
  const connection = await open(`ws://127.0.0.1:${server.port}`, new Recorder());
  assert(connection.isOpen);
  connection.terminate();
});

/** Answers that are not what RFC 6455 4.1 wants of a 101. */
const badAnswers: [name: string, answer: (head: string) => string, message: string][] = [
  ["no Upgrade", (head) => upgradeAnswer(head, { Upgrade: undefined }), "Upgrade"],
  ["another Upgrade", (head) => upgradeAnswer(head, { Upgrade: "h2c" }), "Upgrade"],
  ["no Connection", (head) => upgradeAnswer(head, { Connection: undefined }), "Connection"],
  ["another Connection", (head) => upgradeAnswer(head, { Connection: "keep-alive" }), "Connection"],
  ["no accept value", (head) => upgradeAnswer(head, { "Sec-WebSocket-Accept": undefined }), "Accept"],
  [
    "a wrong accept value",
    (head) => upgradeAnswer(head, { "Sec-WebSocket-Accept": "x3JJHMbDL1EzLkh9GBhXDw==" }),
    "Accept",
  ],
  [
    "an accept value with another case",
    (head) => upgradeAnswer(head).replace(/Accept: (\S+)/, (line) => line.toLowerCase()),
    "Accept",
  ],
  ["two accept values", (head) => upgradeAnswer(head, { "sec-websocket-accept": "x" }), "Accept"],
  ["an extension", (head) => upgradeAnswer(head, { "Sec-WebSocket-Extensions": "permessage-deflate" }), "extension"],
  ["a subprotocol", (head) => upgradeAnswer(head, { "Sec-WebSocket-Protocol": "chat" }), '"chat"'],
  ["HTTP/1.0", (head) => upgradeAnswer(head).replace("1.1", "1.0"), "HTTP/1.0"],
  ["HTTP/2", (head) => upgradeAnswer(head).replace("1.1", "2"), "HTTP/1.1"],
  ["no HTTP", () => "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1"],
  ["a folded header", (head) => upgradeAnswer(head, { "X-A": "a\r\n b" }), "name"],
  ["a space before a colon", (head) => upgradeAnswer(head, { "X-A ": "a" }), "name"],
  ["a head of more than 16 KiB", (head) => upgradeAnswer(head, { "X-A": "a".repeat(16_384) }), "16384 bytes"],
  ["a head without end", () => "HTTP/1.1 101 Switching Protocols\r\n" + "X: y\r\n".repeat(20_000), "16384 bytes"],
];

for (const [name, answer, message] of badAnswers) {
  testEachPath(`a 101 with ${name} is refused`, async (open) => {
    await using server = await TestServer.start({ respond: (head, socket) => void socket.write(answer(head)) });
    const recorder = new Recorder();
    const error = await assertRejects(
      () => open(`ws://127.0.0.1:${server.port}`, recorder),
      ConnectionFailedError,
      message,
    );
    assertEquals([error.code, recorder.events], ["HANDSHAKE_INVALID", []]);
  });
}

testEachPath("header names and the word websocket have no case, and Connection is a list", async (open) => {
  await using server = await TestServer.start({
    respond: (head, socket) => {
      const changes = { Upgrade: "WebSocket", Connection: "keep-alive, UPGRADE", "Sec-WebSocket-Extensions": "" };
      socket.write(upgradeAnswer(head, changes).replace("Sec-WebSocket-Accept", "SEC-WEBSOCKET-ACCEPT"));
    },
  });
  (await open(`ws://127.0.0.1:${server.port}`, new Recorder())).terminate();
});

testEachPath("a subprotocol that was offered is taken, and none is taken too", async (open) => {
  for (const choice of ["b", undefined]) {
    await using server = await TestServer.start({
      respond: (head, socket) => void socket.write(upgradeAnswer(head, { "Sec-WebSocket-Protocol": choice })),
    });
    const connection = await open(`ws://127.0.0.1:${server.port}`, new Recorder(), { protocols: ["a", "b"] });
    assertEquals(connection.subprotocol, choice ?? "");
    connection.terminate();
  }
});

test("the head of a message is read byte by byte, with the bytes behind it", () => {
  const text = "GET /ws HTTP/1.1\r\nHost: a\r\nX-List: 1\r\nx-list:  2 \t\r\nX-Empty:\r\n\r\nrest";
  const bytes = new TextEncoder().encode(text);
  for (const chunk of [1, 3, 7, 1000]) {
    const reader = new HttpHeadReader();
    let head;
    let at = 0;
    for (; head === undefined; at += chunk) head = reader.push(bytes.slice(at, at + chunk));
    assertEquals(head.startLine, "GET /ws HTTP/1.1");
    assertEquals(Object.fromEntries(head.headers), { host: "a", "x-list": "1, 2", "x-empty": "" });
    assertEquals(new TextDecoder().decode(head.rest) + text.slice(at), "rest");
  }
});
