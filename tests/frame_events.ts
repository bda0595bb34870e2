/**
 * What the codec tests share: a reader that writes down its events, and frames made by hand.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { WebSocketProtocolError } from "../src/base/mod.ts";
import { FrameReader, type FrameReaderOptions } from "../src/transport/native/mod.ts";

/** What a reader said, in its order; a violation is the last event. */
export type FrameEvent =
  | readonly ["text", string]
  | readonly ["binary" | "ping" | "pong", hex: string]
  | readonly ["close", number, string]
  | readonly ["violation", string, number];

/** Bytes as text, which is quick to compare: `"00ff"`. */
export function hex(bytes: Uint8Array | string): string {
  return Buffer.from(bytesOf(bytes)).toString("hex");
}

/** A reader that writes down its events. */
export class EventReader {
  readonly events: FrameEvent[] = [];
  readonly reader: FrameReader;
  /** Called after each event. */
  afterEvent = (): void => {};

  constructor(options: Partial<FrameReaderOptions> = {}) {
    const put = (event: FrameEvent): void => {
      this.events.push(event);
      this.afterEvent();
    };
    this.reader = new FrameReader({
      onText: (text) => put(["text", text]),
      onBinary: (bytes) => put(["binary", hex(bytes)]),
      onPing: (payload) => put(["ping", hex(payload)]),
      onPong: (payload) => put(["pong", hex(payload)]),
      onClose: (code, reason) => put(["close", code, reason]),
    }, { role: "client", maxMessageBytes: 1 << 20, ...options });
  }

  /** Reads a copy of the bytes, so that what the reader does to its chunk can't be seen outside. */
  push(bytes: Uint8Array): void {
    try {
      this.reader.push(bytes.slice());
    } catch (error) {
      if (!(error instanceof WebSocketProtocolError)) throw error;
      this.events.push(["violation", error.code, error.closeCode]);
    }
  }
}

/** The events of `bytes`, read in chunks of the given lengths, and then in one chunk. */
export function readEvents(
  bytes: Uint8Array,
  options: Partial<FrameReaderOptions> = {},
  chunkLengths: Iterable<number> = [],
): FrameEvent[] {
  const reader = new EventReader(options);
  let at = 0;
  for (const length of chunkLengths) {
    reader.push(bytes.slice(at, at + length));
    at += length;
  }
  reader.push(bytes.slice(at));
  return reader.events;
}

/** The bytes of numbers, strings (as UTF-8) and arrays, one after the other. */
export function bytesOf(...parts: (number | string | Uint8Array)[]): Uint8Array {
  const arrays = parts.map((part) => {
    if (typeof part === "number") return new Uint8Array([part]);
    return typeof part === "string" ? new TextEncoder().encode(part) : part;
  });
  const bytes = new Uint8Array(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    bytes.set(array, at);
    at += array.length;
  }
  return bytes;
}

/** An unmasked frame, written out by hand: the tests of the reader don't depend on our writer. */
export function frame(first: number, payload: Uint8Array | string = ""): Uint8Array {
  const bytes = bytesOf(payload);
  const { length } = bytes;
  if (length < 126) return bytesOf(first, length, bytes);
  if (length < 65536) return bytesOf(first, 126, length >> 8, length & 255, bytes);
  return bytesOf(
    first,
    127,
    0,
    0,
    0,
    0,
    (length >>> 24) & 255,
    (length >> 16) & 255,
    (length >> 8) & 255,
    length & 255,
    bytes,
  );
}

/** The same frame as a client sends it, masked with the key. */
export function maskedFrame(first: number, payload: Uint8Array | string, key: readonly number[]): Uint8Array {
  const plain = frame(first, payload);
  const headLength = plain.length - bytesOf(payload).length;
  const head = plain.slice(0, headLength);
  head[1] = (head[1] ?? 0) | 0x80;
  const masked = plain.slice(headLength).map((byte, index) => byte ^ (key[index % 4] ?? 0));
  return bytesOf(head, new Uint8Array(key), masked);
}
