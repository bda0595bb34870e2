/**
 * Reports of a manager: the summary, a stream, the status for monitoring.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { BinanceWebSocketApiManager, UnknownStreamError } from "@rawtick/binance";
import { BinanceWebSocketApiManager as EdgeManager } from "@rawtick/binance/edge";
import { humanAge, humanBytes, humanRate, humanUptime } from "../src/monitor/human.ts";
import type { ManagerStatistics, Monitored } from "../src/monitor/monitored.ts";
import { MonitoringStatusReport } from "../src/monitor/monitoring_status.ts";
import { summaryText } from "../src/monitor/summary_text.ts";
import type { LinkStatistics, StreamInfo, StreamState } from "../src/stream/stream_state.ts";
import { range, startBench, testEachLibrary, trade, until } from "./support.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 30, 20, 15);
const QUIET = { now: 0, average: 0, peak: 0 };

/** A connection that was opened again then. */
function linkOf(restartsAgoMs: readonly number[]): LinkStatistics {
  return {
    url: "wss://localhost/stream",
    state: "running",
    reason: undefined,
    ageMs: 0,
    latencyMs: undefined,
    subscriptions: 1,
    freeSubscriptionSlots: 1023,
    reconnects: restartsAgoMs.length,
    reconnectTimes: restartsAgoMs.map((ago) => NOW - ago).sort((a, b) => a - b),
    rollovers: 0,
  };
}

/** A stream whose connection was opened again then; with a list of lists, one with so many connections. */
function infoOf(
  state: StreamState,
  restarts: readonly number[] | readonly (readonly number[])[] = [],
  label?: string,
): StreamInfo {
  const restartsAgoMs = restarts.flat();
  return {
    id: crypto.randomUUID(),
    label,
    state,
    stateReason: undefined,
    lastError: undefined,
    output: "raw",
    streamBuffer: undefined,
    streams: ["btcusdt@trade"],
    statistics: {
      createdAt: NOW - 2 * HOUR,
      endedAt: undefined,
      uptimeMs: 2 * HOUR,
      receivedMessages: 0,
      receivedCharacters: 0,
      messagesPerSecond: QUIET,
      charactersPerSecond: QUIET,
      lastDataAgeMs: undefined,
      latencyMs: undefined,
      droppedMessages: 0,
      bufferedMessages: 0,
      reconnects: restartsAgoMs.length,
      reconnectTimes: restartsAgoMs.map((ago) => NOW - ago).sort((a, b) => a - b),
      rollovers: 0,
      gaps: 0,
      missedMessages: 0,
      callbackErrors: 0,
      invalidMessages: 0,
      subscriptions: 1,
      freeSubscriptionSlots: 1023,
      links: typeof restarts[0] === "object"
        ? restarts.map((times) => linkOf([times].flat()))
        : [linkOf(restartsAgoMs)],
    },
  };
}

function monitored(infos: readonly StreamInfo[], counters: Partial<ManagerStatistics> = {}): Monitored {
  const hasEnded = ({ state }: StreamInfo) => state === "stopped" || state === "crashed";
  const count = (wanted: StreamState) => infos.filter(({ state }) => state === wanted).length;
  const { links: _links, endedAt: _endedAt, reconnectTimes: _times, ...zeros } = infoOf("running").statistics;
  return {
    exchange: "binance.com",
    websocketLibrary: "native",
    proxyInfo: undefined,
    running: infos.filter((info) => !hasEnded(info)),
    finished: infos.filter(hasEnded),
    now: NOW,
    statistics: {
      ...zeros,
      streams: {
        starting: count("starting"),
        running: count("running"),
        restarting: count("restarting"),
        stopped: count("stopped"),
        crashed: count("crashed"),
      },
      endedStreams: 0,
      links: 1,
      connectBudget: { limit: 250, used: 1, free: 249, waitMs: 0 },
      ...counters,
    },
  };
}

