/**
 * The commands at work, as a user runs them.
 *
 * @module
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { generateMessage, parseRecording, startLocalExchange } from "@rawtick/binance/testing";
import { LineWriter } from "../src/cli/line_writer.ts";
import { callCli, Command, runCli, startCli, StuckPipe, TemporaryFolder } from "./command.ts";
import { testEachLibrary, trade, until } from "./support.ts";

const STREAM = "btcusdt@trade";

/** The first messages of the generator's stream, as they are received. */
function generated(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `{"stream":"${STREAM}","data":${generateMessage(STREAM, n)}}`);
}

testEachLibrary("tap --count N writes exactly N messages, each on a line, as they were received", async (library) => {
  await using exchange = await startLocalExchange({ speed: "max" });
  const { code, lines, errors } = await runCli("tap", STREAM, "-u", exchange.url, "-l", library, "--count", "5000");
  assertEquals(code, 0, errors);
  assertEquals(lines, generated(5000));
  assertStringIncludes(errors, `connected to ${exchange.url}/stream (${library})`);
  assertMatch(errors, /\n5000 messages in \d+\.\d s, 0 reconnects\n$/);
});

testEachLibrary("tap writes more than a pipe holds, without a loss, to a reader that starts late", async (library) => {
  await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 20_000 });
  using pipe = new StuckPipe();
  const args = ["tap", STREAM, "-u", exchange.url, "-l", library, "--count", "20000"];
  using command = new Command("cli.ts", args, pipe.descriptor);
  // All was received, and the connection closed for it, before anything was read.
  await exchange.waitFor(() => exchange.totalHandshakes === 1 && exchange.connections === 0, 20_000);
  assertEquals(command.exitCode, undefined);
  const text = await pipe.readAll();
  assertEquals(await command.ended, 0, command.errors);
  assertEquals(text, generated(20_000).map((line) => `${line}\n`).join(""));
});

test("tap --output json prints a message that came on several lines on one", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  using command = startCli("tap", STREAM, "-u", exchange.url, "--output", "json", "--count", "1");
  await exchange.waitFor(() => exchange.openConnections[0]?.streams.length === 1, 20_000);
  exchange.send(-1, `{ "stream": "${STREAM}",\n  "data": { "p": "1.50", "text": "ü 币" } }`);
  assertEquals(await command.ended, 0, command.errors);
  assertEquals(command.output, `{"stream":"${STREAM}","data":{"p":"1.50","text":"ü 币"}}\n`);
});

test("tap --output json says so when a message is not JSON, and goes on", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  using command = startCli("tap", STREAM, "-u", exchange.url, "--output", "json", "--count", "1");
  await exchange.waitFor(() => exchange.openConnections[0]?.streams.length === 1, 20_000);
  exchange.send(-1, "<html>");
  exchange.send(-1, trade(1).text);
  assertEquals(await command.ended, 0, command.errors);
  assertEquals(command.lines, [trade(1).text]);
  assertStringIncludes(command.errors, "cannot take a message: ");
});

testEachLibrary("what tap --record wrote is replayed by exchange --replay as the same lines", async (library) => {
  using folder = new TemporaryFolder();
  const file = folder.file("session.ndjson");
  await using exchange = await startLocalExchange({ speed: "max", seed: 3 });
  const streams = [STREAM, "ethusdt@bookTicker", "bnbusdt@depth@100ms"];
  const tap = (url: string, ...more: string[]) =>
    runCli("tap", ...streams, "-u", url, "-l", library, "--count", "900", ...more);

  const recorded = await tap(exchange.url, "--record", file);
  assertEquals(recorded.code, 0, recorded.errors);
  const [first, ...rows] = parseRecording(readFileSync(file, "utf8")).rows;
  assert(first !== undefined && "url" in first && first.url.startsWith(`${exchange.url}/stream`));
  assertEquals(rows.map((row) => "text" in row ? row.text : row), [...recorded.lines]);
  assert(rows.every((row, i) => row.t <= Date.now() && row.t >= (rows[i - 1]?.t ?? first.t)));

  using replaying = startCli("exchange", "--replay", file, "--speed", "max");
  await replaying.untilLines(1);
  const replayed = await tap(replaying.lines[0] ?? "");
  assertEquals(replayed.code, 0, replayed.errors);
  assertEquals(replayed.lines, recorded.lines);
  replaying.kill("SIGTERM");
  assertEquals(await replaying.ended, 0, replaying.errors);
});

