/**
 * What a connection to a tap carries, without its framing: the body of a chunked response (RFC 9112 section 7.1), or the
 * texts of a WebSocket (RFC 6455 section 5.2), each followed by a line break.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** Takes the framing away. */
export interface Framing {
  /** Whether the next byte begins a chunk or a frame. */
  readonly isBetween: boolean;
  /** The text that these bytes carry. */
  read(bytes: Buffer): string;
}

const NOTHING = Buffer.alloc(0);
const LF = 10;

/** The chunked transfer coding. */
export class ChunkedFraming implements Framing {
  #head: Buffer = NOTHING;
  /** Bytes of the chunk that are missing, with the line break behind it. */
  #left = 0;

  get isBetween(): boolean {
    return this.#left === 0 && this.#head.length === 0;
  }

  read(bytes: Buffer): string {
    let text = "";
    let at = 0;
    if (this.#head.length > 0) {
      bytes = Buffer.concat([this.#head, bytes]);
      this.#head = NOTHING;
    }
    while (at < bytes.length) {
      if (this.#left === 0) {
        const lineEnd = bytes.indexOf(LF, at);
        if (lineEnd < 0) {
          this.#head = bytes.subarray(at);
          break;
        }
        const size = parseInt(bytes.toString("latin1", at, lineEnd), 16);
        if (!(size > 0)) throw new Error("The response has ended, or its chunks can't be read");
        this.#left = size + 2;
        at = lineEnd + 1;
        continue;
      }
      const taken = Math.min(this.#left, bytes.length - at);
      // Without the line break, of which one byte can come alone.
      const end = at + Math.min(taken, Math.max(0, this.#left - 2));
      // Binance's messages are ASCII here.
      text += bytes.toString("latin1", at, end);
      this.#left -= taken;
      at += taken;
    }
    return text;
  }
}

/** The frames of a server: texts in one piece each. */
export class WebSocketFraming implements Framing {
  readonly #onPing: (payload: Buffer) => void;
  #rest: Buffer = NOTHING;

  /** @param onPing Is called with what a ping carries. */
  constructor(onPing: (payload: Buffer) => void) {
    this.#onPing = onPing;
  }

  get isBetween(): boolean {
    return this.#rest.length === 0;
  }

  read(bytes: Buffer): string {
    if (this.#rest.length > 0) bytes = Buffer.concat([this.#rest, bytes]);
    let text = "";
    let at = 0;
    while (bytes.length - at >= 2) {
      const first = bytes[at] ?? 0;
      let length = bytes[at + 1] ?? 0;
      let head = 2;
      if (length === 126) {
        if (bytes.length - at < 4) break;
        length = bytes.readUInt16BE(at + 2);
        head = 4;
      } else if (length === 127) {
        if (bytes.length - at < 10) break;
        length = Number(bytes.readBigUInt64BE(at + 2));
        head = 10;
      }
      const end = at + head + length;
      if (end > bytes.length) break;
      if (first === 0x81) text += `${bytes.toString("latin1", at + head, end)}\n`;
      else if (first === 0x89) this.#onPing(bytes.subarray(at + head, end));
      else if (first !== 0x8a) throw new Error(`The server has sent a frame that begins with 0x${first.toString(16)}`);
      at = end;
    }
    this.#rest = at === bytes.length ? NOTHING : bytes.subarray(at);
    return text;
  }
}
