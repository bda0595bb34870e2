/**
 * Compares what an exchange sent with what a manager delivered and reported.
 *
 * @module
 */

import type { GapSignal, WebSocketLibrary } from "@rawtick/binance";
import { type FaultName, faultOf } from "./chaos.ts";
import type { Deliveries, Hole } from "./deliveries.ts";
import { idsOf } from "./numbering.ts";
import type { ConnectionLedger, ExchangeLedger, FaultRecord } from "./protocol.ts";
import type { Reconnect } from "./subject.ts";

/** One promise, and whether it was kept. */
export interface Verdict {
  readonly promise: string;
  readonly isKept: boolean;
  readonly details: string;
}

/** What a verdict is about. */
export interface Evidence {
  readonly library: WebSocketLibrary;
  readonly deliveries: ReadonlyMap<string, Deliveries>;
  readonly gaps: readonly GapSignal[];
  readonly reconnects: readonly Reconnect[];
  readonly crashes: readonly string[];
  readonly rollovers: number;
  /** State of each logical stream at the end. */
  readonly states: readonly string[];
}

/** What is allowed. */
export interface Bounds {
  readonly framesPerSecond: number;
  readonly connectionAttempts: number;
  readonly streamsPerConnection: number;
  /** How long after a fault a loss may still be its doing, in ms. */
  readonly settleMs: number;
  /** Messages per second of each stream. */
  readonly rate: number;
  /** Age in ms at which the exchange cuts connections. */
  readonly ageMs: number;
}

/** Messages that fell due so shortly before the end, in ms, may have been held back by it. */
const END_MS = 300;

/** A hole with what may have caused it. */
interface Loss extends Hole {
  readonly fault: FaultName | undefined;
}

/** Judges one library's run; ends the deliveries. */
export function judge(
  evidence: Evidence,
  ledger: ExchangeLedger,
  faults: readonly FaultRecord[],
  bounds: Bounds,
): Verdict[] {
  endDeliveries(evidence.deliveries, ledger, bounds.rate);
  const all = [...evidence.deliveries.values()];
  const losses = all.flatMap(({ holes }) => holes).map((hole) => ({ ...hole, fault: causeOf(hole, faults, bounds) }));
  const excused = losses.filter(({ fault }) => fault !== undefined && !faultOf(fault).isLossless);
  const inexcusable = losses.filter((loss) => !excused.includes(loss));
  const sum = (key: "duplicates" | "disordered" | "foreign" | "delivered"): number =>
    all.reduce((total, deliveries) => total + deliveries[key], 0);
  const delivered = sum("delivered");
  const published = delivered + countOf(losses);
  const [duplicates, disordered, foreign] = [sum("duplicates"), sum("disordered"), sum("foreign")];
  return [
    verdict(
      "delivered exactly once",
      inexcusable.length === 0 && duplicates === 0 && foreign === 0 && delivered > 0,
      `${delivered} of ${published}; ${countOf(excused)} lost by ${excused.length} holes of unplanned faults, ` +
        `${countOf(inexcusable)} lost without an excuse${examples(inexcusable)}; ` +
        `${duplicates} twice, ${foreign} that were never sent`,
    ),
    verdict("order kept per stream", disordered === 0, `${disordered} after a later one`),
    ...judgeGaps(losses, evidence.gaps),
    verdict(
      "planned cuts cost nothing",
      losses.every(({ fault }) => fault === undefined || !faultOf(fault).isLossless) &&
        ageCuts(ledger, bounds.ageMs) === 0,
      `${evidence.rollovers} rollovers; ${
        ageCuts(ledger, bounds.ageMs)
      } connections were left until the exchange cut them; ` +
        `${countOf(losses.filter(({ fault }) => fault !== undefined && faultOf(fault).isLossless))} messages lost`,
    ),
    judgeReconnects(evidence),
    judgeLimits(ledger, faults, bounds),
    verdict("no stream gives up", evidence.crashes.length === 0, evidence.crashes[0] ?? "none did"),
  ];
}

function verdict(promise: string, isKept: boolean, details: string): Verdict {
  return { promise, isKept, details };
}

/** Adds what is missing at the end: what was sent to anyone, and what should have been sent. */
function endDeliveries(deliveries: ReadonlyMap<string, Deliveries>, ledger: ExchangeLedger, rate: number): void {
  const counts = new Map(ledger.published.map(([stream, count]) => [stream, count - Math.ceil(END_MS / 1000 * rate)]));
  for (const { sent } of ledger.connections) {
    for (const [stream, last] of sent) counts.set(stream, Math.max(counts.get(stream) ?? 0, last + 1));
  }
  const now = Date.now();
  for (const [stream, delivered] of deliveries) delivered.end(counts.get(stream) ?? 0, now);
}

/** The latest fault that the hole may come from. */
function causeOf({ at }: Hole, faults: readonly FaultRecord[], { settleMs }: Bounds): FaultName | undefined {
  return faults.filter((fault) => fault.at <= at && at <= fault.endedAt + settleMs).at(-1)?.fault;
}

