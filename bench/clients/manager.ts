/**
 * The whole way to the user's callback: a manager with one stream.
 *
 * @module
 */

import { type BinanceStream, BinanceWebSocketApiManager } from "../../mod.ts";
import type { WebSocketLibrary } from "../../src/transport/mod.ts";
import { type Order, type Output, streamOf } from "../rows.ts";
import { type Measured, Meter } from "./meter.ts";

/** Runs an order of mode manager. */
export async function measureManager(
  library: WebSocketLibrary,
  baseUrl: string,
  ca: string,
  order: Order,
): Promise<Measured> {
  const manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    websocketBaseUrl: baseUrl,
    output: order.output,
    ...(order.tls && { tls: { ca: [ca] } }),
  });
  const meter = new Meter(order, () => stream.statistics.receivedCharacters);
  const stream: BinanceStream<Output> = manager.createStream({ streams: [streamOf(order)], onData: meter.message });
  const measured = await meter.done;
  const { statistics } = stream;
  const isDisturbed = statistics.callbackErrors + statistics.reconnects > 0;
  if (isDisturbed) throw new Error(`The stream was disturbed: ${JSON.stringify(statistics)}`);
  return measured;
}