test("a time span is written in days, hours, minutes and seconds, each beyond a whole one", () => {
  const seconds = [0, 42.9, 60, 61, 3600, 3601, 86_400, 86_401, 152.5 * 86_400];
  assertEquals(seconds.map((s) => humanUptime(s * 1_000)), [
    "0 seconds",
    "42 seconds",
    "60 seconds",
    "1m:1s",
    "60m:0s",
    "1h:0m:1s",
    "24h:0m:0s",
    "1d:0h:0m:1s",
    "152d:12h:0m:0s",
  ]);
});

test("a size is written in bytes up to 1024, then in units of 1024", () => {
  const sizes = [0, 0.4, 1024, 1025, 1536, 1024 ** 2, 1.5 * 1024 ** 2, 1024 ** 3 + 1, 5 * 1024 ** 6];
  assertEquals(sizes.map(humanBytes), [
    "0 B",
    "0 B",
    "1024 B",
    "1 kB",
    "1.5 kB",
    "1024 kB",
    "1.5 MB",
    "1 GB",
    "5120 PB",
  ]);
});

test("rates and short time spans are written as short as they can be read", () => {
  assertEquals([0, 0.04, 0.25, 9.96, 10.4, 1234.5].map(humanRate), ["0", "0", "0.3", "10", "10", "1235"]);
  assertEquals([3, 999, 1_000, 59_900, 61_000].map(humanAge), ["3 ms", "999 ms", "1.0 s", "59.9 s", "1m:1s"]);
});

test("the status is OK below 3 restarts of one stream in an hour, WARNING from 3, CRITICAL from 10", () => {
  const status = (restarts: number) =>
    new MonitoringStatusReport().next(monitored([
      infoOf("running", Array.from({ length: restarts }, (_, n) => n * 1_000)),
      infoOf("running", [1, 2]),
    ]));
  for (
    const [restarts, returnCode, statusText] of [[2, 0, "OK"], [3, 1, "WARNING"], [9, 1, "WARNING"], [
      10,
      2,
      "CRITICAL",
    ]] as const
  ) {
    const { highestRestartPerStreamLastHour, statusMsg, ...rest } = status(restarts);
    assertEquals([highestRestartPerStreamLastHour, rest.returnCode, rest.statusText], [
      restarts,
      returnCode,
      statusText,
    ]);
    assertEquals(statusMsg, returnCode === 0 ? "" : `Restart rate per stream last hour: ${restarts}`);
  }
});

test("restarts of more than an hour ago, and of several streams together, are no reason to worry", () => {
  const old = Array.from({ length: 20 }, (_, n) => HOUR + n);
  const { returnCode, highestRestartPerStreamLastHour } = new MonitoringStatusReport().next(
    monitored([infoOf("running", old), infoOf("running", [1, 2]), infoOf("running", [1, 2])]),
  );
  assertEquals([returnCode, highestRestartPerStreamLastHour], [0, 2]);
});

test("an outage that all connections of a stream notice is one restart of it", () => {
  const restarts = (info: StreamInfo) => {
    const { highestRestartPerStreamLastHour, returnCode } = new MonitoringStatusReport().next(monitored([info]));
    return [highestRestartPerStreamLastHour, returnCode];
  };
  assertEquals(restarts(infoOf("running", [[10], [11], [12], [13]])), [1, 0]);
  // One connection that comes and goes is not hidden by quiet ones.
  assertEquals(restarts(infoOf("running", [[10], [5, 6, 7], [], [2 * HOUR, 3 * HOUR, 4 * HOUR, 5 * HOUR]])), [3, 1]);
  assertEquals(restarts(infoOf("stopped", [[1, 2, 3], [1, 2, 3]])), [3, 1]);
  // The times of a connection to a WebSocket API are those of its stream.
  const info = infoOf("running", [1, 2, 3, 2 * HOUR]);
  const links = info.statistics.links.map(({ reconnectTimes: _, ...link }) => link);
  assertEquals(restarts({ ...info, statistics: { ...info.statistics, links } }), [3, 1]);
});

