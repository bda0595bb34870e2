/**
 * The file behind `--record`.
 *
 * @module
 */

import { closeSync, openSync, writeSync } from "node:fs";
import { systemClock, type Timer } from "../base/mod.ts";
import { RecordingWriter } from "../testing/mod.ts";
import { messageOf } from "../base/mod.ts";
import { CommandFailedError } from "./failures.ts";

/** Rows are written together once they have this many characters, */
const BLOCK_CHARACTERS = 64 * 1024;
/** or have waited for this time in ms. */
const MAX_DELAY_MS = 250;

/** Writes a recording to a file, in few writes. */
export class RecordingFile {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #onError: (error: CommandFailedError) => void;
  readonly #encoder = new TextEncoder();
  readonly #rows = new RecordingWriter((row) => this.#add(row));
  #waiting: string[] = [];
  #characters = 0;
  #timer: Timer | undefined;
  #isFailed = false;

  /**
   * Creates the file; one that is there is overwritten.
   *
   * @param onError Told once when a write fails; nothing is written after that.
   * @throws {CommandFailedError} if the file can't be created.
   */
  constructor(path: string, onError: (error: CommandFailedError) => void) {
    this.#path = path;
    this.#onError = onError;
    try {
      this.#descriptor = openSync(path, "w");
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Records that a connection was opened. */
  url(url: string): void {
    this.#rows.url(url);
  }

  /** Records that a message came. */
  text(text: string): void {
    this.#rows.text(text);
  }

  /** Writes what waits and closes the file. */
  close(): void {
    this.#flush();
    try {
      closeSync(this.#descriptor);
    } catch (error) {
      this.#fail(error);
    }
  }

  #add(row: string): void {
    this.#waiting.push(row);
    this.#characters += row.length;
    if (this.#characters >= BLOCK_CHARACTERS) this.#flush();
    else this.#timer ??= systemClock.setTimer(() => this.#flush(), MAX_DELAY_MS);
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    let bytes = this.#encoder.encode(this.#waiting.join(""));
    this.#waiting = [];
    this.#characters = 0;
    try {
      while (bytes.length > 0 && !this.#isFailed) bytes = bytes.subarray(writeSync(this.#descriptor, bytes));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.#onError(this.#failure(error));
  }

  #failure(error: unknown): CommandFailedError {
    return new CommandFailedError(`Cannot write ${JSON.stringify(this.#path)}: ${messageOf(error)}`, { cause: error });
  }
}
