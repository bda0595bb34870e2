/**
 * Records a session while it runs.
 *
 * @module
 */

import { type Clock, systemClock } from "../base/mod.ts";
import { formatRow } from "./recording.ts";

/**
 * Writes a recording row by row, each with the time at which it is written.
 *
 * @example
 * ```ts
 * import { parseRecording, RecordingWriter } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * let file = "";
 * const writer = new RecordingWriter((line) => void (file += line));
 * writer.url("wss://stream.binance.com:9443/stream?streams=btcusdt@trade");
 * writer.text('{"stream":"btcusdt@trade","data":{}}');
 * assertEquals(parseRecording(file).rows.length, 2);
 * ```
 */
export class RecordingWriter {
  readonly #write: (line: string) => void;
  readonly #clock: Clock;

  /**
   * Creates a writer.
   *
   * @param write Takes one line with its line feed, such as to append it to a file.
   * @param clock Where the times come from. Default: the system's time.
   */
  constructor(write: (line: string) => void, clock: Clock = systemClock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** Records that a connection to `url` was opened. The URL must not contain a listen key: it is written as it is. */
  url(url: string): void {
    this.#write(formatRow({ t: this.#clock.now(), url }));
  }

  /** Records that the text message `text` came. */
  text(text: string): void {
    this.#write(formatRow({ t: this.#clock.now(), text }));
  }

  /** Records that `url` was answered with `body`. */
  http(url: string, body: string): void {
    this.#write(formatRow({ t: this.#clock.now(), http: url, text: body }));
  }
}
