/**
 * Reads frames from the chunks of a socket and hands out messages: the hot path of every connection.
 *
 * @module
 */

import { isAscii } from "node:buffer";
import { WebSocketProtocolError } from "../../base/mod.ts";
import { FrameHeader, MAX_FRAME_HEAD, violation } from "./frame_header.ts";
import { applyMask } from "./mask.ts";
import { MessageAssembly } from "./message_assembly.ts";
import { isSendableCloseCode, NO_STATUS_RECEIVED, Opcode } from "./opcode.ts";
import { decodeAscii, decodeUtf8 } from "./utf8.ts";

/** Told about each message and control frame, in the order of the wire. It must not throw. */
export interface FrameHandler {
  /** A text message. */
  onText(text: string): void;
  /** A binary message in an array of its own. */
  onBinary(bytes: Uint8Array): void;
  /** A Ping frame; the payload is a copy. */
  onPing(payload: Uint8Array): void;
  /** A Pong frame; the payload is a copy. */
  onPong(payload: Uint8Array): void;
  /** A Close frame: 1005 if it had no code. Nothing is read after it. */
  onClose(code: number, reason: string): void;
}

/** What a reader accepts. */
export interface FrameReaderOptions {
  /** Whose end of the connection this is: a client refuses masked frames, a server unmasked ones (RFC 6455 5.1). */
  readonly role: "client" | "server";
  /** Largest message in bytes, over all of its fragments. */
  readonly maxMessageBytes: number;
  /** Most frames that a message may consist of. Default: 131072. */
  readonly maxFragments?: number;
}

/** FIN and opcode 1, no reserved bits: the first byte of an unfragmented text. */
const WHOLE_TEXT = 0x81;
/** Most messages that are looked at together, two entries each. */
const INDEX_ENTRIES = 2048;
const NOTHING = new Uint8Array(0);

/** Where the texts of a chunk start and end. Shared, because only one reader reads at a time; see `takeIndex`. */
let sharedIndex: Int32Array | undefined;

/**
 * An incremental frame reader. Whole frames are read in place; a frame that spans chunks is copied into one buffer,
 * once. Allocates nothing of an announced size before that size was checked.
 */
export class FrameReader {
  readonly #handler: FrameHandler;
  readonly #client: boolean;
  readonly #maxMessageBytes: number;
  readonly #maxFragments: number;
  readonly #header: FrameHeader;
  readonly #message = new MessageAssembly();
  #stopped = false;
  /** The bytes of a frame head that is not complete. */
  #head: Uint8Array = NOTHING;
  #headLength = 0;
  /** Payload bytes of the current frame that have not come; 0 between frames. */
  #missing = 0;
  /** The payload so far if the current frame is a control frame. */
  #control: Uint8Array = NOTHING;
  /** Text or Binary inside of a message that started in an earlier frame or chunk, else 0. */
  #messageOpcode = 0;
  #fragments = 0;

  /** Creates a reader at the start of a frame. */
  constructor(handler: FrameHandler, options: FrameReaderOptions) {
    this.#handler = handler;
    this.#client = options.role === "client";
    this.#maxMessageBytes = options.maxMessageBytes;
    this.#maxFragments = options.maxFragments ?? 131_072;
    this.#header = new FrameHeader(!this.#client);
  }

