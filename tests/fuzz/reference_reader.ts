/**
 * A second reader of frames, written only from RFC 6455: slow, not incremental, and sharing nothing with `src`. It says
 * what a reader has to make of a stream of bytes.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** An event in words: `text "…"`, `binary <hex>`, `ping <hex>`, `pong <hex>`, `close <code> "…"`, `fail <code>`. */
export type Event = string;

/** What a reader is told about its role and its limits. */
export interface Limits {
  /** Whether the frames have to be masked: those of a client. */
  readonly masked: boolean;
  readonly maxMessageBytes: number;
  readonly maxFragments?: number;
}

/** A text in words, as an event has it. */
export function textEvent(text: string): Event {
  return `text ${JSON.stringify(text)}`;
}

/** Bytes in words. */
export function bytesEvent(kind: "binary" | "ping" | "pong", bytes: Uint8Array): Event {
  return `${kind} <${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}>`;
}

/** A Close frame in words; 1005 stands for no code. */
export function closeEvent(code: number, reason: string): Event {
  return `close ${code} ${JSON.stringify(reason)}`;
}

/** A failed connection in words. */
export function failEvent(closeCode: number): Event {
  return `fail ${closeCode}`;
}

class Fail extends Error {
  readonly code: number;
  constructor(code: number) {
    super();
    this.code = code;
  }
}

/** The message that is under way. */
interface Message {
  readonly text: boolean;
  readonly utf8: Utf8;
  readonly parts: Uint8Array[];
  bytes: number;
  frames: number;
}

/** The events of a stream, whole or cut off anywhere. */
export function readAll(bytes: Uint8Array, limits: Limits): Event[] {
  const events: Event[] = [];
  let message: Message | undefined;
  let at = 0;
  try {
    while (at < bytes.length) {
      const head = readHead(bytes, at, limits.masked);
      if (head === undefined) return events;
      const { opcode, fin, length, mask } = head;
      at += head.size;
      const whole = at + length <= bytes.length;
      const payload = bytes.slice(at, at + Math.min(length, bytes.length - at));
      if (mask !== undefined) payload.forEach((byte, index) => payload[index] = byte ^ (mask[index % 4] ?? 0));
      if (opcode < 8) message = takeData(message, opcode, length, payload, limits);
      if (!whole) return events;
      at += length;
      if (opcode === 8) {
        events.push(readClose(payload));
        return events;
      }
      if (opcode > 8) events.push(bytesEvent(opcode === 9 ? "ping" : "pong", payload));
      else if (fin && message !== undefined) {
        events.push(endOf(message));
        message = undefined;
      }
    }
  } catch (error) {
    if (!(error instanceof Fail)) throw error;
    events.push(failEvent(error.code));
  }
  return events;
}

interface Head {
  readonly fin: boolean;
  readonly opcode: number;
  readonly length: number;
  readonly mask: Uint8Array | undefined;
  readonly size: number;
}

/** Each rule is checked as soon as the bytes for it are there. */
function readHead(bytes: Uint8Array, at: number, masked: boolean): Head | undefined {
  const there = bytes.length - at;
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  const opcode = first % 16;
  const fin = first >= 128;
  const isControl = opcode >= 8;
  // 5.2: reserved bits and opcodes; 5.5: control frames are not fragmented.
  if ((first & 0b0111_0000) > 0) throw new Fail(1002);
  if (![0, 1, 2, 8, 9, 10].includes(opcode)) throw new Fail(1002);
  if (isControl && !fin) throw new Fail(1002);
  if (there < 2) return undefined;
  // 5.1: a client masks, a server does not; 5.5: control frames have at most 125 bytes.
  if (second >= 128 !== masked) throw new Fail(1002);
  const code = second % 128;
  if (isControl && code > 125) throw new Fail(1002);
  const extra = code === 126 ? 2 : code === 127 ? 8 : 0;
  // 5.2: the top bit of a length of 64 bits is 0, and the shortest form is used.
  if (extra === 8 && there > 2 && (bytes[at + 2] ?? 0) >= 128) throw new Fail(1002);
  if (there < 2 + extra) return undefined;
  let length = code;
  if (extra > 0) length = bytes.subarray(at + 2, at + 2 + extra).reduce((sum, byte) => sum * 256 + byte, 0);
  if (extra === 2 && length < 126) throw new Fail(1002);
  if (extra === 8 && length < 65_536) throw new Fail(1002);
  if (!masked) return { fin, opcode, length, mask: undefined, size: 2 + extra };
  if (there < 6 + extra) return undefined;
  return { fin, opcode, length, mask: bytes.slice(at + 2 + extra, at + 6 + extra), size: 6 + extra };
}

