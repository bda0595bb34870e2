/**
 * The matrix of proxies on this runtime, and that it sees what it has to see. The whole matrix is `deno task proxies`.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Buffer } from "node:buffer";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { currentRuntime } from "../tools/runtimes.ts";
import type { Visits } from "./proxies/exchange.ts";
import { judge, type Observation } from "./proxies/judge.ts";
import { runMatrix, type Selection } from "./proxies/matrix.ts";
import type { Relay } from "./proxies/relay.ts";
import { type Row, rowsOf } from "./proxies/rows.ts";
import { type Scheme, SCHEMES } from "./proxies/stations.ts";
import { countsOf, tableOf } from "./proxies/table.ts";
import { until } from "./support.ts";

const selection: Selection = {
  runtimes: [currentRuntime],
  libraries: ["builtin", "native"],
  schemes: SCHEMES,
  onlyStandIns: false,
};

for (const onlyStandIns of [false, true]) {
  const which = onlyStandIns ? "stand-in" : "proxy, a real one where it is installed,";
  test(`every ${which} carries each library's connections, and none goes around it`, { timeout: 60_000 }, async () => {
    const result = await runMatrix({ ...selection, onlyStandIns });
    const table = tableOf(result).join("\n");
    const { ok, refused, direct, failed } = countsOf(result);
    assertEquals([direct, failed], [0, 0], `${result.notes.join("\n")}\n${table}`);
    assertEquals(result.faults, []);
    // 6 schemes with and without a login are the least; a SOCKS4 password and a wrong login are refused.
    const logins = new Set(result.lines.map(({ row }) => `${row.scheme} ${row.login}`));
    for (const scheme of SCHEMES) {
      for (const login of ["none", scheme.startsWith("socks4") ? "user" : "user:password"]) {
        assert(logins.has(`${scheme} ${login}`), `${scheme} ${login} is not in\n${table}`);
      }
    }
    assert(ok >= 12 * result.columns.length && refused >= 2 * result.columns.length, table);
    assertEquals(result.columns.length, 4);
  });
}

const relay: Relay = {
  port: 1,
  open: 0,
  connections: [],
  take: () => [],
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
const row = (scheme: Scheme, username = "", password = ""): Row => {
  const credentials = username === "" ? undefined : { username, password };
  const station = { scheme, name: "x", address: "127.0.0.1:1", credentials, checks: true, relay, readable: true };
  const [first] = rowsOf([station]);
  assert(first !== undefined);
  return first;
};
const visits = (...from: string[]): Visits => ({ from, bytes: "", decrypted: "" });
const sent = (text: string) => [{ from: "127.0.0.1", sent: [Buffer.from(text, "latin1")] }];
const asked = "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n";
const basic = Buffer.from("proxyuser:s/ecret").toString("base64");
const good: Observation = {
  report: { run: 0, talked: true },
  atProxy: sent(`${asked}Proxy-Authorization: Basic ${basic}\r\n\r\n`),
  atExchange: visits("127.0.0.2"),
  atTrap: [],
  left: 0,
  outgoing: "127.0.0.2",
};

test("a cell is ok when one tunnel carried it with the login, and else says what was wrong", () => {
  const http = row("http", "proxyuser", "s/ecret");
  assertEquals(judge(http, good), { outcome: "ok", why: "" });
  const wrong: readonly (readonly [Partial<Observation>, string, string])[] = [
    [{ atExchange: visits("127.0.0.1") }, "direct", "1 at the exchange"],
    [{ atExchange: visits("127.0.0.2", "127.0.0.1") }, "direct", "2 at the exchange, 1 at the proxy"],
    [{ atProxy: [], outgoing: undefined }, "direct", "0 at the proxy"],
    [{ atProxy: [...good.atProxy, ...good.atProxy] }, "failed", "2 connections to the proxy"],
    [{ atExchange: visits() }, "failed", "0 connections to the exchange"],
    [{ atTrap: ["CONNECT localhost:443 HTTP/1.1"] }, "failed", "the proxy of the environment"],
    [{ left: 1 }, "failed", "left open"],
    [{ report: { run: 0, talked: false, message: "broken" } }, "failed", "no code: broken"],
    [
      { report: { run: 0, talked: false, message: "no way through http://a:s/ecret@b" } },
      "failed",
      "shows the password",
    ],
    [{ atProxy: sent(`${asked}\r\n`) }, "failed", "did not get the login"],
    [
      {
        atProxy: sent(
          `${asked.replace("CONNECT localhost", "CONNECT 127.0.0.1")}Proxy-Authorization: Basic ${basic}\r\n`,
        ),
      },
      "failed",
      "name",
    ],
    ...["proxyuser", "s/ecret", "s%2Fecret", basic, Buffer.from("s/ecret").toString("base64")].map((text) =>
      [{ atExchange: { ...visits("127.0.0.2"), bytes: `GET /?${text}` } }, "failed", "a credential came"] as const
    ),
    [
      { atExchange: { ...visits("127.0.0.2"), decrypted: "GET / HTTP/1.1\r\nproxy-connection: close\r\n" } },
      "failed",
      "Proxy header",
    ],
  ];
  for (const [change, outcome, why] of wrong) {
    const verdict = judge(http, { ...good, ...change });
    assertEquals(verdict.outcome, outcome, `${why}: ${verdict.why}`);
    assertStringIncludes(verdict.why, why);
  }
});

test("a cell tells who has looked the exchange's name up", () => {
  const byName = { ...good, atProxy: sent("\x05\x01\x00\x05\x01\x00\x03\x09localhost\x01\xbbGET / HTTP/1.1\r\n") };
  const byAddress = {
    ...good,
    atProxy: sent("\x05\x01\x00\x05\x01\x00\x01\x7f\0\0\x01\x01\xbbGET / HTTP/1.1\r\nHost: localhost\r\n"),
  };
  assertEquals(judge(row("socks5h"), byName).outcome, "ok");
  assertEquals(judge(row("socks5"), byAddress).outcome, "ok");
  assertEquals(judge(row("socks5"), byName), { outcome: "failed", why: "the proxy got a name" });
  assertEquals(judge(row("socks5h"), byAddress), { outcome: "failed", why: "the proxy did not get the name" });
});

test("a cell that must be refused fails when it works, reaches the exchange or is refused for something else", () => {
  const rejected: Row = { ...row("http"), refusal: { code: "PROXY_CONNECTION_FAILED", stage: "auth" } };
  const report = { run: 0, talked: false, code: "PROXY_CONNECTION_FAILED", stage: "auth", message: "no" };
  const seen: Observation = { ...good, report, atExchange: visits() };
  assertEquals(judge(rejected, seen).outcome, "refused");
  assertEquals(judge(rejected, good).outcome, "failed");
  assertEquals(judge(rejected, { ...seen, atExchange: visits("127.0.0.2") }).outcome, "failed");
  assertEquals(judge(rejected, { ...seen, atExchange: visits("127.0.0.1") }).outcome, "direct");
  assertEquals(judge(rejected, { ...seen, report: { ...report, stage: "tunnel" } }).outcome, "failed");
});

test(
  "the proxies end and leave no file when the process that started them is killed",
  { timeout: 60_000 },
  async () => {
    const fixture = fileURLToPath(new URL("proxies/daemon_fixture.ts", import.meta.url));
    const args = currentRuntime === "deno" ? ["run", "-A", "--no-check", "--no-config", fixture] : [fixture];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const line = await new Promise<string>((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk))));
    const { port, folder } = JSON.parse(line);
    assert(existsSync(folder) && await accepts(port));
    child.kill("SIGKILL");
    await until(() => !existsSync(folder), "its folder is gone");
    while (await accepts(port));
  },
);

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
