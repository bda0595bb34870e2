/**
 * The rows of the CSV: one for each minute, with the columns of the reference product's soak.
 *
 * @module
 */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";

/** One logical stream in a row. */
export interface StreamMetrics {
  readonly label: string;
  readonly status: string;
  readonly reconnects: number;
  readonly lastDataSeconds: number;
  readonly receives: number;
}

/** What the owner of the rows counts. */
export interface Counted {
  readonly uptimeSeconds: number;
  readonly messages: number;
  readonly bytes: number;
  readonly errors: number;
  readonly streams: readonly StreamMetrics[];
}

/** The memory at a time. */
export interface MemorySample {
  /** Real ms since the start. */
  readonly at: number;
  readonly rssBytes: number;
}

const HEAD = [
  "timestamp",
  "uptime_s",
  "messages_total",
  "messages_per_s",
  "mb_total",
  "rss_mb",
  "cpu_pct",
  "threads",
  "errors",
  "api_ok",
  "api_failed",
];

/** Writes rows to a file, if there is one, and keeps the memory of each. */
export class Metrics {
  readonly memory: MemorySample[] = [];
  readonly #file: string | undefined;
  readonly #startedAt = performance.now();
  #rows = 0;
  #last = { at: performance.now(), messages: 0, cpu: process.cpuUsage() };

  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** Adds a row; returns it by its columns. */
  add({ uptimeSeconds, messages, bytes, errors, streams }: Counted): Readonly<Record<string, string>> {
    const at = performance.now();
    const seconds = Math.max(0.001, (at - this.#last.at) / 1000);
    const cpu = process.cpuUsage();
    const cpuSeconds = (cpu.user + cpu.system - this.#last.cpu.user - this.#last.cpu.system) / 1e6;
    const rssBytes = process.memoryUsage().rss;
    this.memory.push({ at: at - this.#startedAt, rssBytes });
    const row: Record<string, string> = {};
    const values = [
      new Date().toISOString(),
      uptimeSeconds.toFixed(0),
      String(messages),
      ((messages - this.#last.messages) / seconds).toFixed(1),
      (bytes / 2 ** 20).toFixed(3),
      (rssBytes / 2 ** 20).toFixed(1),
      (cpuSeconds / seconds * 100).toFixed(1),
      threads(),
      String(errors),
      // No account is used: these two are there for those who read the reference product's files.
      "0",
      "0",
    ];
    HEAD.forEach((name, index) => row[name] = values[index] ?? "");
    for (const { label, status, reconnects, lastDataSeconds, receives } of streams) {
      row[`${label}_status`] = status;
      row[`${label}_reconnects`] = String(reconnects);
      row[`${label}_last_data_s`] = lastDataSeconds.toFixed(1);
      row[`${label}_receives`] = String(receives);
    }
    this.#write(row);
    this.#last = { at, messages, cpu };
    return row;
  }

  #write(row: Readonly<Record<string, string>>): void {
    if (this.#file === undefined) return;
    if (this.#rows++ === 0) writeFileSync(this.#file, `${Object.keys(row).join(",")}\n`);
    appendFileSync(this.#file, `${Object.values(row).join(",")}\n`);
  }
}

/** Number of threads of this process, where the system tells. */
function threads(): string {
  if (!existsSync("/proc/self/status")) return "";
  return /^Threads:\s*(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
}

/** Growth of the memory per real hour in bytes: a straight line through the second half of the samples. */
export function memorySlope(samples: readonly MemorySample[]): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = mean(late.map((sample) => sample.at));
  const rss = mean(late.map((sample) => sample.rssBytes));
  let covariance = 0;
  let variance = 0;
  for (const sample of late) {
    covariance += (sample.at - at) * (sample.rssBytes - rss);
    variance += (sample.at - at) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance * 3_600_000;
}
