/**
 * The options of a tap.
 *
 * @module
 */

import * as z from "zod/mini";
import { callable, checkedOptions, checkThat, integer, InvalidOptionsError, label } from "../base/mod.ts";
import { selectionShape, type StreamSelection } from "../stream/mod.ts";
import type { WebSocketUpgrade } from "./upgrade.ts";

/**
 * Options of {@linkcode tap}: which streams are on offer (`streams`, or `channels` and `markets`, as for `createStream`),
 * to whom, and within which limits. Checked at construction; all problems are reported at once.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, type TapOptions } from "@rawtick/binance";
 *
 * const options: TapOptions = {
 *   channels: ["trade", "bookTicker"],
 *   markets: ["btcusdt", "ethusdt"],
 *   cors: "https://charts.example",
 *   token: "b6e0f1c2-a-long-random-text",
 *   conflateMs: 100,
 *   maxClients: 5_000,
 * };
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = tap(manager, options);
 * console.log(market.statistics.clients);
 * ```
 */
export interface TapOptions extends StreamSelection {
  /**
   * Bearer token that clients need, or several of them: in `Authorization: Bearer`, or as the parameter `access_token` from
   * pages, whose EventSource and WebSocket can't set headers. Compared in constant time. Default: none, everybody may connect.
   */
  readonly token?: string | readonly string[];
  /**
   * Origins whose pages may read the tap, such as `"https://charts.example"`, or `"*"`: CORS, and for WebSockets the check
   * that browsers leave to the server. Default: only pages of the tap's own origin.
   */
  readonly cors?: string | readonly string[];
  /** Clients at the same time, 1 to 1000000; others get status 429. Default: 1000. */
  readonly maxClients?: number;
  /** Streams that one client may have, 1 to 10000; some 500 names fit into a query. Default: 100. */
  readonly maxStreamsPerClient?: number;
  /**
   * How far a client may be behind, 4096 to 1073741824 bytes (characters of the messages, and 64 for each). It is the memory
   * for clients with the same streams together, and what can be resumed with `Last-Event-ID`. A client that is further behind
   * is told how much it has missed (`event: dropped`), and goes on with the newest message of each stream. Default: 1048576.
   */
  readonly maxBufferedBytes?: number;
  /**
   * Shortest time in ms between two messages of a quote stream (best bid and ask, tickers, partial depth, prices of one
   * symbol), 0 to 3600000: in between, only the newest is kept. Clients may ask for longer. Default: 0, every message.
   */
  readonly conflateMs?: number;
  /** How long in ms what the last client had stays subscribed and can be resumed, 0 to 86400000. Default: 30000. */
  readonly lingerMs?: number;
  /** At the latest after this time in ms without anything else, clients get a sign of life, 100 to 600000. Default: 5000. */
  readonly heartbeatMs?: number;
  /**
   * After this time in ms in which a client has not taken what it was given, it is disconnected, 100 to 3600000; it is looked
   * for twice in each `heartbeatMs`. Default: 60000.
   */
  readonly clientTimeoutMs?: number;
  /** How long in ms an EventSource waits before it reconnects, 0 to 600000. Default: 2000. */
  readonly retryMs?: number;
  /** Label of the stream behind the tap, for signals and logs. Default: `"tap"`. */
  readonly label?: string;
  /**
   * Accepts a WebSocket: `Deno.upgradeWebSocket` on Deno. Default: what Bun's server and workerd bring along; elsewhere
   * WebSockets are refused with status 501.
   */
  readonly upgrade?: WebSocketUpgrade;
}

/** Some texts of a kind, or one; a text that is not of the kind is not shown. */
function someOf(path: string, isUsable: (text: string) => boolean, expected: string) {
  return z.optional(
    z.custom<string | readonly string[]>().check(checkThat((given) => {
      const texts = typeof given === "string" ? [given] : Array.isArray(given) ? given : [];
      if (texts.length > 0 && texts.every((text) => typeof text === "string" && isUsable(text))) return;
      throw new InvalidOptionsError(`Cannot use this as \`${path}\`: expected ${expected}`, { path });
    })),
  );
}

function isOrigin(text: string): boolean {
  return text === "*" || (URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text);
}

const schema = z.strictObject({
  ...selectionShape,
  // What can stand in a header and, percent-encoded, in a query (RFC 6750 section 2.1).
  token: someOf(
    "token",
    (text) => /^[\w.~+/-]+=*$/.test(text),
    'a token of letters, digits and "-._~+/", or a list of them',
  ),
  cors: someOf("cors", isOrigin, '"*", or origins as browsers send them, such as "https://charts.example"'),
  maxClients: integer(1, 1_000_000),
  maxStreamsPerClient: integer(1, 10_000),
  maxBufferedBytes: integer(4_096, 2 ** 30),
  conflateMs: integer(0, 3_600_000),
  lingerMs: integer(0, 86_400_000),
  heartbeatMs: integer(100, 600_000),
  clientTimeoutMs: integer(100, 3_600_000),
  retryMs: integer(0, 600_000),
  label,
  upgrade: callable,
}, "an object with `streams`, or with `channels` and `markets`");

/** A checked copy of a tap's options; throws for all problems at once. */
export function checkedTapOptions(options: TapOptions): TapOptions {
  // A variable of the environment that is not set must not open the tap to everybody.
  if (Object.hasOwn(options ?? {}, "token") && options.token === undefined) {
    throw new InvalidOptionsError(
      "Cannot use undefined as `token`: expected a token, or no `token` at all, if everybody may connect",
      { path: "token" },
    );
  }
  return checkedOptions(schema, options, Object.keys(schema.shape));
}
