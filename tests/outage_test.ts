/**
 * The exchange is away for an hour, on a clock that is moved by hand; the attempts to connect are real.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { silentLogger } from "../src/base/mod.ts";
import { Manager } from "../src/manager/manager.ts";
import { allLibraries } from "../src/transport/all_libraries.ts";
import { testEachLibrary, until } from "./support.ts";

const HOUR_MS = 3_600_000;
const WINDOW_MS = 300_000;

testEachLibrary(
  "an hour without the exchange: attempts within the budget, all streams back within a backoff",
  async (library) => {
    await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
    const clock = new ManualClock(0);
    const attempts: number[] = [];
    const entry = allLibraries[library];
    let underWay = 0;
    const libraries = {
      ...allLibraries,
      [library]: {
        ...entry,
        open: (...args: Parameters<typeof entry.open>) => {
          attempts.push(clock.now());
          underWay++;
          return entry.open(...args).finally(() => underWay--);
        },
      },
    };
    await using manager = new Manager({ libraries, defaultLogger: silentLogger, clock }, {
      websocketBaseUrl: exchange.url,
      websocketLibrary: library,
      pingIntervalMs: 0,
    });
    const streams = Array.from({ length: 20 }, (_, index) => manager.createStream({ streams: [`s${index}@trade`] }));
    await Promise.all(streams.map((stream) => stream.ready));
    exchange.refuseConnections(503);
    exchange.killConnections();
    await until(() => streams.every(({ state }) => state === "restarting"), "all lost");
    while (clock.now() < HOUR_MS) {
      await until(() => underWay === 0, "the attempts that are under way");
      clock.advance(1_000);
    }
    const mostInWindow = Math.max(
      ...attempts.map((from) => attempts.filter((at) => at >= from && at < from + WINDOW_MS).length),
    );
    assert(mostInWindow <= 300, `${mostInWindow} attempts in 5 minutes`);
    assert(attempts.length > 20 * 30, `only ${attempts.length} attempts in an hour`);
    exchange.refuseConnections(undefined);
    const backAt = clock.now();
    while (streams.some(({ state }) => state !== "running")) {
      await until(
        () => underWay === 0 || streams.every(({ state }) => state === "running"),
        "the attempts that are under way",
      );
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert(clock.now() - backAt <= 60_000 + 2_000, "longer than the longest wait");
    }
    assertEquals(manager.streams.length, 20);
  },
);
