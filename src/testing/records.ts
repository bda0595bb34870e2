/**
 * What the local exchange remembers for its user.
 *
 * @module
 */

/**
 * A text message that a client sent.
 *
 * @example
 * ```ts
 * import { type ControlMessageRecord, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const client = new WebSocket(`${exchange.url}/stream`);
 * client.onopen = () => client.send('{"method":"LIST_SUBSCRIPTIONS","id":1}');
 * await exchange.waitFor(() => exchange.controlMessages.length === 1);
 * const [message]: readonly ControlMessageRecord[] = exchange.controlMessages;
 * assertEquals(message?.bytes, 38);
 * client.close();
 * ```
 */
export interface ControlMessageRecord {
  /** Number of the connection, from 0. */
  readonly connectionId: number;
  /** When it was read, in ms since 1970. */
  readonly at: number;
  /** The message. */
  readonly text: string;
  /** Its length in bytes of UTF-8. */
  readonly bytes: number;
}

/**
 * A request for a WebSocket connection.
 *
 * @example
 * ```ts
 * import { type HandshakeRecord, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const client = new WebSocket(`${exchange.url}/stream?streams=btcusdt@trade`);
 * await exchange.waitForConnections(1);
 * const [handshake]: readonly HandshakeRecord[] = exchange.handshakes;
 * assertEquals([handshake?.target, handshake?.status], ["/stream?streams=btcusdt@trade", 101]);
 * client.close();
 * ```
 */
export interface HandshakeRecord {
  /** When it was read, in ms since 1970. */
  readonly at: number;
  /** The request target, as it was sent. */
  readonly target: string;
  /** The request's headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP status of the answer: 101 if it was accepted; 0 if it got none. */
  readonly status: number;
}

/**
 * A connection that is open.
 *
 * @example
 * ```ts
 * import { type LocalConnection, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange();
 * const client = new WebSocket(`${exchange.url}/ws/btcusdt@trade`);
 * await exchange.waitForConnections(1);
 * const [connection]: readonly LocalConnection[] = exchange.openConnections;
 * assertEquals([connection?.streams, connection?.isCombined], [["btcusdt@trade"], false]);
 * client.close();
 * ```
 */
export interface LocalConnection {
  /** Number of the connection, from 0, in the order of the handshakes. */
  readonly id: number;
  /** Whether data is wrapped as `{"stream":…,"data":…}`. */
  readonly isCombined: boolean;
  /** The names of the subscribed streams, in the order of their subscription. */
  readonly streams: readonly string[];
}
