/**
 * The frame writer: the bytes that it makes, and their masking.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { applyMask } from "../src/transport/native/mask.ts";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { bytesOf, frame, maskedFrame, readEvents } from "./frame_events.ts";

/** A plain array, so that a Buffer and a Uint8Array with the same bytes are equal. */
const plain = (bytes: Uint8Array) => [...bytes];

test("an unmasked frame has the shortest length and the payload behind it", () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 100_000]) {
    const payload = new Uint8Array(length).map((_, index) => index * 7);
    const encoded = encodeFrame(Opcode.Binary, payload, { mask: false });
    assertEquals(plain(encoded), plain(frame(0x82, payload)));
  }
});

test("opcode and FIN are in the first byte", () => {
  assertEquals(plain(encodeFrame(Opcode.Text, bytesOf("a"), { mask: false, fin: false })), [0x01, 1, 97]);
  assertEquals(plain(encodeFrame(Opcode.Continuation, bytesOf("b"), { mask: false })), [0x80, 1, 98]);
  assertEquals(plain(encodeFrame(Opcode.Ping, bytesOf(""), { mask: false })), [0x89, 0]);
  assertEquals(plain(encodeFrame(Opcode.Pong, bytesOf(""), { mask: false })), [0x8a, 0]);
});

test("a masked frame is its payload under its own key", () => {
  for (const length of [0, 1, 2, 3, 4, 5, 47, 48, 49, 125, 126, 65_535, 65_536, 65_539]) {
    const payload = new Uint8Array(length).map((_, index) => index * 31 + 5);
    const encoded = encodeFrame(Opcode.Binary, payload, { mask: true });
    const keyAt = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const key = plain(encoded.slice(keyAt, keyAt + 4));
    assertEquals(plain(encoded), plain(maskedFrame(0x82, payload, key)), `${length} bytes`);
  }
});

test("a payload that is sent is not changed", () => {
  const payload = bytesOf("payload ".repeat(100));
  encodeFrame(Opcode.Binary, payload, { mask: true });
  assertEquals(payload, bytesOf("payload ".repeat(100)));
});

test("every masked frame has a key of its own, over many refills of the supply", () => {
  const keys = new Set<number>();
  for (let i = 0; i < 10_000; i++) {
    const encoded = encodeFrame(Opcode.Text, new Uint8Array(0), { mask: true });
    keys.add(new DataView(encoded.buffer, encoded.byteOffset).getUint32(2));
  }
  // 10,000 random words of 32 bits: 0.01 pairs are expected to be equal; 5 equal ones happen never.
  assert(keys.size > 9_995, `${keys.size} different keys`);
});

test("masking in place is its own inverse at every alignment, length and offset", () => {
  const key = 0x04_03_02_01;
  for (let start = 0; start < 9; start++) {
    for (const length of [0, 1, 3, 4, 47, 48, 50, 63, 64, 101]) {
      for (let offset = 0; offset < 6; offset++) {
        const bytes = new Uint8Array(120).map((_, index) => index * 3);
        const before = plain(bytes);
        applyMask(bytes, start, start + length, key, offset);
        const expected = before.map((byte, index) =>
          index < start || index >= start + length ? byte : byte ^ (((index - start + offset) % 4) + 1)
        );
        assertEquals(plain(bytes), expected, `start ${start}, length ${length}, offset ${offset}`);
        applyMask(bytes, start, start + length, key, offset);
        assertEquals(plain(bytes), before);
      }
    }
  }
});

test("a text is sent as UTF-8, and lone surrogates as U+FFFD", () => {
  for (
    const text of ["", "ascii", "ünï", "币安人生", "😀", "a\ud800b", "\udc00", "x".repeat(70_000), "é".repeat(40_000)]
  ) {
    const utf8 = new TextEncoder().encode(text);
    assertEquals(plain(encodeText(text, { mask: false })), plain(frame(0x81, utf8)));
    assertEquals(readEvents(encodeText(text, { mask: true }), { role: "server" }), [[
      "text",
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8),
    ]]);
  }
});

test("a Close frame has code and reason, or nothing for 1005", () => {
  assertEquals(plain(encodeClose(1000, "", { mask: false })), [0x88, 2, 3, 232]);
  assertEquals(plain(encodeClose(4000, "ü", { mask: false })), [0x88, 4, 15, 160, 195, 188]);
  assertEquals(plain(encodeClose(1005, "", { mask: false })), [0x88, 0]);
});
