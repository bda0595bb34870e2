/**
 * The local exchange as its user sees it.
 *
 * @module
 */

import type { LocalAccount, LocalAccountOptions } from "./api/local_account.ts";
import type { LocalExchangeApi } from "./api/local_api.ts";
import { startExchangeServer } from "./exchange_server.ts";
import type {
  CloseOptions,
  DataFault,
  DisturbOptions,
  KillOptions,
  RefusalOptions,
  ThrottleOptions,
} from "./fault_options.ts";
import { type LocalExchangeOptions, resolveOptions } from "./options.ts";
import type { ControlMessageRecord, HandshakeRecord, LocalConnection } from "./records.ts";
import type { LocalExchangeStatistics } from "./statistics.ts";

/**
 * A server on loopback that behaves like Binance's market stream endpoint, and misbehaves on demand. What a method
 * sends goes out whatever the switches say: they only stop what the exchange does by itself.
 *
 * @example A manager that is cut off and comes back
 * ```ts
 * import { BinanceWebSocketApiManager } from "@rawtick/binance";
 * import { type LocalExchange, startLocalExchange } from "@rawtick/binance/testing";
 *
 * await using exchange: LocalExchange = await startLocalExchange();
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: exchange.url });
 * const stream = manager.createStream({ streams: ["btcusdt@trade"] });
 * await stream.ready;
 * exchange.killConnections();
 * await exchange.waitFor(() => exchange.totalHandshakes === 2);
 * ```
 */
export interface LocalExchange extends AsyncDisposable {
  /** Base URL without a trailing slash, such as `ws://127.0.0.1:41234`. */
  readonly url: string;
  /** TCP port on 127.0.0.1. */
  readonly port: number;
  /** Base URL of the REST endpoints, such as `http://127.0.0.1:41234`. */
  readonly restUrl: string;
  /** The WebSocket APIs and the listen keys: what was asked of them, and how they misbehave. */
  readonly api: LocalExchangeApi;
  /**
   * Creates an account, without which no request that needs a key is accepted.
   *
   * @throws {RangeError} if there is a key of this name.
   * @throws {TypeError} if a public key is neither RSA nor Ed25519.
   */
  account(options: LocalAccountOptions): LocalAccount;

  /** TCP connections that are open now, also those whose handshake isn't done. */
  readonly connections: number;
  /** TCP connections that were ever accepted. */
  readonly totalConnections: number;
  /** Handshakes that were answered with 101. */
  readonly totalHandshakes: number;
  /** Handshakes that were answered with another status. */
  readonly refusedHandshakes: number;
  /** Messages that were sent: data and what was sent by hand, but no answers to control messages. */
  readonly messagesSent: number;
  /** Ping frames of clients. */
  readonly pingsReceived: number;
  /** Pong frames of clients. */
  readonly pongsReceived: number;
  /** Pong frames among them that answer no ping: none was waiting, or the payload is another one. */
  readonly unsolicitedPongsReceived: number;
  /** Every text message of a client, in the order in which they came. */
  readonly controlMessages: readonly ControlMessageRecord[];
  /** Every request for a WebSocket connection, in the order in which they came. */
  readonly handshakes: readonly HandshakeRecord[];
  /** The connections on which messages can be sent now, oldest first. */
  readonly openConnections: readonly LocalConnection[];
  /** Strict counters of what clients did, and the ledger of the data that they were sent. */
  readonly statistics: LocalExchangeStatistics;

  /**
   * Resolves once `condition` holds; it is looked at whenever something happens on the exchange.
   *
   * @param timeoutMs Longest wait in ms of real time. Default: 5000.
   * @throws {DOMException} named `TimeoutError` if it doesn't hold in time.
   */
  waitFor(condition: () => boolean, timeoutMs?: number): Promise<void>;
  /**
   * Resolves once there are exactly `count` TCP connections and all of them are open WebSocket connections.
   *
   * @param timeoutMs Longest wait in ms of real time. Default: 5000.
   * @throws {DOMException} named `TimeoutError` if that isn't so in time.
   */
  waitForConnections(count: number, timeoutMs?: number): Promise<void>;

  /** Sends a text message on all open connections. */
  broadcast(text: string): void;
  /**
   * Sends a message on one connection.
   *
   * @param connectionId Number of the connection, from 0 in the order of the handshakes; -1 is the newest open one.
   * @throws {RangeError} if it isn't open.
   */
  send(connectionId: number, data: string | Uint8Array): void;
  /**
   * Sends one message in several frames on all open connections: as text if the first part is a string, else as binary,
   * unless `type` says otherwise (bytes may then split a character).
   */
  sendFragmented(parts: readonly (string | Uint8Array)[], type?: "text" | "binary"): void;
  /**
   * Sends the payload of a stream to the connections that subscribed to it and whose path serves it, in their form.
   *
   * @param payload The inner data as JSON text, or a value to be written as JSON.
   * @returns Number of connections that it was sent on.
   */
  push(stream: string, payload: unknown): number;
  /**
   * Sends a ping on all open connections.
   *
   * @param payload At most 125 bytes. Default: the time in ms as digits, like Binance's.
   * @throws {TypeError} if it is longer.
   */
  ping(payload?: string | Uint8Array): void;

