/**
 * What a user of the manager sees behind a proxy, the same on both libraries: the scenarios by which the reference product
 * proves its proxies.
 *
 * @module
 */

import { createServer } from "node:net";
import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import {
  BinanceWebSocketApiManager,
  InvalidOptionsError,
  InvalidProxyUrlError,
  type ManagerOptions,
} from "@rawtick/binance";
import { type LocalProxy, type LocalProxyOptions, startLocalProxy } from "@rawtick/binance/testing";
import { ProxyConnectionError, type WebSocketLibrary } from "@rawtick/binance/transport";
import { startBench, testEachLibrary, trade, until } from "./support.ts";

/** Subscribes through the proxy and receives 25 trades in order, over one tunnel, without a reconnect. */
async function makesRoundTrip(
  library: WebSocketLibrary,
  proxyOptions: LocalProxyOptions,
  optionsOf: (proxy: LocalProxy) => ManagerOptions<"raw">,
): Promise<void> {
  const received: string[] = [];
  await using proxy = await startLocalProxy(proxyOptions);
  await using bench = await startBench(library, { onData: (text) => void received.push(text), ...optionsOf(proxy) });
  const stream = bench.manager.createStream({ channels: "trade", markets: "btcusdt" });
  await stream.ready;
  const sent = Array.from({ length: 25 }, (_, id) => trade(id).text);
  for (const text of sent) bench.exchange.broadcast(text);
  await until(() => received.length >= 25, "25 trades");
  assertEquals(received, sent);
  assertEquals([proxy.tunnels, proxy.rejectedLogins, stream.statistics.reconnects], [1, 0, 0]);
  assertEquals(proxy.targets, [`127.0.0.1:${bench.exchange.port}`]);
  const { username = "", password = "" } = proxyOptions;
  if (username !== "") assertEquals(proxy.requests[0]?.username, username);
  const records = JSON.stringify(bench.exchange.handshakes) + bench.log.join("\n") + JSON.stringify(bench.signals);
  assertEquals(password !== "" && records.includes(password), false);
  assertEquals(bench.manager.proxyInfo?.includes("***"), password !== "");
  await bench.manager.stopManager();
  await proxy.waitFor(() => proxy.connections === 0);
}

/** The proxy is refused again and again: the stream says so, waits longer each time, and never goes around it. */
async function keepsRestarting(
  library: WebSocketLibrary,
  options: ManagerOptions<"raw">,
  stage: string,
  isEnough: () => boolean = () => true,
): Promise<void> {
  await using bench = await startBench(library, { onData: () => {}, reconnectMinDelayMs: 50, ...options });
  const stream = bench.manager.createStream({ streams: "btcusdt@trade" });
  stream.ready.catch(() => {});
  const failures = () => bench.signals.filter(({ type }) => type === "CONNECT_FAILED");
  await until(() => failures().length >= 3 && isEnough(), "three attempts");
  assertEquals(stream.state, "restarting");
  assertInstanceOf(stream.lastError, ProxyConnectionError);
  assertEquals(stream.lastError.stage, stage);
  assertEquals(new Set(bench.signalTypes), new Set(["CONNECT_FAILED"]));
  const logged = bench.log.filter((line) =>
    line.startsWith("warn: Cannot ") && line.includes(bench.manager.proxyInfo ?? "")
  );
  assert(logged.length >= 3, bench.log.join("\n"));
  assertEquals(/secret|wrong/.test(bench.log.join("\n")), false, bench.log.join("\n"));
  // With waits of up to 50, 100, 200 … ms there is no hot loop.
  const before = failures().length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert(failures().length - before <= 12, `${failures().length - before} attempts in 300 ms`);
  assertEquals(bench.exchange.totalConnections, 0, "nothing goes around the proxy");
}

// reference: socks5_proxy_roundtrip
testEachLibrary("a SOCKS5 proxy with a login carries a stream, in the URL and in the legacy form", async (library) => {
  const login = { scheme: "socks5", username: "user", password: "pass-word" } as const;
  await makesRoundTrip(library, login, (proxy) => ({ proxy: proxy.url }));
  await makesRoundTrip(library, login, (proxy) => ({
    socks5ProxyServer: `127.0.0.1:${proxy.port}`,
    socks5ProxyUser: "user",
    socks5ProxyPass: "pass-word",
  }));
});

