/**
 * The one rule about the environment: `proxy: "env"` asks it, and nothing else does, whatever the runtime would do.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { InvalidProxyUrlError, ProxyUnavailableError } from "@rawtick/binance";
import { startLocalProxy } from "@rawtick/binance/testing";
import { type Environment, proxyFor } from "../src/transport/proxy/environment.ts";
import { needsBridge } from "../src/transport/proxy/loopback.ts";
import { parseProxyUrl } from "../src/transport/proxy/proxy_url.ts";
import { ownProxy, type ProxyGlobals } from "../src/transport/proxy/runtime_proxy.ts";
import type { EnvironmentRun } from "./fixtures/proxy_environment.ts";
import { certificate, TestServer, upgradeAnswer } from "./native_server.ts";

const isDeno = "Deno" in globalThis;

/** Which proxy the environment names for a URL. */
function chosen(url: string, environment: Environment): string | undefined {
  return proxyFor("env", new URL(url), () => environment)?.masked;
}

const order: [what: string, url: string, environment: Environment, expected: string | undefined][] = [
  ["nothing set", "wss://a.example", {}, undefined],
  ["an empty value counts as none", "wss://a.example", { wss_proxy: "", HTTPS_PROXY: "h:1" }, "http://h:1"],
  ["wss before https", "wss://a.example", { WSS_PROXY: "socks5h://w", HTTPS_PROXY: "h" }, "socks5h://w:1080"],
  ["https before all", "wss://a.example", { HTTPS_PROXY: "h", ALL_PROXY: "a" }, "http://h:80"],
  ["all at last", "wss://a.example", { ALL_PROXY: "socks4://a" }, "socks4://a:1080"],
  ["lower case before upper case", "wss://a.example", { HTTPS_PROXY: "u", https_proxy: "l" }, "http://l:80"],
  ["http is not for wss", "wss://a.example", { HTTP_PROXY: "h" }, undefined],
  ["ws before http", "ws://a.example", { WS_PROXY: "w", HTTP_PROXY: "h" }, "http://w:80"],
  ["http for ws", "ws://a.example", { HTTP_PROXY: "h", HTTPS_PROXY: "s" }, "http://h:80"],
  ["wss is not for https", "https://a.example", { WSS_PROXY: "w", ALL_PROXY: "a" }, "http://a:80"],
  ["ws is not for http", "http://a.example", { WS_PROXY: "w", http_proxy: "h" }, "http://h:80"],
  ["credentials are taken", "wss://a.example", { HTTPS_PROXY: "me:secret@h:3128" }, "http://me:***@h:3128"],
];

for (const [what, url, environment, expected] of order) {
  test(`the environment's proxy: ${what}`, () => assertEquals(chosen(url, environment), expected));
}

const exceptions: [list: string, url: string, isExcepted: boolean][] = [
  ["*", "wss://a.example", true],
  ["a.example", "wss://a.example", true],
  ["A.Example.", "wss://a.example", true],
  ["a.example", "wss://b.a.example:9443", true],
  [".a.example", "wss://a.example", true],
  ["*.a.example", "wss://b.a.example", true],
  ["a.example", "wss://ba.example", false],
  ["example.com, a.example", "wss://a.example", true],
  ["example.com a.example", "wss://a.example", true],
  ["a.example:443", "wss://a.example", true],
  ["a.example:80", "ws://a.example", true],
  ["a.example:9443", "wss://a.example", false],
  ["127.0.0.1", "ws://127.0.0.1:1", true],
  ["127.0.0.1:2", "ws://127.0.0.1:1", false],
  ["0.0.1", "ws://127.0.0.1", false],
  ["10.0.0.0/8", "ws://10.200.0.1", true],
  ["10.0.0.0/8", "ws://11.0.0.1", false],
  ["0.0.0.0/0", "ws://11.0.0.1", true],
  ["10.0.0.0/33", "ws://10.0.0.0", false],
  ["10.0.0.0/x", "ws://10.0.0.0", false],
  ["::1", "ws://[::1]:1", true],
  ["[::1]", "ws://[::1]:1", true],
  ["[::1]:2", "ws://[::1]:1", false],
  ["0:0::1", "ws://[::1]", true],
  ["fd00::/8", "ws://[fd12:3456::1]", true],
  ["fd00::/8", "ws://[fe80::1]", false],
  ["10.0.0.0/8", "ws://[::ffff:10.1.2.3]", true],
  ["::/0", "ws://10.0.0.1", false],
  ["10.0.0.0/8", "ws://a.example", false],
  [",, ,", "wss://a.example", false],
];

