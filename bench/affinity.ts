/**
 * Keeps client and server of a round trip on one core, where the system lets it be chosen.
 *
 * Only one of them works at a time. On two cores each answer has to wake a core that has gone to sleep, which in a
 * virtual machine takes several times as long as the rest (seen: 81 instead of 14 µs), or not, as the scheduler likes.
 *
 * @module
 */

import { availableParallelism } from "node:os";
import process from "node:process";
import { run } from "../tools/process.ts";
import { findProgram } from "../tools/runtimes.ts";

const taskset = process.platform === "linux" ? findProgram("taskset") : undefined;
const cores = availableParallelism();

/** Whether processes can be kept on a core. */
export const canPin: boolean = taskset !== undefined;

/** A command that runs on one core, the same for all; the command itself where that can't be. */
export function onOneCore(command: readonly string[]): readonly string[] {
  return taskset === undefined ? command : [taskset, "--cpu-list", String(cores - 1), ...command];
}

/** Keeps a running process on that core, or lets it use all of them again. */
export async function pin(pid: number, isPinned: boolean): Promise<void> {
  if (taskset === undefined) return;
  const list = isPinned ? String(cores - 1) : `0-${cores - 1}`;
  await run([taskset, "--all-tasks", "--cpu-list", "--pid", list, String(pid)], { limitMs: 10_000 });
}
