/**
 * The summary of a manager as a text.
 *
 * @module
 */

import type { StreamInfo, StreamState } from "../stream/mod.ts";
import { humanAge, humanBytes, humanRate, humanTime, humanUptime } from "./human.ts";
import type { Monitored } from "./monitored.ts";
import { type Cell, framed, labelledLines, painter, shortened, type Style, tableLines } from "./table.ts";

/** How long a label may be. */
const LABEL_LENGTH = 17;
const STATES: readonly StreamState[] = ["running", "starting", "restarting", "stopped", "crashed"];

const STATE_STYLES: Readonly<Record<StreamState, Style | undefined>> = {
  starting: "yellow",
  running: "green",
  restarting: "yellow",
  stopped: undefined,
  crashed: "red",
};

/** The look of a state. */
export function stateCell(state: StreamState): Cell {
  return { text: state, style: STATE_STYLES[state] };
}

/** The summary of a manager: its counters, and a table of its streams. */
export function summaryText(monitored: Monitored, colors: boolean): string {
  const paint = painter(colors);
  const lines = [
    ...labelledLines(managerRows(monitored), paint),
    "",
    ...tableLines(streamRows(monitored), paint),
  ];
  return framed(`rawtick: summary of ${humanTime(monitored.now)}`, lines, colors);
}

function managerRows({ exchange, websocketLibrary, proxyInfo, statistics: all }: Monitored): [string, ...Cell[]][] {
  const row = (name: string, text: string | number): [string, Cell] => [name, { text: String(text) }];
  const { streams, connectBudget: budget, charactersPerSecond: speed, messagesPerSecond: rate } = all;
  const states = STATES.filter((state) => state === "running" || streams[state] > 0)
    .map((state): Cell => ({ ...(streams[state] > 0 && stateCell(state)), text: `${streams[state]} ${state}` }));
  const losses = all.droppedMessages + all.missedMessages;
  return [
    row("exchange", exchange),
    row("websocket_library", websocketLibrary),
    ...(proxyInfo === undefined ? [] : [row("proxy", proxyInfo)]),
    row("uptime", `${humanUptime(all.uptimeMs)} since ${humanTime(all.createdAt)}`),
    ["streams", ...states],
    row("subscriptions", `${all.subscriptions}, free slots ${all.freeSubscriptionSlots}, connections ${all.links}`),
    ["connect_budget", {
      text: `${budget.used} of ${budget.limit} used in 5 minutes, ${budget.free} free`,
      style: budget.free === 0 ? "red" : undefined,
    }],
    row(
      "receives_per_second",
      `${humanRate(rate.now)} now, ${humanRate(rate.average)} average, ${humanRate(rate.peak)} peak`,
    ),
    row(
      "receiving_speed",
      `${humanBytes(speed.now)}/s now, ${humanBytes(speed.average)}/s average, ${humanBytes(speed.peak)}/s peak`,
    ),
    row("total_receives", all.receivedMessages),
    row("total_received_bytes", humanBytes(all.receivedCharacters)),
    row("last_data", all.lastDataAgeMs === undefined ? "none yet" : `${humanAge(all.lastDataAgeMs)} ago`),
    ...(all.latencyMs === undefined ? [] : [row("latency", `${all.latencyMs.toFixed(1)} ms`)]),
    row("reconnects", `${all.reconnects}, rollovers ${all.rollovers}`),
    ["losses", {
      text: `${all.missedMessages} missed in ${all.gaps} gaps, ${all.droppedMessages} dropped from buffers`,
      style: losses > 0 ? "red" : undefined,
    }],
    ...(all.bufferedMessages === 0 ? [] : [row("buffered_messages", all.bufferedMessages)]),
    ...(all.callbackErrors + all.invalidMessages === 0 ? [] : [
      [
        "errors",
        { text: `${all.callbackErrors} in callbacks, ${all.invalidMessages} invalid messages`, style: "red" },
      ] satisfies [string, Cell],
    ]),
  ];
}

function streamRows({ running, finished, statistics, now }: Monitored): Cell[][] {
  const header = ["stream_id", "stream_label", "state", "last", "average", "peak", "recon"];
  const number = (value: number): Cell => ({ text: humanRate(value) });
  const crashed = finished.filter(({ state }) => state === "crashed");
  const rate = statistics.messagesPerSecond;
  return [
    header.map((text): Cell => ({ text, style: "dim" })),
    ...[...running, ...crashed].map((info) => [
      { text: info.id },
      { text: shortened(info.label ?? "-", LABEL_LENGTH) },
      stateCell(info.state),
      number(info.statistics.messagesPerSecond.now),
      number(info.statistics.messagesPerSecond.average),
      number(info.statistics.messagesPerSecond.peak),
      reconnectCell(info, now),
    ]),
    [
      { text: "all_streams" },
      { text: "" },
      { text: "" },
      number(rate.now),
      number(rate.average),
      number(rate.peak),
      { text: String(statistics.reconnects) },
    ],
  ];
}

/** Red for a second after a reconnect, then yellow for another, then green for two. */
function reconnectCell({ statistics: { reconnects, reconnectTimes } }: StreamInfo, now: number): Cell {
  const agoMs = now - (reconnectTimes.at(-1) ?? -Infinity);
  const style = agoMs < 1_000 ? "red" : agoMs < 2_000 ? "yellow" : agoMs < 4_000 ? "green" : undefined;
  return { text: String(reconnects), style };
}
