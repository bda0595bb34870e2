/**
 * Reads frames from the chunks of a socket and hands out each of them as it is, for callers who want no messages.
 *
 * @module
 */

import { WebSocketProtocolError } from "../../base/mod.ts";
import type { Frame, FrameOpcode } from "../frames.ts";
import { FrameHeader, MAX_FRAME_HEAD } from "./frame_header.ts";
import { readClosePayload } from "./close_payload.ts";
import { tooMuchBuffered } from "./limits.ts";
import { MessageRules } from "./message_rules.ts";
import { Opcode } from "./opcode.ts";
import { decodeAscii, decodeUtf8 } from "./utf8.ts";

/** Told about each frame, in the order of the wire. It must not throw. */
export interface FrameLevelHandler {
  /** Any frame; valid during the call. */
  onFrame(frame: FrameView): void;
  /** The same Ping frame once more; the payload is a copy. */
  onPing(payload: Uint8Array): void;
  /** The same Pong frame once more; the payload is a copy. */
  onPong(payload: Uint8Array): void;
  /** The same Close frame once more: 1005 if it had no code. Nothing is read after it. */
  onClose(code: number, reason: string): void;
}

/** What a reader accepts. */
export interface FrameLevelOptions {
  /** Largest message in bytes, over all of its fragments. */
  readonly maxMessageBytes: number;
  /** Most frames that a message may consist of. */
  readonly maxFragments: number;
  /** Most bytes of a frame that spans chunks. */
  readonly maxBufferedBytes: number;
}

const NOTHING = new Uint8Array(0);

/** One frame. The object is used again for the next one. */
export class FrameView implements Frame {
  opcode: FrameOpcode = 0;
  fin = false;
  /** What text() threw: the peer's violation. */
  failure: WebSocketProtocolError | undefined;
  #bytes: Uint8Array = NOTHING;
  #start = 0;
  #end = 0;
  #chunk: Uint8Array = NOTHING;
  #next = 0;

  /** Shows the payload `bytes[start..end)`; `chunk[next..]` was read from the socket behind it. */
  show(bytes: Uint8Array, start: number, end: number, chunk: Uint8Array, next: number): void {
    this.failure = undefined;
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#chunk = chunk;
    this.#next = next;
  }

