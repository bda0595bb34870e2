/**
 * Probes of taps: one is served on this runtime, and a client in another process reads it.
 *
 * @module
 */

import { tap } from "@rawtick/binance/edge";
import { ask, type Feature, no, type Verdict, yes } from "../probe.ts";

const NAMES = { sse: "Server-Sent Events", ndjson: "NDJSON", websocket: "WebSocket" } as const;

/** The rows. */
export const taps: readonly Feature[] = (["sse", "ndjson", "websocket"] as const).map((format) => ({
  id: `tap-${format}`,
  title: `a tap served here: ${NAMES[format]}`,
  async probe({ place, library }): Promise<Verdict> {
    await using manager = new place.Manager({
      websocketLibrary: library,
      websocketBaseUrl: place.addresses.exchange,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    await using market = tap(manager, { streams: "btcusdt@trade", lingerMs: 0, ...place.tapOptions });
    if (place.serve === undefined) return no("nothing can listen here");
    const { url, stop } = await place.serve(market);
    try {
      const { status, messages } = await ask<{ status: number; messages: number }>(place, "tap", { url, format });
      if (status === 501) return { outcome: "refused", why: "status 501" };
      return messages > 0 ? yes : no(`status ${status}, ${messages} messages`);
    } finally {
      await market.stop();
      await stop();
    }
  },
}));
