/**
 * The exchange is away for an hour, on a clock that is moved by hand; the attempts to connect are real.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import { silentLogger } from "../src/base/mod.ts";
import { AccountManager as Manager } from "../src/manager/account_manager.ts";
import { allLibraries } from "../src/transport/all_libraries.ts";
import { testEachLibrary, until } from "./support.ts";

const HOUR_MS = 3_600_000;
const WINDOW_MS = 300_000;

testEachLibrary(
  "an hour without the exchange: attempts within the budget, all streams back within a backoff",
  async (library) => {
    const clock = new ManualClock(0);
    // It bans who tries more than 300 times in 5 minutes of this clock, and says 418.
    await using exchange = await startLocalExchange({ messagesPerSecond: 0, pingIntervalMs: 0, clock });
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
          return entry.open(...args).finally(() => void underWay--);
        },
      },
    };
    await using manager = new Manager({ libraries, defaultLogger: silentLogger, clock, fetch }, {
      websocketBaseUrl: exchange.url,
      websocketLibrary: library,
      pingIntervalMs: 0,
    });
    const streams = Array.from({ length: 20 }, (_, index) => manager.createStream({ streams: [`s${index}@trade`] }));
    const isEvery = (wanted: string) => streams.every(({ state }) => state === wanted);
    await until(() => isEvery("running"), "all connected");
    exchange.refuseConnections(503);
    exchange.killConnections();
    await until(() => isEvery("restarting"), "all lost");
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
    while (!isEvery("running")) {
      await until(() => underWay === 0 || isEvery("running"), "the attempts that are under way");
      // A connection that is open is under way until it ends: give it the time of a handshake.
      await new Promise((resolve) => setTimeout(resolve, 5));
      clock.advance(1_000);
      assert(clock.now() - backAt <= 60_000 + 2_000, "longer than the longest wait");
    }
    assertEquals(streams.filter(({ state }) => state === "running").length, 20);
  },
);
