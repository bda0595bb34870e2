/**
 * The queue between the messages and stdout: collects lines to few writes, and bounds what waits for a slow reader.
 *
 * @module
 */

import { systemClock } from "../base/mod.ts";

/** Lines are written together once they have this many characters, */
const BLOCK_CHARACTERS = 64 * 1024;
/** or have waited for this time in ms. */
const MAX_DELAY_MS = 5;

interface Block {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/**
 * Writes lines in the order in which they come, at the pace at which they are taken. When more waits than
 * `limitBytes` allows, the oldest blocks of lines are dropped and counted.
 */
export class LineWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #limitBytes: number;
  readonly #onError: (error: unknown) => void;
  readonly #encoder = new TextEncoder();
  /** Whole blocks that wait, oldest first. */
  #blocks: Block[] = [];
  #waitingBytes = 0;
  /** The lines of the block that is being filled. */
  #lines: string[] = [];
  #characters = 0;
  #dropped = 0;
  #isScheduled = false;
  #isWriting = false;
  #isFailed = false;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param write Takes bytes; not called again before its promise has settled.
   * @param limitBytes How many bytes of whole blocks may wait at most.
   * @param onError Told once when `write` rejects; nothing is written after that.
   */
  constructor(write: (bytes: Uint8Array) => Promise<void>, limitBytes: number, onError: (error: unknown) => void) {
    this.#write = write;
    this.#limitBytes = limitBytes;
    this.#onError = onError;
  }

  /** Lines that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a line, given without its line feed. */
  push(line: string): void {
    if (this.#isFailed) return;
    this.#lines.push(line);
    this.#characters += line.length + 1;
    if (this.#characters >= BLOCK_CHARACTERS) {
      this.#endBlock();
      this.#start();
    } else if (!this.#isScheduled && !this.#isWriting) {
      this.#schedule();
    }
  }

  /** Resolves when everything that was added is written, or can't be. */
  async flush(): Promise<void> {
    this.#start();
    await this.#writing;
  }

  #schedule(): void {
    this.#isScheduled = true;
    systemClock.setTimer(() => {
      this.#isScheduled = false;
      this.#start();
    }, MAX_DELAY_MS);
  }

  #endBlock(): void {
    const bytes = this.#encoder.encode(this.#lines.join("\n") + "\n");
    this.#blocks.push({ bytes, lines: this.#lines.length });
    this.#waitingBytes += bytes.length;
    this.#lines = [];
    this.#characters = 0;
    while (this.#waitingBytes > this.#limitBytes) {
      const oldest = this.#blocks.shift();
      if (oldest === undefined) break;
      this.#waitingBytes -= oldest.bytes.length;
      this.#dropped += oldest.lines;
    }
  }

  #start(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#writeAll();
  }

  /** Ends only when nothing waits, and never rejects. */
  async #writeAll(): Promise<void> {
    while (!this.#isFailed) {
      if (this.#blocks.length === 0 && this.#lines.length > 0) this.#endBlock();
      const block = this.#blocks.shift();
      if (block === undefined) break;
      this.#waitingBytes -= block.bytes.length;
      try {
        await this.#write(block.bytes);
      } catch (error) {
        this.#isFailed = true;
        this.#blocks = [];
        this.#lines = [];
        this.#onError(error);
      }
    }
    this.#isWriting = false;
  }
}
