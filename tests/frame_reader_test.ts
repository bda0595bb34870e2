/**
 * The frame reader: what it hands out, and which violation of RFC 6455 it answers with which error.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { WebSocketProtocolError } from "../src/base/mod.ts";
import { FrameReader } from "../src/transport/native/mod.ts";
import { bytesOf, EventReader, frame, hex, maskedFrame, readEvents } from "./frame_events.ts";

const FIN_TEXT = 0x81;
const FIN_BINARY = 0x82;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;

test("texts, bytes, pings, pongs and a close come out as they are on the wire", () => {
  const bytes = bytesOf(
    frame(FIN_TEXT, "hello"),
    frame(FIN_TEXT, ""),
    frame(FIN_TEXT, "wörld 😀 币安"),
    frame(FIN_BINARY, new Uint8Array([0, 128, 255])),
    frame(PING, "1672515782136"),
    frame(PONG, ""),
    frame(CLOSE, bytesOf(0x03, 0xe8, "tschüß")),
  );
  assertEquals(readEvents(bytes), [
    ["text", "hello"],
    ["text", ""],
    ["text", "wörld 😀 币安"],
    ["binary", "0080ff"],
    ["ping", hex("1672515782136")],
    ["pong", ""],
    ["close", 1000, "tschüß"],
  ]);
});

test("messages of every length class arrive whole, in one chunk and in many", () => {
  for (const length of [0, 1, 125, 126, 127, 128, 65_535, 65_536, 65_537, 400_000]) {
    const text = "x".repeat(length);
    for (const chunk of [1 << 30, 65_536, 4_096, 1_000, ...(length < 1_000 ? [1, 2, 3, 7] : [])]) {
      const bytes = bytesOf(frame(FIN_TEXT, text), frame(FIN_BINARY, text), frame(FIN_TEXT, "end"));
      const chunks = Array(Math.ceil(bytes.length / chunk)).fill(chunk);
      const [first, second, third] = readEvents(bytes, {}, chunks);
      assert(first?.[0] === "text" && first[1] === text, `text of ${length} in chunks of ${chunk}`);
      assert(second?.[0] === "binary" && second[1] === hex(text), `bytes of ${length} in chunks of ${chunk}`);
      assertEquals(third, ["text", "end"]);
    }
  }
});

test("a fragmented message is one message, with control frames between its fragments", () => {
  const euro = bytesOf("€");
  const bytes = bytesOf(
    frame(0x01, "a"),
    frame(PING, "p"),
    frame(0x00, euro.slice(0, 1)),
    frame(0x00, ""),
    frame(PONG, "q"),
    frame(0x00, euro.slice(1)),
    frame(0x80, "z"),
    frame(0x02, new Uint8Array([1])),
    frame(0x80, new Uint8Array([2])),
    frame(FIN_TEXT, "next"),
  );
  assertEquals(readEvents(bytes), [
    ["ping", "70"],
    ["pong", "71"],
    ["text", "a€z"],
    ["binary", "0102"],
    ["text", "next"],
  ]);
});

test("U+FEFF at the start of a text is part of the text", () => {
  assertEquals(readEvents(frame(FIN_TEXT, "\ufeffa")), [["text", "\ufeffa"]]);
  assertEquals(readEvents(frame(FIN_TEXT, "\ufeffa"), {}, [2, 1, 1]), [["text", "\ufeffa"]]);
});

test("a Close frame without a code is 1005", () => {
  assertEquals(readEvents(frame(CLOSE)), [["close", 1005, ""]]);
});

test("every close code that may be on the wire is taken", () => {
  for (const code of [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]) {
    assertEquals(readEvents(frame(CLOSE, bytesOf(code >> 8, code & 255))), [["close", code, ""]]);
  }
});

test("nothing is read after a Close frame", () => {
  const bytes = bytesOf(frame(CLOSE), frame(FIN_TEXT, "late"), 0xff, 0xff);
  assertEquals(readEvents(bytes), [["close", 1005, ""]]);
  assertEquals(readEvents(bytes, {}, [2]), [["close", 1005, ""]]);
});

/** Bytes that break RFC 6455 after a first good message, as a client sees them. */
const violations: [name: string, bytes: Uint8Array, code: string, closeCode: number][] = [
  ["RSV1 is set", frame(0xc1, "x"), "RESERVED_BITS", 1002],
  ["RSV2 is set", frame(0xa1, "x"), "RESERVED_BITS", 1002],
  ["RSV3 is set on a ping", frame(0x99, "x"), "RESERVED_BITS", 1002],
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, Uint8Array, string, number] => [
    `the opcode ${opcode} is reserved`,
    frame(0x80 | opcode, ""),
    "RESERVED_OPCODE",
    1002,
  ]),
  ["a ping is fragmented", frame(0x09, "x"), "FRAGMENTED_CONTROL_FRAME", 1002],
  ["a close is fragmented", frame(0x08, ""), "FRAGMENTED_CONTROL_FRAME", 1002],
  ["a ping has 126 bytes", frame(PING, "x".repeat(126)), "CONTROL_FRAME_TOO_LONG", 1002],
  ["a pong has 65536 bytes", frame(PONG, "x".repeat(65_536)), "CONTROL_FRAME_TOO_LONG", 1002],
  ["a close has 126 bytes", frame(CLOSE, bytesOf(3, 232, "x".repeat(124))), "CONTROL_FRAME_TOO_LONG", 1002],
  ["the server masks a text", maskedFrame(FIN_TEXT, "hi", [1, 2, 3, 4]), "MASKED_FRAME", 1002],
  ["the server masks a close", maskedFrame(CLOSE, bytesOf(3, 232), [1, 2, 3, 4]), "MASKED_FRAME", 1002],
  ["125 bytes have a 16-bit length", bytesOf(FIN_TEXT, 126, 0, 125, "x".repeat(125)), "LENGTH_NOT_MINIMAL", 1002],
  ["0 bytes have a 16-bit length", bytesOf(FIN_TEXT, 126, 0, 0), "LENGTH_NOT_MINIMAL", 1002],
  ["65535 bytes have a 64-bit length", bytesOf(FIN_TEXT, 127, 0, 0, 0, 0, 0, 0, 255, 255), "LENGTH_NOT_MINIMAL", 1002],
  ["the top bit of a length is set", bytesOf(FIN_TEXT, 127, 128, 0, 0, 0, 0, 1, 0, 0), "LENGTH_OUT_OF_RANGE", 1002],
  ["a length is 2^63 - 1", bytesOf(FIN_TEXT, 127, 127, ...Array(7).fill(255)), "MESSAGE_TOO_LARGE", 1009],
  ["a continuation comes without a start", frame(0x80, "x"), "UNEXPECTED_CONTINUATION", 1002],
  ["an unfinished continuation comes without a start", frame(0x00, ""), "UNEXPECTED_CONTINUATION", 1002],
  ["a text starts inside of a text", bytesOf(frame(0x01, "x"), frame(FIN_TEXT, "y")), "EXPECTED_CONTINUATION", 1002],
  ["bytes start inside of a text", bytesOf(frame(0x01, ""), frame(0x02, "y")), "EXPECTED_CONTINUATION", 1002],
  ["a close has 1 byte", frame(CLOSE, "x"), "INVALID_CLOSE_PAYLOAD", 1002],
  ...[0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map((
    code,
  ): [string, Uint8Array, string, number] => [
    `the close code is ${code}`,
    frame(CLOSE, bytesOf(code >> 8, code & 255)),
    "INVALID_CLOSE_CODE",
    1002,
  ]),
  ["a close reason is not UTF-8", frame(CLOSE, bytesOf(3, 232, 0xff)), "INVALID_UTF8", 1007],
];

