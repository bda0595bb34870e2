/**
 * How the runtimes accept a WebSocket: as web standards have it, with a `WebSocketPair` (workerd), with a server that takes
 * the request over (Bun).
 *
 * @module
 */

import type { ClientSocket, SocketClient } from "./socket_client.ts";

/**
 * Accepts a WebSocket, as `Deno.upgradeWebSocket` does.
 *
 * @example
 * ```ts
 * import { BinanceWebSocketApiManager, tap, type WebSocketUpgrade } from "@rawtick/binance";
 *
 * // What Deno has by itself; frameworks have something like it.
 * const upgrade: WebSocketUpgrade | undefined = (globalThis as { Deno?: { upgradeWebSocket: WebSocketUpgrade } }).Deno
 *   ?.upgradeWebSocket;
 * await using manager = new BinanceWebSocketApiManager({ websocketBaseUrl: "ws://127.0.0.1:1" });
 * await using market = tap(manager, { streams: "btcusdt@trade", ...(upgrade && { upgrade }) });
 * ```
 */
export type WebSocketUpgrade = (request: Request) => { readonly socket: WebSocket; readonly response: Response };

/**
 * What `Bun.serve` needs to know of the WebSockets of a tap: `Bun.serve({ fetch: market.fetch, websocket: market.websocket })`.
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
}

/** What is used of Bun's server. */
interface BunServer {
  upgrade(request: Request, options: { readonly data: unknown }): boolean;
}

/** What is used of workerd's accepted sockets. */
interface AcceptedSocket extends WebSocket {
  accept(): void;
}

type WebSocketPair = new () => { readonly 0: WebSocket; readonly 1: AcceptedSocket };

/** workerd's, where there is one. */
export function webSocketPairUpgrade(): WebSocketUpgrade | undefined {
  // The cast: a global of that name is workerd's.
  const { WebSocketPair } = globalThis as { readonly WebSocketPair?: WebSocketPair };
  if (WebSocketPair === undefined) return undefined;
  return () => {
    const { 0: webSocket, 1: socket } = new WebSocketPair();
    socket.accept();
    // The cast: `webSocket` is workerd's own.
    return { socket, response: new Response(null, { status: 101, webSocket } as ResponseInit) };
  };
}

/** Whether the second argument of a fetch handler is Bun's server. */
export function isBunServer(server: unknown): server is BunServer {
  return typeof server === "object" && server !== null && "upgrade" in server && typeof server.upgrade === "function";
}

/** Connects a client to a WebSocket as web standards have it. */
export function connectWebSocket(socket: WebSocket, client: SocketClient): void {
  const close = (code?: number, reason?: string) => socket.close(code, reason);
  const adapter: ClientSocket = {
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send: (text) => socket.send(text),
    close,
    terminate: () => close(),
  };
  socket.addEventListener("message", () => client.messaged());
  socket.addEventListener("error", () => client.closed());
  socket.addEventListener("close", () => client.closed());
  if (socket.readyState === socket.CONNECTING) socket.addEventListener("open", () => client.opened(adapter));
  else client.opened(adapter);
}

/** The handlers for `Bun.serve`: the client is in the socket's `data`. */
export function bunWebSocketHandler(isClient: (data: unknown) => data is SocketClient): TapWebSocketHandler {
  const tell = (socket: BunServerSocket, what: (client: SocketClient) => void) => {
    if (isClient(socket.data)) what(socket.data);
  };
  return {
    maxPayloadLength: 4_096,
    open: (socket) =>
      tell(socket, (client) =>
        client.opened({
          get bufferedAmount() {
            return socket.getBufferedAmount();
          },
          send: (text) => void socket.send(text),
          close: (code, reason) => socket.close(code, reason),
          terminate: () => socket.terminate(),
        })),
    message: (socket) => tell(socket, (client) => client.messaged()),
    drain: (socket) => tell(socket, (client) => client.drained()),
    close: (socket) => tell(socket, (client) => client.closed()),
  };
}