/** 5.4 and 8.1: where a data frame may stand, and its text as far as it is there. */
function takeData(
  message: Message | undefined,
  opcode: number,
  length: number,
  payload: Uint8Array,
  limits: Limits,
): Message {
  if ((opcode === 0) !== (message !== undefined)) throw new Fail(1002);
  const current = message ?? { text: opcode === 1, utf8: new Utf8(), parts: [], bytes: 0, frames: 0 };
  current.bytes += length;
  current.frames++;
  if (current.bytes > limits.maxMessageBytes) throw new Fail(1009);
  if (current.frames > (limits.maxFragments ?? Infinity)) throw new Fail(1009);
  current.parts.push(payload);
  if (current.text && !current.utf8.takes(payload)) throw new Fail(1007);
  return current;
}

function endOf({ text, utf8, parts }: Message): Event {
  const bytes = Buffer.concat(parts);
  if (!text) return bytesEvent("binary", bytes);
  if (!utf8.isComplete) throw new Fail(1007);
  return textEvent(bytes.toString("utf8"));
}

/** 5.5.1 and 7.4. */
function readClose(payload: Uint8Array): Event {
  if (payload.length === 0) return closeEvent(1005, "");
  if (payload.length === 1) throw new Fail(1002);
  const code = (payload[0] ?? 0) * 256 + (payload[1] ?? 0);
  const registered = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014].includes(code);
  if (!registered && (code < 3000 || code > 4999)) throw new Fail(1002);
  const reason = payload.subarray(2);
  const utf8 = new Utf8();
  if (!utf8.takes(reason) || !utf8.isComplete) throw new Fail(1007);
  return closeEvent(code, Buffer.from(reason).toString("utf8"));
}

/** UTF-8 as RFC 3629 4 has it: what may follow is a list of ranges. */
class Utf8 {
  /** Ranges of the bytes that have to come. */
  #next: (readonly [number, number])[] = [];

  /** Whether no character is incomplete. */
  get isComplete(): boolean {
    return this.#next.length === 0;
  }

  /** Whether the text can still become valid with these bytes behind it. */
  takes(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      const range = this.#next.shift();
      if (range !== undefined) {
        if (byte < range[0] || byte > range[1]) return false;
      } else if (byte > 0x7f) {
        const following = FOLLOWING.find(([from, to]) => byte >= from && byte <= to);
        if (following === undefined) return false;
        this.#next = [...following[2]];
      }
    }
    return true;
  }
}

const TAIL = [0x80, 0xbf] as const;
/** The lead bytes from, to, and what follows them. */
const FOLLOWING: readonly (readonly [from: number, to: number, ranges: readonly (readonly [number, number])[]])[] = [
  [0xc2, 0xdf, [TAIL]],
  [0xe0, 0xe0, [[0xa0, 0xbf], TAIL]],
  [0xe1, 0xec, [TAIL, TAIL]],
  [0xed, 0xed, [[0x80, 0x9f], TAIL]],
  [0xee, 0xef, [TAIL, TAIL]],
  [0xf0, 0xf0, [[0x90, 0xbf], TAIL, TAIL]],
  [0xf1, 0xf3, [TAIL, TAIL, TAIL]],
  [0xf4, 0xf4, [[0x80, 0x8f], TAIL, TAIL]],
];
