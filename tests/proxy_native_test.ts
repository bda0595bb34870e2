/**
 * The library "native" through proxies that do as they should: each scheme, each kind of target.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { ConnectionFailedError, openConnection, ProxyConnectionError } from "@rawtick/binance/transport";
import { certificate, hasIpv6, Recorder, TestServer } from "./native_server.ts";
import { type Login, RawProxy, speechOf } from "./raw_proxy.ts";
import { until } from "./support.ts";

const ca = [certificate("ca.pem")];
const schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
const hosts = [["127.0.0.1", "127.0.0.1"], ["localhost", "127.0.0.1"], ...(hasIpv6 ? [["[::1]", "::1"]] : [])] as const;
const login: Login = { username: "us er", password: "p@ss:wörd/%" };

/** What the proxy is asked for. */
function askedFor(scheme: string, host: string): string {
  if (host === "localhost") return scheme === "socks4" || scheme === "socks5" ? "127.0.0.1" : "localhost";
  if (host === "[::1]" && scheme.startsWith("socks5")) return `[${"0".repeat(31)}1]`;
  return host;
}

function proxyUrl(scheme: string, port: number, given?: Login): string {
  const password = given === undefined || scheme.startsWith("socks4") ? "" : `:${encodeURIComponent(given.password)}`;
  const userinfo = given === undefined ? "" : `${encodeURIComponent(given.username)}${password}@`;
  return `${scheme}://${userinfo}127.0.0.1:${port}`;
}

for (const scheme of schemes) {
  for (const secure of [false, true]) {
    const kind = secure ? "wss" : "ws";
    test(`${kind}:// through ${scheme} opens, with a login and without, to names and addresses`, async () => {
      for (const [host, address] of hosts) {
        for (const given of [undefined, login]) {
          if (host === "[::1]" && scheme.startsWith("socks4")) continue;
          await using server = await TestServer.start({ host: address, ...(secure && { certificate: "localhost" }) });
          await using relay = await RawProxy.start((peer) => peer.relayTo(server.port, address));
          await using proxy = await RawProxy.start(
            (peer, proxy) => speechOf(scheme)(peer, proxy, relay.port, given),
            scheme === "https" ? "localhost" : undefined,
          );
          const recorder = new Recorder();
          const connection = await openConnection("native", `${kind}://${host}:${server.port}/ws?a=b`, recorder, {
            proxy: proxyUrl(scheme, proxy.port, given),
            tls: { ca },
          });
          const peer = await server.peer();
          assertEquals(proxy.targets, [`${askedFor(scheme, host)}:${server.port}`]);
          assertEquals(connection.path, "node");
          assertEquals(connection.remoteAddress?.port, proxy.port);
          assertMatch(peer.head, /^GET \/ws\?a=b HTTP\/1\.1\r\n/);
          assertEquals(/proxy-|authorization/i.test(peer.head), false, peer.head);
          connection.send("to the server");
          assertEquals(await peer.next(), ["text", "to the server"]);
          const text = "x".repeat(70_000);
          peer.send(new Uint8Array([0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]), new TextEncoder().encode(text));
          await until(() => recorder.texts.length > 0, "a message through the proxy");
          assertEquals(recorder.texts, [text]);
          connection.terminate();
          await until(() => proxy.connections === 0 && server.connections === 0, "both ends gone");
          assertEquals([proxy.taken, relay.taken], [1, 1]);
        }
      }
    });
  }
}

test("an IPv6 target through SOCKS4 is refused before the proxy is asked, with what to use instead", async () => {
  await using proxy = await RawProxy.start(() => {});
  for (const scheme of ["socks4", "socks4a"]) {
    const error = await assertRejects(
      () => openConnection("native", "ws://[::1]:9/", new Recorder(), { proxy: proxyUrl(scheme, proxy.port) }),
      ProxyConnectionError,
      'expected a name, an IPv4 address, or "socks5"',
    );
    assertEquals(error.stage, "tunnel");
  }
  assertEquals(proxy.taken, 0);
});

for (const scheme of schemes) {
  test(`the exchange's certificate is verified through ${scheme}: a wrong one is the error of the direct way`, async () => {
    for (const name of ["wrong_name", "self_signed", "expired"]) {
      await using server = await TestServer.start({ certificate: name });
      await using proxy = await RawProxy.start(
        (peer, proxy) => speechOf(scheme)(peer, proxy, server.port),
        scheme === "https" ? "localhost" : undefined,
      );
      const error = await assertRejects(
        () =>
          openConnection("native", `wss://localhost:${server.port}/`, new Recorder(), {
            proxy: proxyUrl(scheme, proxy.port),
            tls: { ca },
          }),
        ConnectionFailedError,
        "TLS failed",
      );
      assertEquals([error.code, error.name], ["CONNECTION_FAILED", "ConnectionFailedError"]);
      assertStringIncludes(error.message, `through the proxy ${scheme}://127.0.0.1:${proxy.port}`);
      await until(() => proxy.connections === 0 && server.connections === 0, `nothing left of ${name}`);
    }
  });
}

