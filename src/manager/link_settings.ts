/**
 * What the options of a manager mean for its connections: the defaults, filled in.
 *
 * @module
 */

import type { Clock, Logger } from "../base/mod.ts";
import { type Exchange, expectedIntervalMs } from "../exchange/mod.ts";
import { ConnectBudget, type LinkSettings, sharedConnectBudget } from "../stream/mod.ts";
import {
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
  type OpenConnection,
  type TlsOptions,
} from "../transport/portable.ts";
import type { MarketManagerOptions } from "./options.ts";

/** Ten minutes before the exchange cuts a connection (Binance web-socket-streams.md, "General WSS information"). */
const ROLLOVER_AGE_MS = 24 * 3_600_000 - 10 * 60_000;
/** A connection that lasted this long was stable: the next wait starts from the beginning. */
const STABLE_AFTER_MS = 60_000;

/** Default of `reconnectMinDelayMs`. */
export const DEFAULT_RECONNECT_MIN_DELAY_MS = 250;
/** Default of `reconnectMaxDelayMs`. */
export const DEFAULT_RECONNECT_MAX_DELAY_MS = 60_000;

/** What the manager has made of its options already. */
export interface LinkContext {
  readonly exchange: Exchange;
  readonly baseUrl: string;
  readonly open: OpenConnection;
  readonly tls: TlsOptions | undefined;
  /** URL of the proxy, with the password. */
  readonly proxyUrl: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What all links of a manager share. */
export function linkSettings(options: MarketManagerOptions, context: LinkContext): LinkSettings {
  const { exchange, baseUrl, open, tls, proxyUrl, clock, logger } = context;
  let lastId = 0;
  return {
    clock,
    logger,
    open,
    connectOptions: {
      handshakeTimeoutMs: options.handshakeTimeoutMs ?? DEFAULT_HANDSHAKE_TIMEOUT_MS,
      closeTimeoutMs: options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS,
      maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      ...(tls && { tls }),
      ...(proxyUrl !== undefined && { proxy: proxyUrl }),
    },
    maxFramesPerSecond: exchange.maxFramesPerSecond,
    maxStreams: exchange.maxStreamsPerConnection,
    connectBudget: options.connectBudget === "process"
      ? sharedConnectBudget(new URL(baseUrl).origin)
      : new ConnectBudget(clock),
    ackTimeoutMs: options.ackTimeoutMs ?? 10_000,
    pingIntervalMs: options.pingIntervalMs ?? 5_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
    backoff: {
      minDelayMs: options.reconnectMinDelayMs ?? DEFAULT_RECONNECT_MIN_DELAY_MS,
      maxDelayMs: options.reconnectMaxDelayMs ?? DEFAULT_RECONNECT_MAX_DELAY_MS,
      stableAfterMs: STABLE_AFTER_MS,
    },
    onRateLimited: options.onRateLimited ?? "crash",
    rolloverAgeMs: options.rolloverAgeMs ?? ROLLOVER_AGE_MS,
    overlapMs: options.overlapMs ?? 10_000,
    silenceMs: silenceLimits(exchange, options.silenceMs),
    nextId: () => ++lastId,
  };
}

/** The same for connections to another host, which may have another proxy. */
export function withProxy(settings: LinkSettings, proxyUrl: string | undefined): LinkSettings {
  const { proxy: _, ...options } = settings.connectOptions;
  return { ...settings, connectOptions: proxyUrl === undefined ? options : { ...options, proxy: proxyUrl } };
}

/** How long a stream may be silent: as the user says by its name or its channel, else as the exchange documents. */
function silenceLimits(
  exchange: Exchange,
  given: Readonly<Record<string, number>> = {},
): (stream: string) => number | undefined {
  return (stream) => {
    const limitMs = given[stream] ?? given[stream.slice(stream.indexOf("@") + 1)];
    if (limitMs !== undefined) return limitMs === 0 ? undefined : limitMs;
    const intervalMs = expectedIntervalMs(exchange, stream);
    return intervalMs === undefined ? undefined : 3 * intervalMs + 5_000;
  };
}