for (const [list, url, isExcepted] of exceptions) {
  test(`NO_PROXY ${JSON.stringify(list)} ${isExcepted ? "excepts" : "does not except"} ${url}`, () => {
    assertEquals(chosen(url, { ALL_PROXY: "proxy", NO_PROXY: list }) === undefined, isExcepted);
    assertEquals(chosen(url, { ALL_PROXY: "proxy", no_proxy: list, NO_PROXY: "nobody" }) === undefined, isExcepted);
  });
}

test("an unusable value is an error that names the variable and shows no password", () => {
  for (const value of ["gopher://me:secret@h", "http://me:secret@h:99999", "me:secret@", "socks4://me:secret@h"]) {
    const error = assertThrows(() => chosen("wss://a.example", { Https_proxy: "", HTTPS_PROXY: value }));
    assert(error instanceof InvalidProxyUrlError, String(error));
    assertMatch(error.message, /^Cannot take the proxy from the environment variable HTTPS_PROXY: cannot/);
    assertEquals([error.path, error.message.includes("secret")], ["proxy", false]);
  }
});

test("NO_PROXY is for the environment's proxies only", () => {
  const environment = { NO_PROXY: "*", ALL_PROXY: "other" };
  assertEquals(proxyFor("socks5://h", new URL("wss://a.example"), () => environment)?.masked, "socks5://h:1080");
  assertEquals(proxyFor(undefined, new URL("wss://a.example"), () => ({ ALL_PROXY: "other" })), undefined);
});

/** The globals of a runtime with an environment; `state` is what Deno's permission system answers. */
function globals(runtime: "Bun" | "Deno" | "Node", env: Record<string, string>, state = "granted"): ProxyGlobals {
  return {
    ...(runtime === "Bun" ? { Bun: {} } : {}),
    ...(runtime === "Deno" ? { Deno: { permissions: { querySync: () => ({ state }) } } } : {}),
    process: { env, execArgv: [], versions: { node: "24.0.0" } },
  };
}

test("it is known which runtime would take a proxy by itself", () => {
  const env = { https_proxy: "http://h" };
  const can = (runtime: "Bun" | "Deno" | "Node", env: Record<string, string>, state?: string) =>
    (["WebSocket", "fetch"] as const).map((user) => ownProxy(user, globals(runtime, env, state))?.canBeBypassed);
  assertEquals(can("Deno", env), [true, true]);
  assertEquals(can("Deno", {}), [undefined, undefined]);
  // Who may not read can't know.
  assertEquals(can("Deno", {}, "prompt"), [true, true]);
  assertEquals(
    ownProxy("WebSocket", globals("Deno", {}, "prompt"))?.expected,
    "the permission --allow-env to see that it is not",
  );
  assertEquals(can("Bun", env), [undefined, true]);
  assertEquals(can("Node", env), [undefined, undefined]);
  assertEquals(can("Node", { ...env, NODE_USE_ENV_PROXY: "1" }), [false, false]);
  assertEquals(can("Node", { ...env, NODE_OPTIONS: "--use-env-proxy" }), [false, false]);
  assertEquals(ownProxy("WebSocket", {}), undefined);
  // workerd has Node's process, and texts of its configuration as the environment.
  const node = globals("Node", { ...env, NODE_USE_ENV_PROXY: "1" });
  assertEquals(ownProxy("fetch", { ...node, navigator: { userAgent: "Cloudflare-Workers" } }), undefined);
});

