/**
 * Medians, ratios and wins of measurements that were made in turn.
 *
 * @module
 */

import type { Row } from "./rows.ts";
import type { Measured } from "./rounds.ts";

/** The middle of some numbers; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? NaN : (low + high) / 2;
}

/** What can be compared between rows. */
export type Measure = "msgsPerSecond" | "cpuMicrosPerMessage" | "p50Micros" | "p99Micros" | "bytesPerConnection";

/** How two sides compare. */
export interface Comparison {
  /** Median of the one by median of the other. */
  readonly ofMedians: number;
  /** Median of the ratios of the rounds: what slowed both down in the same round cancels out. */
  readonly pairwise: number;
  /** Rounds in which the one had more than the other. */
  readonly wins: number;
  readonly rounds: number;
}

/** Compares `one` with `other`, round by round. */
export function compare(one: Measured, other: Measured, measure: Measure): Comparison {
  const ratios = one.rounds.flatMap(({ row }, round) => {
    const otherRow = other.rounds[round]?.row;
    return otherRow === undefined ? [] : [valueOf(row, measure) / valueOf(otherRow, measure)];
  });
  return {
    ofMedians: medianOf(one, measure) / medianOf(other, measure),
    pairwise: median(ratios),
    wins: ratios.filter((ratio) => ratio > 1).length,
    rounds: ratios.length,
  };
}

/** The median of one measure over the rounds. */
export function medianOf({ rounds }: Measured, measure: Measure): number {
  return median(rounds.map(({ row }) => valueOf(row, measure)));
}

function valueOf(row: Row, measure: Measure): number {
  return row[measure] ?? NaN;
}

/** The row that stands for all rounds of a side; undefined if there is none. */
export function medianRow(measured: Measured): Row | undefined {
  const [first] = measured.rounds;
  if (first === undefined) return undefined;
  const { row } = first;
  const of = (measure: Measure) => medianOf(measured, measure);
  return {
    ...row,
    // The same in all rounds, but for round trips that the time was too short for.
    messages: Math.round(median(measured.rounds.map(({ row }) => row.messages))),
    bytes: Math.round(median(measured.rounds.map(({ row }) => row.bytes))),
    msgsPerSecond: of("msgsPerSecond"),
    cpuMicrosPerMessage: of("cpuMicrosPerMessage"),
    ...(row.p50Micros !== undefined && { p50Micros: of("p50Micros") }),
    ...(row.p99Micros !== undefined && { p99Micros: of("p99Micros") }),
    ...(row.bytesPerConnection !== undefined && { bytesPerConnection: of("bytesPerConnection") }),
  };
}