  /** Lets go of the bytes. */
  clear(): void {
    this.show(NOTHING, 0, 0, NOTHING, 0);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  get payload(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  get lastInChunk(): boolean {
    const chunk = this.#chunk;
    const at = this.#next;
    const available = chunk.length - at;
    if (available < 2) return true;
    // A server's frames are not masked.
    let length = chunk[at + 1]! & 0x7f;
    let head = 2;
    if (length === 126) {
      if (available < 4) return true;
      length = (chunk[at + 2]! << 8) | chunk[at + 3]!;
      head = 4;
    } else if (length === 127) {
      if (available < 10) return true;
      length = 0;
      for (let i = 2; i < 10; i++) length = length * 256 + chunk[at + i]!;
      head = 10;
    }
    return available < head + length;
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.payload);
  }

  text(): string {
    if (!this.fin || this.opcode === Opcode.Continuation) {
      throw new TypeError("Cannot read a fragment as text: it may end inside of a character; collect its bytes()");
    }
    try {
      return decodeUtf8(this.#bytes, this.#start, this.#end);
    } catch (error) {
      // Only a text has to be UTF-8; that someone looks at something else as text is no violation of the peer.
      if (this.opcode === Opcode.Text && error instanceof WebSocketProtocolError) this.failure = error;
      throw error;
    }
  }

  asciiText(): string {
    return decodeAscii(this.#bytes, this.#start, this.#end);
  }
}

/** An incremental reader of a server's frames. Whole frames are shown in place, others are copied together once. */
export class FrameLevelReader {
  readonly #handler: FrameLevelHandler;
  readonly #options: FrameLevelOptions;
  readonly #header = new FrameHeader(false);
  readonly #rules: MessageRules;
  readonly #frame = new FrameView();
  #stopped = false;
  /** The bytes of a frame head that is not complete. */
  readonly #head = new Uint8Array(MAX_FRAME_HEAD);
  #headLength = 0;
  /** The payload of a frame that spans chunks, and how much of it is missing. */
  #partial: Uint8Array = NOTHING;
  #missing = 0;

  /** Creates a reader at the start of a frame. */
  constructor(handler: FrameLevelHandler, options: FrameLevelOptions) {
    this.#handler = handler;
    this.#options = options;
    this.#rules = new MessageRules(options.maxFragments, options.maxMessageBytes);
  }

  /** Reads nothing any more; may be called by the handler, which is then told nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#partial = NOTHING;
  }

  /**
   * Reads the next bytes from the socket; they are not kept.
   *
   * @throws {WebSocketProtocolError} if the peer broke RFC 6455 or a limit; nothing is read any more.
   */
  push(chunk: Uint8Array): void {
    let at = 0;
    try {
      while (at < chunk.length && !this.#stopped) {
        if (this.#missing > 0) at = this.#continueFrame(chunk, at);
        else if (this.#headLength > 0) at = this.#continueHead(chunk, at);
        else {
          const head = this.#header.read(chunk, at, chunk.length);
          if (head === 0) {
            this.#head.set(chunk.subarray(at));
            this.#headLength = chunk.length - at;
            break;
          }
          at = this.#startFrame(chunk, at + head);
        }
      }
    } catch (error) {
      this.stop();
      throw error;
    } finally {
      this.#frame.clear();
    }
  }

  #continueHead(chunk: Uint8Array, at: number): number {
    const before = this.#headLength;
    const taken = Math.min(MAX_FRAME_HEAD - before, chunk.length - at);
    this.#head.set(chunk.subarray(at, at + taken), before);
    const head = this.#header.read(this.#head, 0, before + taken);
    if (head === 0) {
      this.#headLength = before + taken;
      return at + taken;
    }
    this.#headLength = 0;
    return this.#startFrame(chunk, at + head - before);
  }

  #startFrame(chunk: Uint8Array, at: number): number {
    const { opcode, length } = this.#header;
    if (opcode < Opcode.Close) this.#rules.check(this.#header);
    const end = at + length;
    if (end <= chunk.length) {
      this.#handOut(chunk, at, end, chunk, end);
      return end;
    }
    if (length > this.#options.maxBufferedBytes) throw tooMuchBuffered(this.#options.maxBufferedBytes);
    this.#partial = new Uint8Array(length);
    this.#missing = length;
    return this.#continueFrame(chunk, at);
  }

  #continueFrame(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + this.#missing);
    const partial = this.#partial;
    partial.set(chunk.subarray(at, end), partial.length - this.#missing);
    this.#missing -= end - at;
    if (this.#missing > 0) return end;
    this.#partial = NOTHING;
    this.#handOut(partial, 0, partial.length, chunk, end);
    return end;
  }

  #handOut(bytes: Uint8Array, start: number, end: number, chunk: Uint8Array, next: number): void {
    const frame = this.#frame;
    const handler = this.#handler;
    // The cast: the header has refused all other opcodes.
    const opcode = this.#header.opcode as FrameOpcode;
    frame.opcode = opcode;
    frame.fin = this.#header.fin;
    frame.show(bytes, start, end, chunk, next);
    if (opcode < Opcode.Close) {
      handler.onFrame(frame);
      if (frame.failure !== undefined) throw frame.failure;
      return;
    }
    const payload = bytes.slice(start, end);
    if (opcode === Opcode.Close) {
      const { code, reason } = readClosePayload(payload);
      handler.onFrame(frame);
      this.stop();
      handler.onClose(code, reason);
      return;
    }
    handler.onFrame(frame);
    if (opcode === Opcode.Ping) handler.onPing(payload);
    else handler.onPong(payload);
  }
}
