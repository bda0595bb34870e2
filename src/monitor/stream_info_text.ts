/**
 * What is known of a stream, as a text.
 *
 * @module
 */

import type { LinkStatistics, StreamInfo } from "../stream/mod.ts";
import { humanAge, humanBytes, humanRate, humanTime, humanUptime } from "./human.ts";
import { stateCell } from "./summary_text.ts";
import { type Cell, framed, labelledLines, painter } from "./table.ts";

/** Names and times that are shown at most; the others are counted. */
const MAX_LISTED = 20;

/** What is known of a stream: its counters, its connections and what they carry. */
export function streamInfoText(info: StreamInfo, exchange: string, colors: boolean): string {
  const lines = labelledLines(
    [...streamRows(info, exchange), ...info.statistics.links.flatMap(linkRows)],
    painter(colors),
  );
  return framed(`rawtick: stream ${info.label ?? info.id}`, lines, colors);
}

function streamRows(info: StreamInfo, exchange: string): [string, ...Cell[]][] {
  const { statistics: counters } = info;
  const { messagesPerSecond: rate, charactersPerSecond: speed } = counters;
  const row = (name: string, text: string | number, style?: Cell["style"]): [string, Cell] => [
    name,
    { text: String(text), style },
  ];
  const bad = (count: number) => count > 0 ? "red" as const : undefined;
  return [
    row("stream_id", info.id),
    row("stream_label", info.label ?? "-"),
    row("exchange", exchange),
    ["state", stateCell(info.state), ...(info.stateReason === undefined ? [] : [{ text: `(${info.stateReason})` }])],
    ...(info.lastError === undefined ? [] : [row("last_error", info.lastError)]),
    row("output", info.output),
    ...(info.streamBuffer === undefined ? [] : [row("stream_buffer", info.streamBuffer)]),
    row("created", humanTime(counters.createdAt)),
    ...(counters.endedAt === undefined ? [] : [row("ended", humanTime(counters.endedAt))]),
    row("uptime", humanUptime(counters.uptimeMs)),
    row("streams", listed(info.streams)),
    row("subscriptions", counters.subscriptions),
    row("free_subscription_slots", counters.freeSubscriptionSlots),
    row("total_receives", counters.receivedMessages),
    row("total_received_bytes", humanBytes(counters.receivedCharacters)),
    row("receives_last_second", humanRate(rate.now)),
    row("receives_average", `${humanRate(rate.average)} per second`),
    row("receives_peak", `${humanRate(rate.peak)} per second`),
    row("receiving_speed", `${humanBytes(speed.now)}/s`),
    row("receiving_speed_average", `${humanBytes(speed.average)}/s`),
    row("receiving_speed_peak", `${humanBytes(speed.peak)}/s`),
    row("last_data", counters.lastDataAgeMs === undefined ? "none yet" : `${humanAge(counters.lastDataAgeMs)} ago`),
    row("latency", counters.latencyMs === undefined ? "unknown" : `${counters.latencyMs.toFixed(1)} ms`),
    row("reconnects", counters.reconnects),
    ...(counters.reconnectTimes.length === 0
      ? []
      : [row("reconnect_times", listed(counters.reconnectTimes.toReversed().map(humanTime)))]),
    row("rollovers", counters.rollovers),
    row("gaps", counters.gaps, bad(counters.gaps)),
    row("missed_messages", counters.missedMessages, bad(counters.missedMessages)),
    row("buffered_messages", counters.bufferedMessages),
    row("dropped_messages", counters.droppedMessages, bad(counters.droppedMessages)),
    row("callback_errors", counters.callbackErrors, bad(counters.callbackErrors)),
    row("invalid_messages", counters.invalidMessages, bad(counters.invalidMessages)),
  ];
}

function linkRows(link: LinkStatistics, index: number): [string, ...Cell[]][] {
  const facts = [
    link.state === "running" ? `open for ${humanUptime(link.ageMs)}` : link.reason,
    link.latencyMs === undefined ? undefined : `latency ${link.latencyMs.toFixed(1)} ms`,
    `${link.subscriptions} subscriptions`,
    `${link.freeSubscriptionSlots} slots free`,
    `${link.reconnects} reconnects`,
    `${link.rollovers} rollovers`,
  ];
  return [
    [`link_${index + 1}`, stateCell(link.state), { text: link.url }],
    ["", { text: facts.filter((fact) => fact !== undefined).join(", ") }],
  ];
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return texts.slice(0, MAX_LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
