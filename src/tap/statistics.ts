/**
 * What a tap tells about itself.
 *
 * @module
 */

/**
 * What a tap has done so far.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, type TapStatistics } from "@rawtick/binance";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = tap(manager, { streams: "btcusdt@trade" });
 * const { clients, droppedEvents }: TapStatistics = market.statistics;
 * console.log(`${clients} clients, ${droppedEvents} events were dropped for slow ones`);
 * ```
 */
export interface TapStatistics {
  /** Clients that are connected and served. */
  readonly clients: number;
  /** Clients that were ever connected. */
  readonly totalClients: number;
  /**
   * Clients that are served no more, while their connection has not ended: those that take nothing, above all. They count in
   * `maxClients` as well.
   */
  readonly endingClients: number;
  /** Requests that were refused. */
  readonly refusedRequests: number;
  /** Clients that were let go of since they took nothing for `clientTimeoutMs`. */
  readonly stuckClients: number;
  /** Choices of streams that are kept, with clients or since they had some a while ago. */
  readonly feeds: number;
  /** Streams that are subscribed to, in the order in which they were first asked for. */
  readonly streams: readonly string[];
  /** Messages that came from the exchange. */
  readonly receivedMessages: number;
  /** Messages and signals that were handed to clients, counted for each of them. */
  readonly sentEvents: number;
  /** Those that were left out for clients that were too slow: counted when these read again. */
  readonly droppedEvents: number;
}