// reference: socks5_proxy_credentials_with_reserved_characters
testEachLibrary(
  "SOCKS5 credentials may have any characters: both forms log in with what was meant",
  async (library) => {
    const username = "us:er/@ü%41";
    const password = "p@ss:w/rd?#%41é ";
    const login = { scheme: "socks5", username, password } as const;
    const userinfo = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
    await makesRoundTrip(library, login, (proxy) => ({ proxy: `socks5://${userinfo}@127.0.0.1:${proxy.port}` }));
    await makesRoundTrip(library, login, (proxy) => ({
      socks5ProxyServer: `127.0.0.1:${proxy.port}`,
      socks5ProxyUser: username,
      socks5ProxyPass: password,
    }));
  },
);

// reference: http_proxy_roundtrip
testEachLibrary("an HTTP proxy with a login carries a stream by CONNECT", async (library) => {
  const login = { scheme: "http", username: "us er", password: "p:a@ss" } as const;
  await makesRoundTrip(library, login, (proxy) => ({ proxy: proxy.url }));
});

// reference: http_proxy_rejected_credentials_keeps_restarting
testEachLibrary("an HTTP proxy that rejects the credentials keeps the stream restarting", async (library) => {
  await using proxy = await startLocalProxy({ scheme: "http", username: "user", password: "secret" });
  const url = `http://user:wrong@127.0.0.1:${proxy.port}`;
  await keepsRestarting(library, { proxy: url }, "auth", () => proxy.rejectedLogins >= 3);
  assertEquals(proxy.tunnels, 0);
});

// reference: socks5_proxy_rejected_credentials_keeps_restarting
testEachLibrary("a SOCKS5 proxy that rejects the credentials keeps the stream restarting", async (library) => {
  await using proxy = await startLocalProxy({ scheme: "socks5", username: "user", password: "secret" });
  const url = `socks5://user:wrong@127.0.0.1:${proxy.port}`;
  await keepsRestarting(library, { proxy: url }, "auth", () => proxy.rejectedLogins >= 3);
  assertEquals(proxy.tunnels, 0);
});

// reference: socks5_proxy_unreachable_keeps_restarting
testEachLibrary("a SOCKS5 proxy that can't be reached keeps the stream restarting", async (library) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  await new Promise((resolve) => server.close(resolve));
  await keepsRestarting(library, { proxy: `socks5://user:secret@127.0.0.1:${address.port}` }, "connect");
});

testEachLibrary("a status of the proxy is not taken for a limit of the exchange", async (library) => {
  for (const refuse of [429, 418, 503]) {
    await using proxy = await startLocalProxy({ scheme: "http" });
    proxy.misbehave({ refuse });
    await keepsRestarting(library, { proxy: proxy.url }, "tunnel");
  }
});

testEachLibrary("a stream comes back by itself when its proxy does", async (library) => {
  const received: string[] = [];
  await using proxy = await startLocalProxy({ scheme: "socks5h" });
  await using bench = await startBench(library, { proxy: proxy.url, onData: (text) => void received.push(text) });
  const stream = bench.manager.createStream({ streams: "btcusdt@trade" });
  await stream.ready;
  proxy.misbehave({ hangUp: "asked" });
  proxy.killTunnels();
  await until(() => bench.signalTypes.filter((type) => type === "CONNECT_FAILED").length >= 2, "two failures");
  assertEquals([stream.state, bench.exchange.connections], ["restarting", 0]);
  proxy.misbehave({});
  await until(() => stream.state === "running", "running again");
  bench.exchange.broadcast(trade(1).text);
  await until(() => received.length > 0, "a trade");
  assertEquals(bench.exchange.totalConnections, proxy.tunnels);
});

// reference: proxy_configuration_fails_loud
testEachLibrary("a proxy configuration that can't work fails at construction", (library) => {
  const cases: [options: ManagerOptions<"raw">, errorClass: typeof InvalidOptionsError][] = [
    [{ proxy: "ftp://127.0.0.1:21" }, InvalidProxyUrlError as typeof InvalidOptionsError],
    [{ proxy: "socks5://" }, InvalidProxyUrlError as typeof InvalidOptionsError],
    [{ socks5ProxyServer: "127.0.0.1" }, InvalidProxyUrlError as typeof InvalidOptionsError],
    [{ proxy: "socks5://127.0.0.1:1080", socks5ProxyServer: "127.0.0.1:1080" }, InvalidOptionsError],
  ];
  for (const [options, errorClass] of cases) {
    const error = assertThrows(() => new BinanceWebSocketApiManager({ websocketLibrary: library, ...options }));
    assertInstanceOf(error, errorClass);
  }
  const options = { websocketLibrary: library, proxy: "socks5h://user:secret@proxy.example" };
  assertEquals(new BinanceWebSocketApiManager(options).proxyInfo, "socks5h://user:***@proxy.example:1080");
});
