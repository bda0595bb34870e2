/**
 * The tap's benchmark as a command, with so few clients that it only proves the harness, and the parts that its verdict
 * rests on.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assert, assertAlmostEquals, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { arePlain, DROPPED, readEvents, SIGNAL } from "../bench/tap/events.ts";
import { ChunkedFraming, WebSocketFraming } from "../bench/tap/framing.ts";
import { Histogram } from "../bench/tap/histogram.ts";
import { Ledger } from "../bench/tap/ledger.ts";
import { readOptions } from "../bench/tap/options.ts";
import type { Round } from "../bench/tap/round.ts";
import { textFrame } from "../bench/frames.ts";
import { run, TemporaryFolder } from "./command.ts";

const TRADE = '{"stream":"btcusdt@trade","data":{"e":"trade","E":7,"s":"BTCUSDT","t":41,"p":"1","q":"1","T":1000}}';

test("a tap with 50 clients gives each of them every message in order, from one connection to the exchange", async () => {
  using folder = new TemporaryFolder();
  const [json, markdown] = [folder.file("rounds.json"), folder.file("table.md")];
  const size = ["--format", "sse,websocket", "--clients", "50", "--rate", "200", "--seconds", "2", "--warmup", "1"];
  const files = ["--json", json, "--markdown", markdown];
  const { code, output, errors } = await run("bench/tap.ts", [...size, "--churn", "5", ...files]);
  assertEquals(code, 0, errors);
  const rounds: Round[] = JSON.parse(readFileSync(json, "utf8"));
  assertEquals(rounds.map(({ format }) => format), ["sse", "websocket"]);
  for (const round of rounds) {
    assertEquals([round.complete, round.connections, round.dropped, round.problems], [50, 1, 0, []]);
    assert(round.returns > 0, "nobody came back");
    // However busy the machine is: what was sent arrives.
    assertAlmostEquals(round.clientRate / round.upstreamRate, 50, 15);
    assert(round.latency.p50 > 0 && round.latency.p99 >= round.latency.p50, JSON.stringify(round.latency));
    assert(round.rssWith > 0 && round.tapCpu > 0);
  }
  assertMatch(output, /^(deno|bun) +sse +50 \+ \d+ returns +50 /m);
  assertMatch(readFileSync(markdown, "utf8"), /^\| (deno|bun) \| websocket \| 50 \+ \d+ returns \| 50 \|/m);
});

test("the tap's benchmark refuses arguments that it can't use with code 2 and one line", async () => {
  const { code, output, errors } = await run("bench/tap.ts", ["--format", "xml"]);
  assertEquals([code, output, errors], [
    2,
    "",
    'error: Cannot use --format "xml": expected sse, ndjson, websocket, websocket-lines or all\n',
  ]);
  assertThrows(() => readOptions(["--clients", "0"]), Error, "expected an integer from 1");
  assertEquals(readOptions(["--stuck", "0"]).stuck, 0);
});

test("a client that missed, repeated or swapped a trade is not taken for complete", () => {
  const take = (...pieces: number[][]) => {
    const ledger = new Ledger();
    for (const trades of pieces) {
      const events = { trades, numbers: trades.map((trade) => trade + 10), times: trades.map(() => 0) };
      ledger.take({ ...events, isPlain: arePlain(events) });
    }
    return ledger;
  };
  assertEquals(take([], [5, 6], [7], [8, 9]).problem, undefined);
  assertEquals(take([5, 6], [7]).lastTrade, 7);
  for (const wrong of [[[5, 6], [8]], [[5, 6], [6]], [[5, 7]], [[6, 5]], [[5, 5]], [[5, 6], [5, 6]]]) {
    assertMatch(take(...wrong).problem ?? "", /^trade \d+ \(event \d+\) came after trade/, JSON.stringify(wrong));
  }
});

test("what a tap says that it has dropped counts as such, and what follows it has to fit", () => {
  const ledger = new Ledger();
  const take = (trades: number[], numbers: number[], times: number[]) =>
    ledger.take({ trades, numbers, times, isPlain: false });
  take([5], [15], [0]);
  take([DROPPED, 9], [0, 19], [3, 0]);
  take([SIGNAL], [20], [0]);
  assertEquals([ledger.dropped, ledger.signals, ledger.problem], [3, 1, undefined]);
  take([SIGNAL], [20], [0]);
  assertEquals(ledger.problem, "event 20 came after event 20");
});

test("events are read in each format, and half an event is left", () => {
  const drop = '{"count":3}';
  const texts = {
    sse:
      `retry: 2000\n\nid: abcdef01-9\nevent: signal\ndata: {"type":"GAP"}\n\n:\n\nevent: dropped\ndata: ${drop}\n\n` +
      `id: abcdef01-10\ndata: ${TRADE}\n\n`,
    lines: `{"id":"abcdef01-9","event":"signal","data":{}}\n{"event":"heartbeat","data":{}}\n` +
      `{"event":"dropped","data":${drop}}\n{"id":"abcdef01-10",${TRADE.slice(1)}\n`,
  };
  for (const [text, end] of [[texts.sse, "\n\n"], [texts.lines, "\n"]] as const) {
    const { numbers, trades, times, epoch, end: at } = readEvents(`${text}id: abcdef01-1`, end);
    assertEquals([numbers, trades, times], [[9, 0, 10], [SIGNAL, DROPPED, 41], [0, 3, 1000]]);
    assertEquals([epoch, at], ["abcdef01", text.length]);
  }
  assertEquals(readEvents(`${TRADE}\n`, "\n").trades, [41]);
});

test("the framing goes away however the bytes are chopped", () => {
  const chunks = ["abc", "d".repeat(300), "\r\n", "e"].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`);
  const pings: string[] = [];
  const cases = [
    { bytes: Buffer.from(chunks.join("")), text: `abc${"d".repeat(300)}\r\ne`, make: () => new ChunkedFraming() },
    {
      bytes: Buffer.concat([textFrame("abc"), Buffer.from([0x89, 1, 65]), textFrame("d".repeat(70_000))]),
      text: `abc\n${"d".repeat(70_000)}\n`,
      make: () => new WebSocketFraming((payload) => pings.push(payload.toString())),
    },
  ];
  for (const { bytes, text, make } of cases) {
    for (const size of [1, 2, 3, 7, bytes.length]) {
      // A frame that comes in single bytes is put together again for each of them.
      if (size < 3 && bytes.length > 10_000) continue;
      const framing = make();
      let read = "";
      for (let at = 0; at < bytes.length; at += size) read += framing.read(Buffer.from(bytes.subarray(at, at + size)));
      assertEquals([read === text, framing.isBetween], [true, true], `${size} bytes at a time`);
    }
  }
  assertEquals(pings, ["A", "A", "A"]);
  assertThrows(() => new ChunkedFraming().read(Buffer.from("0\r\n\r\n")), Error, "has ended");
});

test("quantiles are right to 10 µs, and the longest is exact", () => {
  const histogram = new Histogram();
  assertEquals(histogram.quantiles, { p50: 0, p99: 0, max: 0 });
  for (let micros = 1; micros <= 1_000; micros++) histogram.add(micros);
  histogram.add(123_456);
  assertAlmostEquals(histogram.quantiles.p50, 500, 10);
  assertAlmostEquals(histogram.quantiles.p99, 990, 11);
  assertEquals(histogram.quantiles.max, 123_456);
});