test("an https proxy's certificate is verified against the proxy's name, whatever the exchange's servername is", async () => {
  await using server = await TestServer.start({ certificate: "wrong_name" });
  const open = (proxy: RawProxy, options: object = { tls: { ca, servername: "wrong.example" } }) =>
    openConnection("native", `wss://localhost:${server.port}/`, new Recorder(), {
      proxy: `https://localhost:${proxy.port}`,
      ...options,
    });
  for (const name of ["wrong_name", "self_signed", "expired"]) {
    await using proxy = await RawProxy.start((peer, proxy) => speechOf("https")(peer, proxy, server.port), name);
    const error = await assertRejects(() => open(proxy), ProxyConnectionError, "TLS failed");
    assertEquals(error.stage, "tls");
    assertEquals(proxy.targets, []);
    await until(() => proxy.connections === 0, "nothing left");
  }
  await using proxy = await RawProxy.start((peer, proxy) => speechOf("https")(peer, proxy, server.port), "localhost");
  (await open(proxy)).terminate();
  const asked: string[] = [];
  const checkServerIdentity = (hostname: string) => void asked.push(hostname);
  (await open(proxy, { tls: { ca, checkServerIdentity } })).terminate();
  assertEquals(asked, ["localhost"]);
  await using careless = await RawProxy.start((peer, proxy) => speechOf("https")(peer, proxy, server.port), "expired");
  (await open(careless, { tls: { rejectUnauthorized: false } })).terminate();
});

test("a server that refuses the handshake behind a proxy is the same error as without", async () => {
  await using server = await TestServer.start({
    respond: (_head, socket) => socket.end("HTTP/1.1 429 Slow Down\r\nRetry-After: 7\r\nContent-Length: 3\r\n\r\nno!"),
  });
  await using proxy = await RawProxy.start((peer, proxy) => speechOf("http")(peer, proxy, server.port));
  const error = await assertRejects(() =>
    openConnection("native", `ws://127.0.0.1:${server.port}/`, new Recorder(), { proxy: proxyUrl("http", proxy.port) })
  );
  const { code, status, retryAfterMs, body } = error as unknown as Record<string, unknown>; // read whatever it is
  assertEquals({ code, status, retryAfterMs, body }, {
    code: "HANDSHAKE_REJECTED",
    status: 429,
    retryAfterMs: 7000,
    body: "no!",
  });
});

test("without the option no proxy is used, whatever the environment says, and `env` uses it", async () => {
  const { default: process } = await import("node:process");
  await using server = await TestServer.start();
  await using proxy = await RawProxy.start((peer, proxy) => speechOf("http")(peer, proxy, server.port));
  const before = process.env.ws_proxy;
  process.env.ws_proxy = `http://127.0.0.1:${proxy.port}`;
  try {
    const url = `ws://127.0.0.1:${server.port}/`;
    (await openConnection("native", url, new Recorder())).terminate();
    assertEquals(proxy.taken, 0);
    (await openConnection("native", url, new Recorder(), { proxy: "env" })).terminate();
    assertEquals(proxy.targets, [`127.0.0.1:${server.port}`]);
  } finally {
    if (before === undefined) delete process.env.ws_proxy;
    else process.env.ws_proxy = before;
  }
});

for (const scheme of ["http", "https", "socks5"]) {
  for (const secure of [false, true]) {
    const kind = secure ? "wss" : "ws";
    test(`${kind}:// through ${scheme}: a pause holds the server back, nothing is lost, and the end is clean`, async () => {
      await using server = await TestServer.start(secure ? { certificate: "localhost" } : {});
      await using proxy = await RawProxy.start(
        (peer, proxy) => speechOf(scheme)(peer, proxy, server.port),
        scheme === "https" ? "localhost" : undefined,
      );
      const recorder = new Recorder();
      const connection = await openConnection("native", `${kind}://localhost:${server.port}/`, recorder, {
        proxy: proxyUrl(scheme, proxy.port),
        tls: { ca },
      });
      const peer = await server.peer();
      connection.pause();
      // 64 messages of 1 MiB: more than the kernel's buffers on the way hold.
      const count = 64;
      const header = new Uint8Array([0x82, 127, 0, 0, 0, 0, 0, 0x10, 0, 0]);
      for (let i = 0; i < count; i++) peer.send(header, new Uint8Array(1 << 20).fill(i));
      // The server is stuck once nothing leaves any more.
      for (let left = -1; left !== peer.socket.writableLength;) {
        left = peer.socket.writableLength;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert(peer.socket.writableLength > 8 << 20, `${peer.socket.writableLength} bytes wait at the server`);
      assert(recorder.binaries.length <= 1);
      connection.resume();
      await until(() => recorder.binaries.length === count, "all messages after the pause");
      assert(recorder.binaries.every((bytes, i) => bytes.length === 1 << 20 && bytes[0] === i && bytes.at(-1) === i));
      const large = new Uint8Array(4 << 20).fill(7);
      connection.send(large);
      connection.close(4000, "bye");
      const [message, close] = [await peer.next(), await peer.next()];
      assertEquals([message[0], message[1]], ["binary", large]);
      assertEquals(close, ["close", 4000, "bye"]);
      peer.socket.end(new Uint8Array([0x88, 2, 0x0f, 0xa0]));
      const { code, wasClean } = await connection.closed;
      assertEquals({ code, wasClean }, { code: 4000, wasClean: true });
      await until(() => proxy.connections === 0 && server.connections === 0, "nothing left");
    });
  }
}
