/**
 * How opening a native connection fails: rejections, lost and silent servers, timeouts and aborts, each told apart.
 *
 * @module
 */

import { existsSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConnectionFailedError, HandshakeRejectedError, HandshakeTimeoutError } from "../src/base/mod.ts";
import type { OpenConnection } from "../src/transport/connection.ts";
import { parseRetryAfter } from "../src/transport/native/rejection.ts";
import { Command } from "./command.ts";
import { testEachPath } from "./native_each.ts";
import { Recorder, settle, TestServer, upgradeAnswer } from "./native_server.ts";

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

testEachPath("a server that resets before TLS has begun says so", async (open, path) => {
  const isInSteps = path === "Deno.connect";
  await using server = await TestServer.start({
    // The cast: of a server without a certificate, they are.
    connected: (socket) => isInSteps ? undefined : (socket as Socket).resetAndDestroy(),
  });
  // Bun has no types of Deno.
  const runtime = isInSteps
    ? (globalThis as { Deno?: { connect(options: object): Promise<unknown> } }).Deno
    : undefined;
  const connect = runtime?.connect;
  if (runtime !== undefined && connect !== undefined) {
    // Between the two steps of Deno, so that the second one always finds a connection that is lost.
    runtime.connect = async (options) => {
      const connection = await connect(options);
      while (server.connections === 0) await settle();
      server.reset();
      await settle();
      return connection;
    };
  }
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      const error = await assertRejects(
        () => open(`wss://localhost:${server.port}`, new Recorder(), { handshakeTimeoutMs: 2_000 }),
        ConnectionFailedError,
      );
      assertMatch(error.message, /^Cannot open wss:\/\/localhost:\d+: (the connection was reset|TLS failed: .*)$/);
    }
  } finally {
    if (runtime !== undefined && connect !== undefined) runtime.connect = connect;
  }
});

testEachPath("a server name that TLS can't take is an error, and leaves no connection", async (open) => {
  await using server = await TestServer.start({ certificate: "localhost" });
  const url = `wss://localhost:${server.port}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    await assertRejects(() => open(url, new Recorder(), { tls: { servername: "-" } }), ConnectionFailedError);
  }
  while (server.connections > 0) await settle();
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

/** Attempts to connect to the port that the system has not answered; `undefined` where it can't be known. */
function unansweredAttempts(port: number): number | undefined {
  if (!existsSync("/proc/net/tcp")) return undefined;
  // Columns: number, local address, remote address, state; 02 is SYN_SENT.
  const remote = `:${port.toString(16).padStart(4, "0").toUpperCase()}`;
  const rows = readFileSync("/proc/net/tcp", "latin1").split("\n").map((line) => line.trim().split(/\s+/));
  return rows.filter(([, , address, state]) => address?.endsWith(remote) === true && state === "02").length;
}

testEachPath(
  "an attempt to connect that gets no answer ends with the timeout, and with an abort",
  async (open, path) => {
    using command = new Command("tests/native_stuck_server.ts", []);
    await command.untilLines(1);
    const port = Number(command.lines[0]);
    // The queue is full once an attempt stays without an answer. Bun's is of 512, whatever it was asked for.
    const fillers: Socket[] = [];
    do {
      for (let i = 0; i < 64; i++) fillers.push(connect(port, "127.0.0.1").on("error", () => {}));
      await settle();
    } while (unansweredAttempts(port) === 0 && fillers.length < 1_000);
    const before = unansweredAttempts(port);
    const recorder = new Recorder();
    const url = `ws://127.0.0.1:${port}`;
    await assertRejects(() => open(url, recorder, { handshakeTimeoutMs: 100 }), HandshakeTimeoutError, "100 ms");
    const controller = new AbortController();
    const opening = assertRejects(() => open(url, recorder, { signal: controller.signal }), Error, "enough");
    await settle();
    if (before !== undefined) assert((unansweredAttempts(port) ?? 0) > before, "the attempt is under way");
    controller.abort(new Error("enough"));
    await opening;
    await settle();
    // Bun.connect can't be cancelled; see socket_bun.ts.
    if (path !== "Bun.connect") assertEquals(unansweredAttempts(port), before);
    for (const filler of fillers) filler.destroy();
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

testEachPath("an opening that is aborted at any moment leaves no connection at the server", async (open) => {
  let connections = 0;
  await using server = await TestServer.start({
    connected: (socket) => {
      connections++;
      socket.resume().on("close", () => connections--);
    },
  });
  for (let attempt = 0; attempt < 150; attempt++) {
    const controller = new AbortController();
    const openings = [0, 1, 2].map(() =>
      open(`ws://127.0.0.1:${server.port}/`, new Recorder(), { signal: controller.signal }).catch(() => {})
    );
    // In a timer: Deno.connect loses connections that are established at that moment.
    setTimeout(() => controller.abort(new Error("enough")), attempt % 3);
    await Promise.all(openings);
  }
  const end = performance.now() + 5_000;
  while (connections > 0 && performance.now() < end) await settle();
  assertEquals(connections, 0);
});
