/**
 * A lock between processes: two tasks that start at the same time must not install into one folder.
 *
 * @module
 */

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

/** Age in ms after which a lock is that of a process that was killed, even if its process id is in use again. */
const STALE_MS = 15 * 60_000;

/** Runs `action` while no other process that uses the same file does. */
export async function withLock<T>(file: string, action: () => Promise<T>): Promise<T> {
  let told = false;
  while (!take(file)) {
    if (!told) console.error("Waiting for another setup to end");
    told = true;
    await delay(200);
  }
  const release = () => rmSync(file, { force: true });
  process.on("exit", release);
  try {
    return await action();
  } finally {
    process.off("exit", release);
    release();
  }
}

/** Creates the file with our process id, unless it holds that of a process that lives. */
function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  try {
    const owner = Number(readFileSync(file, "utf8"));
    // An empty file is one that its owner has just created.
    const isOld = Date.now() - statSync(file).mtimeMs > STALE_MS;
    if (!isOld && owner !== process.pid && (owner === 0 || isAlive(owner))) return false;
    rmSync(file, { force: true });
  } catch {
    // Its owner has just removed it.
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
