/**
 * The report at the end of the soak, as text.
 *
 * @module
 */

import { type FaultName, faultOf } from "./chaos.ts";
import type { Verdict } from "./judge.ts";
import { type MemorySample, memorySlope } from "./metrics.ts";
import type { FaultRecord } from "./protocol.ts";

/** How long in ms a run must be for its memory to be judged: until then, the runtime compiles and its heap finds its size. */
const SHORTEST_FOR_MEMORY_MS = 120_000;
/** Growth in bytes that the second half of a run may show; a heap breathes. */
const MAXIMUM_GROWTH = 24 * 2 ** 20;

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

/** Whether the memory stayed within bounds. */
export function judgeMemory(samples: readonly MemorySample[]): Verdict {
  const durationMs = samples.at(-1)?.at ?? 0;
  const slope = memorySlope(samples);
  const growth = slope * durationMs / 2 / 3_600_000;
  const isJudged = durationMs >= SHORTEST_FOR_MEMORY_MS;
  return {
    promise: "memory flat",
    isKept: !isJudged || growth <= MAXIMUM_GROWTH,
    details:
      `${megabytes(samples[0]?.rssBytes ?? 0)} MB at first, ${megabytes(samples.at(-1)?.rssBytes ?? 0)} MB at last; ` +
      `slope of the second half ${megabytes(slope)} MB per real hour, ${megabytes(growth)} MB in all` +
      `${isJudged ? "" : "; not judged in a run of less than 2 min"}`,
  };
}

/** The lines of verdicts. */
export function verdictLines(title: string, verdicts: readonly Verdict[]): string[] {
  return [
    title,
    ...verdicts.map(({ promise, isKept, details }) => `  ${isKept ? "ok    " : "FAILED"} ${promise}: ${details}`),
  ];
}

/** How often each fault was committed. */
export function faultLines(faults: readonly FaultRecord[]): string[] {
  const counts = new Map<FaultName, number>();
  for (const { fault } of faults) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return [
    `Faults: ${faults.length}`,
    ...[...counts].map(([fault, count]) => `  ${String(count).padStart(3)} ${fault}: ${faultOf(fault).what}`),
  ];
}