const recordings = process.env.RAWTICK_RECORDINGS ??
  fileURLToPath(new URL("../../shared/recordings/", import.meta.url));
for (const name of ["spot", "us", "usdm_futures"]) {
  const file = join(recordings, `${name}.ndjson`);
  test(`tap of the real session ${name} is the same through both libraries, line by line as recorded`, {
    skip: existsSync(file) ? false : "no recordings: set RAWTICK_RECORDINGS to their folder",
    timeout: 60_000,
  }, async () => {
    const texts = parseRecording(readFileSync(file, "utf8")).rows
      .flatMap((row) => "text" in row && !("http" in row) ? [row.text] : []);
    const streams = new Set(texts.map((text) => String(JSON.parse(text).stream)));
    using replaying = startCli("exchange", "--replay", file, "--speed", "max");
    await replaying.untilLines(1);
    for (const library of ["builtin", "native"]) {
      const args = [...streams, "-u", replaying.lines[0] ?? "", "-l", library, "--count", String(texts.length)];
      const { code, lines, errors } = await runCli("tap", ...args);
      assertEquals(code, 0, errors);
      assertEquals(lines, texts);
    }
  });
}

test("tap --stats reports messages, rate, bytes and reconnects; --seconds ends it", async () => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 100 });
  const { code, lines, errors } = await runCli("tap", STREAM, "-u", exchange.url, "--stats", "--seconds", "2.5");
  assertEquals(code, 0, errors);
  const reports = [...errors.matchAll(/^(\d+) messages, (\d+) msgs\/s, (\d+) bytes, 0 reconnects$/gm)];
  const [messages, rate, bytes] = (reports.at(-1) ?? []).slice(1).map(Number);
  assert(messages !== undefined && rate !== undefined && rate > 0 && messages <= lines.length);
  assertEquals(bytes, lines.slice(0, messages).join("").length);
  assertMatch(errors, new RegExp(`\n${lines.length} messages in \\d\\.\\d s, 0 reconnects\n$`));
});

