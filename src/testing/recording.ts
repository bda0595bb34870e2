/**
 * The recording format: one JSON object a line, each a connection, a frame or an HTTP response, with its time.
 *
 * @module
 */

import { RawtickError } from "../base/mod.ts";

/**
 * A connection was opened.
 *
 * @example
 * ```ts
 * import { formatRow, type RecordedUrl } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const row: RecordedUrl = { t: 1633998511159, url: "wss://stream.binance.com:9443/ws/btcusdt@trade" };
 * assertEquals(formatRow(row), '{"t":1633998511159,"url":"wss://stream.binance.com:9443/ws/btcusdt@trade"}\n');
 * ```
 */
export interface RecordedUrl {
  /** When, in ms since 1970; may have a fraction. */
  readonly t: number;
  /** The URL that was opened. */
  readonly url: string;
}

/**
 * A text message came.
 *
 * @example
 * ```ts
 * import { formatRow, type RecordedText } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const row: RecordedText = { t: 1633998512063.357, text: '{"stream":"btcusdt@trade","data":{}}' };
 * assertEquals(formatRow(row), '{"t":1633998512063.357,"text":"{\\"stream\\":\\"btcusdt@trade\\",\\"data\\":{}}"}\n');
 * ```
 */
export interface RecordedText {
  /** When, in ms since 1970; may have a fraction. */
  readonly t: number;
  /** The message, character by character. */
  readonly text: string;
}

/**
 * An HTTP response came.
 *
 * @example
 * ```ts
 * import type { RecordedHttp } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const row: RecordedHttp = {
 *   t: 1633998512320,
 *   http: "https://api.binance.com/api/v3/depth?symbol=BTCUSDT&limit=1000",
 *   text: '{"lastUpdateId":499869752,"bids":[],"asks":[]}',
 * };
 * assertEquals(JSON.parse(row.text).lastUpdateId, 499869752);
 * ```
 */
export interface RecordedHttp {
  /** When, in ms since 1970; may have a fraction. */
  readonly t: number;
  /** The URL that was asked. */
  readonly http: string;
  /** The body of the response. */
  readonly text: string;
}

/**
 * One line of a recording.
 *
 * @example
 * ```ts
 * import { parseRecording, type RecordingRow } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const rows: readonly RecordingRow[] = parseRecording('{"t":1,"text":"{}"}\n').rows;
 * assertEquals(rows.filter((row) => "text" in row).length, 1);
 * ```
 */
export type RecordingRow = RecordedUrl | RecordedText | RecordedHttp;

/**
 * A recorded session.
 *
 * @example
 * ```ts
 * import { type Recording, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const text = '{"stream":"btcusdt@trade","data":{"e":"trade","t":1}}';
 * const replay: Recording = { rows: [{ t: 1633998512063, text }] };
 * await using exchange = await startLocalExchange({ replay, speed: "max" });
 * console.log(`${exchange.url}/stream?streams=btcusdt@trade`);
 * ```
 */
export interface Recording {
  /** The rows, in the order in which they were recorded. */
  readonly rows: readonly RecordingRow[];
}

/**
 * A line of a recording can't be read.
 *
 * @example
 * ```ts
 * import { InvalidRecordingError, parseRecording } from "@rawtick/binance/testing";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const error = assertThrows(() => parseRecording('{"t":1,"text":"{}"}\n{"t":2}\n'), InvalidRecordingError);
 * assertEquals(error.line, 2);
 * ```
 */
export class InvalidRecordingError extends RawtickError {
  /** Number of the line, from 1. */
  readonly line: number;

  /** Creates the error for a line; `problem` says what was expected. */
  constructor(line: number, problem: string, options?: ErrorOptions) {
    super("INVALID_RECORDING", `Cannot read line ${line} of the recording: ${problem}`, options);
    this.line = line;
  }
}

/**
 * Reads a recording. Empty lines are skipped, and members that a row doesn't need are ignored.
 *
 * @param text Lines of JSON, each ended by `\n` or `\r\n`; the last one may lack it.
 * @throws {InvalidRecordingError} if a line is not a row; it names the line.
 *
 * @example
 * ```ts
 * import { parseRecording } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const recording = parseRecording(
 *   '{"t":1,"url":"wss://stream.binance.com:9443/stream?streams=btcusdt@trade"}\n' +
 *     '{"t":2,"text":"{\\"stream\\":\\"btcusdt@trade\\",\\"data\\":{}}"}\n',
 * );
 * assertEquals(recording.rows.length, 2);
 * ```
 */
export function parseRecording(text: string): Recording {
  const rows: RecordingRow[] = [];
  let line = 0;
  for (const content of text.split("\n")) {
    line++;
    if (content.trim() !== "") rows.push(parseRow(content, line));
  }
  return { rows };
}

function parseRow(content: string, line: number): RecordingRow {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (cause) {
    throw new InvalidRecordingError(line, "expected one JSON object", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidRecordingError(line, "expected one JSON object");
  }
  const { t, url, http, text }: { t?: unknown; url?: unknown; http?: unknown; text?: unknown } = value;
  if (typeof t !== "number") throw new InvalidRecordingError(line, 'expected "t" with a time in ms since 1970');
  if (typeof url === "string" && http === undefined && text === undefined) return { t, url };
  if (typeof text === "string" && url === undefined) {
    if (http === undefined) return { t, text };
    if (typeof http === "string") return { t, http, text };
  }
  throw new InvalidRecordingError(line, 'expected "url", "text", or "http" and "text" beside "t", each a string');
}

/**
 * Writes a row as one line, with its line feed. What `parseRecording` reads back is equal to `row`.
 *
 * @example
 * ```ts
 * import { formatRow, parseRecording } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const row = { t: 1633998512063, text: '{"stream":"btcusdt@trade","data":{}}' };
 * assertEquals(parseRecording(formatRow(row)).rows, [row]);
 * ```
 */
export function formatRow(row: RecordingRow): string {
  if ("url" in row) return `${JSON.stringify({ t: row.t, url: row.url })}\n`;
  if ("http" in row) return `${JSON.stringify({ t: row.t, http: row.http, text: row.text })}\n`;
  return `${JSON.stringify({ t: row.t, text: row.text })}\n`;
}
