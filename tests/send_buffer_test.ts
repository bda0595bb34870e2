/** The shared buffer for sending: every length is masked right, and no frame is changed while a socket may still read it. */

import { assertEquals, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { SendBuffer } from "../src/transport/native/send_buffer.ts";
import type { ByteSocket } from "../src/transport/native/socket.ts";
import { Outbound } from "../src/transport/native/outbound.ts";

/** Head and payload of a masked frame, decoded byte by byte as RFC 6455 5.2 and 5.3 say. */
function decode(frame: Uint8Array): { first: number; payload: Uint8Array } {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const code = view.getUint8(1) & 0x7f;
  const head = code < 126 ? 2 : code === 126 ? 4 : 10;
  const length = code < 126 ? code : code === 126 ? view.getUint16(2) : Number(view.getBigUint64(2));
  const key = frame.subarray(head, head + 4);
  const payload = frame.slice(head + 4).map((byte, at) => byte ^ key[at & 3]!);
  assertEquals([view.getUint8(1) >> 7, payload.length], [1, length]);
  return { first: view.getUint8(0), payload };
}

const LENGTHS = [0, 1, 15, 16, 17, 63, 64, 65, 125, 126, 127, 65_535, 65_536, 131_000, 1_048_576, 2_097_152];

test("messages of every length are masked with a fresh key and come out as they went in", () => {
  const buffer = new SendBuffer();
  for (const length of LENGTHS) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + 7) & 0xff);
    const binary = decode(buffer.encode(bytes)!);
    assertEquals(binary.first, 0x82);
    assertEquals(binary.payload, bytes, `binary of ${length} bytes`);
    const text = "a".repeat(length);
    const { first, payload } = decode(buffer.encode(text)!);
    assertEquals(first, 0x81);
    assertEquals(new TextDecoder().decode(payload), text, `text of ${length} bytes`);
  }
  assertNotEquals(buffer.encode("x")!.slice(2, 6), buffer.encode("x")!.slice(2, 6));
});

test("texts that are longer in UTF-8 than in UTF-16 are sent whole, lone surrogates as U+FFFD", () => {
  const buffer = new SendBuffer();
  for (const text of ["€".repeat(60_000), "日本語".repeat(1_000), "𝒳".repeat(100_000), "a\ud800b"]) {
    assertEquals(new TextDecoder().decode(decode(buffer.encode(text)!).payload), text.toWellFormed());
  }
});

test("a message that is too long for the buffer is left to its caller", () => {
  const buffer = new SendBuffer();
  assertEquals(buffer.encode("a".repeat(2_097_153)), undefined);
  assertEquals(buffer.encode("€".repeat(800_000)), undefined);
  assertEquals(buffer.encode(new Uint8Array(2_097_153)), undefined);
  assertEquals(decode(buffer.encode("still works")!).first, 0x81);
});

/** A socket that takes whole writes, keeps the very arrays, and reports them as pending until it is told otherwise. */
class KeepingSocket implements ByteSocket {
  handler = { onOpen() {}, onBytes() {}, onDrain() {}, onEnd() {} };
  readonly path = "node";
  pendingBytes = 0;
  readonly addresses = undefined;
  readonly written: Uint8Array[] = [];
  readonly #takes: number;

  constructor(takes = Infinity) {
    this.#takes = takes;
  }

  write(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, Math.min(bytes.length, this.#takes));
    // A socket that is done with the bytes has copied them, as the system does.
    this.written.push(this.#takes === Infinity ? taken : taken.slice());
    if (this.#takes === Infinity) this.pendingBytes += taken.length;
    return taken.length;
  }

  pause(): void {}
  resume(): void {}
  end(): void {}
  destroy(): void {}
}

const textOf = (frame: Uint8Array) => new TextDecoder().decode(decode(frame).payload);

test("while a socket still reads a frame, the frames of other connections go elsewhere", () => {
  const [first, second] = [new KeepingSocket(), new KeepingSocket()];
  const outbound = new Outbound(first, 65_536, undefined);
  const other = new Outbound(second, 65_536, undefined);
  outbound.send("first");
  other.send("second");
  assertEquals([textOf(first.written[0]!), textOf(second.written[0]!)], ["first", "second"]);
  // A connection that ends like this takes the memory with it: its socket may still be reading.
  outbound.end();
  new Outbound(new KeepingSocket(), 65_536, undefined).send("third");
  assertEquals([textOf(first.written[0]!), textOf(second.written[0]!)], ["first", "second"]);
});

test("what the socket does not take at once is kept, whatever is sent after it", () => {
  const slow = new KeepingSocket(10);
  const outbound = new Outbound(slow, 65_536, undefined);
  outbound.send("a message of more than ten bytes");
  new Outbound(new KeepingSocket(Infinity), 65_536, undefined).send("another connection's message");
  outbound.send("the next one");
  while (outbound.bufferedBytes > 0) outbound.flush();
  const bytes = Uint8Array.from(slow.written.flatMap((part) => [...part]));
  const firstLength = 6 + "a message of more than ten bytes".length;
  assertEquals(textOf(bytes.subarray(0, firstLength)), "a message of more than ten bytes");
  assertEquals(textOf(bytes.subarray(firstLength)), "the next one");
});
