/**
 * The benchmark as a command, with so few messages that it only proves the harness, and the parts that its figures rest
 * on.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { ClientFrames } from "../bench/client_frames.ts";
import { framePool } from "../bench/frames.ts";
import { readOptions } from "../bench/options.ts";
import { orderOfRound } from "../bench/rounds.ts";
import { type Row, runOf, streamOf } from "../bench/rows.ts";
import { poolOf, referenceScenarios, scenarioOf, scenarios } from "../bench/scenarios.ts";
import { median } from "../bench/statistics.ts";
import { Opcode } from "../src/transport/native/opcode.ts";
import { encodeText } from "../src/transport/native/frame_writer.ts";
import { run, TemporaryFolder } from "./command.ts";

const KEYS = "runtime mode scenario library output tls messages bytes msgsPerSecond cpuMicrosPerMessage";

function readRows(file: string): Row[] {
  return JSON.parse(readFileSync(file, "utf8"));
}

test("the benchmark prints a table with native against builtin and the targets, and writes rows of the agreed form", async () => {
  using folder = new TemporaryFolder();
  const [json, markdown] = [folder.file("rows.json"), folder.file("tables.md")];
  // Enough messages that they never come in a single read, which would have no duration.
  const size = ["--scenarios", "small_aggtrade", "--scale", "0.02", "--repeat", "1"];
  const files = ["--json", json, "--markdown", markdown];
  const { code, output, errors } = await run("bench/bench.ts", [
    "--mode",
    "transport,manager",
    "--pattern",
    "both",
    ...size,
    ...files,
  ]);
  assertEquals(code, 0, errors);
  const rows = readRows(json);
  const sides = rows.filter(({ pattern }) => pattern === "batch").map((row) => [row.mode, row.library, row.output]);
  assertEquals(sides, [
    ["transport", "builtin", "raw"],
    ["transport", "native", "raw"],
    ["manager", "builtin", "raw"],
    ["manager", "builtin", "json"],
    ["manager", "native", "raw"],
    ["manager", "native", "json"],
    ["bare", "bare", "raw"],
  ]);
  assertEquals(rows.length, 2 * sides.length);
  for (const row of rows) {
    assertEquals(Object.keys(row).sort(), `${KEYS} pattern`.split(" ").sort());
    assert(row.msgsPerSecond > 0 && row.cpuMicrosPerMessage > 0, JSON.stringify(row));
    assert(row.bytes / row.messages > 190 && row.bytes / row.messages < 200, JSON.stringify(row));
    assertMatch(row.runtime, /^(deno|bun) \d/);
    assertEquals([row.tls, row.scenario], [false, "small_aggtrade"]);
  }
  assertMatch(output, /Targets: \d+ met, \d+ missed/);
  assertMatch(output, /native \/ builtin +small_aggtrade +>= [34] +\d+\.\d\d \(\d+\.\d\d, [01]\/1\) +(met|MISSED)/);
  assertMatch(readFileSync(markdown, "utf8"), /^\| small_aggtrade \| 196 \| builtin on \w+ \|/m);
});

test("the benchmark measures round trips and idle connections, over TLS too", async () => {
  using folder = new TemporaryFolder();
  const json = folder.file("rows.json");
  const size = ["--scale", "0.002", "--connections", "20", "--repeat", "1", "--libraries", "native"];
  const { code, errors } = await run("bench/bench.ts", ["--mode", "echo,idle", "--tls", ...size, "--json", json]);
  assertEquals(code, 0, errors);
  const rows = readRows(json);
  assertEquals(rows.map(({ scenario }) => scenario), ["256 B", "8 KB", "100 KB", "1 MB", "idle"]);
  for (const row of rows) {
    const keys = row.mode === "echo" ? `${KEYS} p50Micros p99Micros` : `${KEYS} bytesPerConnection`;
    assertEquals(Object.keys(row).sort(), keys.split(" ").sort());
    assertEquals([row.library, row.tls], ["native", true]);
    if (row.mode === "idle") assertEquals(row.messages, 20);
    else assert((row.p50Micros ?? 0) > 0 && (row.p99Micros ?? 0) >= (row.p50Micros ?? Infinity), JSON.stringify(row));
  }
});

test("the benchmark refuses arguments that it can't use with code 2 and one line", async () => {
  for (const args of [["--scenarios", "tiny"], ["--libraries", "hyperws"], ["--fast"]]) {
    const { code, output, errors } = await run("bench/bench.ts", args);
    assertEquals([code, output], [2, ""], args.join(" "));
    assertMatch(errors, /^error: [^\n]+\n$/);
  }
});

test("options have defaults, lists, and say what is expected", () => {
  const options = readOptions([]);
  assertEquals([options.modes, options.tls, options.patterns, options.repeat], [["transport"], [false], ["batch"], 5]);
  assertEquals(options.scenarios, scenarios);
  assertEquals(readOptions(["--tls", "--mode", "echo"]).tls, [true]);
  assertEquals(readOptions(["--tls", "both"]).tls, [false, true]);
  assertEquals(readOptions(["--scenarios", "reference"]).scenarios, referenceScenarios);
  assertThrows(() => readOptions(["--mode", "fast"]), Error, "expected transport, manager, echo, idle, bare or all");
  assertThrows(() => readOptions(["--repeat", "0"]), Error, "expected a number over 0");
  assertThrows(() => readOptions(["--repeat", "1.5"]), Error, "expected an integer over 0");
});

test("every scenario makes the same messages each time, of the size that it says, and they are JSON", () => {
  for (const scenario of scenarios) {
    const messages = [...poolOf(scenario, 3)];
    assertEquals(messages, [...poolOf(scenario, 3)]);
    for (const message of messages) assertEquals(Object.keys(JSON.parse(message)), ["stream", "data"]);
    const size = median(messages.map((message) => message.length));
    assert(Math.abs(size / scenario.bytes - 1) < 0.07, `${scenario.name}: ${size} instead of ${scenario.bytes}`);
  }
});

test("the server sends whole frames, as many bytes as it reports, in both patterns", () => {
  for (const name of ["small_aggtrade", "multiplex_mix", "ladder_97kb"]) {
    const scenario = scenarioOf(name);
    assert(scenario !== undefined);
    const pool = framePool(scenario, 120);
    const batches = [...pool.writes("batch", 7, 301)];
    const frames = [...pool.writes("single", 7, 301)];
    assertEquals(frames.length, 301);
    assert(batches.length < 301 || name === "ladder_97kb");
    const sum = (writes: readonly Uint8Array[]) => writes.reduce((bytes, write) => bytes + write.length, 0);
    assertEquals([sum(batches), sum(frames)], [pool.bytes(7, 301).frames, pool.bytes(7, 301).frames]);
    const heads = frames.map((frame) => (frame[1] === 127 ? 10 : frame[1] === 126 ? 4 : 2));
    assertEquals(sum(frames) - heads.reduce((bytes, head) => bytes + head, 0), pool.bytes(7, 301).payload);
  }
});

test("the server reads a client's frames however they are chopped", () => {
  const texts = ["", "a", "b".repeat(125), "c".repeat(126), "d".repeat(70_000)];
  const bytes = new Uint8Array(texts.flatMap((text) => [...encodeText(text, { mask: true })]));
  for (const size of [1, 2, 3, 7, 1_000, bytes.length]) {
    const read: (string | number)[] = [];
    const frames = new ClientFrames((opcode, length, payload) => {
      assertEquals(opcode, Opcode.Text);
      read.push(payload?.toString() ?? length);
    }, 126);
    for (let at = 0; at < bytes.length; at += size) frames.push(Buffer.from(bytes.slice(at, at + size)));
    assertEquals(read, ["", "a", "b".repeat(125), "c".repeat(126), 70_000]);
  }
});

test("a run survives being written as the name of a stream, and nothing else is taken for one", () => {
  const wanted = { scenario: "small_aggtrade", pattern: "single", warmup: 5, messages: 20 } as const;
  assertEquals(runOf(streamOf(wanted)), wanted);
  assertEquals(runOf("btcusdt@trade"), undefined);
});

test("in the rounds, each side is first and last as often as every other", () => {
  for (const sides of [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]]) {
    const rounds = Array.from({ length: 2 * sides.length }, (_, round) => orderOfRound(sides, round));
    for (const round of rounds) assertEquals([...round].sort(), sides);
    for (const place of [0, -1]) {
      const there = rounds.map((round) => round.at(place));
      for (const side of sides) assertEquals(there.filter((one) => one === side).length, 2, `${side} at ${place}`);
    }
  }
});

test("the median is the middle one, or the mean of the two middle ones", () => {
  assertEquals([median([3, 1, 2]), median([4, 1, 3, 2]), median([5])], [2, 2.5, 5]);
  assert(Number.isNaN(median([])));
});
