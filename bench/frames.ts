/**
 * The bytes that the server sends, encoded before anybody asks for them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Pattern } from "./rows.ts";
import { POOL_MESSAGES, poolOf, type Scenario } from "./scenarios.ts";

/** What one write holds in the pattern "batch", as far as whole frames allow. */
const BATCH_BYTES = 100_000;
const FIN_TEXT = 0x81;

/** An unmasked text frame in one piece. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([frameHead(FIN_TEXT, payload.length), payload]);
}

/** The head of an unmasked frame (RFC 6455 5.2). */
export function frameHead(first: number, length: number): Buffer {
  if (length < 126) return Buffer.from([first, length]);
  const head = Buffer.alloc(length < 0x1_0000 ? 4 : 10);
  head[0] = first;
  head[1] = head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** The frames of a scenario's pool in one buffer. */
export class FramePool {
  readonly #bytes: Buffer;
  /** Where each frame starts, and the end. */
  readonly #offsets: readonly number[];
  readonly #payloads: readonly number[];

  /** Encodes the first `count` messages of the scenario. */
  constructor(scenario: Scenario, count: number) {
    const frames = Array.from(poolOf(scenario, count), textFrame);
    const offsets = [0];
    for (const frame of frames) offsets.push((offsets.at(-1) ?? 0) + frame.length);
    this.#offsets = offsets;
    this.#payloads = frames.map((frame) => frame.length - (frame.length < 128 ? 2 : frame.length < 0x1_0004 ? 4 : 10));
    this.#bytes = Buffer.concat(frames);
  }

  /** Frames in the pool. */
  get size(): number {
    return this.#payloads.length;
  }

  /** The writes that send `count` frames, starting with frame `from`. */
  *writes(pattern: Pattern, from: number, count: number): Generator<Buffer> {
    let frame = from % this.size;
    let left = count;
    while (left > 0) {
      const most = Math.min(this.size, frame + left);
      let end = frame + 1;
      if (pattern === "batch") {
        while (end < most && this.#offset(end + 1) - this.#offset(frame) <= BATCH_BYTES) end++;
      }
      yield this.#bytes.subarray(this.#offset(frame), this.#offset(end));
      left -= end - frame;
      frame = end % this.size;
    }
  }

  /** Payload and frame bytes of `count` messages, starting with message `from`. */
  bytes(from: number, count: number): { readonly payload: number; readonly frames: number } {
    let payload = 0;
    let frames = 0;
    const add = (message: number, times: number) => {
      payload += (this.#payloads[message] ?? 0) * times;
      frames += (this.#offset(message + 1) - this.#offset(message)) * times;
    };
    const cycles = Math.floor(count / this.size);
    for (let message = 0; message < this.size; message++) add(message, cycles);
    for (let message = 0; message < count % this.size; message++) add((from + message) % this.size, 1);
    return { payload, frames };
  }

  #offset(frame: number): number {
    return this.#offsets[frame] ?? 0;
  }
}

let cached: { readonly scenario: Scenario; readonly pool: FramePool } | undefined;

/** The pool of a scenario; the last one is kept, because a large one takes seconds and hundreds of megabytes. */
export function framePool(scenario: Scenario, messages: number): FramePool {
  const size = Math.min(messages, POOL_MESSAGES);
  if (cached?.scenario !== scenario || cached.pool.size < size) {
    cached = undefined;
    cached = { scenario, pool: new FramePool(scenario, size) };
  }
  return cached.pool;
}
