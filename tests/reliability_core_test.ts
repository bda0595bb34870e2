/**
 * What holds the promises of docs/reliability.md, each part alone, with a clock that is moved by hand where time counts.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "@rawtick/binance/testing";
import { Overlap } from "../src/stream/overlap.ts";
import { missedBetween, positionOf } from "../src/stream/positions.ts";
import { SilenceWatch } from "../src/stream/silence_watch.ts";
import { lastOf, StreamTable } from "../src/stream/stream_table.ts";

const trade = (stream: string, t: number) => `{"stream":"${stream}@trade","data":{"e":"trade","E":1,"t":${t}}}`;
const ticker = (stream: string, E: number, c: number) =>
  `{"stream":"${stream}@miniTicker","data":{"e":"24hrMiniTicker","E":${E},"c":"${c}"}}`;

test("the table finds the stream of a message, whatever names it holds", () => {
  const name = fc.stringMatching(/^[a-z0-9!_€日]{1,12}(@[a-zA-Z0-9_+:]{1,12})?$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 300 }), fc.array(name, { maxLength: 20 }), (known, others) => {
      const table = new StreamTable();
      for (const stream of known) table.add(stream);
      for (const stream of known.slice(0, known.length / 3)) table.delete(stream);
      for (const stream of [...known, ...others]) {
        const text = `{"stream":"${stream}","data":{}}`;
        const entry = table.note(text);
        const isKnown = known.indexOf(stream) >= Math.floor(known.length / 3) && known.includes(stream);
        // A stranger may share a hash with one that is known, but is never taken for it.
        assertEquals(entry === undefined ? undefined : lastOf(entry), isKnown ? text : undefined);
      }
    }),
  );
});

test("streams whose names have their telling characters in common are told apart", () => {
  const table = new StreamTable();
  const names = ["btcusdt@depth10@100ms", "btcusdt@depth20@100ms", "ethusdt@trade", "a", "é日@x"];
  for (const [at, name] of names.entries()) {
    table.add(name);
    for (const known of names.slice(0, at + 1)) {
      assertEquals(table.note(`{"stream":"${known}","data":{}}`)?.name, known);
    }
  }
  assertEquals([...table.entries].map(({ messages }) => messages), [5, 4, 3, 2, 1]);
});

/** Of a stream whose messages have nothing that orders them. */
const liquidation = (n: number) => `{"stream":"!forceOrder@arr","data":{"e":"forceOrder","E":1,"o":{"z":"${n}"}}}`;

/** Everything that an overlap delivers of one stream, for any way in which the messages of two connections mix. */
function merged(
  seen: string,
  all: readonly string[],
  mix: readonly boolean[],
  startAt: number,
  endAt: number,
): string[] {
  const table = new StreamTable();
  const name = seen.slice(11, seen.indexOf('"', 11));
  table.add(name);
  table.note(seen);
  const delivered: string[] = [];
  const overlap = new Overlap(table, (text) => {
    table.note(text);
    delivered.push(text);
  });
  // The predecessor brings all, up to where it is cut; the successor what came after it was subscribed.
  const before = all.slice(0, endAt);
  const after = all.slice(startAt);
  for (const isBefore of mix) {
    const text = isBefore ? before.shift() : after.shift();
    if (text !== undefined) isBefore ? overlap.fromPredecessor(text) : overlap.fromSuccessor(text);
  }
  for (const text of before) overlap.fromPredecessor(text);
  overlap.end();
  return [...delivered, ...after.filter((text) => !overlap.isRepeated(text))];
}

test("two connections in an overlap: each message once and in order, however they mix and wherever the old one ends", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.boolean(), { maxLength: 80 }),
      fc.nat(),
      fc.nat(),
      fc.constantFrom(
        (i: number) => trade("a", 101 + i),
        (i: number) => ticker("a", 100 + (i >> 1), i),
        (i: number) => liquidation(i),
      ),
      (length, mix, start, end, message) => {
        const all = Array.from({ length }, (_, i) => message(i));
        const startAt = start % (length + 1);
        // The successor was subscribed before the predecessor ends.
        const endAt = startAt + end % (length + 1 - startAt);
        assertEquals(merged(message(-1), all, mix, startAt, endAt), all);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("an overlap may lose the successor at any time: the predecessor goes on without a loss", () => {
  const table = new StreamTable();
  table.add("a@trade");
  const delivered: string[] = [];
  const overlap = new Overlap(table, (text) => {
    table.note(text);
    delivered.push(text);
  });
  overlap.fromPredecessor(trade("a", 1));
  overlap.fromSuccessor(trade("a", 1));
  overlap.fromSuccessor(trade("a", 2));
  // The successor dies here.
  for (const t of [2, 3, 4]) overlap.fromPredecessor(trade("a", t));
  assertEquals(delivered, [1, 2, 3, 4].map((t) => trade("a", t)));
});

test("a gap is as large as the numbers say, and none is made up", () => {
  const missed = (stream: string, before: object, next: object) =>
    missedBetween(
      positionOf(stream, JSON.stringify({ stream, data: before }))!,
      positionOf(stream, JSON.stringify({ stream, data: next }))!,
    );
  assertEquals(missed("a@trade", { t: 10 }, { t: 11 }), 0);
  assertEquals(missed("a@trade", { t: 10 }, { t: 15 }), 4);
  assertEquals(missed("a@aggTrade", { a: 10 }, { a: 12 }), 1);
  assertEquals(missed("a@depth", { U: 5, u: 10 }, { U: 11, u: 12 }), 0);
  assertEquals(missed("a@depth", { U: 5, u: 10 }, { U: 14, u: 20 }), 3);
  assertEquals(missed("a@depth", { U: 5, u: 10, pu: 3 }, { U: 15, u: 20, pu: 10 }), 0);
  assertEquals(missed("a@depth", { U: 5, u: 10, pu: 3 }, { U: 15, u: 20, pu: 12 }), 4);
  assertEquals(missed("a@bookTicker", { u: 10 }, { u: 100 }), 0);
});

test("a silent stream is reported, subscribed to again, moved to a new connection, then all again after twice the time", () => {
  const clock = new ManualClock(0);
  const table = new StreamTable();
  for (const stream of ["quiet@miniTicker", "loud@miniTicker", "free@trade", "pending@miniTicker"]) table.add(stream);
  const events: string[] = [];
  const note = (what: string) => void events.push(`${clock.now() / 1_000} ${what}`);
  const watch = new SilenceWatch({
    clock,
    table,
    silenceMs: (stream) => stream.endsWith("@trade") ? undefined : 8_000,
    isWatched: (stream) => !stream.startsWith("pending"),
    onSilent: (stream, silentMs) => note(`silent ${stream} ${silentMs}`),
    resubscribe: (streams) => note(`resubscribe ${streams.join()}`),
    reconnect: () => note("reconnect"),
  });
  watch.start();
  const minute = () => {
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      table.note('{"stream":"loud@miniTicker","data":{}}');
    }
  };
  minute();
  assertEquals(events, [
    ...["9 silent quiet@miniTicker 8000", "9 resubscribe quiet@miniTicker", "17 reconnect"],
    ...["33 silent quiet@miniTicker 32000", "33 resubscribe quiet@miniTicker", "49 reconnect"],
  ]);
  // Something comes: the next silence is as urgent as the first.
  table.note('{"stream":"quiet@miniTicker","data":{}}');
  minute();
  assertEquals(events.slice(6, 9), [
    ...["69 silent quiet@miniTicker 8000", "69 resubscribe quiet@miniTicker", "77 reconnect"],
  ]);
  watch.stop();
  assertEquals(clock.pendingTimers, 0);
});
