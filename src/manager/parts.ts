/**
 * What a manager is made of: its checked options, filled in, and what its streams share.
 *
 * @module
 */

import { type Clock, guardedLogger, type Logger, systemClock } from "../base/mod.ts";
import { type Exchange, exchangeOf } from "../exchange/mod.ts";
import {
  type ControlRecord,
  type LinkSettings,
  type Output,
  RateSampler,
  RingBuffer,
  StreamBuffers,
} from "../stream/mod.ts";
import { type LibraryTable, selectLibrary, type WebSocketLibrary } from "../transport/portable.ts";
import { FinishedStreams } from "./finished_streams.ts";
import { linkSettings } from "./link_settings.ts";
import type { MarketManagerOptions } from "./options.ts";
import { noProxies, type ProxyRules, tlsOf } from "./proxy_rules.ts";

/** What a door gives its manager: the libraries that it has, and the logger of those who bring none. */
export interface Platform {
  readonly libraries: LibraryTable;
  readonly defaultLogger: Logger;
  /** What it makes of proxies. Default: it refuses them. */
  readonly proxies?: ProxyRules;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Whether stdout is a terminal that wants colours. Default: no. */
  readonly hasColors?: () => boolean;
}

/** What a manager is made of. */
export interface ManagerParts<O extends Output = Output> {
  readonly options: MarketManagerOptions<O>;
  readonly exchange: Exchange;
  /** Where the streams come from, without a slash at the end. */
  readonly baseUrl: string;
  readonly websocketLibrary: WebSocketLibrary;
  /** Masked URL of the proxy. */
  readonly proxyInfo: string | undefined;
  readonly link: LinkSettings;
  readonly createdAt: number;
  readonly sampler: RateSampler;
  readonly finished: FinishedStreams;
  readonly buffers: StreamBuffers;
  readonly errors: RingBuffer<ControlRecord>;
  readonly results: RingBuffer<ControlRecord>;
  readonly hasColors: () => boolean;
}

/**
 * Makes the parts of a manager.
 *
 * @param options They have been checked.
 * @throws {InvalidOptionsError} or a subclass, if this runtime can't do what they say.
 */
export function managerParts<O extends Output>(platform: Platform, options: MarketManagerOptions<O>): ManagerParts<O> {
  const { libraries, defaultLogger, proxies = noProxies, clock = systemClock, hasColors = () => false } = platform;
  const { websocketLibrary = "builtin" } = options;
  const exchange = exchangeOf(options.exchange ?? "binance.com");
  const baseUrl = (options.websocketBaseUrl ?? exchange.streamBaseUrl).replace(/\/+$/, "");
  const proxy = proxies.resolve(options, new URL(baseUrl));
  libraries[websocketLibrary].checkProxy(proxy?.proxy);
  const tls = tlsOf(options);
  const logger = guardedLogger(options.logger ?? defaultLogger);
  if (tls?.rejectUnauthorized === false) {
    logger.warn("Certificates are not verified, because the options say so: nobody knows who answers");
  }
  const open = selectLibrary(libraries, websocketLibrary);
  return {
    options,
    exchange,
    baseUrl,
    websocketLibrary,
    // It is resolved once, so that all connections keep to the same one.
    proxyInfo: proxy?.proxy.masked,
    link: linkSettings(options, { exchange, baseUrl, open, tls, proxyUrl: proxy?.url, clock, logger }),
    createdAt: clock.now(),
    sampler: new RateSampler(clock),
    finished: new FinishedStreams(options.maxFinishedStreams ?? 100),
    buffers: new StreamBuffers({
      order: "fifo",
      capacity: options.bufferSize ?? 10_000,
      overflow: options.overflow ?? "drop-oldest",
    }),
    errors: new RingBuffer(options.maxErrors ?? 500),
    results: new RingBuffer(options.maxResults ?? 500),
    hasColors,
  };
}
