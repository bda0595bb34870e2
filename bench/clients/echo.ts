/**
 * Request and response, one at a time.
 *
 * @module
 */

import process from "node:process";
import type { Order, Row } from "../rows.ts";
import type { Dial } from "./dial.ts";
import type { Measured } from "./meter.ts";

/**
 * Longest time in ms of the measured round trips: a side that waits for the delayed acknowledgements of TCP (40 ms each)
 * makes fewer of them, which is what it is measured for.
 */
const LIMIT_MS = 3_000;
/** Longest time in ms before. */
const WARMUP_LIMIT_MS = 1_000;

/** Runs an order of mode echo. The times go into one array that is there from the start: nothing is collected. */
export async function measureEcho(
  dial: Dial,
  url: string,
  ca: string,
  { echoBytes, warmup, messages }: Order,
): Promise<Measured & Pick<Row, "p50Micros" | "p99Micros">> {
  const request = "x".repeat(echoBytes);
  const times = new Float64Array(messages);
  let resolve = () => {};
  const allDone = new Promise<void>((itsResolve) => resolve = itsResolve);
  let done = -warmup;
  let sent = 0;
  let started = performance.now();
  let cpu: NodeJS.CpuUsage | undefined;
  let cpuMicros = 0;
  let ended = 0;

  const next = () => {
    sent = performance.now();
    line.send(request);
  };
  const onText = (text: string) => {
    const now = performance.now();
    if (text.length !== echoBytes) throw new Error(`The answer has ${text.length} bytes instead of ${echoBytes}`);
    if (done >= 0) times[done] = now - sent;
    done++;
    if (done < 0 && now - started > WARMUP_LIMIT_MS) done = 0;
    if (done === 0) {
      cpu = process.cpuUsage();
      started = performance.now();
    }
    if (done < messages && now - started < LIMIT_MS) return next();
    ended = now;
    const { user, system } = process.cpuUsage(cpu);
    cpuMicros = user + system;
    resolve();
  };
  const line = await dial(url, onText, ca);
  next();
  await allDone;
  const sorted = times.subarray(0, done).sort();
  const quantile = (part: number) => (sorted[Math.min(done - 1, Math.floor(done * part))] ?? 0) * 1_000;
  return {
    messages: done,
    bytes: done * echoBytes,
    msgsPerSecond: done / (ended - started) * 1_000,
    cpuMicrosPerMessage: cpuMicros / done,
    p50Micros: quantile(0.5),
    p99Micros: quantile(0.99),
  };
}
