/**
 * Texts that are not UTF-8: refused, and as early as it is certain.
 *
 * @module
 */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { bytesOf, EventReader, frame, readEvents } from "./frame_events.ts";

const FIN_TEXT = 0x81;

/** Byte sequences that are not UTF-8 (Unicode 15, table 3-7), and where the first byte is that can't be right. */
const notUtf8: [name: string, bytes: number[], certainAt: number][] = [
  ["a continuation byte alone", [0x80], 0],
  ["two continuation bytes", [0xbf, 0x80], 0],
  ["a lead byte before ASCII", [0xc3, 0x28], 1],
  ["an overlong slash in 2 bytes", [0xc0, 0xaf], 0],
  ["C1", [0xc1, 0xbf], 0],
  ["an overlong slash in 3 bytes", [0xe0, 0x80, 0xaf], 1],
  ["an overlong slash in 4 bytes", [0xf0, 0x80, 0x80, 0xaf], 1],
  ["the surrogate U+D800", [0xed, 0xa0, 0x80], 1],
  ["the surrogate U+DFFF", [0xed, 0xbf, 0xbf], 1],
  ["U+110000", [0xf4, 0x90, 0x80, 0x80], 1],
  ["F5", [0xf5, 0x80, 0x80, 0x80], 0],
  ["FE", [0xfe], 0],
  ["FF", [0xff], 0],
  ["a character of 3 bytes cut by ASCII", [0xe2, 0x82, 0x41], 2],
  ["a character of 4 bytes cut by ASCII", [0xf0, 0x9f, 0x98, 0x41], 3],
];

for (const [name, bad, certainAt] of notUtf8) {
  test(`a text with ${name} is refused with 1007, as early as it is certain`, () => {
    const violation = ["violation", "INVALID_UTF8", 1007];
    for (const padding of ["", "x", "x".repeat(23), "x".repeat(24), "é".repeat(40), "x".repeat(70_000)]) {
      const payload = bytesOf(padding, new Uint8Array(bad), padding);
      assertEquals<unknown>(readEvents(frame(FIN_TEXT, payload)), [violation], "in one frame");
      assertEquals<unknown>(readEvents(bytesOf(frame(0x01, payload))), [violation], "in an unfinished message");

      // In a message of which the rest never comes: no sooner and no later than with the byte that can't be right.
      const certain = bytesOf(padding).length + certainAt;
      const message = frame(0x01, payload);
      const head = message.length - payload.length;
      const reader = new EventReader();
      reader.push(message.slice(0, head + certain));
      assertEquals(reader.events, [], "before the byte");
      reader.push(message.slice(head + certain, head + certain + 1));
      assertEquals<unknown>(reader.events, [violation], "with the byte");
    }
  });
}

for (const cut of [[0xc3], [0xe2], [0xe2, 0x82], [0xf0], [0xf0, 0x9f], [0xf0, 0x9f, 0x98]]) {
  test(`a text that ends inside of a character after ${cut.length} of its bytes (${cut[0]}) is refused with 1007`, () => {
    const violation = ["violation", "INVALID_UTF8", 1007];
    const bad = new Uint8Array(cut);
    assertEquals<unknown>(readEvents(frame(FIN_TEXT, bytesOf("abc", bad))), [violation]);
    assertEquals<unknown>(readEvents(bytesOf(frame(0x01, "abc"), frame(0x80, bad))), [violation]);
    assertEquals<unknown>(readEvents(bytesOf(frame(0x01, bad), frame(0x80, ""))), [violation]);
    assertEquals<unknown>(readEvents(frame(FIN_TEXT, bytesOf("é".repeat(30), bad)), {}, [40]), [violation]);
  });
}
