/**
 * The process of the client under test: opens the connections that the suite asks for, sends every message back, and
 * reports what its listener was told. Its argument is the library. Runs on Deno, Bun and Node.
 *
 * @module
 */

import process from "node:process";
import { describe, describeEnd } from "./description.ts";
import {
  type Action,
  type ClientReport,
  type ClientSetup,
  type Command,
  type Hello,
  type LateFault,
  LISTENER_THREW,
} from "./client_protocol.ts";
import { type Client, type ClientListener, type ClientOptions, libraryNamed, runtimeName } from "./client_library.ts";

/** One connection of the client under test. */
class Run implements ClientListener {
  readonly #run: number;
  readonly #setup: ClientSetup;
  readonly #seen: string[] = [];
  readonly #faults: string[] = [];
  #connection: Client | undefined;
  #canPing = true;
  #error: string | undefined;
  #reported = false;

  constructor(run: number, setup: ClientSetup) {
    this.#run = run;
    this.#setup = setup;
  }

  async open(url: string): Promise<void> {
    const { onOpen: _onOpen, onMessage: _onMessage, ...options } = this.#setup;
    try {
      const connection = await library(url, this, options satisfies ClientOptions);
      if (connection !== this.#connection) this.fault("the promise gave another connection than onOpen");
    } catch (error) {
      this.#see("rejected");
      this.#error = codeOf(error);
      this.#report();
    }
  }

  onOpen(connection: Client): void {
    this.#connection = connection;
    this.#canPing = connection.canPing;
    this.#see("open");
    if (!connection.isOpen) this.fault("isOpen is false in onOpen");
    this.#act(this.#setup.onOpen ?? []);
  }

  onText(text: string): void {
    this.#message(describe("text", text), text);
  }

  onBinary(bytes: Uint8Array): void {
    this.#message(describe("binary", bytes), bytes);
  }

  onPing(payload: Uint8Array): void {
    this.#see(describe("ping", payload));
  }

  onPong(payload: Uint8Array): void {
    this.#see(describe("pong", payload));
  }

  onClose({ code, reason, wasClean, error }: { code: number; reason: string; wasClean: boolean; error?: Error }): void {
    this.#see(describeEnd(code, reason, wasClean));
    this.#error = codeOf(error);
    const connection = this.#connection;
    if (connection === undefined) this.fault("onClose came without onOpen");
    else if (connection.isOpen) this.fault("isOpen is true in onClose");
    this.#checkClosed(code, reason, wasClean).then(() => this.#report());
  }

  /** Ends a connection that does not end by itself. */
  giveUp(): void {
    if (this.#reported) return;
    this.#see("nothing more, given up");
    this.#report();
    this.#connection?.terminate();
  }

  fault(what: string): void {
    if (this.#reported) put<LateFault>({ run: this.#run, late: what });
    else this.#faults.push(what);
  }

  #message(words: string, data: string | Uint8Array): void {
    this.#see(words);
    if (this.#setup.onMessage !== undefined) return this.#act(this.#setup.onMessage);
    if (this.#connection?.isOpen) this.#connection.send(data);
  }

  #act(actions: readonly Action[]): void {
    const connection = this.#connection;
    for (const action of actions) {
      switch (action.do) {
        case "close":
          connection?.close(action.code, action.reason);
          break;
        case "terminate":
          connection?.terminate();
          break;
        case "ping":
          connection?.ping(new TextEncoder().encode(action.payload));
          break;
        case "send":
          connection?.send(action.text);
          break;
        case "throw":
          throw new Error(LISTENER_THREW);
      }
    }
  }

  #see(what: string): void {
    if (this.#reported) this.fault(`told after the end: ${what}`);
    else this.#seen.push(what);
  }

  /** What the interface promises of a connection that has ended. */
  async #checkClosed(code: number, reason: string, wasClean: boolean): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    const info = await connection.closed;
    if (info.code !== code || info.reason !== reason || info.wasClean !== wasClean) {
      this.fault("closed resolved with something else than onClose was told");
    }
    if (connection.isOpen) this.fault("isOpen is true after the end");
    try {
      connection.send("late");
      this.fault("send() after the end does not throw");
    } catch (error) {
      if (codeOf(error) !== "CONNECTION_CLOSED") this.fault(`send() after the end throws ${error}`);
    }
    connection.close();
    connection.terminate();
    // What wrongly comes once more, comes soon.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  #report(): void {
    if (this.#reported) return;
    this.#reported = true;
    const error = this.#error;
    put<ClientReport>({
      run: this.#run,
      seen: this.#seen,
      ...(error === undefined ? {} : { error }),
      canPing: this.#canPing,
      faults: this.#faults,
    });
  }
}

function codeOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const code = (error as { code?: unknown } | null)?.code; // anything can be thrown; a code is only looked for
  return typeof code === "string" ? code : "none";
}

function put<T>(value: T): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const library = await libraryNamed(process.argv[2] ?? "native");
let current: Run | undefined;

function obey(line: string): void {
  const command: Command = JSON.parse(line);
  if ("giveUp" in command) return current?.giveUp();
  current = new Run(command.run, command.setup);
  current.open(command.url);
}

function onUncaught(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  current?.fault(message === LISTENER_THREW ? message : `uncaught: ${error instanceof Error ? error.stack : error}`);
}
process.on("uncaughtException", onUncaught);
process.on("unhandledRejection", onUncaught);

let input = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (input + chunk).split("\n");
  input = lines.pop() ?? "";
  lines.forEach(obey);
});
put<Hello>({ hello: runtimeName() });