  /** Whether nothing is read any more: after `stop()`, a Close frame or a violation. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Reads nothing any more; may be called by the handler, which is then told nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#message.release();
  }

  /**
   * Reads the next bytes from the socket. They are not kept, but are changed: masked payloads are unmasked in place and
   * heads of frames overwritten.
   *
   * @throws {WebSocketProtocolError} if the peer broke RFC 6455 or a limit; everything before was handed out, and
   * nothing is read any more.
   */
  push(chunk: Uint8Array): void {
    const end = chunk.length;
    let at = 0;
    try {
      while (at < end && !this.#stopped) {
        if (this.#missing > 0) at = this.#continueFrame(chunk, at);
        else if (this.#headLength > 0) at = this.#continueHead(chunk, at);
        else {
          if (this.#client && this.#messageOpcode === 0) at = this.#wholeTexts(chunk, at);
          if (at < end && !this.#stopped) at = this.#frame(chunk, at);
        }
      }
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /**
   * The fast path: hands out the unmasked, unfragmented texts that lie whole in the chunk from `at` on, and returns
   * where the first other frame starts. Anything unusual is left to `#frame`, which knows the rules.
   *
   * A check of the whole stretch for ASCII costs 10 ns a KiB, a check of each text 60 to 140 ns. The heads between the
   * texts are not ASCII, so the first pass notes where the texts are and blanks the heads.
   */
  #wholeTexts(chunk: Uint8Array, at: number): number {
    const limit = Math.min(this.#maxMessageBytes, 0xffff);
    const end = chunk.length;
    const index = takeIndex();
    let entries = 0;
    let next = at;
    while (end - next >= 4 && chunk[next] === WHOLE_TEXT && entries < INDEX_ENTRIES) {
      let length = chunk[next + 1]!;
      let start = next + 2;
      if (length === 126) {
        length = (chunk[next + 2]! << 8) | chunk[next + 3]!;
        if (length < 126) break;
        start = next + 4;
      } else if (length > 126) break;
      if (length > limit || length > end - start) break;
      chunk[next] = 0;
      if (start === next + 4) {
        chunk[next + 2] = 0;
        chunk[next + 3] = 0;
      }
      next = start + length;
      index[entries] = start;
      index[entries + 1] = next;
      entries += 2;
    }
    if (entries > 0) {
      const handler = this.#handler;
      const decode = isAscii(chunk.subarray(at, next)) ? decodeAscii : decodeUtf8;
      for (let entry = 0; entry < entries && !this.#stopped; entry += 2) {
        handler.onText(decode(chunk, index[entry]!, index[entry + 1]!));
      }
    }
    sharedIndex = index;
    return next;
  }

  /** Reads the frame whose head starts at `at`; returns how far it got. */
  #frame(chunk: Uint8Array, at: number): number {
    const head = this.#header.read(chunk, at, chunk.length);
    if (head > 0) return this.#startFrame(chunk, at + head);
    if (this.#head === NOTHING) this.#head = new Uint8Array(MAX_FRAME_HEAD);
    this.#head.set(chunk.subarray(at));
    this.#headLength = chunk.length - at;
    return chunk.length;
  }

  /** Completes a head that started in an earlier chunk. */
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

  /** Reads the payload, which starts at `at`, of a frame whose head is known. */
  #startFrame(chunk: Uint8Array, at: number): number {
    const { opcode, length, fin, maskingKey } = this.#header;
    const control = opcode >= Opcode.Close;
    if (!control) this.#checkDataFrame();
    const end = at + length;
    if (end > chunk.length) {
      this.#missing = length;
      if (control) this.#control = new Uint8Array(length);
      else {
        this.#beginMessage();
        this.#message.reserve(length, fin);
      }
      return this.#continueFrame(chunk, at);
    }
    if (!this.#client) applyMask(chunk, at, end, maskingKey, 0);
    if (control) this.#handOutControl(chunk.subarray(at, end));
    else if (fin && this.#messageOpcode === 0) {
      if (opcode === Opcode.Text) this.#handler.onText(decodeUtf8(chunk, at, end));
      else this.#handler.onBinary(new Uint8Array(chunk.subarray(at, end)));
    } else {
      this.#beginMessage();
      this.#message.reserve(length, fin);
      this.#message.append(chunk, at, end);
      if (fin) this.#handOutMessage();
    }
    return end;
  }

  /** Takes payload bytes of a frame that spans chunks; returns how far it got. */
  #continueFrame(chunk: Uint8Array, at: number): number {
    const { opcode, length, fin, maskingKey } = this.#header;
    const end = Math.min(chunk.length, at + this.#missing);
    const done = length - this.#missing;
    if (!this.#client) applyMask(chunk, at, end, maskingKey, done);
    this.#missing -= end - at;
    if (opcode >= Opcode.Close) {
      this.#control.set(chunk.subarray(at, end), done);
      if (this.#missing === 0) this.#handOutControl(this.#control);
    } else {
      this.#message.append(chunk, at, end);
      if (this.#missing === 0 && fin) this.#handOutMessage();
    }
    return end;
  }

  /** The rules of a data frame among its neighbours (RFC 6455 5.4), and the limits. */
  #checkDataFrame(): void {
    const { opcode, length } = this.#header;
    const continuation = opcode === Opcode.Continuation;
    if (continuation && this.#messageOpcode === 0) {
      throw violation("a continuation has no message to continue", "UNEXPECTED_CONTINUATION");
    }
    if (!continuation && this.#messageOpcode !== 0) {
      throw violation("a message starts inside of another one", "EXPECTED_CONTINUATION");
    }
    this.#fragments = continuation ? this.#fragments + 1 : 1;
    if (this.#fragments > this.#maxFragments) {
      throw tooLarge(`it has more than ${this.#maxFragments} fragments`, "TOO_MANY_FRAGMENTS");
    }
    if (length + (continuation ? this.#message.length : 0) > this.#maxMessageBytes) {
      throw tooLarge(`it has more than ${this.#maxMessageBytes} bytes`, "MESSAGE_TOO_LARGE");
    }
  }

  /** Notes that the current frame belongs to a message that can't be handed out yet. */
  #beginMessage(): void {
    if (this.#messageOpcode !== 0) return;
    this.#messageOpcode = this.#header.opcode;
    this.#message.begin(this.#messageOpcode === Opcode.Text);
  }

  #handOutMessage(): void {
    const text = this.#messageOpcode === Opcode.Text;
    this.#messageOpcode = 0;
    if (text) this.#handler.onText(this.#message.takeText());
    else this.#handler.onBinary(this.#message.takeBinary());
  }

  #handOutControl(payload: Uint8Array): void {
    const opcode = this.#header.opcode;
    if (opcode === Opcode.Ping) this.#handler.onPing(new Uint8Array(payload));
    else if (opcode === Opcode.Pong) this.#handler.onPong(new Uint8Array(payload));
    else {
      const code = closeCode(payload);
      const reason = decodeUtf8(payload, Math.min(2, payload.length), payload.length);
      this.stop();
      this.#handler.onClose(code, reason);
    }
  }
}

/** The code of a Close frame's payload (RFC 6455 5.5.1 and 7.4). */
function closeCode(payload: Uint8Array): number {
  if (payload.length === 0) return NO_STATUS_RECEIVED;
  if (payload.length === 1) throw violation("a Close frame has a payload of 1 byte", "INVALID_CLOSE_PAYLOAD");
  const code = (payload[0]! << 8) | payload[1]!;
  if (!isSendableCloseCode(code)) throw violation(`the close code ${code} is not allowed`, "INVALID_CLOSE_CODE");
  return code;
}

function tooLarge(what: string, code: string): WebSocketProtocolError {
  return new WebSocketProtocolError(`Cannot read a message: ${what}`, code, 1009);
}

/** Takes the shared index; a reader that is called from another one's handler gets one of its own. */
function takeIndex(): Int32Array {
  const index = sharedIndex ?? new Int32Array(INDEX_ENTRIES);
  sharedIndex = undefined;
  return index;
}
