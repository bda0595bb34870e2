/**
 * The fuzzing server's own reader of a client's frames: as strict as RFC 6455 is with a client, and not `src`'s.
 *
 * @module
 */

import { concat } from "./bytes.ts";

/** What a client sent. */
export type ClientEvent =
  | {
    readonly kind: "text" | "binary";
    readonly payload: Uint8Array;
    /** Whether RSV1 was set: the payload is compressed (RFC 7692 6). */
    readonly compressed: boolean;
  }
  | { readonly kind: "ping" | "pong"; readonly payload: Uint8Array }
  | { readonly kind: "close"; readonly code: number | undefined; readonly reason: string }
  | { readonly kind: "violation"; readonly what: string };

/** A frame whose head has been read. */
interface Head {
  readonly fin: boolean;
  readonly rsv1: boolean;
  readonly opcode: number;
  readonly length: number;
  readonly mask: Uint8Array;
  /** Bytes of the head itself. */
  readonly bytes: number;
}

/** A rule that the client broke; ends the reading. */
class Violation extends Error {}

/** Close codes of RFC 6455 7.4 and of the IANA registry that may be on the wire. */
const CLOSE_CODES = new Set([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014]);

/** Reads the frames of one client. */
export class FrameDecoder {
  readonly #compression: boolean;
  #buffer = new Uint8Array(1 << 12);
  #start = 0;
  #end = 0;
  #message:
    | { readonly kind: "text" | "binary"; readonly compressed: boolean; readonly parts: Uint8Array[] }
    | undefined;
  #stopped = false;
  #closed = false;
  /** The masking keys of the first frames: all the same means that they are not random. */
  readonly #masks: number[] = [];

  /** Creates a reader; `compression` says whether permessage-deflate was negotiated. */
  constructor(compression: boolean) {
    this.#compression = compression;
  }

  /** Takes bytes and returns what is complete. After a violation nothing comes any more. */
  push(bytes: Uint8Array): ClientEvent[] {
    if (this.#stopped) return [];
    this.#append(bytes);
    const events: ClientEvent[] = [];
    try {
      let head: Head | undefined;
      while ((head = this.#readHead()) !== undefined && this.#end - this.#start >= head.bytes + head.length) {
        const event = this.#readFrame(head);
        if (event !== undefined) events.push(event);
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.#stopped = true;
      events.push({ kind: "violation", what: error.message });
    }
    return events;
  }

  #append(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#buffer.length) {
      const kept = this.#buffer.subarray(this.#start, this.#end);
      const needed = kept.length + bytes.length;
      const larger = needed > this.#buffer.length ? new Uint8Array(2 * needed) : this.#buffer;
      if (larger === this.#buffer) larger.copyWithin(0, this.#start, this.#end);
      else larger.set(kept);
      this.#buffer = larger;
      this.#end = kept.length;
      this.#start = 0;
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #readHead(): Head | undefined {
    const view = new DataView(this.#buffer.buffer, this.#start, this.#end - this.#start);
    if (view.byteLength < 2) return undefined;
    const [first, second] = [view.getUint8(0), view.getUint8(1)];
    const opcode = first & 15;
    const fin = first >= 128;
    if ((first & 0x30) !== 0) throw new Violation("RSV2 or RSV3 is set");
    const rsv1 = (first & 0x40) !== 0;
    if (rsv1 && !(this.#compression && (opcode === 1 || opcode === 2))) throw new Violation("RSV1 is set");
    if (![0, 1, 2, 8, 9, 10].includes(opcode)) throw new Violation(`the opcode ${opcode} is reserved`);
    if (second < 128) throw new Violation("the client did not mask");
    const code = second & 127;
    if (opcode >= 8 && !fin) throw new Violation("a control frame is fragmented");
    if (opcode >= 8 && code > 125) throw new Violation("a control frame is too long");
    const lengthBytes = code === 126 ? 2 : code === 127 ? 8 : 0;
    const bytes = 2 + lengthBytes + 4;
    if (view.byteLength < bytes) return undefined;
    const length = lengthBytes === 0 ? code : lengthBytes === 2 ? view.getUint16(2) : Number(view.getBigUint64(2));
    if ((lengthBytes === 2 && length < 126) || (lengthBytes === 8 && length < 65_536)) {
      throw new Violation("a length is not in its shortest form");
    }
    const mask = this.#buffer.slice(this.#start + bytes - 4, this.#start + bytes);
    return { fin, rsv1, opcode, length, mask, bytes };
  }

  #readFrame({ fin, rsv1, opcode, length, mask, bytes }: Head): ClientEvent | undefined {
    const payload = this.#buffer.slice(this.#start + bytes, this.#start + bytes + length);
    this.#start += bytes + length;
    unmask(payload, mask);
    this.#checkMask(mask);
    // RFC 6455 5.5.1: no data after a Close frame. A pong may come, since 5.5.2 asks for one until the peer's Close came.
    if (this.#closed && opcode !== 10) throw new Violation(`a frame with opcode ${opcode} came after the Close frame`);
    if (opcode === 9) return { kind: "ping", payload };
    if (opcode === 10) return { kind: "pong", payload };
    if (opcode === 8) return this.#readClose(payload);
    if (opcode === 0) {
      if (this.#message === undefined) throw new Violation("a continuation has nothing to continue");
    } else {
      if (this.#message !== undefined) throw new Violation("a message starts inside of another one");
      this.#message = { kind: opcode === 1 ? "text" : "binary", compressed: rsv1, parts: [] };
    }
    const { kind, compressed, parts } = this.#message;
    parts.push(payload);
    if (!fin) return undefined;
    this.#message = undefined;
    const whole = parts.length === 1 ? payload : concat(parts);
    if (kind === "text" && !compressed) decode(whole);
    return { kind, payload: whole, compressed };
  }

  #readClose(payload: Uint8Array): ClientEvent {
    this.#closed = true;
    if (payload.length === 0) return { kind: "close", code: undefined, reason: "" };
    if (payload.length === 1) throw new Violation("a Close frame has a payload of 1 byte");
    const code = new DataView(payload.buffer).getUint16(0);
    if (!CLOSE_CODES.has(code) && !(code >= 3000 && code <= 4999)) {
      throw new Violation(`the close code ${code} was sent`);
    }
    return { kind: "close", code, reason: decode(payload.subarray(2)) };
  }

  /** RFC 6455 5.3: fresh and unpredictable for each frame. Chance makes four equal ones once in 10^28 connections. */
  #checkMask(mask: Uint8Array): void {
    if (this.#masks.length >= 4) return;
    this.#masks.push(new DataView(mask.buffer).getUint32(0));
    if (this.#masks.length === 4 && new Set(this.#masks).size === 1) {
      throw new Violation("the first four frames have the same masking key");
    }
  }
}

function unmask(payload: Uint8Array, mask: Uint8Array): void {
  const [a = 0, b = 0, c = 0, d = 0] = mask;
  const whole = payload.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    payload[at]! ^= a;
    payload[at + 1]! ^= b;
    payload[at + 2]! ^= c;
    payload[at + 3]! ^= d;
  }
  for (let at = whole; at < payload.length; at++) payload[at]! ^= mask[at & 3] ?? 0;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Violation("a text is not valid UTF-8");
  }
}