testEachLibrary("a stream with four connections survives an outage with the status OK", async (library) => {
  await using bench = await startBench(library, { exchange: "binance.com-vanilla-options" }, { market: "options" });
  const { exchange, manager } = bench;
  const symbols = range(1, 401).map((n) => `btc-251123-${n}000-c`);
  const streams = [...symbols.map((symbol) => `${symbol}@optionTrade`), "btcusdt@optionMarkPrice"];
  const stream = manager.createStream({ streams });
  await stream.ready;
  assertEquals(stream.statistics.links.length, 4);
  for (const outages of [1, 2]) {
    exchange.killConnections();
    await until(() => stream.statistics.reconnects === outages * 4 && stream.state === "running", "all of them back");
    const { returnCode, statusMsg, highestRestartPerStreamLastHour } = manager.getMonitoringStatusPlain();
    assertEquals([returnCode, statusMsg, highestRestartPerStreamLastHour], [0, "", outages]);
    assertEquals(stream.statistics.links.map(({ reconnectTimes }) => reconnectTimes?.length), Array(4).fill(outages));
  }
});

test("one crashed stream is CRITICAL; stopped and restarting ones are counted", () => {
  const { returnCode, statusText, ...counts } = new MonitoringStatusReport().next(
    monitored([infoOf("running"), infoOf("restarting"), infoOf("stopped"), infoOf("stopped"), infoOf("crashed")]),
  );
  assertEquals([returnCode, statusText], [2, "CRITICAL"]);
  const { activeStreams, restartingStreams, stoppedStreams, crashedStreams } = counts;
  assertEquals([activeStreams, restartingStreams, stoppedStreams, crashedStreams], [1, 1, 2, 1]);
});

test("the averages of the status are since the call before", () => {
  const report = new MonitoringStatusReport();
  const at = (uptimeMs: number, receivedMessages: number) =>
    report.next(monitored([], {
      uptimeMs,
      receivedMessages,
      receivedCharacters: receivedMessages * 1024,
      bufferedMessages: 512,
    }));
  const first = at(10_000, 100);
  assertEquals([first.averageReceivesPerSecond, first.averageSpeedPerSecond], [10, 10]);
  const second = at(12_000, 500);
  assertEquals([second.averageReceivesPerSecond, second.averageSpeedPerSecond], [200, 200]);
  assertEquals([second.totalReceivedLength, second.totalReceivedMb], [500, 0.49]);
  assertEquals([second.streamBufferItems, second.streamBufferMb], [512, 0.5]);
  // Asked twice in the same instant, there is nothing to divide by.
  assertEquals(at(12_000, 500).averageReceivesPerSecond, 0);
  assertEquals(at(43_200_000, 500).uptime, 0.5);
});

