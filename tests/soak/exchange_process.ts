/**
 * Starts the process of the exchanges, on the runtime that runs this.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ExchangeArguments, FaultRecord, FromExchange, Hello, Ledgers } from "./protocol.ts";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The running process. */
export class ExchangeProcess implements AsyncDisposable {
  /** The faults that are over. */
  readonly faults: FaultRecord[] = [];
  readonly #child: ChildProcess;
  readonly #hello = Promise.withResolvers<Hello>();
  readonly #ledgers = Promise.withResolvers<Ledgers>();

  private constructor(args: ExchangeArguments) {
    const script = pathOf("exchange.ts");
    const command = [...runtimeArguments(), script, JSON.stringify(args)];
    this.#child = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
    const ended = (code: number | null) => {
      const error = new Error(`The process of the exchanges ended with code ${code}`);
      this.#hello.reject(error);
      this.#ledgers.reject(error);
    };
    this.#ledgers.promise.catch(() => {});
    this.#child.once("exit", ended);
    void this.#listen();
  }

  /**
   * Starts it; the script of faults begins at once.
   *
   * @throws {Error} if it ends before it has told where its exchanges are.
   */
  static async start(args: ExchangeArguments): Promise<{ exchange: ExchangeProcess; urls: Hello["urls"] }> {
    const exchange = new ExchangeProcess(args);
    const { urls } = await exchange.#hello.promise;
    return { exchange, urls };
  }

  /** Ends the data, and returns the ledgers. */
  async finish(): Promise<Ledgers["ledgers"]> {
    this.#child.stdin?.write("finish\n");
    return (await this.#ledgers.promise).ledgers;
  }

  /** Ends the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    await ended;
  }

  async #listen(): Promise<void> {
    const { stdout } = this.#child;
    if (stdout === null) return;
    for await (const line of createInterface({ input: stdout })) {
      // The cast: the process writes what the type says.
      const message = JSON.parse(line) as FromExchange;
      if (message.type === "hello") this.#hello.resolve(message);
      else if (message.type === "ledgers") this.#ledgers.resolve(message);
      else this.faults.push(message);
    }
  }
}

/** Deno has to be told its configuration; where JSR can't be reached, the set-up has written another one. */
function runtimeArguments(): string[] {
  if (process.versions["bun"] !== undefined) return [];
  const offline = pathOf("../../deno.offline.json");
  return ["run", "-A", "--config", existsSync(offline) ? offline : pathOf("../../deno.json")];
}
