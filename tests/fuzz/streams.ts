/**
 * Streams of frames at random: valid ones with the events that they cause, and what they become when bytes go wrong.
 * Payloads come from small numbers, which are quick to make and to shrink.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import fc from "fast-check";
import { bytesOf, concat, seededRandom } from "../conformance/bytes.ts";
import { frame } from "../conformance/frames.ts";
import { bytesEvent, closeEvent, type Event, textEvent } from "./reference_reader.ts";

/** A frame before it is encoded. */
export interface PlainFrame {
  readonly opcode: number;
  readonly fin: boolean;
  readonly payload: Uint8Array;
}

/** A valid stream. */
export interface Stream {
  readonly frames: readonly PlainFrame[];
  readonly events: readonly Event[];
}

/** Lengths at which something changes, and small ones. */
const LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 15, 23, 24, 25, 47, 48, 60, 124, 125, 126, 127, 128, 130, 200, 300, 1_000];
/** Long ones are rare: they cost most of the time. */
const LONG = [65_535, 65_536, 70_000];
const CODES = [1000, 1001, 1003, 1007, 1011, 1014, 3000, 4999];
const CHARACTERS = ["a", "Z", "0", '"', "é", "ß", "\u07ff", "币", "\uffff", "\ufeff", "😀", "\u{10ffff}", "\0"];

/** Numbers that make one message: what it is, how long, its content, and where it is cut. */
type Seed = readonly [kind: number, length: number, content: number, cuts: number, between: number];

const seed: fc.Arbitrary<Seed> = fc.tuple(fc.nat(63), fc.nat(255), fc.nat(0xffff), fc.nat(0xffff), fc.nat(255));

/** Valid streams of up to 6 messages, each in up to 4 fragments with control frames between them. */
export const validStreams: fc.Arbitrary<Stream> = fc.array(seed, { maxLength: 6 }).map((seeds) => {
  const frames: PlainFrame[] = [];
  const events: Event[] = [];
  for (const one of seeds) {
    if (addMessage(one, frames, events)) break;
  }
  return { frames, events };
});

/** Adds what one seed says; returns whether that was a Close frame. */
function addMessage([kind, length, content, cuts, between]: Seed, frames: PlainFrame[], events: Event[]): boolean {
  const random = seededRandom(content);
  if (kind < 12) {
    addControl(kind % 2 === 0 ? 9 : 10, length, random, frames, events);
    return false;
  }
  if (kind < 14) {
    const code = CODES[length % CODES.length] ?? 1000;
    const reason = textOf(content % 40, random);
    const isEmpty = length > 200;
    frames.push({ opcode: 8, fin: true, payload: isEmpty ? bytesOf() : bytesOf(code >> 8, code & 255, reason) });
    events.push(isEmpty ? closeEvent(1005, "") : closeEvent(code, Buffer.from(reason).toString()));
    return true;
  }
  const bytes = length >= 254 ? LONG[content % 3] ?? 0 : LENGTHS[length % LENGTHS.length] ?? 0;
  const isText = kind < 46;
  const payload = isText ? textOf(bytes, random) : noiseOf(bytes, random);
  const bounds = [0, payload.length];
  for (let rest = cuts; rest % 4 !== 0 && bounds.length < 5; rest >>= 3) {
    bounds.push(Math.floor(random() * (bytes + 1)));
  }
  bounds.sort((a, b) => a - b);
  for (let index = 0; index + 1 < bounds.length; index++) {
    const fin = index + 2 === bounds.length;
    const opcode = index > 0 ? 0 : isText ? 1 : 2;
    frames.push({ opcode, fin, payload: payload.subarray(bounds[index], bounds[index + 1]) });
    if (!fin && ((between >> index) & 1) === 1) addControl(9 + (between & 1), between, random, frames, events);
  }
  events.push(isText ? textEvent(Buffer.from(payload).toString()) : bytesEvent("binary", payload));
  return false;
}

function addControl(
  opcode: number,
  length: number,
  random: () => number,
  frames: PlainFrame[],
  events: Event[],
): void {
  const payload = noiseOf(length % 126, random);
  frames.push({ opcode, fin: true, payload });
  events.push(bytesEvent(opcode === 9 ? "ping" : "pong", payload));
}

/** UTF-8 of at most `bytes` bytes: ASCII two times out of three. */
function textOf(bytes: number, random: () => number): Uint8Array {
  if (random() < 0.66) return new Uint8Array(bytes).fill(32 + Math.floor(random() * 95));
  let text = "";
  const unit = Array.from({ length: 5 }, () => CHARACTERS[Math.floor(random() * CHARACTERS.length)]).join("");
  while (text.length < bytes) text += unit;
  const encoded = Buffer.from(text);
  let end = bytes;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.subarray(0, end);
}

