/**
 * A message that does not lie whole in one chunk: its bytes are collected in one buffer, each copied once.
 *
 * @module
 */

import { decodeAscii, decodeValid, invalidUtf8, isAsciiRange, Utf8Validator } from "./utf8.ts";

/** A buffer for text is used again if it is at most this large: fresh memory costs more than the copy into it. */
const SPARE_LIMIT = 1 << 20;
/** The smallest buffer for text, so that the spare one fits most messages. */
const SMALLEST = 1 << 14;
const NOTHING = new Uint8Array(0);

/** One buffer for text that is free, shared by all connections of the process. */
let spare: Uint8Array | undefined;

/** Collects the pieces of one message after the other. */
export class MessageAssembly {
  #buffer: Uint8Array = NOTHING;
  #length = 0;
  #text = false;
  #own = false;
  #ascii = true;
  readonly #utf8 = new Utf8Validator();

  /** Bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  /** The bytes collected so far, valid until the next `release()`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /**
   * Starts a message.
   *
   * @param kind A text is validated; a binary message is handed out in an array of its own; of a compressed one the
   * bytes are only collected.
   */
  begin(kind: "text" | "binary" | "compressed"): void {
    this.#buffer = NOTHING;
    this.#length = 0;
    this.#text = kind === "text";
    this.#own = kind === "binary";
    this.#ascii = true;
    this.#utf8.reset();
  }

  /**
   * Makes room for a frame of `bytes` bytes. The caller has checked them against the limits.
   *
   * @param last Whether the message ends with this frame: then a binary one gets exactly the room it needs.
   */
  reserve(bytes: number, last: boolean): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const old = this.#buffer;
    if (this.#own && last && this.#length === 0) {
      this.#buffer = new Uint8Array(needed);
      return;
    }
    if (spare !== undefined && spare.length >= needed) {
      this.#buffer = spare;
      spare = undefined;
    } else {
      // Doubling keeps the copies of a message in many fragments linear in its bytes.
      this.#buffer = new Uint8Array(Math.max(SMALLEST, needed, last ? 0 : 2 * old.length));
    }
    if (this.#length > 0) this.#buffer.set(old.subarray(0, this.#length));
    release(old);
  }

  /**
   * Adds `bytes[start..end)`, for which room was reserved.
   *
   * @throws {WebSocketProtocolError} if the message is a text and can't be valid UTF-8 any more.
   */
  append(bytes: Uint8Array, start: number, end: number): void {
    if (start === end) return;
    this.#buffer.set(bytes.subarray(start, end), this.#length);
    this.#length += end - start;
    if (!this.#text || (this.#utf8.atBoundary && isAsciiRange(bytes, start, end))) return;
    this.#ascii = false;
    if (!this.#utf8.push(bytes, start, end)) throw invalidUtf8();
  }

  /**
   * Ends a text message and returns it.
   *
   * @throws {WebSocketProtocolError} if its last character is incomplete.
   */
  takeText(): string {
    if (!this.#utf8.atBoundary) throw invalidUtf8();
    const decode = this.#ascii ? decodeAscii : decodeValid;
    const text = decode(this.#buffer, 0, this.#length);
    this.release();
    return text;
  }

  /** Ends a binary message and returns it in an array of its own. */
  takeBinary(): Uint8Array {
    if (this.#length === this.#buffer.length) {
      const bytes = this.#buffer;
      this.#buffer = NOTHING;
      this.#length = 0;
      return bytes;
    }
    const bytes = this.#buffer.slice(0, this.#length);
    this.release();
    return bytes;
  }

  /** Drops what was collected. */
  release(): void {
    release(this.#buffer);
    this.#buffer = NOTHING;
    this.#length = 0;
  }
}

function release(buffer: Uint8Array): void {
  if (buffer.length <= SPARE_LIMIT && buffer.length > (spare?.length ?? 0)) spare = buffer;
}