test("a proxy that the runtime would take by itself is bypassed, or refused where that can't be", () => {
  const can = { reason: "Deno's WebSocket obeys HTTPS_PROXY", expected: "HTTPS_PROXY unset", canBeBypassed: true };
  const proxy = parseProxyUrl("socks5://me:secret@h");
  assertEquals(needsBridge("WebSocket", undefined, true, undefined), false);
  assertEquals(needsBridge("WebSocket", undefined, true, can), true);
  assertEquals(needsBridge("WebSocket", proxy, true, can), true);
  const error = assertThrows(() => needsBridge("WebSocket", proxy, true, can, false), ProxyUnavailableError);
  assertMatch(
    error.message,
    /expected the permission --allow-net=127\.0\.0\.1, HTTPS_PROXY unset, or the library "native"/,
  );
  assertEquals(needsBridge("WebSocket", undefined, true, undefined, false), false);
  for (const [canBridge, own] of [[false, can], [true, { ...can, canBeBypassed: false }]] as const) {
    for (const asked of [undefined, proxy]) {
      const error = assertThrows(() => needsBridge("WebSocket", asked, canBridge, own), ProxyUnavailableError);
      const wish = asked === undefined ? "connect without a proxy" : `use the proxy "${asked.masked}"`;
      assert(error.message.startsWith(`Cannot ${wish}: Deno's WebSocket obeys HTTPS_PROXY`), error.message);
      assertMatch(error.message, /expected HTTPS_PROXY unset, or /);
      assertEquals(error.message.includes("secret"), false);
    }
  }
});

const script = fileURLToPath(new URL("./fixtures/proxy_environment.ts", import.meta.url));
const root = fileURLToPath(new URL("../", import.meta.url));
const config = `${root}${existsSync(`${root}deno.offline.json`) ? "deno.offline.json" : "deno.json"}`;

/** Runs the fixture in an environment that names no other proxies than these. */
function runFixture(run: EnvironmentRun, variables: Record<string, string>, permissions = ["-A"]): Promise<string[]> {
  const others = Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name));
  const prefix = isDeno ? ["run", ...permissions, "--no-check", "--config", config] : [];
  const child = spawn(process.execPath, [...prefix, script, JSON.stringify(run)], {
    stdio: ["ignore", "pipe", "pipe"],
    // Deno itself would ask for updates, through the environment's proxy, if the process lives long enough.
    env: { ...Object.fromEntries(others), NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...variables },
  });
  let output = "";
  child.stdout.on("data", (chunk) => output += chunk);
  child.stderr.on("data", (chunk) => output += chunk);
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      resolve(output.trim().split("\n"));
    });
  });
}

const everythingWorks = ["builtin ws", "builtin wss", "native ws", "native wss", "http", "https"].map((what) =>
  `${what}: ok`
);

