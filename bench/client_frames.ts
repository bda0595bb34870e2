/**
 * The server's side of reading frames: small commands as text, large messages only counted.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** Takes a frame: its payload unmasked, or `undefined` where it was only counted. */
export type OnFrame = (opcode: number, length: number, payload: Buffer | undefined) => void;

const NOTHING = Buffer.alloc(0);

/** Reads the masked frames of a client, in any chopping. */
export class ClientFrames {
  /** Larger messages are counted only. */
  keepBytes: number;
  readonly #onFrame: OnFrame;
  #head: Buffer = NOTHING;
  #opcode = 0;
  #length = 0;
  #missing = 0;
  #key: Buffer = NOTHING;
  #payload: Buffer | undefined;

  /** Creates a reader at the start of a frame. */
  constructor(onFrame: OnFrame, keepBytes: number) {
    this.#onFrame = onFrame;
    this.keepBytes = keepBytes;
  }

  /** Reads the next bytes. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing === 0) {
        const joined = this.#head.length === 0 ? chunk.subarray(at) : Buffer.concat([this.#head, chunk.subarray(at)]);
        const head = this.#readHead(joined);
        if (head === 0) {
          this.#head = Buffer.from(joined);
          return;
        }
        at += head - this.#head.length;
        this.#head = NOTHING;
        if (this.#missing === 0) this.#handOut();
        continue;
      }
      const taken = Math.min(this.#missing, chunk.length - at);
      this.#payload?.set(chunk.subarray(at, at + taken), this.#length - this.#missing);
      this.#missing -= taken;
      at += taken;
      if (this.#missing === 0) this.#handOut();
    }
  }

  #readHead(bytes: Buffer): number {
    const [first = 0, second = 0] = bytes;
    const lengthBytes = (second & 0x7f) === 126 ? 2 : (second & 0x7f) === 127 ? 8 : 0;
    const head = 2 + lengthBytes + 4;
    if (bytes.length < head) return 0;
    this.#opcode = first & 0x0f;
    this.#length = lengthBytes === 0
      ? second & 0x7f
      : lengthBytes === 2
      ? bytes.readUInt16BE(2)
      : Number(bytes.readBigUInt64BE(2));
    this.#missing = this.#length;
    this.#key = Buffer.from(bytes.subarray(head - 4, head));
    const isControl = this.#opcode >= 8;
    this.#payload = isControl || this.#length <= this.keepBytes ? Buffer.alloc(this.#length) : undefined;
    return head;
  }

  #handOut(): void {
    const payload = this.#payload;
    if (payload !== undefined) {
      for (let at = 0; at < payload.length; at++) payload[at] = (payload[at] ?? 0) ^ (this.#key[at & 3] ?? 0);
    }
    this.#payload = undefined;
    this.#onFrame(this.#opcode, this.#length, payload);
  }
}
