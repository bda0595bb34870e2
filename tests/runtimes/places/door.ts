/**
 * Uses a door: a manager of it gets a message.
 *
 * @module
 */

import type { WebSocketLibrary } from "@rawtick/binance/transport";
import type { BinanceWebSocketApiManager } from "@rawtick/binance/edge";
import { within } from "../probe.ts";
import type { Addresses } from "../protocol.ts";

/** Throws unless a manager of this class gets a message. */
export async function messageThrough(
  Manager: typeof BinanceWebSocketApiManager,
  websocketLibrary: WebSocketLibrary,
  { exchange }: Addresses,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using manager = new Manager({
    websocketLibrary,
    websocketBaseUrl: exchange,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    onData: () => resolve(),
  });
  manager.createStream({ streams: ["btcusdt@trade"] });
  await within(3_000, promise, "no message");
}
