/**
 * Makes `nice` mean what it says.
 *
 * Linux with autogroups, which most desktops and this machine have, shares the cores fairly between sessions first, and
 * looks at the priority of a process only within its session. Against others, only the priority of the session counts.
 *
 * @module
 */

import { existsSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";

const AUTOGROUP = "/proc/self/autogroup";

/** Gives this session the priority that this process was started with, where the system has such and allows it. */
export function passPriorityOn(): void {
  const priority = getPriority();
  if (priority === 0 || !existsSync(AUTOGROUP)) return;
  try {
    writeFileSync(AUTOGROUP, String(priority));
  } catch {
    // Without the right to, or too soon after the last time: the figures are as good as the machine is quiet.
  }
}
