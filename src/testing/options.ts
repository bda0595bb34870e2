/**
 * The options of the local exchange: their defaults and their checks.
 *
 * @module
 */

import { z } from "zod/mini";
import { checkedOptions, type Clock, systemClock } from "../base/mod.ts";
import { type LocalExchangeLimits, type LocalMarket, type MarketRules, rulesOf } from "./markets.ts";
import type { Recording } from "./recording.ts";

/**
 * How the local exchange behaves.
 *
 * @example
 * ```ts
 * import { type LocalExchangeOptions, startLocalExchange } from "@rawtick/binance/testing";
 *
 * const options: LocalExchangeOptions = { market: "spot", seed: 7, speed: "max", messagesPerStream: 1000 };
 * await using exchange = await startLocalExchange(options);
 * console.log(exchange.url);
 * ```
 */
export interface LocalExchangeOptions {
  /** TCP port on 127.0.0.1, 0 to 65535; 0 takes a free one. Default: 0. */
  readonly port?: number;
  /**
   * Whose limits, paths and ids hold. `"spot"` serves `/ws` and `/stream`. `"futures"` and `"options"` serve `/public`,
   * `/market` and `/private` before them, where a stream on the wrong path is acknowledged and stays silent, and without
   * a prefix only public streams. `"any"` serves all of these paths and every stream on each. Default: `"any"`.
   */
  readonly market?: LocalMarket;
  /** Seed of the generator, an integer. Default: 1. */
  readonly seed?: number;
  /** A recording to serve in the place of the generator. Default: none. */
  readonly replay?: Recording;
  /**
   * A factor of the pace over 0, or `"max"`: whenever a connection subscribes to a stream, it gets it from the first
   * message, as fast as it takes them. With a factor, all connections get the same generated messages at the same time,
   * and a recording's rows come at their times since the connection's first subscription. Who then lets more than 16 MiB
   * pile up is disconnected. Default: 1.
   */
  readonly speed?: number | "max";
  /** Generated messages per second of each stream at speed 1; 0 for none. Has no meaning at `"max"`. Default: 10. */
  readonly messagesPerSecond?: number;
  /** Generated messages of a stream after which it stays silent, at least 0. Default: no end. */
  readonly messagesPerStream?: number;
  /** Certificate and private key (PEM): makes it a `wss://` server. Default: none. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Time between two pings in ms; 0 for no pings. Default: 20000, 180000 for futures, 300000 for options. */
  readonly pingIntervalMs?: number;
  /** How long a pong may take in ms before 1008 `Pong timeout`. Default: 60000, 600000 for futures, 900000 for options. */
  readonly pongTimeoutMs?: number;
  /** Age in ms at which a connection is closed. Default: 86400000 (24 h). */
  readonly maxConnectionAgeMs?: number;
  /** Limits that differ from the market's. Default: the market's. */
  readonly limits?: Partial<LocalExchangeLimits>;
  /**
   * Whether a connection that sends invalid JSON is closed after the error, as documented; on the futures testnet it was
   * seen to stay open. Default: true.
   */
  readonly closeOnInvalidJson?: boolean;
  /**
   * Where time comes from: pings, deadlines, limits, live streams, delays. Default: the system's. Ends of connections
   * that the client doesn't answer always take real time.
   */
  readonly clock?: Clock;
}

/** Options with their defaults filled in. */
export interface ResolvedOptions {
  readonly port: number;
  readonly rules: MarketRules;
  readonly seed: number;
  readonly replay: Recording | undefined;
  readonly speed: number | "max";
  readonly messagesPerSecond: number;
  readonly messagesPerStream: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly pingIntervalMs: number;
  readonly pongTimeoutMs: number;
  readonly maxConnectionAgeMs: number;
  readonly limits: LocalExchangeLimits;
  readonly closeOnInvalidJson: boolean;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
/** Longer times make `setTimeout` fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const isAtLeast = (minimum: number) => (value: unknown) => typeof value === "number" && value >= minimum;
const isPositive = (value: unknown) => typeof value === "number" && value > 0;
const isTime = (value: unknown) => typeof value === "number" && value >= 0 && value <= LONGEST_TIMER_MS;
const expected = (check: (value: unknown) => boolean, error: string) => z.optional(z.custom(check, { error }));
const time = expected(isTime, `a time in ms from 0 to ${LONGEST_TIMER_MS}`);
const count = expected(isAtLeast(0), "a number that is at least 0");
const pem = (error: string) => z.string({ error });

const schema = z.strictObject({
  port: z.optional(
    z.int({ error: "a port from 0 to 65535" }).check(
      z.minimum(0, { error: "a port from 0 to 65535" }),
      z.maximum(65_535, { error: "a port from 0 to 65535" }),
    ),
  ),
  market: z.optional(
    z.enum(["any", "spot", "futures", "options"], { error: '"any", "spot", "futures" or "options"' }),
  ),
  seed: z.optional(z.int({ error: "an integer" })),
  replay: z.optional(
    z.looseObject({ rows: z.array(z.unknown(), { error: "the rows of a recording" }) }, { error: "a recording" }),
  ),
  speed: expected((value) => value === "max" || (isPositive(value) && value !== Infinity), 'a factor over 0 or "max"'),
  messagesPerSecond: expected((value) => isAtLeast(0)(value) && value !== Infinity, "a number that is at least 0"),
  messagesPerStream: count,
  tls: z.optional(
    z.strictObject({ cert: pem("a certificate in PEM form"), key: pem("a private key in PEM form") }, {
      error: "an object with `cert` and `key`",
    }),
  ),
  pingIntervalMs: time,
  pongTimeoutMs: time,
  maxConnectionAgeMs: time,
  limits: z.optional(
    z.strictObject({
      framesPerSecond: count,
      streamsPerConnection: count,
      controlMessageBytes: count,
      connectionAttempts: count,
      connectionWindowMs: count,
      banMs: count,
    }, { error: "an object with limits" }),
  ),
  closeOnInvalidJson: z.optional(z.boolean({ error: "true or false" })),
  clock: z.optional(z.looseObject({}, { error: "a clock" })),
}, { error: "an object" });

/**
 * Checks options and fills in the defaults.
 *
 * @throws {InvalidOptionsError} if one can't be used.
 */
export function resolveOptions(given: LocalExchangeOptions): ResolvedOptions {
  const options = checkedOptions(schema, given, Object.keys(schema.shape));
  const rules = rulesOf(options.market ?? "any");
  return {
    port: options.port ?? 0,
    rules,
    seed: options.seed ?? 1,
    replay: options.replay,
    speed: options.speed ?? 1,
    messagesPerSecond: options.messagesPerSecond ?? 10,
    messagesPerStream: options.messagesPerStream ?? Infinity,
    tls: options.tls,
    pingIntervalMs: options.pingIntervalMs ?? rules.pingIntervalMs,
    pongTimeoutMs: options.pongTimeoutMs ?? rules.pongTimeoutMs,
    maxConnectionAgeMs: options.maxConnectionAgeMs ?? DAY_MS,
    limits: { ...rules.limits, ...options.limits },
    closeOnInvalidJson: options.closeOnInvalidJson ?? true,
    clock: options.clock ?? systemClock,
  };
}