/** The servers, a proxy for the environment and one for the option, and what reached the servers. */
async function startScene() {
  const heads: string[] = [];
  const respond: NonNullable<Parameters<typeof TestServer.start>[0]>["respond"] = (head, socket) => {
    heads.push(head);
    if (/^upgrade:/im.test(head)) {
      socket.write(upgradeAnswer(head));
      // A Close frame without a code, and the end.
      socket.once("data", () => socket.end(Uint8Array.of(0x88, 0)));
    } else socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
  };
  const plain = await TestServer.start({ respond });
  const secure = await TestServer.start({ respond, certificate: "localhost" });
  const inEnvironment = await startLocalProxy({ username: "env", password: "env-secret" });
  const configured = await startLocalProxy({ username: "own", password: "own-secret" });
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "WS_PROXY", "WSS_PROXY"];
  return {
    heads,
    inEnvironment,
    configured,
    variables: Object.fromEntries(
      names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, inEnvironment.url]),
    ),
    run: {
      plain: `127.0.0.1:${plain.port}/path?q=1`,
      secure: `localhost:${secure.port}/path?q=1`,
      ca: certificate("ca.pem"),
    },
    /** Asserts that everything came, and no credential with it. */
    check(output: readonly string[], through: { inEnvironment: number; configured: number }) {
      assertEquals(output, everythingWorks);
      assertEquals(
        { inEnvironment: inEnvironment.totalConnections, configured: configured.totalConnections },
        through,
      );
      assertEquals(inEnvironment.tunnels + configured.tunnels, through.inEnvironment + through.configured);
      assertEquals(heads.length, 6);
      for (const head of heads) {
        assertMatch(head, /^GET \/path\?q=1 HTTP\/1\.1\r\n/);
        assertMatch(
          head,
          new RegExp(`\r\nHost: (${this.run.plain}|${this.run.secure})\r\n`.replaceAll("/path?q=1", ""), "i"),
        );
        assertEquals(/proxy|authorization|secret/i.test(head), false, head);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([plain, secure, inEnvironment, configured].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

test("without the option nothing goes through the environment's proxies, on either library and in requests", async () => {
  await using scene = await startScene();
  scene.check(await runFixture(scene.run, scene.variables), { inEnvironment: 0, configured: 0 });
});

test("nor does it when the runtime had taken the environment's proxies before they were removed", async () => {
  await using scene = await startScene();
  const fetchFirst = `http://127.0.0.1:${scene.configured.port}/`;
  const output = await runFixture({ ...scene.run, fetchFirst }, scene.variables);
  // The runtime's own fetch went through, or was refused by, the environment's proxy: its answer is of no interest.
  assertEquals([output, scene.heads.length, scene.configured.tunnels], [everythingWorks, 6, 0]);
  assertEquals(scene.inEnvironment.tunnels, 0);
  assertEquals(scene.inEnvironment.totalConnections, 1);
});

if (isDeno) {
  // What node:tls needs to keep the runtime's own authorities beside the one of this test.
  const authorities = ["--allow-sys", "--allow-env=NODE_USE_SYSTEM_CA,NODE_EXTRA_CA_CERTS"];
  test("nor does it when the process may not read the environment", async () => {
    await using scene = await startScene();
    const output = await runFixture(scene.run, scene.variables, ["--allow-net", ...authorities]);
    scene.check(output, { inEnvironment: 0, configured: 0 });
  });

  test("the option env is an error when the process may not read the environment", async () => {
    await using scene = await startScene();
    const output = await runFixture({ ...scene.run, proxy: "env" }, scene.variables, ["--allow-net", "--no-prompt"]);
    for (const line of output) {
      assertMatch(line, /InvalidOptionsError: Cannot use `proxy: "env"`: .*--allow-env=wss_proxy,WSS_PROXY,/);
    }
    assertEquals([output.length, scene.heads.length, scene.inEnvironment.totalConnections], [6, 0, 0]);
  });
}

for (const noProxy of [undefined, "*", "127.0.0.1,localhost"]) {
  const when = noProxy === undefined ? "the environment names another" : `NO_PROXY is ${noProxy}`;
  test(`a proxy that was asked for is used for everything when ${when}`, async () => {
    await using scene = await startScene();
    const variables = {
      ...scene.variables,
      ...(noProxy === undefined ? {} : { NO_PROXY: noProxy, no_proxy: noProxy }),
    };
    const output = await runFixture({ ...scene.run, proxy: scene.configured.url }, variables);
    scene.check(output, { inEnvironment: 0, configured: 6 });
  });
}

test("the option env takes the proxies of the environment, on either library and in requests", async () => {
  await using scene = await startScene();
  scene.check(await runFixture({ ...scene.run, proxy: "env" }, scene.variables), { inEnvironment: 6, configured: 0 });
});

test("the option env leaves out the hosts that NO_PROXY excepts", async () => {
  await using scene = await startScene();
  const variables = { ...scene.variables, NO_PROXY: "localhost" };
  scene.check(await runFixture({ ...scene.run, proxy: "env" }, variables), { inEnvironment: 3, configured: 0 });
  assertEquals(scene.inEnvironment.targets, Array(3).fill(scene.run.plain.replace(/\/.*/, "")));
});
