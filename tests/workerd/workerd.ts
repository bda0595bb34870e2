/**
 * Runs bundles in the real workerd, the runtime of Cloudflare Workers, as a process of its own.
 *
 * @module
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundle } from "../../tools/bundle.ts";
import { type WorkerConfig, workerdConfig } from "./config.ts";

/** Longest time in ms until it listens. */
const START_LIMIT_MS = 15_000;
/** Longest time in ms of a request of {@linkcode Workerd.fetch}. */
const REQUEST_LIMIT_MS = 10_000;

/** workerd tells of errors that nothing catches, but not of rejections that nobody handles. */
const REPORT_REJECTIONS = `addEventListener("unhandledrejection", (event) => {
  console.error("Unhandled rejection: " + (event.reason?.stack ?? event.reason));
});`;

/** What runs, and with what. */
export interface WorkerdOptions extends WorkerConfig {
  /** The module whose default export handles requests, with everything that it imports; it is bundled. */
  readonly entry: URL;
}

/** The binary of the npm package that belongs to this platform; undefined if there is none, or it doesn't run here. */
export function workerdBinary(): string | undefined {
  const platform = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform as string];
  const architecture = { x64: "64", arm64: "arm64" }[process.arch as string];
  const name = `workerd${process.platform === "win32" ? ".exe" : ""}`;
  const path = fileURLToPath(
    new URL(`../../node_modules/@cloudflare/workerd-${platform}-${architecture}/bin/${name}`, import.meta.url),
  );
  return existsSync(path) && spawnSync(path, ["--version"]).status === 0 ? path : undefined;
}

/** A running workerd. */
export class Workerd implements AsyncDisposable {
  /** Base URL without a trailing slash, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  readonly #process: WorkerdProcess;

  private constructor(process: WorkerdProcess, port: number) {
    this.#process = process;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts it and waits until it listens. */
  static async start({ entry, ...config }: WorkerdOptions): Promise<Workerd> {
    const process = new WorkerdProcess(bundle(entry, { before: REPORT_REJECTIONS }), config);
    try {
      return new Workerd(process, await process.listening);
    } catch (error) {
      await process.end();
      throw error;
    }
  }

  /** The base URL for WebSockets, such as `ws://127.0.0.1:41234`. */
  get websocketUrl(): string {
    return this.url.replace("http:", "ws:");
  }

  /**
   * What it wrote to stderr so far: errors that nothing caught, and what the worker wrote with `console.error`. Clients
   * that went without a goodbye are left out.
   */
  get errors(): string {
    return this.#process.errors.replaceAll(DISCONNECTED, "");
  }

  /** What the worker wrote with `console.log` so far. */
  get output(): string {
    return this.#process.output;
  }

  /** Bytes of memory that the process has now; NaN where the system is not Linux. */
  get residentBytes(): number {
    const path = `/proc/${this.#process.pid}/status`;
    const status = existsSync(path) ? readFileSync(path, "utf8") : "";
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? NaN) * 1024;
  }

  /** Makes a request, which may take 10 s; any status but 2xx is an error that holds the answer. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(this.url + path, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS), ...init });
    if (response.ok) return response;
    throw new Error(`workerd answered ${path} with ${response.status}: ${await response.text()}`);
  }

  /** The JSON that a request is answered with. */
  async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    return await (await this.fetch(path, init)).json();
  }

  /** Kills it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.end();
  }
}

/**
 * Starts a workerd that serves the bundle of `entry` on 127.0.0.1.
 *
 * @throws {Error} if the entry can't be bundled, or workerd does not start; the message holds what it says.
 */
export function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  return Workerd.start(options);
}

/**
 * Runs a part of a test with a workerd of its own. What it throws also says what workerd has written; and if it throws
 * nothing, but workerd has written something to stderr, that is an error.
 */
export async function inWorkerd<T>(options: WorkerdOptions, part: (workerd: Workerd) => Promise<T>): Promise<T> {
  const workerd = await startWorkerd(options);
  let result: T;
  try {
    result = await part(workerd);
  } catch (error) {
    await workerd[Symbol.asyncDispose]();
    const written = workerd.output + workerd.errors;
    if (written === "") throw error;
    throw new Error(`${error instanceof Error ? error.message : error}\nworkerd wrote:\n${written}`, { cause: error });
  }
  // Its end is the end of what it writes.
  await workerd[Symbol.asyncDispose]();
  if (workerd.errors !== "") throw new Error(`workerd wrote to stderr:\n${workerd.errors}`);
  return result;
}

/** The process and its files. */
class WorkerdProcess {
  errors = "";
  /** The port, once it listens on it. */
  readonly listening: Promise<number>;
  readonly #folder = mkdtempSync(join(tmpdir(), "rawtick-workerd-"));
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #written = "";

  constructor(code: string, config: WorkerConfig) {
    writeFileSync(join(this.#folder, "worker.js"), code);
    writeFileSync(join(this.#folder, "config.capnp"), workerdConfig("worker.js", config));
    // Without --verbose, it says nothing of what is thrown in timers and the like. On the file descriptor it writes a
    // line once it listens.
    const args = ["serve", "--verbose", "--control-fd=1", "config.capnp"];
    this.#child = spawn(workerdBinary() ?? "workerd", args, {
      cwd: this.#folder,
      env: { ...process.env, PWD: this.#folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.listening = promise;
    const timer = setTimeout(() => reject(this.#failed(`did not listen within ${START_LIMIT_MS} ms`)), START_LIMIT_MS);
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#written += text;
      const port = LISTENING.exec(this.#written)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => void (this.errors += text));
    this.#ended = new Promise((resolve) => {
      const onEnd = (how: string) => {
        clearTimeout(timer);
        reject(this.#failed(how));
        resolve();
      };
      this.#child.on("error", (error) => onEnd(`could not be started: ${error.message}`));
      this.#child.on("close", (code, signal) => onEnd(`ended with ${signal ?? code}`));
    });
    promise.then(() => clearTimeout(timer), () => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get output(): string {
    return this.#written.replace(LISTENING, "");
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #failed(how: string): Error {
    return new Error(`workerd ${how}: ${this.errors}`);
  }
}

/** How --verbose tells that a client has gone: no exception of the worker. */
const DISCONNECTED = /^\S+: info: exception = \S+ disconnected: .*\n(?:stack: .*\n)?/gm;
const LISTENING = /^\{"event":"listen","socket":"http","port":(\d+)\}\n/m;
