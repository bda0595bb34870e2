/**
 * The bridge on loopback, which joins the runtime's own WebSocket to a tunnel: it lets nobody else in, loses nothing, holds
 * back whoever is too fast, and leaves nothing behind.
 *
 * @module
 */

import net, { type Socket } from "node:net";
import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects } from "@std/assert";
import { type LocalProxy, startLocalProxy } from "@rawtick/binance/testing";
import {
  type ConnectOptions,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  openConnection,
  ProxyConnectionError,
} from "@rawtick/binance/transport";
import { builtinOver } from "../src/transport/builtin.ts";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { openBridge } from "../src/transport/proxy/bridge.ts";
import { BridgeRequestReader } from "../src/transport/proxy/bridge_request.ts";
import { Recorder, TestServer } from "./native_server.ts";
import { ca, leavesNothing, LOGIN, NO_MASK, open, PATH, TIMEOUT } from "./proxy_support.ts";
import { until } from "./support.ts";
import { isBun } from "./transport_pair.ts";

// Who gets in.

test("a bridge lets nobody in who does not know its token, and is not disturbed", TIMEOUT, async () => {
  await using server = await TestServer.start({ greeting: encodeText("for you", NO_MASK) });
  const url = new URL(`ws://127.0.0.1:${server.port}${PATH}`);
  const bridge = await openBridge({ url, proxy: undefined, tls: {} }, new AbortController().signal);
  const port = Number(bridge.url.port);
  let stolen = "";
  let ended = 0;
  const stranger = (request: string): Socket => {
    const socket = net.connect(port, "127.0.0.1", () => void socket.write(request));
    return socket.on("data", (chunk) => stolen += chunk).on("error", () => {}).on("close", () => ended++);
  };
  const token = bridge.url.pathname.split("/")[1] ?? "";
  assertMatch(token, /^[0-9a-f]{32}$/);
  const requests = [
    `GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    `GET /${token.slice(0, -1)}0x${PATH} HTTP/1.1\r\n\r\n`,
    `GET /${token} HTTP/1.1\r\n\r\n`,
    `CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n\r\n`,
    `GET http://127.0.0.1:${server.port}/${token}${PATH} HTTP/1.1\r\n\r\n`,
    `\r\n\r\n`,
    "x".repeat(200_000),
  ];
  for (const request of requests) stranger(request);
  await until(() => ended === requests.length, "the strangers are shown out");
  // Silent ones, more than the bridge keeps: they must not use up the room of the one who is meant.
  const silent = Array.from({ length: 100 }, () => stranger(""));
  await until(() => ended >= requests.length + 36, "there is no room for more");
  const recorder = new Recorder();
  // The bridge is one: whoever knows its URL gets in.
  const connection = await builtinOver(undefined)(bridge.url.href, recorder, {});
  await recorder.wait(2);
  assertEquals([recorder.texts, stolen], [["for you"], ""]);
  await until(() => ended === requests.length + silent.length, "everyone else is out");
  const late = stranger(`GET ${bridge.url.pathname} HTTP/1.1\r\n\r\n`);
  await until(() => ended === requests.length + silent.length + 1, "there is no second connection");
  late.destroy();
  assertEquals([stolen, server.connections], ["", 1]);
  connection.terminate();
  bridge.destroy();
  await bridge.closed;
  await until(() => server.connections === 0, "nothing is left");
});

