/**
 * What the local exchange remembers of requests to its WebSocket APIs.
 *
 * @module
 */

import type { LocalApiName } from "./venue.ts";

/**
 * A request to a WebSocket API, also one that got no answer.
 *
 * @example
 * ```ts
 * import { type LocalApiRequest, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const client = new WebSocket(`${exchange.url}/ws-api/v3`);
 * client.onopen = () => client.send('{"id":1,"method":"ping"}');
 * await exchange.waitFor(() => exchange.api.requests.length === 1);
 * const [request]: readonly LocalApiRequest[] = exchange.api.requests;
 * assertEquals([request?.method, request?.id, request?.status], ["ping", "1", 200]);
 * client.close();
 * ```
 */
export interface LocalApiRequest {
  /** Number of the connection, from 0. */
  readonly connectionId: number;
  /** The API. */
  readonly api: LocalApiName;
  /** When it was read, in ms since 1970 by the exchange's time. */
  readonly at: number;
  /** Its id as JSON text; `null` if it has none or could not be read. */
  readonly id: string;
  /** Its method without `v3/`; `""` if it could not be read. */
  readonly method: string;
  /** Its parameter `newClientOrderId`. */
  readonly clientOrderId: string | undefined;
  /** The status that was answered; 0 if there was no answer. */
  readonly status: number;
  /** What was, or would have been, answered; `undefined` if it was not obeyed. */
  readonly answer: string | undefined;
}
