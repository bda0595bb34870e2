/**
 * The server's process as the benchmark sees it.
 *
 * @module
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { ROOT } from "../tools/process.ts";
import { findProgram } from "../tools/runtimes.ts";
import { pin } from "./affinity.ts";
import type { NodeBuild } from "./node_build.ts";
import type { Served } from "./rows.ts";
import { denoArguments } from "./sides.ts";
import type { ServerPorts, ServerSettings } from "./server.ts";

/** How long a report may take in ms once the client has everything. */
const REPORT_MS = 5_000;
const CERTIFICATES = join(ROOT, "tests", "certs");

/** The certificate authority (PEM file) that clients have to trust. */
export const AUTHORITY: string = join(CERTIFICATES, "ca.pem");

/** Starts a program with as many open files as the system allows. */
export function withManyFiles(command: readonly string[]): readonly string[] {
  if (process.platform === "win32") return command;
  return ["sh", "-c", 'ulimit -n "$(ulimit -Hn)"; exec "$@"', "sh", ...command];
}

/** A running server. */
export class ServerProcess implements Disposable {
  readonly ports: ServerPorts;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  #next: Promise<IteratorResult<string>> | undefined;

  private constructor(
    child: ChildProcessByStdio<Writable, Readable, null>,
    lines: AsyncIterator<string>,
    ports: ServerPorts,
  ) {
    this.#child = child;
    this.#lines = lines;
    this.ports = ports;
  }

  /** Starts it on Node, which writes fastest, or on the runtime that runs this where there is no Node. */
  static async start(hosts: readonly string[], build: NodeBuild): Promise<ServerProcess> {
    const settings: ServerSettings = {
      hosts,
      cert: join(CERTIFICATES, "localhost.pem"),
      key: join(CERTIFICATES, "localhost.key"),
    };
    const node = findProgram("node");
    const script = join(ROOT, "bench", "server.ts");
    const command = node !== undefined
      ? [node, build.add("bench/server.ts")]
      : process.versions["bun"] !== undefined
      ? [process.execPath, script]
      : [process.execPath, ...denoArguments(), script];
    const [program = "", ...args] = withManyFiles([...command, JSON.stringify(settings)]);
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    if (done) throw new Error("The server did not start");
    return new ServerProcess(child, lines, JSON.parse(value));
  }

  /** Keeps it on the core of `onOneCore`, or lets it use all of them again. */
  async pin(isPinned: boolean): Promise<void> {
    if (this.#child.pid !== undefined) await pin(this.#child.pid, isPinned);
  }

  /** What the server reports about the run that has just ended. */
  async served(): Promise<Served> {
    this.#next ??= this.#lines.next();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("The server reports nothing about the run")), REPORT_MS);
    });
    try {
      const { value, done } = await Promise.race([this.#next, late]);
      if (done) throw new Error("The server has ended");
      this.#next = undefined;
      return JSON.parse(value);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it. */
  [Symbol.dispose](): void {
    this.#child.stdin.end();
    this.#child.kill();
  }
}
