/**
 * Runs other programs: captured with a time limit, or in the user's terminal with signals passed on.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The repository's root, with a trailing separator. */
export const ROOT: string = fileURLToPath(new URL("..", import.meta.url));

/** How a captured program ended. */
export interface Outcome {
  /** Exit code; -1 if a signal or the time limit ended it, or if it could not be started. */
  readonly code: number;
  /** The signal that ended it; null if none did. */
  readonly signal: string | null;
  /** What it printed, without colours. */
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the time limit ended it. */
  readonly timedOut: boolean;
  /** Wall-clock time in ms. */
  readonly ms: number;
}

/** How a captured program runs. */
export interface RunOptions {
  /** Default: the repository's root. */
  readonly cwd?: string;
  /** Added to the environment. Default: nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /** Longest time in ms before the program and its children are killed. Default: 300000. */
  readonly limitMs?: number;
}

/** Signals that ask a program to end. */
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Programs started by `run` that have not ended: killed when this process is told to stop. */
const running = new Set<ChildProcess>();

/** Runs a program without a terminal and without stdin, and captures what it prints. Never rejects. */
export function run(command: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const [program = "", ...args] = command;
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, NO_COLOR: "1", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that a time limit can kill a program's children too.
      detached: process.platform !== "win32",
      shell: needsShell(program),
    });
    running.add(child);
    const output = { stdout: "", stderr: "" };
    let timedOut = false;
    let done = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill(child, "SIGKILL");
      // A grandchild that left the group can hold the pipes open for ever: don't wait for it.
      setTimeout(() => finish(-1), 2_000).unref();
    }, options.limitMs ?? 300_000);
    const finish = (code: number, signal: string | null = null, message = "") => {
      if (done) return;
      done = true;
      running.delete(child);
      clearTimeout(timer);
      // Pipes that a grandchild holds open must not keep this process alive.
      child.stdout?.destroy();
      child.stderr?.destroy();
      const stdout = stripVTControlCharacters(output.stdout);
      const stderr = stripVTControlCharacters(output.stderr) + message;
      resolve({ code, signal, stdout, stderr, timedOut, ms: performance.now() - started });
    };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void (output.stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void (output.stderr += text));
    child.on("error", (error) => finish(-1, null, `Cannot run ${program}: ${error.message}\n`));
    child.on("close", (code, signal) => finish(timedOut ? -1 : code ?? -1, signal));
  });
}

/**
 * Kills every program of `run` when this process is interrupted or terminated, then ends it as the signal would.
 *
 * @returns A function that takes this back.
 */
export function stopChildrenOnSignals(): () => void {
  const stop = (signal: NodeJS.Signals) => {
    for (const child of running) kill(child, "SIGKILL");
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of FORWARDED) process.on(signal, stop);
  return () => FORWARDED.forEach((signal) => process.off(signal, stop));
}

/**
 * Runs a program with this process' stdin, stdout and stderr, and returns its exit code (128 + n for signal n).
 * The program gets a process group of its own and each signal exactly once from here: in a terminal, Ctrl-C would
 * otherwise come from the terminal, from the task runner above us and from us.
 */
export function passThrough(command: readonly string[]): Promise<number> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit", detached: process.platform !== "win32" });
    const last = new Map<string, number>();
    const forward = (signal: NodeJS.Signals) => {
      const now = performance.now();
      // The same keypress can reach us twice, from the terminal and from the task runner above us.
      if (now - (last.get(signal) ?? -Infinity) < 100) return;
      last.set(signal, now);
      // Not child.kill(): after it, Deno reports the signal even if the program handled it and ended with a code.
      if (child.pid !== undefined && child.exitCode === null) process.kill(child.pid, signal);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    const finish = (code: number) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      resolve(code);
    };
    child.on("error", (error) => {
      console.error(`Cannot run ${program}: ${error.message}`);
      finish(127);
    });
    child.on("exit", (code, signal) => finish(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended already.
  }
}

/** On Windows, npm and npx are scripts that only a shell can start. */
function needsShell(program: string): boolean {
  return process.platform === "win32" && /(^|[\\/])np[mx](\.cmd)?$/i.test(program);
}