  /**
   * Answers handshakes with an HTTP status instead of 101, until `undefined` is given.
   *
   * @throws {RangeError} if the status is none from 200 to 599.
   */
  refuseConnections(status: number | undefined, options?: RefusalOptions): void;
  /**
   * Stops listening, or listens again on the same port: meanwhile attempts to connect are refused by the system
   * (`ECONNREFUSED`). Connections that are open stay so. Resolves once it is so.
   */
  acceptConnections(on: boolean): Promise<void>;
  /** Reads handshakes and never answers them. Those that came meanwhile stay unanswered. */
  ignoreHandshakes(on: boolean): void;
  /** Sends nothing, answers nothing and obeys nothing, but keeps sockets open. Live data that falls due is lost. */
  goSilent(on: boolean): void;
  /**
   * The same for one connection, whatever the others do: its TCP connection stays open, nothing comes.
   *
   * @param connectionId Number of the connection; -1 is the newest open one.
   * @throws {RangeError} if it isn't open.
   */
  stallConnection(connectionId: number, on?: boolean): void;
  /** Sends and reads so slowly on all connections, also those to come, until `undefined` is given. */
  throttle(options: ThrottleOptions | undefined): void;
  /** Doesn't answer pings. */
  ignorePings(on: boolean): void;
  /** Doesn't answer Close frames, and keeps the sockets of clients that sent one. */
  ignoreClose(on: boolean): void;
  /** Obeys control messages and never answers them. */
  silenceAcks(on: boolean): void;
  /** Obeys the next `count` control messages and doesn't answer them. */
  dropAcks(count: number): void;
  /** Acknowledges the next `count` SUBSCRIBE messages and subscribes nothing. */
  ignoreSubscriptions(count: number): void;
  /** Acknowledges and lists these streams and sends nothing of them on any connection, until `undefined` is given. */
  muteStreams(streams: Iterable<string> | undefined): void;
  /**
   * Sends messages of the generator or the recording twice, not at all, or after the one that follows them in their
   * stream. Several orders are carried out in the order in which they were given.
   *
   * @throws {RangeError} if the count is not an integer that is at least 1.
   */
  disturbData(fault: DataFault, options?: DisturbOptions): void;
  /** Answers control messages `ms` later; what they ask for is done at once. */
  delayAcks(ms: number): void;
  /** Answers control messages with an error and doesn't obey them, until `undefined` is given. */
  rejectControl(error: { readonly code: number; readonly msg: string } | undefined): void;

  /**
   * Closes all connections with a Close frame. The code is sent as it is given, also one that RFC 6455 7.4 forbids.
   *
   * @param code Default: 1000; 1005 sends a Close frame without a code.
   * @param reason At most 123 bytes of UTF-8. Default: `""`.
   * @throws {TypeError} if the reason is longer.
   */
  closeConnections(code?: number, reason?: string): void;
  /** Resets all TCP connections (RST; with TLS on Deno it is a FIN), also those whose handshake isn't done. */
  killConnections(): void;
  /**
   * Kills one connection at once, or at a byte of a frame of what it is sent from now on: data, answers, pings.
   *
   * @param connectionId Number of the connection; -1 is the newest open one.
   * @throws {RangeError} if it isn't open, or a number is no integer that is at least 0.
   */
  killConnection(connectionId: number, options?: KillOptions): void;
  /** Ends all TCP connections (FIN) without a Close frame. */
  endConnections(): void;
  /**
   * Sends the event `serverShutdown` on all open connections, and closes them `graceMs` later (Binance
   * web-socket-streams.md, 2026-05-08).
   *
   * @param graceMs Default: 0.
   * @returns Resolves once the Close frames are sent, or the exchange is closed.
   * @throws {TypeError} if the reason has more than 123 bytes.
   */
  serverShutdown(graceMs?: number, options?: CloseOptions): Promise<void>;
  /** Closes all connections as at the end of their 24 hours. */
  cut24h(options?: CloseOptions): void;

  /** Stops listening and destroys all sockets. May be called again. */
  close(): Promise<void>;
}

/**
 * Starts a local exchange on 127.0.0.1.
 *
 * @throws {InvalidOptionsError} if an option can't be used.
 * @throws {Error} with the code `EADDRINUSE` if the port is taken.
 *
 * @example
 * ```ts
 * import { generateMessage, startLocalExchange } from "@rawtick/binance/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using exchange = await startLocalExchange({ speed: "max", messagesPerStream: 3 });
 * const client = new WebSocket(`${exchange.url}/ws/btcusdt@trade`);
 * const received: string[] = [];
 * await new Promise<void>((resolve) => {
 *   client.onmessage = ({ data }) => {
 *     if (received.push(data) === 3) resolve();
 *   };
 * });
 * assertEquals(received, [0, 1, 2].map((n) => generateMessage("btcusdt@trade", n)));
 * client.close();
 * ```
 */
export async function startLocalExchange(options: LocalExchangeOptions = {}): Promise<LocalExchange> {
  return await startExchangeServer(resolveOptions(options));
}
