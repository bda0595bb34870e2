/**
 * Tunnels that open in an odd way, end early or lead to nothing, and HTTP proxies that say more than no.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import {
  ConnectionFailedError,
  HandshakeTimeoutError,
  openConnection,
  ProxyConnectionError,
} from "@rawtick/binance/transport";
import { Recorder, TestServer } from "./native_server.ts";
import { assertKeepsSecret, BASIC, ca, failure, http, open, SECRET, urlOf } from "./proxy_failing.ts";
import { RawProxy, speechOf } from "./raw_proxy.ts";
import { until } from "./support.ts";

test("a refusal of CONNECT has its status and the first KiB of its body, however the body ends", async () => {
  const long = "<p>".padEnd(5000, "no");
  const replies: [reply: string, isClosed: boolean, body: string][] = [
    ["HTTP/1.1 403 Nope\r\nContent-Length: 5000\r\n\r\n" + long, false, long.slice(0, 1024)],
    ["HTTP/1.1 502 Bad\r\nContent-Length: 3\r\n\r\noh!", false, "oh!"],
    ["HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n3\r\noh!\r\n0\r\n\r\n", false, "oh!"],
    ["HTTP/1.0 504 Late\r\n\r\nno length", true, "no length"],
    // What is announced and does not come is not waited for.
    ["HTTP/1.1 500 Lazy\r\nContent-Length: 100\r\n\r\nhalf", false, "half"],
    ["HTTP/1.1 302 There\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n", false, ""],
  ];
  for (const [reply, isClosed, body] of replies) {
    const error = await failure("http", async (peer) => {
      await http(reply)(peer);
      if (isClosed) peer.socket.end();
    });
    assertEquals([error.stage, error.status, error.body], ["tunnel", Number(reply.slice(9, 12)), body]);
    assertStringIncludes(error.message, `the proxy refused with ${reply.slice(9, reply.indexOf("\r"))}`);
  }
});

test("a proxy that repeats the credentials in its refusal does not get them into the error", async () => {
  const error = await failure("http", async (peer) => {
    const head = await peer.readUntil("\r\n\r\n");
    assertStringIncludes(head, BASIC);
    const page = `${head} and that is ${atob(BASIC)}`;
    await peer.write(`HTTP/1.1 403 Not ${SECRET}\r\nX: ${SECRET}\r\nContent-Length: ${page.length}\r\n\r\n${page}`);
  });
  assertStringIncludes(error.message, "403 Not ***");
  assertMatch(error.body ?? "", /Basic \*\*\*\r\n[^]*me:\*\*\*$/);
});

test("CONNECT replies cut at every byte open the tunnel, interim ones are skipped, early bytes are delivered", async () => {
  const reply =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n";
  // The server's answer is glued to the proxy's: it can't know the key, so that the client sees a wrong upgrade.
  const early = "HTTP/1.1 418 Teapot\r\nContent-Length: 2\r\n\r\nhi";
  for (let cut = 1; cut <= reply.length + early.length; cut++) {
    await using proxy = await RawProxy.start(http(reply + early, cut));
    const error = await assertRejects(() => open("http", proxy.port), ConnectionFailedError, "418 Teapot");
    assertEquals(error.code, "HANDSHAKE_REJECTED");
    await until(() => proxy.connections === 0, "nothing left");
  }
  await using proxy = await RawProxy.start(http(reply + early, ...Array.from(reply + early, (_, index) => index + 1)));
  await assertRejects(() => open("http", proxy.port), ConnectionFailedError, "418 Teapot");
});

test("SOCKS replies cut at every byte open the tunnel, of every kind of address, and early bytes are delivered", async () => {
  const early = "HTTP/1.1 418 Teapot\r\nContent-Length: 2\r\n\r\nhi";
  const last: [scheme: string, reply: string][] = [
    ["socks4", "\x00\x5a\x01\x02\x03\x04\x05\x06"],
    ["socks5", "\x05\x00\x00\x01\x7f\0\0\x01\x1f\x90"],
    ["socks5", "\x05\x00\x00\x03\x09localhost\x1f\x90"],
    ["socks5", "\x05\x00\x00\x03\x00\x1f\x90"],
    ["socks5", `\x05\x00\x00\x04${"\0".repeat(15)}\x01\x1f\x90`],
  ];
  for (const [scheme, reply] of last) {
    for (let cut = 1; cut <= reply.length; cut++) {
      await using proxy = await RawProxy.start(async (peer) => {
        if (scheme === "socks5") {
          await peer.read(4);
          await peer.write("\x05\x02", 1);
          await peer.read(3 + 2 + SECRET.length);
          await peer.write("\x01\x00", 1);
          await peer.read(10);
        } else {
          await peer.read(8 + 3);
        }
        await peer.write(reply + early, cut);
      });
      const error = await assertRejects(() => open(scheme, proxy.port), ConnectionFailedError, "418 Teapot");
      assertEquals(error.code, "HANDSHAKE_REJECTED");
      await until(() => proxy.connections === 0, "nothing left");
    }
  }
});

test("messages that come behind the proxied server's upgrade in the same segment are delivered", async () => {
  const greeting = new Uint8Array([0x81, 5, ...new TextEncoder().encode("early")]);
  await using server = await TestServer.start({ greeting });
  for (const scheme of ["http", "https", "socks4a", "socks5h"]) {
    await using proxy = await RawProxy.start(
      (peer, proxy) => speechOf(scheme)(peer, proxy, server.port),
      scheme === "https" ? "localhost" : undefined,
    );
    const recorder = new Recorder();
    const connection = await openConnection("native", `ws://127.0.0.1:${server.port}/`, recorder, {
      proxy: urlOf(scheme, proxy.port, true),
      tls: { ca },
    });
    await recorder.wait(2);
    assertEquals(recorder.texts, ["early"]);
    connection.terminate();
  }
});

test("a false 200 with garbage behind it is an error of the server's, at once: with TLS inside and without", async () => {
  for (const scheme of ["http", "https"]) {
    for (const kind of ["ws", "wss"]) {
      await using proxy = await RawProxy.start(
        http("HTTP/1.1 200 OK\r\n\r\n<html>Please log in to this hotel's network</html>\r\n\r\n"),
        scheme === "https" ? "localhost" : undefined,
      );
      const error = await assertRejects(
        () =>
          openConnection("native", `${kind}://127.0.0.1:9/`, new Recorder(), {
            proxy: urlOf(scheme, proxy.port),
            tls: { ca },
            handshakeTimeoutMs: 5_000,
          }),
        ConnectionFailedError,
      );
      assert(!(error instanceof ProxyConnectionError) && !(error instanceof HandshakeTimeoutError), error.message);
      assertMatch(error.message, kind === "ws" ? /first line|header|HTTP/ : /TLS failed/);
      assertKeepsSecret(error);
      await until(() => proxy.connections === 0, `nothing left of ${kind} through ${scheme}`);
    }
  }
});

test("a proxy that dies after it has opened the tunnel is an error of the connection", async () => {
  for (const scheme of ["http", "https", "socks4", "socks5"]) {
    for (const kind of ["ws", "wss"]) {
      await using proxy = await RawProxy.start(async (peer, proxy) => {
        peer.relayTo = () => peer.socket.destroy();
        await speechOf(scheme)(
          peer,
          proxy,
          9,
          scheme.startsWith("socks4") ? { username: "me", password: "" } : {
            username: "me",
            password: SECRET,
          },
        );
      }, scheme === "https" ? "localhost" : undefined);
      const error = await assertRejects(
        () =>
          openConnection("native", `${kind}://127.0.0.1:9/`, new Recorder(), {
            proxy: urlOf(scheme, proxy.port),
            tls: { ca },
            handshakeTimeoutMs: 5_000,
          }),
        ConnectionFailedError,
      );
      assertEquals([error.code, proxy.targets.length], ["CONNECTION_FAILED", 1], `${kind} ${scheme}: ${error.message}`);
      assertKeepsSecret(error);
      await until(() => proxy.connections === 0, "nothing left");
    }
  }
});

test("a proxy that dies later ends the connection with 1006, with its bytes before that delivered", async () => {
  await using server = await TestServer.start();
  let cut = (): void => {};
  await using proxy = await RawProxy.start(async (peer, proxy) => {
    cut = () => peer.socket.end();
    await speechOf("http")(peer, proxy, server.port);
  });
  const recorder = new Recorder();
  await openConnection("native", `ws://127.0.0.1:${server.port}/`, recorder, {
    proxy: urlOf("http", proxy.port, true),
  });
  const peer = await server.peer();
  peer.socket.write(new Uint8Array([0x81, 2, 104, 105]), () => {});
  await recorder.wait(2);
  cut();
  await until(() => recorder.closes.length > 0, "the end");
  assertEquals([recorder.texts, recorder.closes[0]?.code], [["hi"], 1006]);
  await until(() => proxy.connections === 0 && server.connections === 0, "nothing left");
});

test("a proxy that is not there, or whose name is not found, is an error of its own stage", async () => {
  const port = await (async () => {
    await using proxy = await RawProxy.start(() => {});
    return proxy.port;
  })();
  for (const scheme of ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]) {
    const refused = await assertRejects(() => open(scheme, port), ProxyConnectionError, "the connection was refused");
    assertEquals(refused.stage, "connect");
    const unknown = await assertRejects(
      () =>
        openConnection("native", "ws://127.0.0.1:9/", new Recorder(), {
          proxy: urlOf(scheme, 1, false, "nowhere.invalid"),
        }),
      ProxyConnectionError,
      "the host name",
    );
    assertEquals(unknown.stage, "dns");
    assertKeepsSecret(refused);
    assertKeepsSecret(unknown);
  }
});

test("a target whose name is not found here is an error of the proxy's stage dns, and the proxy is not asked", async () => {
  await using proxy = await RawProxy.start(() => {});
  for (const [scheme, instead] of [["socks4", "socks4a"], ["socks5", "socks5h"]] as const) {
    const error = await assertRejects(
      () => openConnection("native", "ws://nowhere.invalid/", new Recorder(), { proxy: urlOf(scheme, proxy.port) }),
      ProxyConnectionError,
      `"${instead}" has it looked up at the proxy`,
    );
    assertEquals(error.stage, "dns");
    assert(error.cause instanceof Error);
  }
  assertEquals(proxy.taken, 0);
});

test("a target whose name SOCKS can't carry is an error of the stage tunnel, which shows no password", async () => {
  await using proxy = await RawProxy.start(() => {});
  const name = `${"a".repeat(60)}.`.repeat(5);
  for (const scheme of ["socks4a", "socks5h"]) {
    const error = await assertRejects(
      () => openConnection("native", `ws://${name}example/`, new Recorder(), { proxy: urlOf(scheme, proxy.port) }),
      ProxyConnectionError,
      "at most 255 bytes",
    );
    assertEquals(error.stage, "tunnel");
    assertKeepsSecret(error);
    await until(() => proxy.connections === 0, "nothing left");
  }
});
