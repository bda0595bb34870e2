/**
 * Compressed messages in frames: the reader with permessage-deflate, and what is sent with it, in both roles.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { PerMessageDeflate } from "../src/transport/native/deflate.ts";
import type { Inflater } from "../src/transport/native/inflater.ts";
import { compressAll, defaults, fromHex, messages, noise, trades, windowBits } from "./deflate_support.ts";
import { bytesOf, frame, type FrameEvent, hex, maskedFrame, readEvents } from "./frame_events.ts";

/** A compressed message in fragments, with control frames between them. */
const cutMessages = fc.array(
  fc.record({
    message: fc.oneof(fc.nat(2_000).map(trades), fc.uint8Array({ maxLength: 300 }), fc.constantFrom("", noise(70_000))),
    plain: fc.boolean(),
    cuts: fc.array(fc.nat(70_000), { maxLength: 4 }),
    ping: fc.option(fc.uint8Array({ maxLength: 20 })),
  }),
  { maxLength: 6 },
);
const chops = fc.array(fc.oneof(fc.constantFrom(0, 1, 2, 3), fc.nat(200), fc.nat(70_000)), { maxLength: 60 });

test("compressed messages among others give the same events in any fragments and chunks, in both roles", async () => {
  const key = [1, 2, 3, 4];
  await fc.assert(
    fc.asyncProperty(cutMessages, windowBits, fc.boolean(), chops, async (parts, bits, takeover, chop) => {
      const packed = parts.filter(({ plain }) => !plain).map(({ message }) => bytesOf(message));
      const payloads = await compressAll(packed, bits, takeover);
      const frames: [number, Uint8Array][] = [];
      const expected: FrameEvent[] = [];
      for (const { message, plain, cuts, ping } of parts) {
        const text = typeof message === "string";
        const bytes = plain ? bytesOf(message) : payloads.shift() ?? new Uint8Array();
        const bounds = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        bounds.slice(1).forEach((end, index) => {
          const opcode = index > 0 ? 0 : (text ? 1 : 2) | (plain ? 0 : 0x40);
          const last = index + 2 === bounds.length;
          frames.push([opcode | (last ? 0x80 : 0), bytes.slice(bounds[index], end)]);
          if (last || ping === null) return;
          frames.push([0x89, ping]);
          expected.push(["ping", hex(ping)]);
        });
        expected.push(text ? ["text", message] : ["binary", hex(message)]);
      }
      const parameters = {
        ...defaults,
        serverNoContextTakeover: !takeover,
        clientNoContextTakeover: !takeover,
        serverMaxWindowBits: bits,
        clientMaxWindowBits: bits,
      };
      for (const role of ["client", "server"] as const) {
        const encode = role === "client" ? frame : (first: number, bytes: Uint8Array) => maskedFrame(first, bytes, key);
        const stream = bytesOf(...frames.map(([first, payload]) => encode(first, payload)));
        for (const lengths of [[], chop]) {
          const inflater = new PerMessageDeflate(parameters, role);
          assertEquals(readEvents(stream, { role, inflater }, lengths), expected);
          inflater.close();
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("both ends of the codec understand each other in both directions", () => {
  fc.assert(
    fc.property(messages, windowBits, fc.boolean(), fc.constantFrom(0, 100, 1_000), (list, bits, none, threshold) => {
      const parameters = {
        serverNoContextTakeover: none,
        clientNoContextTakeover: !none,
        serverMaxWindowBits: bits,
        clientMaxWindowBits: 24 - bits,
        threshold,
      };
      const ends = {
        client: new PerMessageDeflate(parameters, "client"),
        server: new PerMessageDeflate(parameters, "server"),
      };
      for (const [from, role] of [["client", "server"], ["server", "client"]] as const) {
        const stream = bytesOf(
          ...list.map((message) => {
            const packed = ends[from].encode(message, { mask: from === "client" });
            assertEquals(packed !== undefined, message.length >= Math.max(1, threshold));
            return packed ?? (from === "client" ? maskedFrame(0x82, message, [9, 8, 7, 6]) : frame(0x82, message));
          }),
        );
        const events = readEvents(stream, { role, inflater: ends[role] });
        assertEquals(events, list.map((message) => ["binary", hex(message)] as const));
      }
      ends.client.close();
      ends.server.close();
    }),
    { numRuns: 60 },
  );
});

test("a text is compressed as UTF-8 from the threshold on, measured in bytes", () => {
  const codec = new PerMessageDeflate({ ...defaults, threshold: 6 }, "server");
  assertEquals(codec.encode("héll", { mask: false }), undefined);
  const packed = codec.encode("héllo", { mask: false }) ?? new Uint8Array();
  assertEquals(packed[0], 0xc1);
  assertEquals(readEvents(packed, { inflater: new PerMessageDeflate(defaults, "client") }), [["text", "héllo"]]);
});

test("nothing is compressed with the window of 256 bytes that zlib can't keep to", () => {
  const codec = new PerMessageDeflate({ ...defaults, clientMaxWindowBits: 8 }, "client");
  assertEquals(codec.encode(trades(5_000), { mask: true }), undefined);
});

const inflater = (): Inflater => new PerMessageDeflate(defaults, "client");
const hello = fromHex("f248cdc9c90700");

test("RSV1 is a violation without the extension, on a continuation and on control frames, and with other bits", () => {
  const violation: FrameEvent = ["violation", "RESERVED_BITS", 1002];
  assertEquals(readEvents(frame(0xc1, hello)), [violation]);
  assertEquals(readEvents(frame(0xc1, hello), { inflater: inflater() }), [["text", "Hello"]]);
  for (const first of [0xc8, 0xc9, 0xca, 0xa1, 0x91, 0xe1, 0xd1, 0xf1, 0xc3]) {
    const events = readEvents(frame(first, ""), { inflater: inflater() });
    assertEquals(events.map(([type, , code]) => [type, code]), [["violation", 1002]]);
  }
  const continued = bytesOf(frame(0x41, hello.slice(0, 3)), frame(0xc0, hello.slice(3)));
  assertEquals(readEvents(continued, { inflater: inflater() }), [violation]);
});

test("text that is not UTF-8 once it is decompressed is a violation; bytes are not", async () => {
  for (const bad of [bytesOf(0xff), bytesOf("ok ", 0xe2, 0x82), bytesOf(trades(5_000), 0xc0, 0x80)]) {
    const [payload = bad] = await compressAll([bad]);
    assertEquals(readEvents(frame(0xc1, payload), { inflater: inflater() }), [["violation", "INVALID_UTF8", 1007]]);
    assertEquals(readEvents(frame(0xc2, payload), { inflater: inflater() }), [["binary", hex(bad)]]);
    const cut = bytesOf(frame(0x41, payload.slice(0, 2)), frame(0x80, payload.slice(2)));
    assertEquals(readEvents(cut, { inflater: inflater() }), [["violation", "INVALID_UTF8", 1007]]);
  }
});

test("a message that can't be compressed may be as large as one that can", async () => {
  for (const length of [100, 65_000, 200_000]) {
    const message = noise(length);
    const [payload = message] = await compressAll([message]);
    assert(payload.length > length);
    const options = () => ({ inflater: inflater(), maxMessageBytes: length });
    assertEquals(readEvents(frame(0xc2, payload), options()), [["binary", hex(message)]]);
    const cut = bytesOf(frame(0x42, payload.slice(0, 50)), frame(0x80, payload.slice(50)));
    assertEquals(readEvents(cut, options()), [["binary", hex(message)]]);
    assertEquals(readEvents(frame(0xc2, new Uint8Array(length * 2 + 100)), options()), [
      ["violation", "MESSAGE_TOO_LARGE", 1009],
    ]);
  }
});

test("without context takeover, connections share a decompressor, and corrupt data on one harm no other", async () => {
  const none = { ...defaults, serverNoContextTakeover: true };
  const [one, other] = [new PerMessageDeflate(none, "client"), new PerMessageDeflate(none, "client")];
  const [payload = hello] = await compressAll([bytesOf(trades(500))]);
  assertEquals(readEvents(frame(0xc1, hello), { inflater: one }), [["text", "Hello"]]);
  // What the other one has received is no window for this one, nor is what it has received itself.
  const corrupt: FrameEvent = ["violation", "INVALID_COMPRESSED_DATA", 1007];
  for (const bad of ["f200110000", "ffff", "f248"]) {
    for (const inflater of [one, other]) {
      assertEquals(readEvents(frame(0xc1, fromHex(bad)), { inflater, maxMessageBytes: 4 }), [corrupt]);
    }
    assertEquals(readEvents(frame(0xc1, payload), { inflater: one }), [["text", trades(500)]]);
    assertEquals(readEvents(frame(0xc1, hello), { inflater: one }), [["text", "Hello"]]);
  }
  other.close();
  assertEquals(readEvents(frame(0xc1, hello), { inflater: one }), [["text", "Hello"]]);
});
