/**
 * The strict counters of the local exchange: what clients did, and a ledger of the data that they were sent.
 *
 * @module
 */

/**
 * The generated or replayed messages of one stream that were sent on one connection. Messages are numbered from 0 for each
 * stream: the `n` of `generateMessage`, or the place among the stream's rows of a recording.
 *
 * @example
 * ```ts
 * import { type SentMessages, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 5 });
 * const client = new WebSocket(`${exchange.url}/ws/btcusdt@trade`);
 * await exchange.waitFor(() => exchange.messagesSent === 5);
 * const sent: SentMessages | undefined = exchange.statistics.connections[0]?.sent.get("btcusdt@trade");
 * assertEquals(sent, { count: 5, first: 0, last: 4 });
 * client.close();
 * ```
 */
export interface SentMessages {
  /** How many were written to the socket. A connection that is cut loses those that were still on their way. */
  readonly count: number;
  /** Number of the first one. */
  readonly first: number;
  /** Number of the last one. */
  readonly last: number;
}

/**
 * What one connection did and was sent, from its handshake on, also after its end.
 *
 * @example
 * ```ts
 * import { type ConnectionStatistics, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const client = new WebSocket(`${exchange.url}/stream`);
 * client.onopen = () => client.send('{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}');
 * await exchange.waitFor(() => exchange.openConnections[0]?.streams.length === 1);
 * const [connection]: readonly ConnectionStatistics[] = exchange.statistics.connections;
 * assertEquals([connection?.maxFramesPerSecond, connection?.subscribes.get("btcusdt@trade")], [1, 1]);
 * client.close();
 * ```
 */
export interface ConnectionStatistics {
  /** Number of the connection, from 0, in the order of the handshakes. */
  readonly id: number;
  /** When its handshake was answered, in ms since 1970. */
  readonly openedAt: number;
  /** When its socket was gone, in ms since 1970; `undefined` as long as it isn't. */
  readonly closedAt: number | undefined;
  /** The Close frame that the exchange sent, be it an answer to the client's; `undefined` if there was none. */
  readonly closeSent: { readonly code: number; readonly reason: string } | undefined;
  /** Most messages, pings and pongs that the client sent within any 1000 ms. */
  readonly maxFramesPerSecond: number;
  /** How often each stream was asked for by SUBSCRIBE messages that were well-formed, also if it was subscribed already. */
  readonly subscribes: ReadonlyMap<string, number>;
  /** The ledger: what was sent of each stream. Messages that were sent by hand are not in it. */
  readonly sent: ReadonlyMap<string, SentMessages>;
}

/**
 * Counters of a local exchange. Reading them takes no copy of the maps in it: they go on counting.
 *
 * @example
 * ```ts
 * import { type LocalExchangeStatistics, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const client = new WebSocket(`${exchange.url}/stream`);
 * await exchange.waitForConnections(1);
 * const statistics: LocalExchangeStatistics = exchange.statistics;
 * assertEquals([statistics.maxConnectionAttempts, statistics.connections.length], [1, 1]);
 * client.close();
 * ```
 */
export interface LocalExchangeStatistics {
  /** Most TCP connections that one address opened within any `limits.connectionWindowMs`. */
  readonly maxConnectionAttempts: number;
  /** Most messages, pings and pongs that any connection sent within any 1000 ms. */
  readonly maxFramesPerSecond: number;
  /**
   * At a pace (a `speed` other than `"max"`, without a recording), how many messages of each generated stream have fallen
   * due since it was first subscribed, whether or not anyone got them: numbers 0 to one less than this.
   */
  readonly published: ReadonlyMap<string, number>;
  /** Every connection whose handshake was accepted, oldest first. */
  readonly connections: readonly ConnectionStatistics[];
}
