/**
 * The state of a manager as monitoring systems ask for it: one return code, one text, a few numbers.
 *
 * @module
 */

import type { StreamStatistics } from "../stream/mod.ts";
import type { Monitored } from "./monitored.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KILO = 1024;
const MEGA = 1024 * 1024;
/** Reconnects of one stream in an hour that are too many, and far too many. */
const WARNING_RESTARTS = 3;
const CRITICAL_RESTARTS = 10;

/**
 * The state of a manager, for a monitoring system: names and rules of the Python package
 * unicorn-binance-websocket-api, without its check for updates.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, type MonitoringStatus } from "@rawtick/binance";
 * import { assertEquals } from "@std/assert";
 *
 * await using manager = new BinanceWebSocketApiManager();
 * const { returnCode, statusText }: MonitoringStatus = manager.getMonitoringStatusPlain();
 * assertEquals([returnCode, statusText], [0, "OK"]);
 * ```
 */
export interface MonitoringStatus {
  /** Streams that run. */
  readonly activeStreams: number;
  /** Streams in `finishedStreams` that have crashed. */
  readonly crashedStreams: number;
  /** Streams that connect again. */
  readonly restartingStreams: number;
  /** Streams in `finishedStreams` that were stopped. */
  readonly stoppedStreams: number;
  /**
   * How often the stream that reconnected most has done so in the last hour. Of a stream with several connections, that is
   * the one that reconnected most: an outage that all of them notice is one.
   */
  readonly highestRestartPerStreamLastHour: number;
  /** 0 OK; 1 WARNING, a stream reconnected 3 times in the last hour; 2 CRITICAL, 10 times, or one has crashed. */
  readonly returnCode: 0 | 1 | 2;
  /** The same as a word. */
  readonly statusText: "OK" | "WARNING" | "CRITICAL";
  /** Why, such as `"Restart rate per stream last hour: 4"`; empty if there is nothing to say. */
  readonly statusMsg: string;
  /** When that was, in ms since 1970. */
  readonly timestamp: number;
  /** Messages per second since the call before, or since the manager was made. */
  readonly averageReceivesPerSecond: number;
  /** kB (1024 bytes) per second since the call before, or since the manager was made. */
  readonly averageSpeedPerSecond: number;
  /** MB (1024 kB) received in all. */
  readonly totalReceivedMb: number;
  /** Messages received in all. */
  readonly totalReceivedLength: number;
  /** Messages that wait in buffers. */
  readonly streamBufferItems: number;
  /** MB that these have, if they are as long as messages are on average. */
  readonly streamBufferMb: number;
  /** Reconnects in all. */
  readonly reconnects: number;
  /** Days since the manager was made. */
  readonly uptime: number;
}

/** Makes the status; remembers what it was before, for averages. */
export class MonitoringStatusReport {
  #atMs = 0;
  #messages = 0;
  #characters = 0;

  /** The status now. */
  next({ statistics: all, running, finished, now }: Monitored): MonitoringStatus {
    const restarts = [...running, ...finished].map(({ statistics }) => restartsSince(now - HOUR_MS, statistics));
    const highest = Math.max(0, ...restarts);
    const seconds = (all.uptimeMs - this.#atMs) / 1_000;
    const perSecond = (count: number) => seconds > 0 ? count / seconds : 0;
    const averageLength = all.receivedMessages > 0 ? all.receivedCharacters / all.receivedMessages : 0;
    const status: MonitoringStatus = {
      activeStreams: all.streams.running,
      crashedStreams: all.streams.crashed,
      restartingStreams: all.streams.restarting,
      stoppedStreams: all.streams.stopped,
      highestRestartPerStreamLastHour: highest,
      ...verdict(highest, all.streams.crashed),
      timestamp: now,
      averageReceivesPerSecond: rounded(perSecond(all.receivedMessages - this.#messages), 2),
      averageSpeedPerSecond: rounded(perSecond(all.receivedCharacters - this.#characters) / KILO, 2),
      totalReceivedMb: rounded(all.receivedCharacters / MEGA, 2),
      totalReceivedLength: all.receivedMessages,
      streamBufferItems: all.bufferedMessages,
      streamBufferMb: rounded(all.bufferedMessages * averageLength / MEGA, 4),
      reconnects: all.reconnects,
      uptime: rounded(all.uptimeMs / DAY_MS, 3),
    };
    this.#atMs = all.uptimeMs;
    this.#messages = all.receivedMessages;
    this.#characters = all.receivedCharacters;
    return status;
  }
}

/** How often the connection that reconnected most has done so; for one that has no times, those of its stream count. */
function restartsSince(since: number, { links, reconnectTimes: all }: StreamStatistics): number {
  const counts = links.map(({ reconnectTimes = all }) => reconnectTimes.filter((at) => at > since).length);
  return Math.max(0, ...counts);
}

function verdict(
  restarts: number,
  crashed: number,
): Pick<MonitoringStatus, "returnCode" | "statusText" | "statusMsg"> {
  const statusMsg = restarts >= WARNING_RESTARTS ? `Restart rate per stream last hour: ${restarts}` : "";
  if (restarts >= CRITICAL_RESTARTS || crashed > 0) return { returnCode: 2, statusText: "CRITICAL", statusMsg };
  if (restarts >= WARNING_RESTARTS) return { returnCode: 1, statusText: "WARNING", statusMsg };
  return { returnCode: 0, statusText: "OK", statusMsg };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
