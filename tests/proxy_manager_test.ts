/**
 * The manager's options about proxies: both forms, what it shows of them, and what it refuses at construction.
 *
 * @module
 */

import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertMatch, assertThrows } from "@std/assert";
import {
  BinanceWebSocketApiManager,
  ConnectionFailedError,
  InvalidOptionsError,
  type ManagerOptions,
  ProxyUnavailableError,
} from "@rawtick/binance";
import { BinanceWebSocketApiManager as EdgeManager } from "@rawtick/binance/edge";
import { BinanceWebSocketApiManager as FullEdgeManager } from "@rawtick/binance/edge-full";
import { startLocalProxy } from "@rawtick/binance/testing";
import { certificate } from "./native_server.ts";
import { memoryLogger, startBench, testEachLibrary, trade, until } from "./support.ts";

/** The cast is the point of these tests: what a user without types may write. */
const construct = (options: unknown) => new BinanceWebSocketApiManager(options as ManagerOptions<"raw">);

/** Runs with these variables as the only ones that name proxies. */
function withVariables<T>(variables: Readonly<Record<string, string>>, run: () => T): T {
  const before = Object.entries(process.env).filter(([name]) => /_proxy$/i.test(name));
  for (const [name] of before) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    return run();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, Object.fromEntries(before));
  }
}

test("the manager shows its proxy, without the password", () => {
  const cases: [options: unknown, shown: string | undefined][] = [
    [{}, undefined],
    [{ proxy: "socks5h://me:secret@[::1]" }, "socks5h://me:***@[::1]:1080"],
    [{ proxy: "http://127.0.0.1:3128/" }, "http://127.0.0.1:3128"],
    [{ socks5ProxyServer: "127.0.0.1:9050" }, "socks5://127.0.0.1:9050"],
    [
      { socks5ProxyServer: "[::1]:9050", socks5ProxyUser: "m:e@", socks5ProxyPass: "secret/%" },
      "socks5://m%3Ae%40:***@[::1]:9050",
    ],
  ];
  for (const [options, shown] of cases) {
    for (const websocketLibrary of ["builtin", "native"]) {
      assertEquals(construct({ ...options as object, websocketLibrary }).proxyInfo, shown);
    }
  }
});

test("the environment is asked when that is wanted, once, for the URL that will be opened", () => {
  const variables = { WSS_PROXY: "socks5://me:secret@w", HTTP_PROXY: "h:1", NO_PROXY: "excepted.example" };
  const shown = (options: unknown) => withVariables(variables, () => construct(options)).proxyInfo;
  assertEquals(shown({ proxy: "env" }), "socks5://me:***@w:1080");
  assertEquals(shown({ proxy: "env", websocketBaseUrl: "ws://127.0.0.1:1" }), "http://h:1");
  assertEquals(shown({ proxy: "env", websocketBaseUrl: "wss://excepted.example" }), undefined);
  assertEquals(shown({}), undefined);
  assertEquals(construct({ proxy: "env", websocketBaseUrl: "wss://excepted.example" }).proxyInfo, undefined);
  const error = assertThrows(
    () => withVariables({ https_proxy: "gopher://me:secret@h" }, () => construct({ proxy: "env" })),
    InvalidOptionsError,
    "from the environment variable https_proxy: cannot use the proxy scheme",
  );
  assertEquals([error.path, error.message.includes("secret")], ["proxy", false]);
});