function countOf(holes: readonly Hole[]): number {
  return holes.reduce((count, { from, to }) => count + to - from + 1, 0);
}

function examples(losses: readonly Loss[]): string {
  if (losses.length === 0) return "";
  const some = losses.slice(0, 3).map(({ stream, from, to, fault }) =>
    `${stream} ${from} to ${to}${fault === undefined ? "" : ` after ${fault}`}`
  );
  return ` (${some.join(", ")}${losses.length > some.length ? ", …" : ""})`;
}

/** Each hole that ids show must have been reported as it was, and nothing else. */
function judgeGaps(losses: readonly Loss[], gaps: readonly GapSignal[]): Verdict[] {
  const keyOf = (stream: string, last: number, next: number): string => `${stream} ${last} ${next}`;
  // A hole at the very beginning or the end of the run has only one side.
  const real = losses.filter(({ stream, from }) => from > 0 && idsOf(stream, 0) !== undefined).map(
    ({ stream, from, to }) => keyOf(stream, idsOf(stream, from - 1)?.last ?? NaN, idsOf(stream, to + 1)?.first ?? NaN),
  );
  const reported = new Set(gaps.map(({ stream, lastId, nextId }) => keyOf(stream, lastId, nextId)));
  const unreported = real.filter((key) => !reported.has(key));
  const unreal = [...reported].filter((key) => !real.includes(key));
  const silent = losses.filter(({ stream }) => idsOf(stream, 0) === undefined).length;
  return [verdict(
    "gaps reported are the gaps that were",
    unreported.length === 0 && unreal.length === 0 && gaps.length === reported.size,
    `${real.length} real, ${gaps.length} reported, ${unreported.length} not reported${sample(unreported)}, ` +
      `${unreal.length} reported that were none${sample(unreal)}; ${silent} in streams whose numbers can't tell`,
  )];
}

function sample(keys: readonly string[]): string {
  return keys.length === 0 ? "" : ` (${keys[0]})`;
}

/** Connections that lived until the exchange cut them because of their age. */
function ageCuts({ connections }: ExchangeLedger, ageMs: number): number {
  return connections.filter(({ openedAt, closedAt, closeSent }) =>
    closeSent?.code === 1001 && closedAt !== undefined && closedAt - openedAt >= ageMs
  ).length;
}

function judgeReconnects({ reconnects, states }: Evidence): Verdict {
  const times = reconnects.flatMap(({ ms }) => ms ?? []).sort((a, b) => a - b);
  const at = (share: number): string => `${times[Math.floor((times.length - 1) * share)] ?? 0} ms`;
  const stuck = reconnects.length - times.length;
  return verdict(
    "data comes again after every loss",
    stuck === 0 && states.every((state) => state === "running"),
    `${reconnects.length} losses, data again after ${at(0.5)} (median), ${at(0.95)} (95 %), ${at(1)} (longest); ` +
      `${stuck} without data since; at the end: ${states.join(", ")}`,
  );
}

/** What a client must not do, by the exchange's own strict counters. */
function judgeLimits(
  { connections, maxConnectionAttempts }: ExchangeLedger,
  faults: readonly FaultRecord[],
  bounds: Bounds,
): Verdict {
  const frames = Math.max(0, ...connections.map(({ maxFramesPerSecond }) => maxFramesPerSecond));
  const violations = connections.filter(({ closeSent }) => closeSent?.code === 1008);
  const streams = Math.max(0, ...connections.map(({ subscribes }) => subscribes.length));
  const repeated = connections.filter((connection) =>
    !missedAnswers(connection, faults, bounds) && connection.subscribes.some(([, count]) => count > 1)
  );
  return verdict(
    "limits kept, one SUBSCRIBE per stream and connection",
    frames <= bounds.framesPerSecond && maxConnectionAttempts <= bounds.connectionAttempts && violations.length === 0 &&
      streams <= bounds.streamsPerConnection && repeated.length === 0,
    `most frames within a second: ${frames} of ${bounds.framesPerSecond}; most connections in the window: ` +
      `${maxConnectionAttempts} of ${bounds.connectionAttempts}; closed with 1008: ${violations.length}` +
      `${violations.length > 0 ? ` (${violations[0]?.closeSent?.reason})` : ""}; ` +
      `connections on which a stream was asked for twice: ${repeated.length} of ${connections.length}`,
  );
}

/** Whether the connection lived while answers or data of subscriptions were withheld: then asking again is right. */
function missedAnswers(
  { openedAt, closedAt = Infinity }: ConnectionLedger,
  faults: readonly FaultRecord[],
  { settleMs }: Bounds,
): boolean {
  const withheld: readonly FaultName[] = ["lostAck", "silentAck", "stall", "slow", "deaf"];
  return faults.some(({ fault, at, endedAt }) =>
    withheld.includes(fault) && openedAt <= endedAt + settleMs && closedAt >= at
  );
}
