/**
 * A tap in workerd, for tests.
 *
 * @module
 */

import type { TapOptions, TapStatistics } from "@rawtick/binance";
import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
import { formats, TapClient } from "../tap_support.ts";
import { until } from "../support.ts";
import type { TapState } from "./tap_worker.ts";
import { inWorkerd, type Workerd, type WorkerdOptions } from "./workerd.ts";

/** A tap in workerd, in front of a local exchange. */
export interface WorkerdTap {
  readonly exchange: LocalExchange;
  readonly workerd: Workerd;
  readonly port: number;
  /** What it knows of itself. */
  state(): Promise<TapState>;
  /** Waits until the tap's statistics are so. */
  untilStatistics(condition: (statistics: TapStatistics) => boolean, what: string): Promise<TapStatistics>;
}

/** The worker of a tap, in front of this exchange. */
export function tapWorker(exchange: LocalExchange, options: TapOptions): WorkerdOptions {
  return {
    entry: new URL("./tap_worker.ts", import.meta.url),
    bindings: { EXCHANGE: exchange.url, OPTIONS: JSON.stringify(options) },
    durableObjects: { TAP: "TapObject" },
  };
}

/** The tap in a workerd that runs {@linkcode tapWorker}. */
export function tapIn(workerd: Workerd, exchange: LocalExchange): WorkerdTap {
  const state = () => workerd.json<TapState>("/control/state");
  return {
    exchange,
    workerd,
    port: workerd.port,
    state,
    async untilStatistics(condition, what) {
      const end = performance.now() + 10_000;
      while (true) {
        const { statistics } = await state();
        if (condition(statistics)) return statistics;
        if (performance.now() > end) throw new Error(`Not within 10 s: ${what}: ${JSON.stringify(statistics)}`);
      }
    },
  };
}

/** Connects a client of each format, and waits until each is answered. */
export async function connectEach(
  port: number,
  query = "",
  headers: Record<string, string> = {},
): Promise<TapClient[]> {
  const clients = formats.map((format) => new TapClient(port, query, { format, headers }));
  await until(() => clients.every(({ head }) => head !== ""), "the heads of the answers");
  return clients;
}

/** Runs a part of a test with a tap in a workerd of its own, which must write nothing to stderr. */
export async function inTap(options: TapOptions, part: (tapped: WorkerdTap) => Promise<void>): Promise<void> {
  await using exchange = await startLocalExchange({ messagesPerSecond: 0 });
  await inWorkerd(tapWorker(exchange, options), (workerd) => part(tapIn(workerd, exchange)));
}