function noiseOf(bytes: number, random: () => number): Uint8Array {
  const noise = new Uint8Array(bytes);
  const step = 1 + Math.floor(random() * 250);
  for (let at = 0; at < bytes; at++) noise[at] = at * step + (at >> 8);
  return noise;
}

/** The bytes of frames as a server sends them, or masked with `key` as a client does. */
export function encode(frames: readonly PlainFrame[], key?: readonly [number, number, number, number]): Uint8Array {
  return concat(frames.map((one) => frame(key === undefined ? one : { ...one, mask: key })));
}

/** Lengths of the pieces that a stream arrives in; what is left comes in one piece. */
export const chops: fc.Arbitrary<readonly number[]> = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.nat(4) }, { weight: 2, arbitrary: fc.nat(40) }, {
    weight: 1,
    arbitrary: fc.nat(70_000),
  }),
  { maxLength: 30 },
);

/** Cuts bytes as `chops` says. Each piece is a copy: a reader may change what it is given. */
export function* chop(bytes: Uint8Array, lengths: readonly number[]): Iterable<Uint8Array> {
  let at = 0;
  for (const length of lengths) {
    if (at >= bytes.length) return;
    yield bytes.slice(at, at + length);
    at += length;
  }
  if (at < bytes.length) yield bytes.slice(at);
}

/** What goes wrong with the bytes: where, what, and with which bytes. */
export type Damage = readonly [kind: number, place: number, value: number];

/** Up to three damages. */
export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.tuple(fc.nat(9), fc.nat(0xffff), fc.nat(0xffff)),
  { minLength: 1, maxLength: 3 },
);

/** Heads that mean something, for bytes that are put in. */
const HEADS = [
  [0x81, 0],
  [0x01, 3],
  [0x80, 1],
  [0x00, 2],
  [0x82, 126],
  [0x81, 127],
  [0x88, 2],
  [0x88, 1],
  [0x89, 126],
  [0x8a, 5],
  [0xc1, 4],
  [0x83, 0],
  [0x09, 0],
  [0x81, 0x85],
] as const;

/** Close codes at the edges of what may be on the wire. */
const EDGES = [0, 999, 1000, 1003, 1004, 1005, 1006, 1007, 1014, 1015, 1016, 1100, 2999, 3000, 4999, 5000, 65_535];

/** Characters at the edges of what UTF-8 allows, on both sides. */
const SEQUENCES = [
  [0xc1, 0xbf],
  [0xc2, 0x80],
  [0xe0, 0x9f, 0xbf],
  [0xe0, 0xa0, 0x80],
  [0xed, 0x9f, 0xbf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf],
  [0xee, 0x80, 0x80],
  [0xf0, 0x8f, 0xbf, 0xbf],
  [0xf0, 0x90, 0x80, 0x80],
  [0xf4, 0x8f, 0xbf, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0x80],
  [0xff],
  [0xe2, 0x82],
];

/** Damages bytes. Half of the places are near the start, where heads are. */
export function damage(bytes: Uint8Array, list: readonly Damage[]): Uint8Array {
  let result = bytes;
  for (const [kind, place, value] of list) {
    const at = (place & 1) === 0 ? place % (result.length + 1) : place % Math.min(result.length + 1, 40);
    const before = result.subarray(0, at);
    const after = result.subarray(at);
    const head = HEADS[value % HEADS.length] ?? [0, 0];
    let code: number;
    switch (kind) {
      case 0: // one bit
        result = concat([before, after.map((byte, index) => index === 0 ? byte ^ (1 << (value & 7)) : byte)]);
        break;
      case 1: // one byte
        result = concat([before, after.map((byte, index) => index === 0 ? value & 255 : byte)]);
        break;
      case 2: // bytes missing
        result = concat([before, after.subarray(value % 9)]);
        break;
      case 3: // cut off
        result = before;
        break;
      case 4: // a head put in
        result = concat([before, bytesOf(...head), after]);
        break;
      case 5: // noise put in
        result = concat([before, noiseOf(1 + (value % 20), seededRandom(value)), after]);
        break;
      case 6: // a part twice
        result = concat([before, after.subarray(0, value % 50), after]);
        break;
      case 7: // a Close frame put in, with any code
        code = EDGES[value % (2 * EDGES.length)] ?? value % 5_120;
        result = concat([before, bytesOf(0x88, 2, code >> 8, code & 255), after]);
        break;
      default: { // UTF-8 that may be wrong, in the place of as many bytes
        const sequence = SEQUENCES[value % SEQUENCES.length] ?? [];
        result = concat([before, bytesOf(...sequence), after.subarray(sequence.length)]);
      }
    }
  }
  return result;
}
