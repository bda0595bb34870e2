/**
 * The times of the soak: Binance's and the manager's, divided by the time scale, but no shorter than loopback and a busy
 * machine allow.
 *
 * @module
 */

import type { ManagerOptions } from "@rawtick/binance";
import type { LocalExchangeOptions } from "@rawtick/binance/testing";
import type { SoakOptions } from "./arguments.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** All times in real ms. */
export interface Timing {
  readonly durationMs: number;
  /** A simulated minute. */
  readonly minuteMs: number;
  /** Age at which the exchange cuts connections. */
  readonly ageMs: number;
  /** Time in which a fault and what it causes are over. */
  readonly settleMs: number;
  /** Length of a short disturbance, such as a refusal of connections. */
  readonly disturbanceMs: number;
  /** Time from the notice of a shutdown to the cut. */
  readonly shutdownMs: number;
  readonly exchange: LocalExchangeOptions;
  readonly manager: ManagerOptions;
}

/** The times of a run. */
export function timingOf({ hours, timeScale }: Pick<SoakOptions, "hours" | "timeScale">): Timing {
  const scaled = (ms: number, shortestMs: number): number => Math.round(Math.max(shortestMs, ms / timeScale));
  // A run shorter than 8 days would hardly see a cut after 24 hours: faults end most connections before.
  const ageMs = scaled(Math.min(24, hours / 8) * HOUR, 4 * SECOND);
  return {
    durationMs: hours * HOUR / timeScale,
    minuteMs: MINUTE / timeScale,
    ageMs,
    settleMs: scaled(15 * MINUTE, 4 * SECOND),
    disturbanceMs: scaled(MINUTE, SECOND),
    shutdownMs: scaled(10 * MINUTE, 2 * SECOND),
    exchange: {
      // Not below a second: each pong is one of the 5 frames that a client may send in any real second.
      pingIntervalMs: scaled(20 * SECOND, SECOND),
      pongTimeoutMs: scaled(MINUTE, 3 * SECOND),
      maxConnectionAgeMs: ageMs,
    },
    manager: {
      onRateLimited: "wait",
      // As the manager's default: 10 minutes before the cut.
      rolloverAgeMs: Math.max(ageMs / 2, ageMs - scaled(10 * MINUTE, 2 * SECOND)),
      overlapMs: scaled(10 * SECOND, 1.5 * SECOND),
      handshakeTimeoutMs: scaled(10 * SECOND, 750),
      closeTimeoutMs: scaled(SECOND, 500),
      ackTimeoutMs: scaled(10 * SECOND, 500),
      pingIntervalMs: scaled(5 * SECOND, SECOND),
      pingTimeoutMs: scaled(10 * SECOND, SECOND),
      reconnectMinDelayMs: scaled(250, 25),
      reconnectMaxDelayMs: scaled(MINUTE, 250),
      silenceMs: Object.fromEntries(CHANNELS.map((channel) => [channel, scaled(MINUTE, 1.5 * SECOND)])),
    },
  };
}

/** The channels of each symbol: of three, the sequences tell what is missing. */
export const CHANNELS = ["trade", "aggTrade", "depth", "bookTicker", "kline_1m"] as const;
