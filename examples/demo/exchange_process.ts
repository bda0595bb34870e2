/**
 * Starts the exchange of the demo as a process, on the runtime that runs this.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The running exchange. */
export class ExchangeProcess implements AsyncDisposable {
  /** Base URL of its streams. */
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /**
   * Starts it.
   *
   * @param messagesPerSecond How many messages each stream sends.
   * @throws {Error} if it ends before it has told its URL.
   */
  static async start(messagesPerSecond: number): Promise<ExchangeProcess> {
    const args = [...runtimeArguments(), pathOf("exchange.ts"), String(messagesPerSecond)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    for await (const url of createInterface({ input: child.stdout })) return new ExchangeProcess(url, child);
    throw new Error("Cannot start the local exchange: its process ended at once");
  }

  /** Resets all connections. */
  killConnections(): void {
    this.#child.stdin?.write("kill\n");
  }

  /** Ends the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    await ended;
  }
}

/** Deno has to be told its configuration; where JSR can't be reached, the set-up has written another one. */
function runtimeArguments(): string[] {
  if (process.versions["bun"] !== undefined) return [];
  const offline = pathOf("../../deno.offline.json");
  return ["run", "-A", "--config", existsSync(offline) ? offline : pathOf("../../deno.json")];
}
