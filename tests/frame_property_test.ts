/**
 * What holds for the codec whatever the bytes are and however they are chopped.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { encodeClose, encodeFrame, encodeText, Opcode } from "../src/transport/native/mod.ts";
import { bytesOf, frame, type FrameEvent, hex, maskedFrame, readEvents } from "./frame_events.ts";

const payloads = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 140 }) },
  { weight: 1, arbitrary: fc.integer({ min: 65_530, max: 65_540 }).map((length) => new Uint8Array(length).fill(200)) },
);
/** Well-formed in UTF-16, so that it survives UTF-8. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }).map((text) => text.toWellFormed()),
  fc.string({ unit: "grapheme-ascii", maxLength: 200 }),
  fc.constantFrom("x".repeat(65_536), "é".repeat(33_000), ""),
);
const controls = fc.record({
  opcode: fc.constantFrom(0x89, 0x8a),
  payload: fc.uint8Array({ maxLength: 125 }),
});

/** One message or control frame: the frames that it is sent in, and the events that it causes. */
type Step = { frames: (readonly [first: number, payload: Uint8Array])[]; events: FrameEvent[] };

const controlSteps: fc.Arbitrary<Step> = controls.map(({ opcode, payload }) => ({
  frames: [[opcode, payload]],
  events: [[opcode === 0x89 ? "ping" : "pong", hex(payload)]],
}));

/** A message cut at `cuts` into fragments, with control frames between them. */
const messageSteps: fc.Arbitrary<Step> = fc.record({
  message: fc.oneof(texts, payloads),
  cuts: fc.array(fc.nat(70_000), { maxLength: 5 }),
  between: fc.array(controlSteps, { maxLength: 3 }),
}).map(({ message, cuts, between }) => {
  const bytes = bytesOf(message);
  const text = typeof message === "string";
  const bounds = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const frames: [number, Uint8Array][] = [];
  const events: FrameEvent[] = [];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const last = i + 2 === bounds.length;
    const opcode = i > 0 ? 0 : text ? 1 : 2;
    frames.push([opcode | (last ? 0x80 : 0), bytes.slice(bounds[i], bounds[i + 1])]);
    const control = last ? undefined : between[i];
    if (control === undefined) continue;
    frames.push(...control.frames.map(([first, payload]): [number, Uint8Array] => [first, payload]));
    events.push(...control.events);
  }
  events.push(text ? ["text", message] : ["binary", hex(bytes)]);
  return { frames, events };
});

const streams = fc.array(fc.oneof({ weight: 4, arbitrary: messageSteps }, controlSteps), { maxLength: 12 });
const chops = fc.array(fc.oneof(fc.constantFrom(0, 1, 2, 3), fc.nat(20), fc.nat(70_000)), { maxLength: 60 });
const keys = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

test("any valid stream gives the same events however it is chopped, in both roles", () => {
  fc.assert(
    fc.property(streams, chops, keys, (steps, chop, key) => {
      const expected = steps.flatMap(({ events }) => events);
      const frames = steps.flatMap((step) => step.frames);
      const fromServer = bytesOf(...frames.map(([first, payload]) => frame(first, payload)));
      const fromClient = bytesOf(...frames.map(([first, payload]) => maskedFrame(first, payload, key)));
      assertEquals(readEvents(fromServer), expected);
      assertEquals(readEvents(fromServer, {}, chop), expected);
      assertEquals(readEvents(fromClient, { role: "server" }), expected);
      assertEquals(readEvents(fromClient, { role: "server" }, chop), expected);
    }),
    { numRuns: 200 },
  );
});

test("a valid stream gives the same events byte by byte", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(texts.filter(({ length }) => length < 300), controls), { maxLength: 8 }), (parts) => {
      const bytes = bytesOf(
        ...parts.map((part) => typeof part === "string" ? frame(0x81, part) : frame(part.opcode, part.payload)),
      );
      assertEquals(readEvents(bytes, {}, Array(bytes.length).fill(1)), readEvents(bytes));
    }),
    { numRuns: 200 },
  );
});

test("any bytes give events or one violation, the same however they are chopped, and never anything else", () => {
  let violations = 0;
  // Small numbers make heads that mean something; otherwise nearly all runs end at the first byte.
  const first = fc.constantFrom(0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x88, 0x89, 0x8a, 0xc1, 0x83, 0x09);
  const noise = fc.array(
    fc.oneof(
      fc.tuple(first, fc.constantFrom(0, 1, 2, 5, 125, 126, 127, 128, 254, 255), fc.uint8Array({ maxLength: 12 }))
        .map(([byte, length, rest]) => bytesOf(byte, length, rest)),
      fc.uint8Array({ maxLength: 30 }),
      fc.tuple(first, fc.uint8Array({ maxLength: 125 })).map(([byte, payload]) => frame(byte, payload)),
    ),
    { maxLength: 10 },
  ).map((parts) => bytesOf(...parts));
  fc.assert(
    fc.property(noise, chops, fc.constantFrom("client" as const, "server" as const), (bytes, chop, role) => {
      // readEvents rethrows whatever is not a WebSocketProtocolError.
      const whole = readEvents(bytes, { role, maxMessageBytes: 100_000 });
      const chopped = readEvents(bytes, { role, maxMessageBytes: 100_000 }, chop);
      assertEquals(chopped, whole);
      const ends = whole.filter(([type]) => type === "violation" || type === "close");
      assert(ends.length <= 1 && (ends.length === 0 || ends[0] === whole.at(-1)));
      if (ends[0]?.[0] === "violation") {
        violations++;
        assert([1002, 1007, 1009].includes(Number(ends[0][2])));
      }
    }),
    { numRuns: 5_000 },
  );
  assert(violations > 500, "the noise does break rules");
});

test("text is taken exactly if the platform's own decoder takes it", () => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const bytes = fc.array(
    fc.constantFrom(0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5),
    {
      maxLength: 40,
    },
  ).map((list) => new Uint8Array(list));
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(bytes, texts.map((text) => bytesOf(text))), chops, fc.nat(40), (payload, chop, cut) => {
      let expected: FrameEvent;
      try {
        expected = ["text", decoder.decode(payload)];
        taken++;
      } catch {
        expected = ["violation", "INVALID_UTF8", 1007];
      }
      assertEquals(readEvents(frame(0x81, payload)), [expected]);
      assertEquals(readEvents(frame(0x81, payload), {}, chop), [expected]);
      assertEquals(readEvents(frame(0x81, payload), {}, Array(Math.min(payload.length, 500)).fill(1)), [expected]);
      const fragments = bytesOf(frame(0x01, payload.slice(0, cut)), frame(0x80, payload.slice(cut)));
      assertEquals(readEvents(fragments), [expected]);
      assertEquals(readEvents(fragments, {}, chop), [expected]);
    }),
    { numRuns: 2_000 },
  );
  assert(taken > 200, "some were valid");
});

test("what the writer encodes, the reader of the other role reads back", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(texts, payloads), { maxLength: 6 }), fc.boolean(), chops, (messages, mask, chop) => {
      const bytes = bytesOf(
        ...messages.map((message) =>
          typeof message === "string" ? encodeText(message, { mask }) : encodeFrame(Opcode.Binary, message, { mask })
        ),
        encodeClose(4999, "bye", { mask }),
      );
      const expected = messages.map((message) =>
        typeof message === "string" ? ["text", message] : ["binary", hex(message)]
      );
      assertEquals<unknown>(readEvents(bytes, { role: mask ? "server" : "client" }, chop), [
        ...expected,
        ["close", 4999, "bye"],
      ]);
    }),
    { numRuns: 200 },
  );
});
