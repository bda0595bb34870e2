/**
 * What an open connection costs that does nothing: the growth of resident memory.
 *
 * @module
 */

import { setTimeout as delay } from "node:timers/promises";
import process from "node:process";
import type { Order, Row } from "../rows.ts";
import type { Dial, Line } from "./dial.ts";
import type { Measured } from "./meter.ts";

/** Handshakes at a time: fewer than any listen backlog. */
const AT_A_TIME = 50;

/** Each runtime's way to collect garbage at once; V8 has it with `--expose-gc`. */
const runtime = globalThis as {
  // The reason for the cast: no runtime's types know the others' globals.
  readonly Bun?: { gc(force: boolean): void };
  readonly gc?: () => void;
};

/** Resident memory in bytes, once the garbage is gone and it does not shrink any more. */
async function settledMemory(): Promise<number> {
  let lowest = Infinity;
  for (let round = 0; round < 10; round++) {
    runtime.Bun?.gc(true);
    runtime.gc?.();
    await delay(50);
    lowest = Math.min(lowest, process.memoryUsage.rss());
  }
  return lowest;
}

/** Runs an order of mode idle: `warmup` connections grow the runtime, `messages` more are measured. */
export async function measureIdle(
  dial: Dial,
  urls: readonly string[],
  ca: string,
  { warmup, messages }: Order,
): Promise<Measured & Pick<Row, "bytesPerConnection">> {
  const lines: Line[] = [];
  const open = async (count: number) => {
    while (lines.length < count) {
      const batch = Array.from({ length: Math.min(AT_A_TIME, count - lines.length) }, (_, index) => {
        return dial(urls[(lines.length + index) % urls.length] ?? "", () => {}, ca);
      });
      lines.push(...await Promise.all(batch));
    }
  };
  await open(warmup);
  const before = await settledMemory();
  await open(warmup + messages);
  const after = await settledMemory();
  return {
    messages,
    bytes: 0,
    msgsPerSecond: 0,
    cpuMicrosPerMessage: 0,
    // `lines` is used here so that no connection is collected before.
    bytesPerConnection: (after - before) / (lines.length - warmup),
  };
}
