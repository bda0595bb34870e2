/**
 * Library "builtin" and requests through every kind of proxy: one tunnel each, no credential for anybody but the proxy,
 * and errors that say what is wrong.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { startLocalProxy } from "@rawtick/binance/testing";
import {
  ConnectionFailedError,
  fetchThrough,
  HandshakeRejectedError,
  ProxyConnectionError,
  ProxyUnavailableError,
} from "@rawtick/binance/transport";
import { builtinOver } from "../src/transport/builtin.ts";
import { encodeClose, encodeText } from "../src/transport/native/mod.ts";
import { headerOf, Recorder, TestServer } from "./native_server.ts";
import {
  ca,
  leavesNothing,
  LOGIN,
  NO_MASK,
  open,
  PATH,
  schemes,
  secrets,
  startWiretap,
  TIMEOUT,
} from "./proxy_support.ts";
import { until } from "./support.ts";

for (const options of schemes) {
  for (const secure of [false, true]) {
    const scheme = secure ? "wss" : "ws";
    test(
      `${options.scheme}: ${scheme} goes through one tunnel, and no credential reaches the exchange`,
      TIMEOUT,
      async () => {
        await using proxy = await startLocalProxy(options);
        await using server = await TestServer.start(secure ? { certificate: "localhost" } : {});
        const recorder = new Recorder();
        const url = `${scheme}://localhost:${server.port}${PATH}`;
        const connection = await open(url, recorder, { proxy: proxy.url, tls: { ca }, headers: { "X-Mine": "yes" } });
        const peer = await server.peer();
        assertEquals([connection.path, connection.library, connection.url], ["builtin", "builtin", url]);
        assertEquals([proxy.tunnels, proxy.totalConnections, proxy.rejectedLogins], [1, 1, 0]);
        assertEquals(proxy.requests[0]?.username, LOGIN.username);
        assertMatch(proxy.targets[0] ?? "", new RegExp(`^(localhost|127\\.0\\.0\\.1):${server.port}$`));
        assert(peer.head.startsWith(`GET ${PATH} HTTP/1.1\r\n`), peer.head);
        assertEquals(headerOf(peer.head, "host"), `localhost:${server.port}`);
        assertEquals(headerOf(peer.head, "x-mine"), "yes");
        peer.send(encodeText("from the exchange", NO_MASK));
        connection.send("from here");
        await recorder.wait(2);
        assertEquals([recorder.texts, await peer.next()], [["from the exchange"], ["text", "from here"]]);
        connection.close(3001, "bye");
        assertEquals(await peer.next(), ["close", 3001, "bye"]);
        peer.send(encodeClose(3001, "bye", NO_MASK));
        peer.socket.end();
        assertEquals(await connection.closed, { code: 3001, reason: "bye", wasClean: true });
        await until(() => proxy.connections === 0 && server.connections === 0, "nothing is left");
      },
    );

    test(`${options.scheme}: ${scheme.replace("ws", "http")} requests take the same way`, TIMEOUT, async () => {
      await using proxy = await startLocalProxy(options);
      const text = "0123456789".repeat(100_000);
      await using wiretap = await startWiretap(secure, (_, socket) => {
        socket.end(`HTTP/1.1 201 Created\r\nX-Mine: yes\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
      });
      const url = `${scheme.replace("ws", "http")}://localhost:${wiretap.server.port}${PATH}`;
      const response = await fetchThrough(url, {
        method: "POST",
        body: "listenKey=1",
        headers: { "X-MBX-APIKEY": "abc" },
        proxy: proxy.url,
        tls: { ca },
      });
      assertEquals([response.status, response.headers.get("x-mine")], [201, "yes"]);
      assertEquals(await response.text() === text, true);
      assertEquals([proxy.tunnels, proxy.totalConnections], [1, 1]);
      const seen = wiretap.seen();
      assertMatch(seen, /^POST \/ws\/btcusdt@trade\?key=a%20b HTTP\/1\.1\r\n/);
      assertMatch(seen, /\r\n\r\n(?:b\r\n)?listenKey=1/);
      assertEquals(headerOf(seen, "x-mbx-apikey"), "abc");
      assertEquals(headerOf(seen, "host"), `localhost:${wiretap.server.port}`);
      for (const secret of secrets) assertEquals(seen.includes(secret), false);
      await until(() => proxy.connections === 0 && wiretap.server.connections === 0, "nothing is left");
    });
  }

  test(`${options.scheme}: no byte that the exchange sees holds a credential`, TIMEOUT, async () => {
    for (const secure of [false, true]) {
      await using proxy = await startLocalProxy(options);
      await using wiretap = await startWiretap(secure, (_, socket) => socket.end("HTTP/1.1 429 No\r\n\r\n"));
      const url = `${secure ? "wss" : "ws"}://localhost:${wiretap.server.port}${PATH}`;
      const error = await assertRejects(
        () => open(url, new Recorder(), { proxy: proxy.url, tls: { ca } }),
        HandshakeRejectedError,
      );
      assertEquals([error.status, proxy.tunnels], [429, 1]);
      assertMatch(wiretap.seen(), /^GET [^]*\r\n\r\n$/);
      for (const secret of secrets) {
        assertEquals(wiretap.seen().includes(secret), false);
        if (secret === LOGIN.password) assertEquals(error.message.includes(secret), false);
      }
      assertEquals(/proxy-/i.test(wiretap.seen()), false);
    }
  });
}

test("wrong credentials are an error that says so, and nothing goes around the proxy", TIMEOUT, async () => {
  await using server = await TestServer.start();
  for (const options of schemes.filter(({ scheme }) => !scheme?.startsWith("socks4"))) {
    await using proxy = await startLocalProxy(options);
    const url = proxy.url.replace(/:\/\/.*@/, "://me:wrong@");
    for (
      const attempt of [
        () => open(`ws://127.0.0.1:${server.port}/`, new Recorder(), { proxy: url, tls: { ca } }),
        () => fetchThrough(`http://127.0.0.1:${server.port}/`, { proxy: url, tls: { ca } }),
      ]
    ) {
      const error = await assertRejects(attempt, ProxyConnectionError);
      assertEquals([error.stage, error.message.includes("wrong")], ["auth", false]);
    }
    assertEquals([proxy.tunnels, server.connections], [0, 0]);
  }
});

test(
  "a certificate that is not the exchange's is refused through a proxy, unless it is not to be verified",
  TIMEOUT,
  async () => {
    await using proxy = await startLocalProxy({ scheme: "socks5h" });
    for (const name of ["wrong_name", "self_signed", "expired"]) {
      await using server = await TestServer.start({ certificate: name });
      const url = `wss://localhost:${server.port}/`;
      const error = await assertRejects(
        () => open(url, new Recorder(), { proxy: proxy.url, tls: name === "self_signed" ? {} : { ca } }),
        ConnectionFailedError,
      );
      assertEquals(error instanceof ProxyConnectionError, false);
      assertMatch(error.message, /^Cannot open wss:\/\/localhost:\d+ through the proxy socks5h:.*: TLS failed: /);
      const connection = await open(url, new Recorder(), { proxy: proxy.url, tls: { rejectUnauthorized: false } });
      connection.terminate();
    }
    await using server = await TestServer.start({ certificate: "wrong_name" });
    const url = `wss://localhost:${server.port}/`;
    const tls = { ca, servername: "wrong.example" };
    (await open(url, new Recorder(), { proxy: proxy.url, tls })).terminate();
    const refused = { ...tls, checkServerIdentity: () => new Error("not the pinned one") };
    const error = await assertRejects(() => open(url, new Recorder(), { proxy: proxy.url, tls: refused }));
    assertMatch(String(error), /not the pinned one/);
  },
);

test("where there are no raw sockets, a proxy is refused before anything is opened", async () => {
  await using proxy = await startLocalProxy();
  const error = await assertRejects(
    () => builtinOver(undefined)("ws://127.0.0.1:1/", new Recorder(), { proxy: "http://me:secret@127.0.0.1:1" }),
    ProxyUnavailableError,
  );
  assertMatch(error.message, /^Cannot use the proxy "http:\/\/…": .*raw sockets/);
  assertEquals(proxy.totalConnections, 0);
});

test("a request that is aborted, or whose answer is a redirect, leaves nothing behind", TIMEOUT, async () => {
  await leavesNothing(async (proxy) => {
    await using server = await TestServer.start({
      respond: (head, socket) => {
        if (head.startsWith("GET /moved")) socket.end("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
      },
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const moved = await assertRejects(() => fetchThrough(`${url}moved`, { proxy: proxy.url }), ConnectionFailedError);
    assertMatch(moved.message, /^Cannot get an answer from http:\/\/127\.0\.0\.1:\d+: /);
    const controller = new AbortController();
    const response = await fetchThrough(url, { proxy: proxy.url, signal: controller.signal });
    const text = response.text();
    controller.abort(new Error("enough"));
    await assertRejects(() => text);
    const silent = AbortSignal.timeout(100);
    proxy.misbehave({ silent: true });
    await assertRejects(() => fetchThrough(url, { proxy: proxy.url, signal: silent }), DOMException);
    await until(() => server.connections === 0, "the server has no connection");
  });
});
