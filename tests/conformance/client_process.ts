/**
 * The suite's hold on the process of a client under test.
 *
 * @module
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import type { ClientReport, ClientSetup, Command, Hello, LateFault } from "./client_protocol.ts";

/** Longest time in ms that a process may need to start, and to end once it has nothing to do. */
const START_MS = 30_000;
const STOP_MS = 5_000;

/** A running client. */
export class ClientProcess {
  /** Runtime and version, such as `bun 1.4.5`. */
  readonly runtime: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #reports = new Map<number, (report: ClientReport) => void>();
  readonly #late = new Map<number, string[]>();
  readonly #exited: Promise<void>;
  #errors = "";
  #dead = false;

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, runtime: string) {
    this.#child = child;
    this.runtime = runtime;
    this.#exited = new Promise((resolve) => child.once("close", () => resolve()));
    this.#exited.then(() => this.#die());
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (this.#errors += text));
    child.stdin.on("error", () => {});
  }

  /**
   * Starts a client.
   *
   * @param command The command line; `client.ts` and its argument are the last of it.
   * @throws {Error} if it does not start.
   */
  static async start(command: readonly string[]): Promise<ClientProcess> {
    const [program = "", ...args] = command;
    // Nothing between us and the client: the runtimes' own WebSockets may obey the proxies of the environment.
    const env = { ...process.env, NO_COLOR: "1", NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env });
    const hello = Promise.withResolvers<string>();
    let take = (line: string): void => hello.resolve((JSON.parse(line) as Hello).hello); // the first line is always this
    let errors = "";
    let text = "";
    child.stderr.on("data", (chunk) => void (errors += chunk));
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      lines.forEach((line) => take(line));
    });
    child.on("error", hello.reject);
    child.once("exit", (code) => hello.reject(new Error(`The client ended with ${code}: ${errors.trim()}`)));
    const timer = setTimeout(() => hello.reject(new Error(`The client did not start: ${errors}`)), START_MS);
    try {
      const client = new ClientProcess(child, await hello.promise);
      take = (line) => client.#take(JSON.parse(line));
      return client;
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether it has ended. */
  get isDead(): boolean {
    return this.#dead;
  }

  /** Has it open a connection; resolves with its report. */
  open(run: number, url: string, setup: ClientSetup): Promise<ClientReport> {
    this.#send({ run, url, setup });
    return new Promise((resolve) => this.#reports.set(run, resolve));
  }

  /** Has it give up its connection; the report comes then. */
  giveUp(run: number): void {
    this.#send({ run, giveUp: true });
  }

  /** All that came after a report. */
  get allLateFaults(): ReadonlyMap<number, readonly string[]> {
    return this.#late;
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

  /** A crash is the outcome of the case that was running. */
  #die(): void {
    this.#dead = true;
    for (const [run, resolve] of this.#reports) {
      resolve({ run, seen: [], canPing: true, faults: [`the process ended: ${this.#errors.trim()}`] });
    }
    this.#reports.clear();
  }

  #send(command: Command): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  #take(message: ClientReport | LateFault): void {
    if ("late" in message) {
      const faults = this.#late.get(message.run) ?? [];
      faults.push(message.late);
      this.#late.set(message.run, faults);
      return;
    }
    this.#reports.get(message.run)?.(message);
    this.#reports.delete(message.run);
  }
}
