/**
 * A manager on a clock that is moved by hand, with its attempts to connect counted; the connections are real.
 *
 * @module
 */

import type { ManagerOptions, Output, Signal } from "@rawtick/binance";
import { type LocalExchange, ManualClock, startLocalExchange } from "@rawtick/binance/testing";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { silentLogger } from "../src/base/mod.ts";
import { AccountManager as Manager } from "../src/manager/account_manager.ts";
import { allLibraries } from "../src/transport/all_libraries.ts";
import { until } from "./support.ts";

/** A clock whose wall time can jump, as it does when the machine has slept. */
export class SleepyClock extends ManualClock {
  #sleptMs = 0;

  override now(): number {
    return super.now() + this.#sleptMs;
  }

  /** The machine sleeps: timers and the monotonic time stand still. */
  sleep(ms: number): void {
    this.#sleptMs += ms;
  }
}

/** A local exchange in real time, and a manager on a clock of its own. */
export interface ManualBench extends AsyncDisposable {
  readonly exchange: LocalExchange;
  readonly clock: SleepyClock;
  readonly manager: Manager<Output>;
  readonly signals: Signal[];
  /** When there were attempts to connect. */
  readonly attempts: readonly number[];
  /** Moves the clock second by second, and waits for attempts to connect that are under way to fail. */
  readonly advance: (ms: number) => Promise<void>;
}

/** Starts both. The exchange sends nothing by itself, and the manager asks for no sign of life, unless told. */
export async function startManualBench(
  library: WebSocketLibrary,
  options: ManagerOptions = {},
): Promise<ManualBench> {
  const exchange = await startLocalExchange({ messagesPerSecond: 0 });
  const clock = new SleepyClock(0);
  const attempts: number[] = [];
  const signals: Signal[] = [];
  const entry = allLibraries[library];
  let underWay = 0;
  const open: typeof entry.open = (url, listener, options) => {
    attempts.push(clock.monotonic());
    underWay++;
    let isOver = false;
    const over = () => {
      if (!isOver) underWay--;
      isOver = true;
    };
    return entry.open(url, {
      ...listener,
      onOpen: (connection) => {
        over();
        listener.onOpen?.(connection);
      },
    }, options).finally(over);
  };
  const manager = new Manager({
    libraries: { ...allLibraries, [library]: { ...entry, open } },
    defaultLogger: silentLogger,
    clock,
    fetch,
  }, {
    websocketBaseUrl: exchange.url,
    websocketLibrary: library,
    pingIntervalMs: 0,
    onSignal: (signal) => void signals.push(signal),
    ...options,
  });
  return {
    exchange,
    clock,
    manager,
    signals,
    attempts,
    async advance(ms) {
      for (let left = ms; left > 0; left -= 1_000) {
        clock.advance(Math.min(left, 1_000));
        // What the timers have started shows itself after a turn of the event loop.
        await new Promise((resolve) => setTimeout(resolve, 0));
        await until(() => underWay === 0, "the attempts that are under way");
      }
    },
    async [Symbol.asyncDispose]() {
      await manager.stopManager();
      await exchange.close();
    },
  };
}
