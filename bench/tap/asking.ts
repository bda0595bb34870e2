/**
 * How the benchmark's processes talk: a question in a line of JSON on stdin, its answer in a line of JSON on stdout.
 *
 * @module
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { writeSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** How long an answer may take in ms. */
const ANSWER_MS = 120_000;

/** CPU and memory of a process. */
export interface Usage {
  /** CPU time of all its threads since it began, in µs. */
  readonly cpuMicros: number;
  /** When this was measured, in ms of its own clock. */
  readonly at: number;
  /** Resident memory in bytes. */
  readonly rss: number;
}

/** What a question can be: a name, and what it needs. */
export type Question = { readonly ask: string } & Readonly<Record<string, unknown>>;

/** Part of a core that was used between two measurements, 1 for a whole one. */
export function coresBetween(before: Usage, after: Usage): number {
  return (after.cpuMicros - before.cpuMicros) / 1000 / (after.at - before.at);
}

/** CPU and memory of this process. */
export function ownUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMicros: user + system, at: performance.now(), rss: process.memoryUsage().rss };
}

/** Answers questions until stdin ends, one after the other; the first line is `first`, without a question. */
export async function answer(first: unknown, answers: (question: Question) => unknown): Promise<void> {
  const print = (value: unknown) => writeSync(1, `${JSON.stringify(value ?? null)}\n`);
  print(first);
  for await (const line of createInterface({ input: process.stdin })) print(await answers(JSON.parse(line)));
}

/** A process that answers. */
export class Asked<First> implements Disposable {
  /** What it said first. */
  readonly first: First;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #title: string;

  private constructor(
    title: string,
    child: ChildProcessByStdio<Writable, Readable, null>,
    lines: AsyncIterator<string>,
    first: First,
  ) {
    this.#title = title;
    this.#child = child;
    this.#lines = lines;
    this.first = first;
  }

  /** Starts it and waits for what it says first. */
  static async start<First>(title: string, command: readonly string[], settings: unknown): Promise<Asked<First>> {
    const [program = "", ...args] = command;
    const child = spawn(program, [...args, JSON.stringify(settings)], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    if (done) throw new Error(`The process of the ${title} did not start`);
    return new Asked<First>(title, child, lines, JSON.parse(value));
  }

  /** Id of the process. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Asks; the caller knows what comes back. */
  async ask<Answer>(question: Question): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The ${this.#title} does not answer "${question.ask}"`)), ANSWER_MS);
    });
    try {
      const { value, done } = await Promise.race([this.#lines.next(), late]);
      if (done) throw new Error(`The process of the ${this.#title} has ended`);
      return JSON.parse(value);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets it end as its stdin ends, and waits for that: what profiles it writes them on its way out. */
  async end(limitMs = 5_000): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), limitMs);
    await ended;
    clearTimeout(timer);
  }

  /** Ends it at once. */
  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}