// deno-lint-ignore no-control-regex -- SGR codes
const SGR = /\x1b\[\d+m/g;

test("the summary has the same text with colours and without", () => {
  const infos = [
    infoOf("running", [], "trades"),
    infoOf("restarting", [500], "a label that is far too long"),
    infoOf("crashed"),
  ];
  const plain = summaryText(monitored(infos, { missedMessages: 3, gaps: 1 }), false);
  const colored = summaryText(monitored(infos, { missedMessages: 3, gaps: 1 }), true);
  assertEquals(colored.replace(SGR, ""), plain);
  assert(!plain.includes("\x1b"));
  assertStringIncludes(colored, "\x1b[32m1 running\x1b[0m");
  assertStringIncludes(colored, "\x1b[31m1 crashed\x1b[0m");
  assertStringIncludes(colored, "\x1b[31m3 missed in 1 gaps, 0 dropped from buffers\x1b[0m");
  assertStringIncludes(plain, "a label that is …");
  assertMatch(plain, /all_streams +0 +0 +0 +0\n=+$/);
});

test("a reconnect is red for a second, yellow for another, green for two, then plain", () => {
  const style = (ago: number) =>
    summaryText(monitored([infoOf("running", [ago])]), true).split("\n")
      .find((line) => line.includes("\x1b[32mrunning\x1b[0m "))?.replace(/^.* {2}/, "");
  assertEquals([500, 1_500, 3_000, 4_500].map(style), [
    "\x1b[31m1\x1b[0m",
    "\x1b[33m1\x1b[0m",
    "\x1b[32m1\x1b[0m",
    "1",
  ]);
});

test("no label moves the cursor of the terminal", () => {
  const text = summaryText(monitored([infoOf("running", [], "a\x1b[2J\r\n\u202eb")]), false);
  assertStringIncludes(text, "a?[2J???b");
});

testEachLibrary("printSummary and printStreamInfo print a text and return it", async (library) => {
  await using bench = await startBench(library, { onData: () => {} });
  const { exchange, manager } = bench;
  const stream = manager.createStream({ streams: ["btcusdt@trade", "ethusdt@trade"], label: "trades" });
  await stream.ready;
  exchange.broadcast(trade(1).text);
  await until(() => stream.statistics.receivedMessages === 1, "a message");
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const summary = manager.printSummary({ colors: false, print });
  const info = manager.printStreamInfo(stream, { colors: false, print });
  assertEquals(printed, [summary, info]);
  assertMatch(
    summary,
    new RegExp(`exchange +binance\\.com\n websocket_library +${library}\n uptime +\\d seconds since`),
  );
  assertMatch(summary, new RegExp(`${stream.id}  trades +running +\\S+ +\\S+ +\\S+ +0\n all_streams`));
  assertMatch(summary, /subscriptions +2, free slots 1022, connections 1\n/);
  assertMatch(summary, /connect_budget +1 of 250 used in 5 minutes, 249 free\n/);
  assertMatch(info, /streams +btcusdt@trade, ethusdt@trade\n/);
  assertMatch(info, /total_receives +1\n/);
  assertStringIncludes(info, `${exchange.url}/stream?streams=\n`);
  assertMatch(info, /open for 0 seconds, (latency .* ms, )?2 subscriptions, 1022 slots free, 0 reconnects/);
  await stream.stop();
  assertMatch(manager.printStreamInfo(stream.id, { print: false }), /state +stopped\n/);
  assertThrows(() => manager.printStreamInfo("no-such-id", { print: false }), UnknownStreamError);
  assertEquals(printed.length, 2);
});

testEachLibrary("a crash makes the status CRITICAL until it is forgotten", async (library) => {
  await using bench = await startBench(library, { maxFinishedStreams: 2 });
  const { exchange, manager } = bench;
  assertEquals(manager.getMonitoringStatusPlain().returnCode, 0);
  exchange.refuseConnections(429);
  const crashed = manager.createStream({ streams: ["btcusdt@trade"] });
  await until(() => manager.streams.length === 0, "the crash");
  // Streams that were stopped don't push it out.
  for (let n = 0; n < 5; n++) await manager.createStream({ streams: ["ethusdt@trade"] }).stop();
  assertEquals(manager.finishedStreams.length, 2);
  const { returnCode, statusText, crashedStreams, stoppedStreams } = manager.getMonitoringStatusPlain();
  assertEquals([returnCode, statusText, crashedStreams, stoppedStreams], [2, "CRITICAL", 1, 1]);
  assertStringIncludes(manager.printSummary({ print: false, colors: false }), "1 crashed");
  assertMatch(manager.getStreamInfo(crashed.id).lastError ?? "", /has crashed/);
  assertMatch(
    manager.printStreamInfo(crashed.id, { print: false, colors: false }),
    /last_error +The stream .* has crashed/,
  );
  manager.forgetFinishedStreams(crashed);
  assertEquals(manager.getMonitoringStatusPlain().returnCode, 0);
});

test("the manager of the edge door has the same reports, without colours unless asked", () => {
  const texts = [new EdgeManager(), new BinanceWebSocketApiManager()].map((manager) =>
    manager.printSummary({ print: false, colors: false }).replace(/\d{4}-.*UTC/g, "")
  );
  assertEquals(texts[0], texts[1]);
  const edge = new EdgeManager();
  assert(!edge.printSummary({ print: false }).includes("\x1b"));
  assert(edge.printSummary({ print: false, colors: true }).includes("\x1b"));
});
