/**
 * Time-dependent parts, with a clock that is moved by hand.
 *
 * @module
 */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ManualClock } from "@rawtick/binance/testing";
import { Backoff } from "../src/stream/backoff.ts";
import { connectPacer, framePacer, Pacer } from "../src/stream/pacer.ts";
import { Watchdog } from "../src/stream/watchdog.ts";

function watch(clock: ManualClock) {
  const seen = { activity: 0, probes: 0, deaths: 0, delayMs: 0 };
  const watchdog = new Watchdog({
    clock,
    intervalMs: 5_000,
    timeoutMs: 10_000,
    activity: () => seen.activity,
    probe: () => {
      if (seen.delayMs > 0) return seen.delayMs;
      seen.probes++;
      return 0;
    },
    onDead: () => void seen.deaths++,
  });
  return { seen, watchdog };
}

test("a connection with traffic is never asked for a sign of life", () => {
  const clock = new ManualClock(0);
  const { seen, watchdog } = watch(clock);
  for (let second = 0; second < 86_400; second += 4) {
    seen.activity++;
    clock.advance(4_000);
  }
  assertEquals([seen.probes, seen.deaths], [0, 0]);
  watchdog.stop();
  assertEquals(clock.pendingTimers, 0);
});

test("a silent connection is asked after the interval, and given up once after the timeout", () => {
  const clock = new ManualClock(0);
  const { seen } = watch(clock);
  clock.advance(4_999);
  assertEquals(seen.probes, 0);
  clock.advance(1);
  assertEquals([seen.probes, seen.deaths], [1, 0]);
  clock.advance(9_999);
  assertEquals(seen.deaths, 0);
  clock.advance(1);
  assertEquals(seen.deaths, 1);
  clock.advance(1_000_000);
  assertEquals([seen.probes, seen.deaths, clock.pendingTimers], [1, 1, 0]);
});

test("a connection is not given up before it could be asked", () => {
  const clock = new ManualClock(0);
  const { seen } = watch(clock);
  seen.delayMs = 1_000;
  clock.advance(100_000);
  assertEquals([seen.probes, seen.deaths], [0, 0]);
  seen.delayMs = 0;
  clock.advance(1_000);
  assertEquals([seen.probes, seen.deaths], [1, 0]);
  clock.advance(10_000);
  assertEquals(seen.deaths, 1);
});

test("any answer to the question keeps the connection", () => {
  const clock = new ManualClock(0);
  const { seen, watchdog } = watch(clock);
  for (let round = 1; round <= 100; round++) {
    clock.advance(5_000);
    assertEquals(seen.probes, round);
    seen.activity++;
    clock.advance(10_000);
  }
  assertEquals(seen.deaths, 0);
  watchdog.stop();
  assertEquals(clock.pendingTimers, 0);
});

test("the pacer never lets more into any window than its limit, and no less over time", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 60 }),
      (limit, gaps) => {
        const clock = new ManualClock(0);
        const pacer = new Pacer(clock, limit, 1_000);
        const sent: number[] = [];
        for (const gap of gaps) {
          clock.advance(gap);
          clock.advance(pacer.delayMs);
          assertEquals(pacer.delayMs, 0);
          pacer.note();
          sent.push(clock.now());
        }
        for (const [index, at] of sent.entries()) {
          const next = sent[index + limit];
          if (next !== undefined) assert(next - at >= 1_000);
        }
        // Whoever always waits only as long as he must gets the whole limit in every window.
        const greedyStart = clock.now();
        for (let i = 0; i < limit * 5; i++) {
          clock.advance(pacer.delayMs);
          pacer.note();
        }
        assert(clock.now() - greedyStart <= 5_000);
      },
    ),
  );
});

test("frames leave room for a pong, attempts to connect for the other users of an address", () => {
  const within = (windowMs: number, make: (clock: ManualClock) => Pacer) => {
    const clock = new ManualClock(0);
    const pacer = make(clock);
    let count = 0;
    for (; clock.now() + pacer.delayMs < windowMs; count++) {
      clock.advance(pacer.delayMs);
      pacer.note();
    }
    return count;
  };
  assertEquals(within(1_000, (clock) => framePacer(clock, 5)), 4);
  assertEquals(within(1_000, (clock) => framePacer(clock, 10)), 9);
  assertEquals(within(300_000, connectPacer), 250);
});

test("the backoff starts at once, doubles up to its limit with full jitter, and starts anew when the link was stable", () => {
  const options = { minDelayMs: 250, maxDelayMs: 60_000, stableAfterMs: 60_000 };
  const highest = new Backoff(options, () => 1);
  assertEquals(Array.from({ length: 11 }, () => highest.next(0)), [
    0,
    250,
    500,
    1_000,
    2_000,
    4_000,
    8_000,
    16_000,
    32_000,
    60_000,
    60_000,
  ]);
  assertEquals(highest.next(59_999), 60_000);
  assertEquals(highest.next(60_000), 0);
  assertEquals(highest.next(0), 250);
  // Punished, it is long once, however stable the link was.
  highest.punish();
  assertEquals([highest.next(60_000), highest.next(60_000)], [32_000, 0]);
  const lowest = new Backoff(options, () => 0);
  assertEquals(Array.from({ length: 5 }, () => lowest.next(0)), [0, 0, 0, 0, 0]);
});
