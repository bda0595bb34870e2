/**
 * A feed and its readers without any server: whatever happens in whatever order, nobody gets an event twice or too late, and
 * what a reader has missed is counted exactly.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ManualClock } from "@rawtick/binance/testing";
import { Feed } from "../src/tap/feed.ts";
import { Numbering } from "../src/tap/feed_event.ts";
import { FeedReader } from "../src/tap/feed_reader.ts";
import { Flusher } from "../src/tap/flusher.ts";
import type { Format } from "../src/tap/format.ts";

/** As lists of what there is: numbers of events, texts of quotes and notes. */
const format: Format<string[]> = {
  opening: "",
  heartbeat: [],
  event: (event) => "number" in event ? String(event.number) : `quote ${event.text}`,
  note: (name, data) => `${name} ${data}`,
  join: (parts) => [...parts],
};

const STREAMS = ["a@trade", "b@trade", "c@bookTicker"] as const;
type Step = { readonly push: number; readonly size: number } | { readonly read: number } | "flush";

/** A feed whose log holds some 4 kB, so that readers soon fall behind. */
function startFeed(conflateMs = 0) {
  const clock = new ManualClock(0);
  const numbering = new Numbering();
  const flusher = new Flusher(clock, () => Infinity); // only by hand
  const feed = new Feed(new Set(STREAMS), conflateMs, { clock, numbering, flusher, maxBytes: 4_096 });
  const counters = { sentEvents: 0, droppedEvents: 0 };
  const none = new Set<string>();
  const reader = () =>
    new FeedReader({ feed, format, numbering, lastEventId: undefined, lost: none, connected: none, counters });
  const push = (stream: string, text: string) => {
    const number = numbering.next();
    feed.push(stream, { number, name: undefined, stream, text });
    return number;
  };
  return { feed, counters, reader, push };
}

test("received and dropped are all that was sent, in order and once, however readers, flushes and messages mix", () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ push: fc.nat(2), size: fc.constantFrom(1, 50, 500, 3_000) }) },
    { weight: 3, arbitrary: fc.record({ read: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.constant<Step>("flush") },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const { feed, counters, reader, push } = startFeed();
      const readers = [reader(), reader(), reader()];
      const got: string[][] = [[], [], []];
      let sent = 0;
      const read = (at: number) => {
        for (let part = readers[at]?.read(); part !== undefined; part = readers[at]?.read()) got[at]?.push(...part);
      };
      for (const step of steps) {
        if (step === "flush") feed.flush();
        else if ("read" in step) read(step.read);
        else {
          push(STREAMS[step.push] ?? "", "x".repeat(step.size));
          sent++;
        }
      }
      feed.flush();
      let allDropped = 0;
      for (const [at, parts] of got.entries()) {
        read(at);
        const numbers = parts.filter((part) => /^\d/.test(part)).map(Number);
        assert(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)), parts.join());
        const counts = parts.flatMap((part) => /^dropped \{"count":(.+)\}$/.exec(part)?.[1] ?? []).map(Number);
        assert(counts.every((count) => count > 0), parts.join());
        const quotes = parts.filter((part) => part.startsWith("quote")).length;
        const dropped = counts.reduce((sum, count) => sum + count, 0);
        allDropped += dropped;
        assertEquals(numbers.length + quotes + dropped, sent, parts.join());
      }
      assertEquals(counters.droppedEvents, allDropped);
    }),
    { numRuns: 2_000 },
  );
});

for (const conflateMs of [0, 1]) {
  test(`a slow reader gets the newest quote, also behind many messages: conflateMs ${conflateMs}`, () => {
    const { feed, reader, push } = startFeed(conflateMs);
    const slow = reader();
    push("c@bookTicker", "old");
    feed.flush();
    push("a@trade", "early");
    for (let count = 0; count < 200; count++) push("b@trade", "x".repeat(100));
    const newest = push("b@trade", "last");
    feed.flush();
    assertEquals(slow.read(), ['dropped {"count":201}', "quote old", String(newest)]);
    assertEquals(slow.read(), undefined);
  });
}
