/**
 * Taps: market data for any number of clients, over plain web standards, from one upstream connection.
 *
 * @module
 */

export type { TapOptions } from "./options.ts";
export type { TapStatistics } from "./statistics.ts";
export { Tap, tap, type TapManager } from "./tap.ts";
export type { TapClientOptions } from "./tap_request.ts";
export type { BunServerSocket, TapWebSocketHandler } from "./bun_server.ts";
export type { WebSocketUpgrade } from "./upgrade.ts";
