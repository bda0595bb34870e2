/**
 * Proxies that hang, at every stage: the timeout and an abort end the attempt, and nothing keeps the process alive.
 *
 * @module
 */

import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  HandshakeTimeoutError,
  openConnection,
  ProxyConnectionError,
  type ProxyStage,
} from "@rawtick/binance/transport";
import { Command, run } from "./command.ts";
import { Recorder, settle, TestServer } from "./native_server.ts";
import { assertKeepsSecret, http, open, type Talk, urlOf } from "./proxy_failing.ts";
import { RawProxy, speechOf } from "./raw_proxy.ts";
import { until } from "./support.ts";

/** Where a proxy can hang: what it does before. */
const hangs: readonly (readonly [scheme: string, after: string, stage: ProxyStage, talk: Talk | undefined])[] = [
  ["https", "TCP", "tls", undefined],
  ["http", "TCP", "handshake", () => {}],
  ["https", "TLS", "handshake", () => {}],
  ["http", "a part of a head", "handshake", http("HTTP/1.1 200 OK\r\nX: y")],
  ["http", "an interim answer", "handshake", http("HTTP/1.1 103 Hints\r\n\r\n")],
  ["socks4", "TCP", "handshake", () => {}],
  ["socks5", "one byte", "handshake", (peer) => peer.write("\x05")],
  ["socks5", "the choice of a login", "auth", (peer) => peer.write("\x05\x02")],
  ["socks5", "the choice of no login", "tunnel", (peer) => peer.write("\x05\x00")],
];

for (const [scheme, after, stage, talk] of hangs) {
  const start = () => RawProxy.start(talk ?? (() => {}), scheme === "https" && talk ? "localhost" : undefined);

  test(`${scheme}: a proxy that hangs after ${after} is an error of the stage "${stage}" after the timeout`, async () => {
    await using proxy = await start();
    const startedAt = performance.now();
    const error = await assertRejects(
      () => open(scheme, proxy.port, { handshakeTimeoutMs: 150 }),
      ProxyConnectionError,
      "in time",
    );
    assert(performance.now() - startedAt < 2_000);
    assertEquals(error.stage, stage);
    assert(error.cause instanceof HandshakeTimeoutError);
    assertKeepsSecret(error);
    await until(() => proxy.connections === 0, "nothing left");
  });

  test(`${scheme}: an abort while the proxy hangs after ${after} gives its reason at once`, async () => {
    await using proxy = await start();
    const controller = new AbortController();
    const opening = open(scheme, proxy.port, { signal: controller.signal });
    await until(() => proxy.taken === 1, "the proxy reached");
    // What the proxy says before it hangs may have come, or not: the outcome is the same.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const reason = new Error("enough");
    controller.abort(reason);
    assertEquals(await opening.catch((error: unknown) => error), reason);
    await until(() => proxy.connections === 0, "nothing left");
  });
}

test("a tunnel whose server says nothing times out as the server does without a proxy", async () => {
  for (const kind of ["ws", "wss"]) {
    await using server = await TestServer.start({ connected: (socket) => void socket.resume() });
    await using proxy = await RawProxy.start((peer, proxy) => speechOf("socks5")(peer, proxy, server.port));
    const error = await assertRejects(
      () =>
        openConnection("native", `${kind}://127.0.0.1:${server.port}/`, new Recorder(), {
          proxy: urlOf("socks5", proxy.port, true),
          handshakeTimeoutMs: 200,
        }),
      HandshakeTimeoutError,
    );
    assertEquals(error.code, "HANDSHAKE_TIMEOUT");
    await until(() => proxy.connections === 0 && server.connections === 0, "nothing left");
  }
});

test("an abort right at the start opens nothing", async () => {
  await using proxy = await RawProxy.start(() => {});
  for (const scheme of ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]) {
    const controller = new AbortController();
    const opening = open(scheme, proxy.port, { signal: controller.signal });
    controller.abort("never mind");
    assertEquals(await opening.catch((error: unknown) => error), "never mind");
  }
  await until(() => proxy.connections === 0, "nothing left");
});

test('a proxy that does not accept the connection is an error of the stage "connect" after the timeout', async () => {
  using command = new Command("tests/native_stuck_server.ts", []);
  await command.untilLines(1);
  const port = Number(command.lines[0]);
  // Its queue is full once an attempt stays without an answer. Bun's is of 512, whatever it was asked for.
  const fillers: Socket[] = [];
  let connected = 0;
  do {
    for (let i = 0; i < 64; i++) {
      fillers.push(connect(port, "127.0.0.1").on("error", () => {}).on("connect", () => void connected++));
    }
    await settle();
  } while (connected === fillers.length);
  for (const host of ["127.0.0.1", "localhost"]) {
    const error = await assertRejects(
      () =>
        openConnection("native", "ws://127.0.0.1:9/", new Recorder(), {
          proxy: urlOf("http", port, false, host),
          handshakeTimeoutMs: 150,
        }),
      ProxyConnectionError,
      "the proxy did not accept the connection in time",
    );
    assertEquals(error.stage, "connect");
    assert(error.cause instanceof HandshakeTimeoutError);
  }
  for (const filler of fillers) filler.destroy();
});

test("a SOCKS proxy that hangs is given up after two minutes, however long the timeout is", async (t) => {
  let wake = (): void => {};
  const asked = new Promise<void>((resolve) => wake = resolve);
  await using proxy = await RawProxy.start(async (peer) => {
    await peer.read(4);
    wake();
  });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const opening = assertRejects(
    () => open("socks5", proxy.port, { handshakeTimeoutMs: 600_000 }),
    ProxyConnectionError,
  );
  await asked;
  t.mock.timers.tick(120_000);
  const error = await opening;
  t.mock.timers.reset();
  assertEquals(error.stage, "handshake");
  assertMatch(error.message, /did not open the tunnel within 120 s/);
  assertKeepsSecret(error);
  await until(() => proxy.connections === 0, "nothing left");
});

test("a process ends by itself after every way in which a proxy can fail", async () => {
  await using silent = await RawProxy.start((peer) => void peer.socket.resume());
  await using refusing = await RawProxy.start(http("HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\n"));
  await using garbled = await RawProxy.start((peer) => peer.write("\r\n\r\n\r\n\r\n\r\n"));
  const startedAt = performance.now();
  const { code, output, errors } = await run("tests/fixtures/proxy_failures.ts", [
    ...[silent, refusing, garbled].map(({ port }) => String(port)),
  ]);
  assertEquals(errors, "");
  assertMatch(output, /^(\S+ PROXY_CONNECTION_FAILED (handshake|tls|tunnel)\n){18}(\S+ aborted\n){6}$/);
  assertEquals(code, 0);
  // The codec of SOCKS has a timer of minutes.
  assert(performance.now() - startedAt < 20_000, "something kept it alive");
});
