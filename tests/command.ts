/**
 * Runs the command line and the demo as a user does: as a process, on the runtime that runs the test.
 *
 * @module
 */

import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { main } from "@rawtick/binance/cli";
import { until } from "./support.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const config = `${root}${existsSync(`${root}deno.offline.json`) ? "deno.offline.json" : "deno.json"}`;
const runtimeArguments = "Deno" in globalThis ? ["run", "-A", "--no-check", "--config", config] : [];
/** Longest time in ms that a process may take. */
const LIMIT_MS = 40_000;

/** A process that runs a script of this repository. */
export class Command implements Disposable {
  /** What it wrote to stderr so far. */
  errors = "";
  /** Resolves with the exit code once the process has ended and all that it wrote was read. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcessByStdio<null, Readable | null, Readable>;
  #output = "";
  #exitCode: number | null | undefined;

  /** Starts it. Its stdout is read from here, or it is the file descriptor `stdout`; `env` is added to our environment. */
  constructor(script: string, args: readonly string[], stdout?: number, env: Readonly<Record<string, string>> = {}) {
    const command = [...runtimeArguments, `${root}${script}`, ...args];
    // The cast: the types know a descriptor only as something that may also be inherited or a stream.
    this.#child = spawn(process.execPath, command, {
      stdio: ["ignore", stdout ?? "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", ...env },
    }) as ChildProcessByStdio<null, Readable | null, Readable>;
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => void (this.#output += text));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => void (this.errors += text));
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), LIMIT_MS);
    this.ended = new Promise((resolve, reject) => {
      this.#child.on("error", reject);
      this.#child.on("close", (code) => {
        clearTimeout(timer);
        this.#exitCode = code;
        resolve(code);
      });
    });
  }

  /** Closes the reading end of its stdout. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** What it wrote to stdout so far. */
  get output(): string {
    return this.#output;
  }

  /** The whole lines that it wrote to stdout so far. */
  get lines(): string[] {
    return this.#output.split("\n").slice(0, -1);
  }

  /** Its exit code, null if a signal has ended it, undefined while it runs. */
  get exitCode(): number | null | undefined {
    return this.#exitCode;
  }

  /** Sends it a signal. */
  kill(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): void {
    // `kill()` of the child itself makes Deno report the signal in the place of the exit code.
    if (this.#child.pid === undefined || this.#exitCode !== undefined) return;
    try {
      process.kill(this.#child.pid, signal);
    } catch (error) {
      // It has ended and the event that says so is still on its way.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  /** Waits until it has written `count` lines to stdout. */
  async untilLines(count: number, timeoutMs?: number): Promise<void> {
    await until(
      () => this.lines.length >= count || this.#exitCode !== undefined,
      `${count} lines from the command; ${this.errors}`,
      timeoutMs,
    );
    if (this.lines.length < count) {
      throw new Error(`The command ended after ${this.lines.length} lines: ${this.errors}`);
    }
  }

  [Symbol.dispose](): void {
    if (this.#exitCode === undefined) this.#child.kill("SIGKILL");
  }
}

/** How a process ended, and what it wrote. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** Runs a script until it ends by itself. */
export async function run(script: string, args: readonly string[]): Promise<Outcome> {
  using command = new Command(script, args);
  const code = await command.ended;
  const { output, lines, errors } = command;
  return { code, output, lines, errors };
}

/** Starts a command of the command line. */
export function startCli(...args: string[]): Command {
  return new Command("cli.ts", args);
}

/** Runs a command of the command line until it ends by itself. */
export function runCli(...args: string[]): Promise<Outcome> {
  return run("cli.ts", args);
}

/** Runs a command in this process. */
export async function callCli(args: string[], write?: (bytes: Uint8Array) => Promise<void>): Promise<Outcome> {
  let output = "";
  const errors: string[] = [];
  const code = await main(args, {
    write: write ?? ((bytes) => Promise.resolve(void (output += new TextDecoder().decode(bytes)))),
    report: (line) => void errors.push(line),
    signal: AbortSignal.timeout(30_000),
  });
  return { code, output, lines: output.split("\n").slice(0, -1), errors: errors.join("\n") };
}

/** A folder that goes away with the test. */
export class TemporaryFolder implements Disposable {
  readonly #path = mkdtempSync(join(tmpdir(), "rawtick-"));

  /** Path of a file in it. */
  file(name: string): string {
    return join(this.#path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { recursive: true });
  }
}

/** A pipe with nobody at its reading end, which takes 64 KiB on Linux and then no more. */
export class StuckPipe implements Disposable {
  /** File descriptor to write to. */
  readonly descriptor: number;
  readonly #folder = new TemporaryFolder();
  readonly #path = this.#folder.file("pipe");
  #isOpen = true;

  constructor() {
    const { status } = spawnSync("mkfifo", [this.#path]);
    if (status !== 0) throw new Error("Cannot make a named pipe with mkfifo");
    // Opened for writing only, it would wait for a reader.
    this.descriptor = openSync(this.#path, "r+");
  }

  /** Gives it a reader; resolves with everything that was written once all writers are gone. */
  readAll(): Promise<string> {
    const { stdout } = spawn("cat", [this.#path], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      this.#close();
    });
    return new Promise((resolve) => stdout.on("end", () => resolve(text)));
  }

  /** Once there is a reader, our own end has to go, or it never sees the end. */
  #close(): void {
    if (this.#isOpen) closeSync(this.descriptor);
    this.#isOpen = false;
  }

  [Symbol.dispose](): void {
    this.#close();
    this.#folder[Symbol.dispose]();
  }
}
