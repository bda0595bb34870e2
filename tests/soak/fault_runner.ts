/**
 * Does what the script of faults says to a local exchange.
 *
 * @module
 */

import type { LocalExchange } from "@rawtick/binance/testing";
import type { ScriptedFault } from "./chaos.ts";
import type { Timing } from "./timing.ts";

/** Bytes per second of slow connections; less than what the streams send. */
const SLOW_BYTES_PER_SECOND = 5_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Commits a fault; resolves once it is over. */
export async function commitFault(
  exchange: LocalExchange,
  { fault, random }: ScriptedFault,
  { disturbanceMs, shutdownMs }: Timing,
): Promise<void> {
  const pick = (): number => {
    const open = exchange.openConnections;
    return open[Math.floor(random * open.length)]?.id ?? -1;
  };
  switch (fault) {
    case "kill":
      return exchange.killConnections();
    case "killMidFrame":
      if (exchange.openConnections.length === 0) return;
      return exchange.killConnection(pick(), {
        afterFrames: Math.floor(random * 20),
        bytes: 1 + Math.floor(random * 100),
      });
    case "fin":
      return exchange.endConnections();
    case "close":
      return exchange.closeConnections(1001, "");
    case "stall":
      if (exchange.openConnections.length > 0) exchange.stallConnection(pick());
      return;
    case "refused":
      await exchange.acceptConnections(false);
      exchange.killConnections();
      await sleep(disturbanceMs);
      return await exchange.acceptConnections(true);
    case "unanswered":
      exchange.ignoreHandshakes(true);
      exchange.killConnections();
      await sleep(disturbanceMs);
      return exchange.ignoreHandshakes(false);
    case "unavailable":
      exchange.refuseConnections(503, { count: 4 });
      return exchange.killConnections();
    case "forbidden":
      exchange.refuseConnections(random < 0.5 ? 403 : 451, { count: 4 });
      return exchange.killConnections();
    case "rateLimited":
      exchange.refuseConnections(429, { headers: { "Retry-After": "1" }, count: 1 });
      return exchange.killConnections();
    case "banned":
      exchange.refuseConnections(418, { headers: { "Retry-After": "2" }, count: 1 });
      return exchange.killConnections();
    case "lostAck":
      exchange.dropAcks(2);
      return exchange.killConnections();
    case "silentAck":
      exchange.ignoreSubscriptions(1);
      return exchange.killConnections();
    case "slow":
      exchange.throttle({ sendBytesPerSecond: SLOW_BYTES_PER_SECOND });
      await sleep(disturbanceMs);
      return exchange.throttle(undefined);
    case "deaf":
      exchange.throttle({ readBytesPerSecond: 0 });
      await sleep(disturbanceMs);
      return exchange.throttle(undefined);
    case "duplicate":
    case "reorder":
    case "drop":
      if (exchange.openConnections.length === 0) return;
      return exchange.disturbData(fault, { connectionId: pick() });
    case "mute":
      exchange.muteStreams(exchange.openConnections.flatMap(({ streams }) => streams).slice(0, 1));
      await sleep(disturbanceMs);
      return exchange.muteStreams(undefined);
    case "shutdown":
      return await exchange.serverShutdown(shutdownMs);
  }
}
