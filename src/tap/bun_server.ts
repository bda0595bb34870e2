/**
 * WebSockets of Bun's server, which takes a request over and then calls handlers that were given to it before.
 *
 * @module
 */

import { TapRefusedError } from "../base/mod.ts";
import { SocketClient } from "./socket_client.ts";

/**
 * What `Bun.serve` needs to know of the WebSockets of a tap: `Bun.serve({ ...market, port: 8000 })`.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, type TapWebSocketHandler } from "@rawtick/binance";
 *
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = tap(manager, { streams: "btcusdt@trade" });
 * const websocket: TapWebSocketHandler = market.websocket;
 * console.log(websocket.maxPayloadLength);
 * ```
 */
export interface TapWebSocketHandler {
  /** Largest message in bytes that a client may send: none is of any use. */
  readonly maxPayloadLength: number;
  /** A connection is open. */
  open(socket: BunServerSocket): void;
  /** A client has sent something. */
  message(socket: BunServerSocket): void;
  /** What was sent to a client has left. */
  drain(socket: BunServerSocket): void;
  /** A connection has ended. */
  close(socket: BunServerSocket): void;
}

/**
 * What is used of Bun's `ServerWebSocket`.
 *
 * @example
 * ```ts
 * import type { BunServerSocket } from "@rawtick/binance";
 *
 * const isSlow = (socket: BunServerSocket) => socket.getBufferedAmount() > 65_536;
 * console.log(isSlow);
 * ```
 */
export interface BunServerSocket {
  /** Its client. */
  readonly data: unknown;
  /** Bytes that were sent and have not left yet. */
  getBufferedAmount(): number;
  /** Sends a message. */
  send(text: string): number;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
  /** Ends the connection at once. */
  terminate(): void;
  /** Writes at once what is sent meanwhile. */
  cork(send: () => void): void;
}

/** What is used of Bun's server. */
interface BunServer {
  upgrade(request: Request, options: { readonly data: unknown }): boolean;
}

/** Whether the second argument of a fetch handler is Bun's server. */
export function isBunServer(server: unknown): server is BunServer {
  return typeof server === "object" && server !== null && "upgrade" in server && typeof server.upgrade === "function";
}

/** Lets the server take a request over; whether it has. */
export function takenOver(server: BunServer, request: Request, client: SocketClient): boolean {
  try {
    return server.upgrade(request, { data: client }) === true;
  } catch {
    throw new TapRefusedError(
      501,
      "WEBSOCKET_UNAVAILABLE",
      "Cannot accept a WebSocket here: expected `websocket` in the options of `Bun.serve`, as the tap has it",
    );
  }
}

/** The handlers for `Bun.serve`: the client is in the socket's `data`. */
export const bunWebSocketHandler: TapWebSocketHandler = {
  maxPayloadLength: 4_096,
  open: (socket) =>
    clientOf(socket)?.opened({
      get bufferedAmount() {
        return socket.getBufferedAmount();
      },
      send: (text) => void socket.send(text),
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
      // A thousand clients take a thousand messages per second each only so: without it, each message is a system call.
      cork: (send) => socket.cork(send),
    }),
  message: (socket) => clientOf(socket)?.received(),
  drain: (socket) => clientOf(socket)?.drained(),
  close: (socket) => clientOf(socket)?.closed(),
};

function clientOf({ data }: BunServerSocket): SocketClient | undefined {
  return data instanceof SocketClient ? data : undefined;
}