testEachLibrary("tap says when the connection is lost and is back, and goes on", async (library) => {
  await using exchange = await startLocalExchange({ messagesPerSecond: 100 });
  using command = startCli("tap", STREAM, "-u", exchange.url, "-l", library);
  await command.untilLines(1);
  exchange.closeConnections(1001, "disconnected");
  await exchange.waitFor(() => exchange.totalHandshakes === 2);
  const before = command.lines.length;
  await command.untilLines(before + 10);
  command.kill("SIGINT");
  assertEquals(await command.ended, 0, command.errors);
  assertStringIncludes(command.errors, "\ndisconnected: code 1001, disconnected; reconnecting\n");
  assertStringIncludes(command.errors, `\nreconnected to ${exchange.url}/stream (${library})\n`);
  assertMatch(command.errors, /\n\d+ messages in \d+\.\d s, 1 reconnect\n$/);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} ends tap with code 0, all that came written and the recording closed`, async () => {
    using folder = new TemporaryFolder();
    await using exchange = await startLocalExchange({ messagesPerSecond: 500 });
    using command = startCli("tap", STREAM, "-u", exchange.url, "--record", folder.file("session.ndjson"));
    await command.untilLines(20);
    command.kill(signal);
    assertEquals(await command.ended, 0, command.errors);
    const { rows } = parseRecording(readFileSync(folder.file("session.ndjson"), "utf8"));
    assertEquals(command.lines, rows.slice(1).map((row) => "text" in row ? row.text : ""));
    assertStringIncludes(command.errors, `\n${command.lines.length} messages in `);
    assertEquals(exchange.openConnections.length, 0);
  });

  test(`${signal} ends exchange with code 0; its URL was the only line`, async () => {
    using command = startCli("exchange");
    await command.untilLines(1);
    command.kill(signal);
    assertEquals(await command.ended, 0, command.errors);
    assertMatch(command.output, /^ws:\/\/127\.0\.0\.1:\d+\n$/);
    assertEquals(command.errors, "");
  });
}

test("Ctrl-C again ends a tap whose output nobody takes", async () => {
  await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 5_000 });
  using pipe = new StuckPipe();
  using command = new Command("cli.ts", ["tap", STREAM, "-u", exchange.url], pipe.descriptor);
  await exchange.waitFor(() => exchange.messagesSent === 5_000, 20_000);
  command.kill("SIGINT");
  await exchange.waitFor(() => exchange.connections === 0, 20_000);
  assertEquals(command.exitCode, undefined);
  await until(() => {
    command.kill("SIGINT");
    return command.exitCode !== undefined;
  }, "the end after another Ctrl-C");
  assertEquals(command.exitCode, 130);
});

testEachLibrary("tap ends quietly with code 0 when its reader has read enough", async (library) => {
  await using exchange = await startLocalExchange({ speed: "max" });
  using command = startCli("tap", STREAM, "-u", exchange.url, "-l", library);
  await command.untilLines(1);
  command.closeOutput();
  assertEquals(await command.ended, 0, command.errors);
  assertEquals(command.errors, `connected to ${exchange.url}/stream (${library})\n`);
});

test("exchange --seed decides what is sent", async () => {
  using command = startCli("exchange", "--seed", "7", "--speed", "max");
  await command.untilLines(1);
  const { lines } = await callCli(["tap", STREAM, "-u", command.lines[0] ?? "", "--count", "3"]);
  const expected = [0, 1, 2].map((n) => `{"stream":"${STREAM}","data":${generateMessage(STREAM, n, { seed: 7 })}}`);
  assertEquals(lines, expected);
});

test("--help and --version go to stdout with code 0 and name every option", async () => {
  const all = await callCli(["--help"]);
  assertEquals([all.code, all.errors], [0, ""]);
  for (const command of ["tap [options] <stream...>", "exchange [options]"]) assertStringIncludes(all.output, command);
  const options = {
    tap: "--exchange --library --url --proxy --output --stats --record --seconds --count",
    exchange: "--port --replay --speed --seed",
  };
  for (const [command, names] of Object.entries(options)) {
    const { code, output, errors } = await callCli([command, "--help"]);
    assertEquals([code, errors], [0, ""]);
    for (const name of names.split(" ")) assertStringIncludes(output, name);
  }
  const { version } = JSON.parse(readFileSync(new URL("../deno.json", import.meta.url), "utf8"));
  const printed = await runCli("--version");
  assertEquals(printed, { code: 0, output: `${version}\n`, lines: [version], errors: "" });
});

test("lines that wait for a slow reader are bounded: the oldest are dropped and counted", async () => {
  const written: string[] = [];
  const first = Promise.withResolvers<void>();
  const write = (bytes: Uint8Array) => {
    written.push(new TextDecoder().decode(bytes));
    return written.length === 1 ? first.promise : Promise.resolve();
  };
  const writer = new LineWriter(write, 1024 * 1024, (error) => void written.push(String(error)));
  const line = (n: number) => String(n).padStart(1_023, "0");
  const count = 3 * 1024;
  for (let n = 0; n < count; n++) writer.push(line(n));
  first.resolve();
  await writer.flush();

  const numbers = written.join("").split("\n").slice(0, -1).map(Number);
  assertEquals(numbers.length + writer.dropped, count);
  assert(writer.dropped >= count / 2 && writer.dropped < count, `${writer.dropped} dropped`);
  // The block that was being written, and then the newest without a gap.
  const gapAt = numbers.findIndex((n, i) => n !== i);
  assertEquals(
    numbers.slice(gapAt),
    Array.from({ length: numbers.length - gapAt }, (_, i) => gapAt + writer.dropped + i),
  );
  assertEquals(numbers.at(-1), count - 1);
});
