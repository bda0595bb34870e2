/**
 * The table of the tap's benchmark: a line for each side, with the medians of its rounds.
 *
 * @module
 */

import type { Table } from "../report.ts";
import { median } from "../statistics.ts";
import type { Round } from "./round.ts";

const HEAD = [
  "tap on",
  "format",
  "clients",
  "in order",
  "events/s",
  "dropped",
  "p50 ms",
  "p99 ms",
  "max ms",
  "direct p50",
  "direct p99",
  "CPU: tap",
  "clients",
  "RSS before",
  "with",
  "peak",
  "after MB",
  "KB/client",
  "upstream",
];

/** A line of the table. */
function line(rounds: readonly Round[]): string[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const of = (value: (round: Round) => number) => median(rounds.map(value));
  const least = (value: (round: Round) => number) => Math.min(...rounds.map(value));
  const most = (value: (round: Round) => number) => Math.max(...rounds.map(value));
  const ms = (value: (round: Round) => number) => (of(value) / 1000).toFixed(2);
  const mb = (value: (round: Round) => number) => (of(value) / 2 ** 20).toFixed(0);
  const percent = (value: (round: Round) => number) => `${Math.round(of(value) * 100)} %`;
  const beside = [
    ...(first.stuck > 0 ? [`${first.stuck} stuck`] : []),
    ...(first.churn > 0 ? [`${most(({ returns }) => returns)} returns`] : []),
  ];
  return [
    first.runtime,
    first.format,
    [first.clients.toLocaleString("en-US"), ...beside].join(" + "),
    least(({ complete }) => complete).toLocaleString("en-US"),
    Math.round(of(({ clientRate }) => clientRate)).toLocaleString("en-US"),
    most(({ dropped }) => dropped).toLocaleString("en-US"),
    ms(({ latency }) => latency.p50),
    ms(({ latency }) => latency.p99),
    ms(({ latency }) => latency.max),
    ms(({ direct }) => direct.p50),
    ms(({ direct }) => direct.p99),
    percent(({ tapCpu }) => tapCpu),
    percent(({ clientsCpu }) => clientsCpu),
    mb(({ rssBefore }) => rssBefore),
    mb(({ rssWith }) => rssWith),
    mb(({ rssPeak }) => rssPeak),
    mb(({ rssAfter }) => rssAfter),
    (of(({ rssWith, rssBefore, clients, stuck }) => (rssWith - rssBefore) / (clients + stuck)) / 1024).toFixed(1),
    String(most(({ connections }) => connections)),
  ];
}

/** All sides, each with its rounds. */
export function tableOf(title: string, sides: readonly (readonly Round[])[]): Table {
  return { title, cells: [HEAD, ...sides.map(line)] };
}
