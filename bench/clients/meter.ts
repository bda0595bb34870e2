/**
 * Counts messages and takes the times, with one addition and one comparison in the way of a message.
 *
 * @module
 */

import process from "node:process";
import type { Order, Row } from "../rows.ts";

/** What a meter found. */
export type Measured = Pick<Row, "messages" | "bytes" | "msgsPerSecond" | "cpuMicrosPerMessage">;

/** Measures from the end of the warm-up to the last message. */
export class Meter {
  /** Resolves after the last message. */
  readonly done: Promise<Measured>;
  readonly #order: Order;
  #resolve: (measured: Measured) => void = () => {};
  readonly #countCharacters: () => number;
  #count = 0;
  #characters = 0;
  #boundary: number;
  #started = 0;
  #cpu: NodeJS.CpuUsage | undefined;
  #charactersBefore = 0;

  /** Waits for the first message. `countCharacters` tells how many came, where `text` is not used. */
  constructor(order: Order, countCharacters: () => number = () => this.#characters) {
    this.#order = order;
    this.#countCharacters = countCharacters;
    this.#boundary = Math.max(1, order.warmup);
    // Not Promise.withResolvers: Node 20 has none.
    this.done = new Promise((resolve) => this.#resolve = resolve);
  }

  /** Takes a message. Everything that is sent is ASCII, so its characters are its bytes. */
  readonly text = (text: string): void => {
    this.#characters += text.length;
    if (++this.#count === this.#boundary) this.#reached();
  };

  /** Takes a message that is counted elsewhere. */
  readonly message = (): void => {
    if (++this.#count === this.#boundary) this.#reached();
  };

  #reached(): void {
    const now = performance.now();
    if (this.#cpu === undefined) {
      this.#cpu = process.cpuUsage();
      this.#started = now;
      this.#charactersBefore = this.#countCharacters();
      this.#boundary += this.#order.messages;
      return;
    }
    const { user, system } = process.cpuUsage(this.#cpu);
    const { messages } = this.#order;
    this.#resolve({
      messages,
      bytes: this.#countCharacters() - this.#charactersBefore,
      msgsPerSecond: messages / (now - this.#started) * 1_000,
      cpuMicrosPerMessage: (user + system) / messages,
    });
  }
}
