/**
 * The matrix' hold on the process of a client.
 *
 * @module
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ROOT } from "../../tools/process.ts";
import { findRuntime, type Runtime } from "../../tools/runtimes.ts";
import type { Command, Hello, Report } from "./client_protocol.ts";

const CLIENT = fileURLToPath(new URL("client.ts", import.meta.url));
/** What resolves the packages that the client's modules import: without JSR, the generated one. */
const CONFIG = join(ROOT, existsSync(join(ROOT, "deno.offline.json")) ? "deno.offline.json" : "deno.json");
/** Longest time in ms that a process may need to start, for one connection, and to end with nothing left to do. */
const START_MS = 30_000;
const RUN_MS = 20_000;
const STOP_MS = 5_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A running client. */
export class ClientProcess {
  /** Runtime and version, such as `bun 1.4.5`. */
  readonly runtime: string;
  readonly #child: Child;
  readonly #lines: Lines;
  readonly #exited: Promise<void>;
  #runs = 0;

  private constructor(child: Child, lines: Lines, exited: Promise<void>, runtime: string) {
    this.#child = child;
    this.#lines = lines;
    this.#exited = exited;
    this.runtime = runtime;
  }

  /**
   * Starts a client with variables added to the environment; `undefined` takes one out.
   *
   * @throws {Error} if it does not start.
   */
  static async start(runtime: Runtime, env: Readonly<Record<string, string | undefined>>): Promise<ClientProcess> {
    const binary = await findRuntime(runtime);
    const args = runtime === "deno" ? ["run", "-A", "--no-check", "--config", CONFIG, CLIENT] : [CLIENT];
    const variables = Object.entries({ ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env }).filter((
      [, value],
    ) => value !== undefined);
    const child = spawn(binary, args, { stdio: ["pipe", "pipe", "pipe"], env: Object.fromEntries(variables) });
    child.stdin.on("error", () => {});
    const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const lines = new Lines(child);
    try {
      const { hello } = JSON.parse(await lines.next(START_MS)) as Hello; // the first line is always this
      return new ClientProcess(child, lines, exited, hello);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  /** Has it open a connection. A crash or a hang is a report too. */
  async run(command: Omit<Command, "run">): Promise<Report> {
    const run = this.#runs++;
    this.#child.stdin.write(`${JSON.stringify({ ...command, run } satisfies Command)}\n`);
    try {
      return JSON.parse(await this.#lines.next(RUN_MS)) as Report; // one line for each command
    } catch (error) {
      return { run, talked: false, message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Ends its input; resolves with whether it ended by itself, as a process with nothing left to do has to. */
  async stop(): Promise<boolean> {
    this.#child.stdin.end();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), STOP_MS));
    const ended = await Promise.race([this.#exited.then(() => true), late]);
    clearTimeout(timer);
    this.#child.kill("SIGKILL");
    return ended;
  }
}

/** What a process prints, a line at a time. */
class Lines {
  readonly #waiting: string[] = [];
  #take: ((line: string) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;
  #errors = "";
  #end: Error | undefined;

  constructor(child: Child) {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (this.#take === undefined) this.#waiting.push(line);
        else this.#take(line);
      }
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (this.#errors += chunk));
    const end = (what: string): void => {
      this.#end = new Error(`The client ${what}: ${this.#errors.trim()}`);
      this.#fail?.(this.#end);
    };
    child.once("close", (code) => end(`ended with ${code}`));
    child.once("error", (error) => end(`did not start, ${error.message}`));
  }

  /** The next line. Rejects if there is none within `limitMs`. */
  async next(limitMs: number): Promise<string> {
    const first = this.#waiting.shift();
    if (first !== undefined) return first;
    if (this.#end !== undefined) throw this.#end;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    [this.#take, this.#fail] = [resolve, reject];
    const timer = setTimeout(() => {
      reject(new Error(`The client said nothing for ${limitMs} ms: ${this.#errors.trim()}`));
    }, limitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#take = this.#fail = undefined;
    }
  }
}