for (const [name, bytes, code, closeCode] of violations) {
  test(`it is the violation ${code} (${closeCode}) when ${name}`, () => {
    const all = bytesOf(frame(FIN_TEXT, "before"), bytes, frame(FIN_TEXT, "after"));
    const expected = [["text", "before"], ["violation", code, closeCode]];
    assertEquals<unknown>(readEvents(all), expected);
    assertEquals<unknown>(readEvents(all, {}, Array(all.length).fill(1)), expected, "byte by byte");
  });
}

test("one text that is not ASCII among many does not change the others", () => {
  const texts = ["plain", "币安人生", "plain again", "ünï", ""];
  assertEquals(readEvents(bytesOf(...texts.map((text) => frame(FIN_TEXT, text)))), texts.map((text) => ["text", text]));
});

test("messages before a violation in the same chunk are handed out", () => {
  const bytes = bytesOf(frame(FIN_TEXT, "é"), frame(FIN_TEXT, "2"), frame(FIN_TEXT, new Uint8Array([0xff])));
  assertEquals(readEvents(bytes), [["text", "é"], ["text", "2"], ["violation", "INVALID_UTF8", 1007]]);
});

test("a message larger than the limit is refused with 1009 by its announced size alone", () => {
  const options = { maxMessageBytes: 1000 };
  assertEquals(readEvents(frame(FIN_TEXT, "x".repeat(1000)), options)[0]?.[0], "text");
  const violation = ["violation", "MESSAGE_TOO_LARGE", 1009];
  assertEquals<unknown>(readEvents(frame(FIN_TEXT, "x".repeat(1001)), options), [violation]);
  assertEquals<unknown>(readEvents(frame(FIN_TEXT, "x".repeat(1001)).slice(0, 4), options), [violation]);
  assertEquals<unknown>(readEvents(frame(FIN_BINARY, "x".repeat(70_000)).slice(0, 10), options), [violation]);
  const fragments = bytesOf(frame(0x01, "x".repeat(600)), frame(PING), frame(0x00, "x".repeat(401)).slice(0, 4));
  assertEquals<unknown>(readEvents(fragments, options), [["ping", ""], violation]);
  const again = bytesOf(frame(FIN_TEXT, "x".repeat(600)), frame(0x01, "x".repeat(600)), frame(0x80, "x".repeat(400)));
  assertEquals(
    readEvents(again, options).map(([type]) => type),
    ["text", "text"],
    "each message has the limit to itself",
  );
});

