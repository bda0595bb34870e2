/**
 * The native client's opening handshake: what it sends, what it accepts, and how each failure is told apart.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConnectionFailedError, HandshakeRejectedError, HandshakeTimeoutError } from "../src/base/mod.ts";
import { acceptKey, HttpHeadReader } from "../src/transport/native/mod.ts";
import type { OpenConnection } from "../src/transport/connection.ts";
import { USER_AGENT } from "../src/transport/native/handshake.ts";
import { parseRetryAfter } from "../src/transport/native/rejection.ts";
import { frame } from "./frame_events.ts";
import { headerOf, paths, Recorder, settle, TestServer, upgradeAnswer } from "./native_server.ts";

/** Registers a test for each kind of socket. */
function testEachPath(name: string, run: (open: OpenConnection, path: string) => Promise<void>): void {
  for (const [path, open] of paths) test(`${path}: ${name}`, { timeout: 30_000 }, () => run(open, path));
}

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

testEachPath("an IPv6 address has brackets in the header Host, and none for the socket", async (open) => {
  await using server = await TestServer.start();
  const connection = await open(`ws://[::1]:${server.port}`, new Recorder());
  const { head } = await server.peer();
  assertEquals(headerOf(head, "host"), `[::1]:${server.port}`);
  assertMatch(head, /^GET \/ HTTP\/1\.1\r\n/);
  connection.terminate();
});

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
      await assertRejects(() => open(url, new Recorder(), { headers: bad }), TypeError, "Cannot send the header");
    }
    for (const protocols of [["a b"], [""], ["a", "a"], ["a,b"]]) {
      await assertRejects(() => open(url, new Recorder(), { protocols }), TypeError, "Cannot offer the subprotocol");
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

/** Opens a server that gives this answer, and returns the error. */
async function rejection(
  open: OpenConnection,
  answer: string,
  end = false,
): Promise<HandshakeRejectedError> {
  await using server = await TestServer.start({
    respond: (_, socket) => void (end ? socket.end(answer) : socket.write(answer)),
  });
  const recorder = new Recorder();
  const error = await assertRejects(
    () => open(`ws://127.0.0.1:${server.port}/secret-listen-key`, recorder),
    HandshakeRejectedError,
  );
  assertEquals(recorder.events, []);
  assertEquals(error.message.includes("secret"), false, "the path may be a secret");
  return error;
}

testEachPath("a rejection has the status, the headers and the body", async (open) => {
  const body = '{"code":-1003,"msg":"Way too much request weight used"}';
  const lines = `HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\nX-Mbx-Used-Weight-1m: 6001\r\n`;
  const error = await rejection(open, `${lines}Content-Length: ${body.length}\r\n\r\n${body}`);
  assertEquals([error.status, error.retryAfterMs, error.body], [429, 30_000, body]);
  assertEquals(error.headers?.["x-mbx-used-weight-1m"], "6001");
  assertMatch(
    error.message,
    /^Cannot open ws:\/\/127\.0\.0\.1:\d+: the server answered 429 Too Many Requests instead of 101$/,
  );
});

testEachPath(
  "a rejection has the first KiB of a body without a length, of a chunked one and of an endless one",
  async (open) => {
    const lines = "HTTP/1.1 403 Forbidden\r\n";
    assertEquals((await rejection(open, `${lines}\r\nuntil the end`, true)).body, "until the end");
    const chunked = `${lines}Transfer-Encoding: chunked\r\n\r\n`;
    assertEquals((await rejection(open, `${chunked}5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n`)).body, "hello world");
    assertEquals((await rejection(open, `${chunked}0\r\n\r\n`)).body, "");
    assertEquals(
      (await rejection(open, `${lines}Content-Length: 99999\r\n\r\n${"x".repeat(50_000)}`)).body,
      "x".repeat(1024),
    );
    assertEquals((await rejection(open, `${chunked}ffff\r\n${"y".repeat(3_000)}`)).body, "y".repeat(1024));
  },
);

testEachPath("a rejection whose body never comes is reported all the same, without its body", async (open) => {
  const before = performance.now();
  const error = await rejection(open, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 10\r\n\r\nabc");
  assertEquals([error.status, error.body], [503, "abc"]);
  assert(performance.now() - before < 2_000);
});

for (const status of [100, 200, 204, 301, 302, 307, 308, 400, 401, 407, 418, 451, 500]) {
  testEachPath(`an answer with ${status} is a rejection; a redirect is not followed`, async (open) => {
    const error = await rejection(
      open,
      `HTTP/1.1 ${status} Whatever\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n`,
    );
    assertEquals([error.status, error.headers?.location], [status, "ws://127.0.0.1:1/"]);
  });
}

test("Retry-After is seconds or a date", () => {
  const now = Date.UTC(2026, 0, 1, 0, 0, 0);
  assertEquals(parseRetryAfter("120", now), 120_000);
  assertEquals(parseRetryAfter("0", now), 0);
  assertEquals(parseRetryAfter("Thu, 01 Jan 2026 00:02:00 GMT", now), 120_000);
  assertEquals(parseRetryAfter("Thu, 01 Jan 2025 00:02:00 GMT", now), 0);
  for (const odd of [undefined, "", "soon", "-1", "1.5", "1e3", "Thu"]) {
    assertEquals(parseRetryAfter(odd, now), undefined);
  }
});

testEachPath("a refused connection says so, and keeps the runtime's code", async (open) => {
  const server = await TestServer.start();
  const { port } = server;
  await server[Symbol.asyncDispose]();
  const error = await assertRejects(
    () => open(`ws://127.0.0.1:${port}`, new Recorder()),
    ConnectionFailedError,
    "the connection was refused",
  );
  assert(error.cause instanceof Error);
  assertEquals((error.cause as { code?: string }).code, "ECONNREFUSED"); // the cast: the code is what is tested
});

testEachPath("an unknown host says so", async (open) => {
  await assertRejects(
    () => open("ws://no-such-host.invalid", new Recorder()),
    ConnectionFailedError,
    "Cannot open ws://no-such-host.invalid: the host name was not found",
  );
});

testEachPath("a server that hangs up, or resets, says so", async (open) => {
  await using closing = await TestServer.start({ respond: (_, socket) => void socket.end() });
  const url = `ws://127.0.0.1:${closing.port}`;
  await assertRejects(() => open(url, new Recorder()), ConnectionFailedError, "the server closed the connection");
  await using cutting = await TestServer.start({ respond: (_, socket) => void socket.end("HTTP/1.1 101 Sw") });
  const cutUrl = `ws://127.0.0.1:${cutting.port}`;
  await assertRejects(() => open(cutUrl, new Recorder()), ConnectionFailedError, "the server closed the connection");
  await using resetting = await TestServer.start({ respond: (_, socket) => void socket.resetAndDestroy() });
  const resetUrl = `ws://127.0.0.1:${resetting.port}`;
  await assertRejects(() => open(resetUrl, new Recorder()), ConnectionFailedError, "the connection was reset");
});

testEachPath("silence at any stage of the handshake ends with the timeout, and the socket with it", async (open) => {
  const recorder = new Recorder();
  for (
    const respond of [
      () => {},
      (head: string, socket: { write(text: string): void }) => socket.write(upgradeAnswer(head).slice(0, -2)),
    ]
  ) {
    await using server = await TestServer.start({ respond });
    const error = await assertRejects(
      () => open(`ws://127.0.0.1:${server.port}/secret-listen-key`, recorder, { handshakeTimeoutMs: 80 }),
      HandshakeTimeoutError,
      "80 ms",
    );
    assertEquals(error.message.includes("secret"), false);
    while (server.connections > 0) await settle();
  }
  assertEquals(recorder.events, []);
});

testEachPath(
  "a TLS handshake that the server never answers ends with the timeout, and with an abort",
  async (open, path) => {
    // A server without TLS that says nothing: the client's hello is never answered.
    await using server = await TestServer.start({ respond: () => {} });
    const url = `wss://localhost:${server.port}`;
    await assertRejects(() => open(url, new Recorder(), { handshakeTimeoutMs: 80 }), HandshakeTimeoutError);
    const controller = new AbortController();
    const opening = assertRejects(() => open(url, new Recorder(), { signal: controller.signal }), Error, "enough");
    while (server.connections === 0) await settle();
    controller.abort(new Error("enough"));
    await opening;
    // Deno keeps the TCP connection of such a handshake until the server ends it; see socket_deno.ts.
    if (path !== "Deno.connect") { while (server.connections > 0) await settle(); }
  },
);

testEachPath(
  "an abort ends the opening with its reason: before, while connecting, and while waiting for the answer",
  async (open) => {
    await using server = await TestServer.start({ respond: () => {} });
    const url = `ws://127.0.0.1:${server.port}`;
    const recorder = new Recorder();
    await assertRejects(() => open(url, recorder, { signal: AbortSignal.abort(new Error("before")) }), Error, "before");

    const connecting = new AbortController();
    const first = assertRejects(() => open(url, recorder, { signal: connecting.signal }), Error, "connecting");
    connecting.abort(new Error("connecting"));
    await first;

    const waiting = new AbortController();
    const second = assertRejects(() => open(url, recorder, { signal: waiting.signal }), Error, "waiting");
    while (server.connections === 0) await settle();
    waiting.abort(new Error("waiting"));
    await second;
    while (server.connections > 0) await settle();
    assertEquals(recorder.events, []);
  },
);

testEachPath("an opened connection listens to its signal no more", async (open) => {
  await using server = await TestServer.start();
  let listeners = 0;
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  })();
  const counted = new Proxy(signal, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "addEventListener") listeners++;
        if (name === "removeEventListener") listeners--;
        return value.apply(target, args);
      };
    },
  });
  const connection = await open(`ws://127.0.0.1:${server.port}`, new Recorder(), { signal: counted });
  assertEquals(listeners, 0);
  abort();
  await settle();
  assert(connection.isOpen);
  connection.terminate();
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
