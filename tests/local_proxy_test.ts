/**
 * The stand-in for a proxy, byte by byte: what it answers, counts, refuses, and how it misbehaves.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { InvalidOptionsError, type LocalProxyOptions, startLocalProxy } from "@rawtick/binance/testing";
import {
  ascii,
  basic,
  Client,
  connectTo,
  ESTABLISHED,
  login,
  openings,
  portBytes,
  socks4,
  SOCKS4_GRANTED,
  socks5,
  SOCKS5_GRANTED,
  startEcho,
} from "./proxies/peers.ts";

const certificate = (name: string): string => readFileSync(new URL(`certs/${name}`, import.meta.url), "utf8");
const tls = { cert: certificate("localhost.pem"), key: certificate("localhost.key") };

for (const scheme of ["http", "socks4", "socks5"] as const) {
  const opening = openings[scheme];
  assert(opening !== undefined);

  test(`${scheme}: a tunnel carries bytes and ends both ways and is counted`, async () => {
    await using echo = await startEcho();
    await using proxy = await startLocalProxy({ scheme });
    const { ask, answer } = opening(echo.port);
    const client = Client.of(proxy).send(ask);
    assertEquals(await client.bytes(answer.length), answer);
    assertEquals([proxy.tunnels, proxy.openTunnels, proxy.connections], [1, 1, 1]);
    assertEquals(proxy.targets, [`127.0.0.1:${echo.port}`]);
    const large = "x".repeat(1_000_000);
    client.send(large).end();
    await client.closed;
    assertEquals(client.received.length, answer.length + large.length);
    await proxy.waitFor(() => proxy.openTunnels === 0 && proxy.connections === 0);
    assertEquals([proxy.tunnels, proxy.totalConnections, echo.connections], [1, 1, 0]);
  });

  test(`${scheme}: bytes right behind the request reach the target`, async () => {
    await using echo = await startEcho();
    await using proxy = await startLocalProxy({ scheme });
    const { ask, answer } = opening(echo.port);
    const client = Client.of(proxy).send(typeof ask === "string" ? `${ask}hello` : [...ask, ...ascii("hello")]);
    assertEquals((await client.bytes(answer.length + 5)).toString().slice(-5), "hello");
    client.destroy();
  });

  test(`${scheme}: a request that comes byte by byte is understood, and one can be answered so`, async () => {
    await using echo = await startEcho();
    await using proxy = await startLocalProxy({ scheme });
    proxy.misbehave({ chop: true, garbage: "garbage" });
    const { ask, answer } = opening(echo.port);
    const client = Client.of(proxy);
    for (const byte of Buffer.from(ask)) {
      client.send([byte]);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const wanted = Buffer.concat([answer, Buffer.from("garbage")]);
    assertEquals(await client.bytes(wanted.length), wanted);
    assert(client.chunks.length > wanted.length / 2, `${client.chunks.length} chunks`);
    client.destroy();
  });

  test(`${scheme}: a proxy can be silent, talk early, answer nonsense, or hang up at each step`, async () => {
    await using echo = await startEcho();
    await using proxy = await startLocalProxy({ scheme });
    const { ask } = opening(echo.port);
    proxy.misbehave({ silent: true });
    const unheard = Client.of(proxy).send(ask);
    await proxy.waitFor(() => proxy.connections === 1);
    unheard.end();
    await unheard.closed;
    assertEquals([unheard.received.length, proxy.requests.length], [0, 0]);

    proxy.misbehave({ early: "early" });
    const early = Client.of(proxy);
    assertEquals(String(await early.bytes(5)), "early");
    early.destroy();

    proxy.misbehave({ reply: "SSH-2.0-nonsense\r\n" });
    const nonsense = Client.of(proxy).send(ask);
    assertStringIncludes(await nonsense.text("nonsense"), "SSH-2.0");
    nonsense.destroy();

    for (const hangUp of ["connected", "asked", "open"] as const) {
      proxy.misbehave({ hangUp });
      const client = Client.of(proxy).send(ask);
      await client.closed;
      assertEquals(
        client.received.length > 0,
        hangUp === "open" || (hangUp === "asked" && scheme === "socks5"),
        hangUp,
      );
    }
    await proxy.waitFor(() => proxy.connections === 0);
    assertEquals([proxy.tunnels, proxy.openTunnels, echo.connections], [1, 0, 0]);
    proxy.misbehave({});
    const last = Client.of(proxy).send(ask);
    await proxy.waitFor(() => proxy.openTunnels === 1);
    proxy.killTunnels();
    await last.closed;
  });

  test(`${scheme}: a target that refuses or that is not there is a refusal of the proxy`, async () => {
    await using proxy = await startLocalProxy({ scheme });
    const echo = await startEcho();
    await echo[Symbol.asyncDispose]();
    const client = Client.of(proxy).send(opening(echo.port).ask);
    await client.closed;
    const codes: Readonly<Record<string, string>> = {
      http: "HTTP/1.1 503",
      socks4: "\x00\x5b",
      socks5: "\x05\x00\x05\x05",
    };
    assert(client.received.toString("latin1").startsWith(codes[scheme] ?? "?"), client.received.toString("hex"));
    assertEquals([proxy.tunnels, proxy.rejectedLogins], [0, 0]);
  });
}

test("names reach the stand-in as names: CONNECT, SOCKS4a, SOCKS5", async () => {
  await using echo = await startEcho();
  const asks: readonly (readonly [LocalProxyOptions["scheme"], string | number[]])[] = [
    ["http", connectTo(`localhost:${echo.port}`)],
    ["socks4a", socks4(echo.port, "", "localhost")],
    ["socks5h", [5, 1, 0, 5, 1, 0, 3, 9, ...ascii("localhost"), ...portBytes(echo.port)]],
  ];
  for (const [scheme = "http", ask] of asks) {
    await using proxy = await startLocalProxy({ scheme });
    const client = Client.of(proxy).send(ask);
    await proxy.waitFor(() => proxy.openTunnels === 1);
    assertEquals(proxy.targets, [`localhost:${echo.port}`]);
    client.destroy();
  }
});

test("IPv6 addresses are shown in brackets in the targets, and bare in the requests", async () => {
  await using http = await startLocalProxy();
  await using socks = await startLocalProxy({ scheme: "socks5" });
  http.misbehave({ refuse: 403 });
  socks.misbehave({ refuse: 2 });
  const clients = [
    Client.of(http).send(connectTo("[::1]:443")),
    Client.of(socks).send([5, 1, 0, 5, 1, 0, 4, ...new Array(15).fill(0), 1, 1, 187]),
  ];
  for (const client of clients) await client.closed;
  for (const proxy of [http, socks]) {
    assertEquals(proxy.targets, ["[::1]:443"]);
    assertEquals(proxy.requests.map(({ host }) => host), ["::1"]);
  }
});

test("an https stand-in does CONNECT inside of TLS", async () => {
  await using echo = await startEcho();
  await using proxy = await startLocalProxy({ scheme: "https", tls, username: "bot", password: "päss:word" });
  const ca = certificate("ca.pem");
  const client = new Client(connectTls({ port: proxy.port, host: "127.0.0.1", servername: "localhost", ca }));
  client.send(connectTo(`localhost:${echo.port}`, basic("bot:päss:word")));
  await client.text(ESTABLISHED);
  client.send("through TLS");
  await client.text("through TLS");
  assertEquals(proxy.url, `https://bot:p%C3%A4ss%3Aword@127.0.0.1:${proxy.port}`);
  client.destroy();
});

test("Basic credentials are asked for, checked and counted; the challenge can be left out", async () => {
  await using echo = await startEcho();
  await using proxy = await startLocalProxy({ username: "bot", password: "s:3" });
  for (const lines of ["", basic("bot:wrong"), basic("other:s:3"), "Proxy-Authorization: Bearer bot\r\n"]) {
    const client = Client.of(proxy).send(connectTo(`127.0.0.1:${echo.port}`, lines));
    await client.closed;
    assertStringIncludes(client.received.toString(), "HTTP/1.1 407 ");
    assertStringIncludes(client.received.toString(), 'Proxy-Authenticate: Basic realm="local proxy"\r\n');
  }
  assertEquals([proxy.rejectedLogins, proxy.tunnels], [4, 0]);
  proxy.misbehave({ challenge: "", body: "go away" });
  const bare = Client.of(proxy).send(connectTo(`127.0.0.1:${echo.port}`));
  await bare.closed;
  assert(!bare.received.toString().includes("Authenticate") && bare.received.toString().endsWith("go away"));
  const right = Client.of(proxy).send(connectTo(`127.0.0.1:${echo.port}`, basic("bot:s:3")));
  await right.text(ESTABLISHED);
  assertEquals(proxy.requests.at(-1)?.username, "bot");
  right.destroy();
});

test("anything but CONNECT is refused by the http stand-in", async () => {
  await using proxy = await startLocalProxy();
  const answers: [string, string][] = [
    ["GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", "405"],
    ["CONNECT nowhere HTTP/1.1\r\n\r\n", "400"],
    ["CONNECT a:1 HTTP/1.1\r\nbad header\r\n\r\n", "400"],
  ];
  for (const [ask, status] of answers) {
    const client = Client.of(proxy).send(ask);
    await client.closed;
    assertStringIncludes(client.received.toString(), `HTTP/1.1 ${status} `);
  }
  assertEquals(proxy.requests, []);
});

test("a SOCKS4 user name is checked", async () => {
  await using echo = await startEcho();
  await using proxy = await startLocalProxy({ scheme: "socks4", username: "bot" });
  const wrong = Client.of(proxy).send(socks4(echo.port, "other"));
  await wrong.closed;
  assertEquals([...wrong.received], [0, 93, 0, 0, 0, 0, 0, 0]);
  const right = Client.of(proxy).send(socks4(echo.port, "bot"));
  assertEquals([...await right.bytes(8)], SOCKS4_GRANTED);
  assertEquals([proxy.rejectedLogins, proxy.url], [1, `socks4://bot@127.0.0.1:${proxy.port}`]);
  right.destroy();
});

test("a SOCKS5 login is asked for and checked", async () => {
  await using echo = await startEcho();
  await using proxy = await startLocalProxy({ scheme: "socks5", username: "bot", password: "s3cret" });
  const without = Client.of(proxy).send([5, 1, 0]);
  await without.closed;
  assertEquals([...without.received], [5, 255]);
  const wrong = Client.of(proxy).send([5, 2, 0, 2]);
  assertEquals([...await wrong.bytes(2)], [5, 2]);
  wrong.send(login("bot", "S3cret"));
  await wrong.closed;
  assertEquals([...wrong.received], [5, 2, 1, 1]);
  const right = Client.of(proxy).send([5, 2, 0, 2, ...login("bot", "s3cret"), ...socks5(echo.port)]);
  assertEquals([...await right.bytes(14)], [5, 2, 1, 0, ...SOCKS5_GRANTED]);
  assertEquals([proxy.rejectedLogins, proxy.requests.map(({ username }) => username)], [2, ["bot"]]);
  right.destroy();
});

test("every refusal code of SOCKS can be asked for, and the methods and logins of SOCKS5 refused", async () => {
  await using v4 = await startLocalProxy({ scheme: "socks4a" });
  await using v5 = await startLocalProxy({ scheme: "socks5" });
  for (const refuse of [91, 92, 93, 1]) {
    v4.misbehave({ refuse });
    const client = Client.of(v4).send(socks4(9));
    await client.closed;
    assertEquals(client.received[1], refuse);
  }
  for (const refuse of [1, 2, 3, 4, 5, 6, 7, 8, 9, 255]) {
    v5.misbehave({ refuse });
    const client = Client.of(v5).send([5, 1, 0, ...socks5(9)]);
    await client.closed;
    assertEquals([...client.received].slice(0, 4), [5, 0, 5, refuse]);
  }
  v5.misbehave({ refuseMethods: true });
  const methods = Client.of(v5).send([5, 2, 0, 2]);
  await methods.closed;
  assertEquals([...methods.received], [5, 255]);
  v5.misbehave({ rejectLogins: true });
  const logins = Client.of(v5).send([5, 2, 0, 2, ...login("a", "b")]);
  await logins.closed;
  assertEquals([...logins.received], [5, 2, 1, 1]);
});

test("it connects to the targets from the address that is asked for", {
  skip: process.platform === "linux" ? false : "only Linux has all of 127.0.0.0/8 on its loopback interface",
}, async () => {
  await using echo = await startEcho();
  await using proxy = await startLocalProxy({ localAddress: "127.0.0.2" });
  const client = Client.of(proxy).send(connectTo(`127.0.0.1:${echo.port}`));
  await client.text(ESTABLISHED);
  assertEquals(echo.peers, ["127.0.0.2"]);
  client.destroy();
});

test("options that can't work are refused at the start", async () => {
  const cases: readonly (readonly [LocalProxyOptions, string])[] = [
    [{ scheme: "https" }, "tls"],
    [{ scheme: "http", tls }, "tls"],
    [{ scheme: "socks4", username: "bot", password: "secret" }, "password"],
    [{ password: "secret" }, "password"],
    [{ scheme: "socks5", username: "x".repeat(256) }, "username"],
    [{ port: 65_536 }, "port"],
  ];
  for (const [options, path] of cases) {
    const error = await assertRejects(() => startLocalProxy(options), InvalidOptionsError);
    assertEquals(error.path, path);
    assert(!error.message.includes("secret"));
  }
});