test("a message in more fragments than allowed is refused with 1009", () => {
  const options = { maxFragments: 3 };
  const start = bytesOf(frame(0x01, "a"), frame(0x00, "b"));
  assertEquals(readEvents(bytesOf(start, frame(0x80, "c")), options), [["text", "abc"]]);
  assertEquals(readEvents(bytesOf(start, frame(0x00, "c"), frame(0x80, "d")), options), [
    ["violation", "TOO_MANY_FRAGMENTS", 1009],
  ]);
});

test("a server unmasks what the client sends, and refuses what is not masked", () => {
  const options = { role: "server" } as const;
  const keys = [[0x37, 0xfa, 0x21, 0x3d], [0, 0, 0, 0], [255, 255, 255, 255], [128, 1, 127, 200]];
  for (const key of keys) {
    const long = "0123456789€".repeat(9_000);
    const bytes = bytesOf(
      maskedFrame(FIN_TEXT, "Hello", key),
      maskedFrame(0x01, "a", key),
      maskedFrame(PING, "x".repeat(125), key),
      maskedFrame(0x80, "ünï".repeat(70), key),
      maskedFrame(FIN_TEXT, long, key),
      maskedFrame(CLOSE, bytesOf(3, 233, "bye"), key),
    );
    const expected = [
      ["text", "Hello"],
      ["ping", hex("x".repeat(125))],
      ["text", "a" + "ünï".repeat(70)],
      ["text", long],
      ["close", 1001, "bye"],
    ];
    assertEquals<unknown>(readEvents(bytes, options), expected);
    assertEquals<unknown>(readEvents(bytes, options, Array(200).fill(1)), expected, "byte by byte at first");
    assertEquals<unknown>(readEvents(bytes, options, Array(200).fill(997)), expected, "in odd chunks");
  }
  assertEquals(readEvents(frame(FIN_TEXT, "hi"), options), [["violation", "UNMASKED_FRAME", 1002]]);
});

test("a handler that stops the reader is told nothing more, wherever in a chunk that happens", () => {
  const bytes = bytesOf(
    frame(FIN_TEXT, "1"),
    frame(FIN_TEXT, "2"),
    frame(PING, ""),
    frame(0x01, "3"),
    frame(0x80, "4"),
    frame(FIN_BINARY, "5"),
    frame(CLOSE),
  );
  for (let stopAfter = 1; stopAfter <= 5; stopAfter++) {
    const reader = new EventReader();
    reader.afterEvent = () => {
      if (reader.events.length === stopAfter) reader.reader.stop();
    };
    reader.push(bytes);
    reader.push(frame(FIN_TEXT, "late"));
    assertEquals(reader.events.length, stopAfter);
    assert(reader.reader.stopped);
  }
});

test("a handler that feeds a second reader does not disturb the first", () => {
  const inner = new EventReader();
  const outer = new EventReader();
  outer.afterEvent = () => inner.push(bytesOf(frame(FIN_TEXT, "in"), frame(FIN_TEXT, "side")));
  outer.push(bytesOf(frame(FIN_TEXT, "a"), frame(FIN_TEXT, "bc"), frame(FIN_TEXT, "def")));
  assertEquals(outer.events, [["text", "a"], ["text", "bc"], ["text", "def"]]);
  assertEquals(inner.events.length, 6);
});

test("two readers that assemble large texts at the same time don't mix them", () => {
  const [one, two] = [new EventReader(), new EventReader()];
  const texts = ["1".repeat(200_000), "2".repeat(200_000)];
  for (let round = 0; round < 3; round++) {
    const [first, second] = texts.map((text) => frame(FIN_TEXT, text));
    for (let at = 0; at < 200_010; at += 50_000) {
      one.push(first?.slice(at, at + 50_000) ?? new Uint8Array(0));
      two.push(second?.slice(at, at + 50_000) ?? new Uint8Array(0));
    }
  }
  assert(one.events.length === 3 && one.events.every((event) => event[1] === texts[0]));
  assert(two.events.length === 3 && two.events.every((event) => event[1] === texts[1]));
});

test("a reader that has thrown reads nothing more", () => {
  const reader = new EventReader();
  assertThrows(() => reader.reader.push(bytesOf(0xff, 0xff)), WebSocketProtocolError, "reserved bits");
  reader.push(frame(FIN_TEXT, "late"));
  assertEquals(reader.events, []);
});

test("binary messages and control payloads stay what they are when the chunk is used again", () => {
  const kept: Uint8Array[] = [];
  const keep = (bytes: Uint8Array): void => void kept.push(bytes);
  const handler = { onText() {}, onBinary: keep, onPing: keep, onPong: keep, onClose() {} };
  const reader = new FrameReader(handler, { role: "client", maxMessageBytes: 1000 });
  const chunk = bytesOf(frame(FIN_BINARY, "abc"), frame(PING, "de"), frame(0x02, "f"), frame(0x80, "g"));
  reader.push(chunk);
  chunk.fill(0);
  assertEquals(kept.map(hex), ["abc", "de", "fg"].map(hex));
});