test("what is wrong with the options about a proxy is told at construction, without a password", () => {
  const server = { socks5ProxyServer: "127.0.0.1:1080" };
  const long = "x".repeat(256);
  const cases: [options: unknown, path: string, message: RegExp][] = [
    [{ ...server, proxy: "socks5://h:1" }, "socks5ProxyServer", /together with `proxy`/],
    [{ ...server, proxy: "env" }, "socks5ProxyServer", /together with `proxy`/],
    [{ proxy: "socks5://h:1", socks5ProxyPass: "secret" }, "socks5ProxyPass", /together with `proxy`/],
    [{ socks5ProxyUser: "me" }, "socks5ProxyUser", /without `socks5ProxyServer`/],
    [{ socks5ProxySslVerification: false }, "socks5ProxySslVerification", /without `socks5ProxyServer`/],
    [{ socks5ProxyServer: "secret" }, "socks5ProxyServer", /expected "host:port"/],
    [{ socks5ProxyServer: "me:secret@h:1" }, "socks5ProxyServer", /expected "host:port"/],
    [{ socks5ProxyServer: "socks5://h:1" }, "socks5ProxyServer", /expected "host:port"/],
    [{ socks5ProxyServer: "" }, "socks5ProxyServer", /expected "host:port"/],
    [{ socks5ProxyServer: "h:99999" }, "socks5ProxyServer", /expected a number from 1 to 65535/],
    [{ socks5ProxyServer: 1080 }, "socks5ProxyServer", /expected a string/],
    [{ ...server, socks5ProxyUser: "me", socks5ProxyPass: 123456789 }, "socks5ProxyPass", /expected a string/],
    [{ ...server, socks5ProxyUser: long, socks5ProxyPass: "secret" }, "socks5ProxyServer", /user name of 256 bytes/],
    [{ ...server, socks5ProxySslVerification: "no" }, "socks5ProxySslVerification", /expected true or false/],
    [
      { ...server, socks5ProxySslVerification: false, tls: { rejectUnauthorized: true } },
      "socks5ProxySslVerification",
      /together with `tls.rejectUnauthorized`/,
    ],
    [
      { ...server, socks5ProxySslVerification: false, tls: { checkServerIdentity() {} } },
      "socks5ProxySslVerification",
      /together with `tls.checkServerIdentity`/,
    ],
    [{ proxy: ["socks5://me:secret@h"] }, "proxy", /expected a string/],
    [{ proxy: "ENV" }, "proxy", /expected "scheme:/],
  ];
  for (const [options, path, message] of cases) {
    const error = assertThrows(() => construct(options), InvalidOptionsError);
    assertEquals(error.path, path, error.message);
    assertMatch(error.message, message);
    assertEquals(/secret|123456789/.test(error.message), false, error.message);
  }
});

test("the edge door refuses a proxy, since it has no raw sockets", () => {
  const cases: [options: object, path: string, shown: string][] = [
    [{ proxy: "socks5://me:secret@h:1" }, "proxy", "socks5://…"],
    [{ proxy: "me:secret@h:1" }, "proxy", "…"],
    [{ proxy: ["secret"] }, "proxy", "…"],
    // It is refused before the environment is looked at, which may have none.
    [{ proxy: "env" }, "proxy", "env"],
    [{ socks5ProxyServer: "secret:1" }, "socks5ProxyServer", "socks5://…"],
    [{ socks5ProxyPass: "secret" }, "socks5ProxyPass", "socks5://…"],
    [{ socks5ProxySslVerification: false }, "socks5ProxySslVerification", "socks5://…"],
  ];
  for (const Manager of [EdgeManager, FullEdgeManager]) {
    for (const [options, path, shown] of cases) {
      const error = assertThrows(() => new Manager(options), ProxyUnavailableError);
      assertEquals(error.path, path);
      assert(error.message.startsWith(`Cannot use the proxy "${shown}": this needs raw sockets`), error.message);
      assertEquals(error.message.includes("secret"), false, error.message);
    }
  }
});

test("the edge door refuses a proxy that the runtime would take from the environment by itself", () => {
  const make = () => withVariables({ HTTPS_PROXY: "http://me:secret@h:1" }, () => new EdgeManager());
  if (!("Deno" in globalThis)) return void make();
  const error = assertThrows(make, ProxyUnavailableError);
  assertMatch(error.message, /obeys the environment variable HTTPS_PROXY.*"@rawtick\/binance"/);
  assertEquals(error.message.includes("secret"), false);
});

test("certificates that are not verified are a warning, once for each manager", () => {
  const server = { socks5ProxyServer: "127.0.0.1:1080" };
  const cases: [options: object, warnings: number][] = [
    [{}, 0],
    [{ tls: { rejectUnauthorized: true } }, 0],
    [{ ...server, socks5ProxySslVerification: true }, 0],
    [{ tls: { rejectUnauthorized: false } }, 1],
    [{ ...server, socks5ProxySslVerification: false }, 1],
  ];
  for (const [options, warnings] of cases) {
    const logger = memoryLogger();
    construct({ ...options, logger });
    assertEquals(logger.lines.filter((line) => /^warn: Certificates are not verified/.test(line)).length, warnings);
    assertEquals(logger.lines.length, warnings);
  }
});

for (const legacy of [false, true]) {
  const form = legacy ? "socks5ProxySslVerification" : "tls.rejectUnauthorized";
  testEachLibrary(`through a proxy, a wrong certificate is refused unless ${form} is false`, async (library) => {
    const tls = { cert: certificate("wrong_name.pem"), key: certificate("wrong_name.key") };
    await using proxy = await startLocalProxy({ scheme: "socks5" });
    const address = legacy ? { socks5ProxyServer: `127.0.0.1:${proxy.port}` } : { proxy: proxy.url };
    await using strict = await startBench(library, address, { tls });
    const refused = strict.manager.createStream({ streams: ["btcusdt@trade"] });
    await until(() => strict.signalTypes.includes("CONNECT_FAILED"), "the certificate refused");
    assertInstanceOf(refused.lastError, ConnectionFailedError);
    assertMatch(refused.lastError.message, /TLS failed/);
    assertEquals(strict.exchange.totalHandshakes, 0);

    const off = legacy ? { socks5ProxySslVerification: false } : { tls: { rejectUnauthorized: false } };
    const received: string[] = [];
    const options = { ...address, ...off, onData: (text: string) => void received.push(text) };
    await using lax = await startBench(library, options, { tls });
    await lax.manager.createStream({ streams: ["btcusdt@trade"] }).ready;
    lax.exchange.broadcast(trade(1).text);
    await until(() => received.length > 0, "a trade");
    assertEquals(received, [trade(1).text]);
    assert(lax.exchange.url.startsWith("wss:"));
  });
}
