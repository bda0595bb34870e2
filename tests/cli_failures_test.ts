/**
 * How the commands fail: the exit code, and the one line that says why.
 *
 * @module
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { startLocalExchange } from "@rawtick/binance/testing";
import { callCli, runCli, TemporaryFolder } from "./command.ts";
import { testEachLibrary } from "./support.ts";

const STREAM = "btcusdt@trade";

const wrongArguments: readonly (readonly [args: string, line: RegExp])[] = [
  ["", /^error: Missing the command: expected "tap" or "exchange"; see --help$/],
  ["watch", /^error: unknown command 'watch'$/],
  ["tap", /^error: missing required argument 'stream'$/],
  ["tap a@trade --stat", /^error: unknown option '--stat' \(Did you mean --stats\?\)$/],
  [
    "tap a@trade --library picows",
    /^error: Cannot use the websocket library "picows": expected "builtin" or "native"$/,
  ],
  ["tap a@trade --exchange binance.je", /^error: Cannot use the exchange "binance\.je": expected "binance\.com", /],
  [
    "tap a@trade --exchange x --library y",
    /^error: Cannot use the exchange "x": .*; Cannot use the websocket library "y"/,
  ],
  ["tap a@trade --url http://127.0.0.1", /^error: Cannot use this --url: expected "ws:\/\/host:port"/],
  ["tap a@trade --proxy gopher://u:secret@h", /^error: Cannot use the proxy scheme "gopher": expected "http", /],
  ["tap a@trade --proxy socks4://u:secret@h:1", /^error: Cannot send a password to a socks4 proxy: /],
  ["tap btcusdt", /^error: Cannot use the stream name "btcusdt": expected "<symbol>@<channel>"/],
  ["tap a@trade --output xml", /^error: .*'xml' is invalid\. Allowed choices are raw, json\.$/],
  ["tap a@trade --count 0", /^error: .*'0' is invalid\. Expected a whole number from 1 on\.$/],
  ["tap a@trade --count 1e3", /^error: .*'1e3' is invalid\. Expected a whole number/],
  ["tap a@trade --seconds 0", /^error: .*'0' is invalid\. Expected a number of seconds over 0, up to 2147483\.$/],
  ["exchange --port 65536", /^error: .*'65536' is invalid\. Expected a whole number from 0 to 65535\.$/],
  ["exchange --speed fast", /^error: .*'fast' is invalid\. Expected a factor over 0, such as 1 or 10, or "max"\.$/],
  ["exchange --replay nowhere.ndjson", /^error: Cannot read "nowhere\.ndjson": .*ENOENT|No such file/],
  ["exchange now", /^error: too many arguments for 'exchange'/],
];
for (const [args, line] of wrongArguments) {
  test(`"${args}" ends with code 2 and one line that says why`, async () => {
    const { code, output, errors } = await callCli(args.split(" ").filter((arg) => arg !== ""));
    assertEquals(code, 2);
    assertEquals(output, "");
    assertMatch(errors, line);
    assert(!errors.includes("\n") && !errors.includes("secret"), errors);
  });
}

test("bad arguments end the process with code 2, and leave the file of --record alone", async () => {
  using folder = new TemporaryFolder();
  writeFileSync(folder.file("kept.ndjson"), "kept");
  const { code, output, errors } = await runCli("tap", "btcusdt", "--record", folder.file("kept.ndjson"));
  assertEquals([code, output], [2, ""]);
  assertMatch(errors, /^error: Cannot use the stream name "btcusdt".*\n$/);
  assertEquals(readFileSync(folder.file("kept.ndjson"), "utf8"), "kept");
});

test("a recording that can't be read ends exchange with code 2 and the number of the line", async () => {
  using folder = new TemporaryFolder();
  writeFileSync(folder.file("bad.ndjson"), '{"t":1,"text":"{}"}\n\n{"t":2,"texd":"{}"}\n');
  const { code, output, errors } = await runCli("exchange", "--replay", folder.file("bad.ndjson"));
  assertEquals([code, output], [2, ""]);
  assertMatch(errors, /^error: .*bad\.ndjson: Cannot read line 3 of the recording: .*\n$/);
});

testEachLibrary("a stream that has crashed ends tap with code 1 and the reason", async (library) => {
  await using exchange = await startLocalExchange();
  exchange.refuseConnections(429);
  const { code, output, errors } = await runCli("tap", STREAM, "-u", exchange.url, "-l", library);
  assertEquals([code, output], [1, ""]);
  assertMatch(errors, /\nerror: The stream \S+ has crashed: .*429.*\n$/);
});

test("streams that the exchange refuses, all of them, end tap with code 1 and the reason", async () => {
  await using exchange = await startLocalExchange();
  exchange.rejectControl({ code: 2, msg: "Invalid request: unknown variant" });
  const { code, errors } = await callCli(["tap", STREAM, "-u", exchange.url]);
  assertEquals(code, 1);
  assertMatch(errors, /\nerror: Cannot subscribe to "btcusdt@trade": .*unknown variant"$/);
});

test("a file that can't be created ends tap with code 1 and the reason", async () => {
  await using exchange = await startLocalExchange();
  using folder = new TemporaryFolder();
  const { code, output, errors } = await runCli(
    "tap",
    STREAM,
    "-u",
    exchange.url,
    "-r",
    folder.file("no/folder.ndjson"),
  );
  assertEquals([code, output], [1, ""]);
  assertMatch(errors, /^error: Cannot write ".*folder\.ndjson": .*\n$/);
});

test("a disk that is full ends tap with code 1 and the reason", {
  skip: existsSync("/dev/full") ? false : "this system has no /dev/full",
}, async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 1_000 });
  const { code, errors } = await runCli("tap", STREAM, "-u", exchange.url, "--record", "/dev/full");
  assertEquals(code, 1);
  assertMatch(errors, /\nerror: Cannot write "\/dev\/full": .*no space left.*\n$/i);
});

test("output that can't be written ends tap with code 1 and the reason", async () => {
  await using exchange = await startLocalExchange({ speed: "max" });
  const { code, errors } = await callCli(
    ["tap", STREAM, "-u", exchange.url],
    () => Promise.reject(new Error("disk full")),
  );
  assertEquals(code, 1);
  assertMatch(errors, /\nerror: Cannot write to stdout: disk full$/);
});

test("a port that is taken ends exchange with code 1 and the reason", async () => {
  await using exchange = await startLocalExchange();
  const { code, output, errors } = await callCli(["exchange", "--port", String(exchange.port)]);
  assertEquals([code, output], [1, ""]);
  assertMatch(errors, new RegExp(`^error: Cannot listen on port ${exchange.port}: .*[^\\n]$`));
});

testEachLibrary("a tap that could not connect in its time fails, and says why", async (library) => {
  await using exchange = await startLocalExchange();
  exchange.refuseConnections(503);
  const { code, errors } = await runCli("tap", STREAM, "--library", library, "--url", exchange.url, "--seconds", "1");
  assertEquals(code, 1);
  assertMatch(errors, /503/);
  assertMatch(errors, /^error: Cannot connect within 1 s$/m);
});

test("a stream that the exchange acknowledges but does not know is pointed out", async () => {
  await using exchange = await startLocalExchange();
  const { code, errors } = await runCli("tap", "btcusdt@trad", "--url", exchange.url, "--seconds", "6");
  assertEquals(code, 0);
  assertMatch(errors, /^acknowledged, but nothing came yet: /m);
});