test("a request is recognised however it is cut, and only what is for a proxy is taken out of it", () => {
  const options = { authority: "127.0.0.1:5", token: "t0", host: "exchange.example:9443", closesAfterResponse: false };
  const head = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:5\r\nProxy-Connection: Keep-Alive\r\nConnection: Upgrade\r\n` +
    `X-Token: t0\r\nproxy-authorization: Basic x\r\n\r\nrest`;
  const expected = "GET /a/b?c HTTP/1.1\r\nHost: exchange.example:9443\r\nConnection: Upgrade\r\nX-Token: t0\r\n\r\n";
  for (const target of ["/t0/a/b?c", "http://127.0.0.1:5/t0/a/b?c"]) {
    const bytes = new TextEncoder().encode(head(target));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new BridgeRequestReader(options);
      const request = reader.push(bytes.subarray(0, cut)) ?? reader.push(bytes.subarray(cut));
      assert(typeof request === "object");
      assertEquals(new TextDecoder().decode(request.head), expected);
      assertEquals("rest".startsWith(new TextDecoder().decode(request.rest)), true);
    }
  }
  const ended = new BridgeRequestReader({ ...options, closesAfterResponse: true })
    .push(new TextEncoder().encode(head("/t0/").replace("Host: 127.0.0.1:5", "Host: mine")));
  assert(typeof ended === "object");
  assertEquals(
    new TextDecoder().decode(ended.head),
    "GET / HTTP/1.1\r\nHost: mine\r\nX-Token: t0\r\nConnection: close\r\n\r\n",
  );
});

// How it ends.

const endings: [what: string, options: ConnectOptions, run: (scene: Scene) => Promise<void>][] = [
  ["the exchange closes", {}, async ({ opening, server }) => {
    const connection = await opening;
    const peer = await server.peer();
    peer.send(encodeClose(4001, "bye", NO_MASK));
    assertEquals((await peer.next()).slice(0, 2), ["close", 4001]);
    peer.socket.end();
    assertEquals(await connection.closed, { code: 4001, reason: "bye", wasClean: true });
  }],
  ["we close and the exchange never answers", { closeTimeoutMs: 50 }, async ({ opening }) => {
    const connection = await opening;
    connection.close();
    assertEquals((await connection.closed).code, 1006);
  }],
  ["we terminate", {}, async ({ opening }) => {
    const connection = await opening;
    connection.terminate();
    assertEquals((await connection.closed).code, 1006);
  }],
  ["the exchange resets the connection", {}, async ({ opening, server }) => {
    const connection = await opening;
    await server.peer();
    server.reset();
    assertEquals((await connection.closed).code, 1006);
  }],
  ["the proxy dies", {}, async ({ opening, proxy }) => {
    const connection = await opening;
    proxy.killTunnels();
    assertEquals((await connection.closed).code, 1006);
  }],
  ["the exchange hangs up without a Close frame", {}, async ({ opening, server }) => {
    const connection = await opening;
    (await server.peer()).socket.end();
    assertEquals((await connection.closed).code, 1006);
  }],
];

interface Scene {
  readonly opening: ReturnType<typeof open>;
  readonly server: TestServer;
  readonly proxy: LocalProxy;
}

for (const secure of [false, true]) {
  const scheme = secure ? "wss" : "ws";
  for (const [what, options, run] of endings) {
    test(`nothing is left behind over ${scheme} when ${what}`, TIMEOUT, async () => {
      await leavesNothing(async (proxy) => {
        await using server = await TestServer.start(secure ? { certificate: "localhost" } : {});
        const url = `${scheme}://localhost:${server.port}/`;
        const opening = open(url, new Recorder(), { ...options, proxy: proxy.url, tls: { ca } });
        await run({ opening, server, proxy });
        await until(() => server.connections === 0, "the exchange has no connection");
      });
    });
  }

  test(
    `nothing is left behind over ${scheme} when the handshake is rejected, and the status is known`,
    TIMEOUT,
    async () => {
      await leavesNothing(async (proxy) => {
        for (const status of [429, 418, 403, 503]) {
          await using server = await TestServer.start({
            ...(secure ? { certificate: "localhost" } : {}),
            respond: (_, socket) => void socket.write(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`),
          });
          const url = `${scheme}://localhost:${server.port}/`;
          const error = await assertRejects(
            () => open(url, new Recorder(), { proxy: proxy.url, tls: { ca } }),
            HandshakeRejectedError,
          );
          assertEquals(error.status, status);
          await until(() => server.connections === 0, "the exchange has no connection");
        }
        assertEquals(proxy.tunnels, 4);
      });
    },
  );

  test(
    `nothing is left behind over ${scheme} when the exchange does not answer in time, or the caller gives up`,
    TIMEOUT,
    async () => {
      await leavesNothing(async (proxy) => {
        await using server = await TestServer.start({
          ...(secure ? { certificate: "localhost" } : {}),
          respond: () => {},
        });
        const url = `${scheme}://localhost:${server.port}/`;
        const options = { proxy: proxy.url, tls: { ca } };
        await assertRejects(
          () => open(url, new Recorder(), { ...options, handshakeTimeoutMs: 200 }),
          HandshakeTimeoutError,
        );
        const controller = new AbortController();
        const opening = open(url, new Recorder(), { ...options, signal: controller.signal });
        await until(() => proxy.openTunnels === 1, "the tunnel is open");
        controller.abort(new Error("enough"));
        await assertRejects(() => opening, Error, "enough");
        await until(() => server.connections === 0, "the exchange has no connection");
      });
    },
  );
}

test(
  "nothing is left behind when the proxy does not answer in time, or the caller gives up before it does",
  TIMEOUT,
  async () => {
    await leavesNothing(async (proxy) => {
      proxy.misbehave({ silent: true });
      const error = await assertRejects(
        () => open("wss://localhost:1/", new Recorder(), { proxy: proxy.url, handshakeTimeoutMs: 100 }),
        ProxyConnectionError,
      );
      assertEquals(error.stage, "handshake");
      assertInstanceOf(error.cause, HandshakeTimeoutError);
      const controller = new AbortController();
      const opening = open("wss://localhost:1/", new Recorder(), { proxy: proxy.url, signal: controller.signal });
      await until(() => proxy.connections === 1, "the proxy is asked");
      controller.abort(new Error("enough"));
      await assertRejects(() => opening, Error, "enough");
    });
  },
);

// What flows.

for (const secure of [false, true]) {
  const scheme = secure ? "wss" : "ws";
  for (const [how, code] of [["in order", 4001], ["without a Close frame", 1006]] as const) {
    test(
      `everything that came over ${scheme} before the end is delivered when the exchange ends ${how}`,
      TIMEOUT,
      async () => {
        await using proxy = await startLocalProxy({ scheme: "socks5", ...LOGIN });
        await using server = await TestServer.start(secure ? { certificate: "localhost" } : {});
        const recorder = new Recorder();
        const url = `${scheme}://localhost:${server.port}/`;
        const connection = await open(url, recorder, { proxy: proxy.url, tls: { ca } });
        const { socket } = await server.peer();
        const text = "x".repeat(9_000);
        for (let i = 0; i < 1_000; i++) socket.write(encodeText(`${i} ${text}`, NO_MASK));
        if (code === 4001) socket.write(encodeClose(4001, "bye", NO_MASK));
        socket.end();
        const { code: received, reason } = await connection.closed;
        assertEquals(recorder.texts.length, 1_000);
        assertEquals(recorder.texts.every((one, i) => one === `${i} ${text}`), true);
        assertEquals([received, reason], [code, code === 4001 ? "bye" : ""]);
      },
    );
  }
}

test(
  "an exchange that stops reading leaves what is sent with the runtime: the bridge holds no more than a little",
  TIMEOUT,
  async () => {
    await using proxy = await startLocalProxy({ scheme: "http" });
    await using server = await TestServer.start();
    const recorder = new Recorder();
    const connection = await open(`ws://127.0.0.1:${server.port}/`, recorder, { proxy: proxy.url });
    const { socket } = await server.peer();
    socket.pause();
    const part = new Uint8Array(1 << 20);
    for (let i = 0; i < 64; i++) connection.send(part);
    let last = -1;
    await until(() => {
      const isStill = connection.bufferedAmount === last;
      last = connection.bufferedAmount;
      return isStill;
    }, "no more is taken");
    // The kernel's buffers of three TCP connections on loopback, the proxy and the bridge.
    assert(last > 24 << 20, `${last} bytes wait in the runtime`);
    connection.terminate();
  },
);

if (isBun) {
  test(
    "a client that is paused holds the exchange back through the bridge, and gets everything later",
    TIMEOUT,
    async () => {
      await using proxy = await startLocalProxy({ scheme: "http" });
      await using server = await TestServer.start();
      let bytes = 0;
      const listener = { onText() {}, onBinary: (data: Uint8Array) => void (bytes += data.length), onClose() {} };
      const connection = await openConnection("builtin", `ws://127.0.0.1:${server.port}/`, listener, {
        proxy: proxy.url,
      });
      const { socket } = await server.peer();
      connection.pause();
      const frame = encodeFrame(Opcode.Binary, new Uint8Array(1 << 20), NO_MASK);
      let sent = 0;
      let lastSentAt = performance.now();
      const pump = (): void => {
        while (sent < 100) {
          sent++;
          lastSentAt = performance.now();
          if (!socket.write(frame)) return void socket.once("drain", pump);
        }
      };
      pump();
      await until(() => performance.now() - lastSentAt > 300, "the exchange is held back");
      assert(sent < 50, `${sent} MiB were taken`);
      assertEquals(bytes, 0);
      connection.resume();
      await until(() => bytes === 100 << 20, "everything comes");
      connection.terminate();
    },
  );
}

for (const secure of [false, true]) {
  test(
    `a client that does not read holds the exchange back over ${secure ? "wss" : "ws"}, and gets everything later`,
    TIMEOUT,
    async () => {
      await using server = await TestServer.start(secure ? { certificate: "localhost" } : {});
      const url = new URL(`${secure ? "wss" : "ws"}://localhost:${server.port}/`);
      const bridge = await openBridge({ url, proxy: undefined, tls: { ca } }, new AbortController().signal);
      const client = net.connect(Number(bridge.url.port), "127.0.0.1");
      client.write(`GET ${bridge.url.pathname} HTTP/1.1\r\nSec-WebSocket-Key: x\r\n\r\n`);
      client.pause();
      const { socket } = await server.peer();
      const total = 200;
      const part = new Uint8Array(1 << 20);
      let sent = 0;
      let lastSentAt = performance.now();
      const pump = (): void => {
        while (sent < total) {
          sent++;
          lastSentAt = performance.now();
          if (!socket.write(part)) return void socket.once("drain", pump);
        }
        socket.end();
      };
      pump();
      await until(() => performance.now() - lastSentAt > 300, "the exchange is held back");
      assert(sent < 50, `${sent} MiB were taken`);
      let bytes = 0;
      client.on("data", (chunk) => bytes += chunk.length).resume();
      await new Promise((resolve) => client.on("end", resolve));
      assert(bytes > total << 20 && bytes < (total << 20) + 1_000, `${bytes} bytes`);
      client.end();
      await bridge.closed;
    },
  );
}
