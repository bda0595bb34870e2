/**
 * How the runtimes accept a WebSocket: as web standards have it, with a `WebSocketPair` (workerd), with a server that takes
 * the request over (Bun).
 *
 * @module
 */

import { TapRefusedError } from "../base/mod.ts";
import { isBunServer, takenOver } from "./bun_server.ts";
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

/** What is used of workerd's accepted sockets. */
interface AcceptedSocket extends WebSocket {
  accept(): void;
}

type WebSocketPair = new () => { readonly 0: WebSocket; readonly 1: AcceptedSocket };

/**
 * Checks a handshake, which not all runtimes do before they accept it (RFC 6455 section 4.2.1).
 *
 * @throws {TapRefusedError} if it is none.
 */
export function checkHandshake({ headers }: Request): void {
  if (headers.get("sec-websocket-version") !== "13") {
    throw new TapRefusedError(426, "UPGRADE_REQUIRED", "Cannot accept this WebSocket: expected version 13");
  }
  if (!/^[A-Za-z0-9+/]{22}==$/.test(headers.get("sec-websocket-key") ?? "")) throw notAnUpgrade();
}

/** Accepts a WebSocket for a client. */
type Upgrade = (request: Request, client: SocketClient) => Response;

/**
 * What accepts WebSockets: what was given, else Bun's server, else workerd's `WebSocketPair`.
 *
 * @param server The second argument of the fetch handler.
 * @throws {TapRefusedError} if there is nothing.
 */
export function upgradeOf(given: WebSocketUpgrade | undefined, server: unknown): Upgrade {
  if (given === undefined && isBunServer(server)) {
    return (request, client) => {
      if (!takenOver(server, request, client)) throw notAnUpgrade();
      // Bun has answered already.
      return new Response();
    };
  }
  const upgrade = given ?? webSocketPairUpgrade();
  if (upgrade === undefined) {
    throw new TapRefusedError(
      501,
      "WEBSOCKET_UNAVAILABLE",
      "Cannot accept a WebSocket here: expected the option `upgrade`, such as `Deno.upgradeWebSocket`, or Bun's server " +
        "beside the request, `market.fetch(request, server)`",
    );
  }
  return (request, client) => {
    const { socket, response } = accepted(upgrade, request);
    connectWebSocket(socket, client);
    return response;
  };
}

/** workerd's, where there is one. */
function webSocketPairUpgrade(): WebSocketUpgrade | undefined {
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

function accepted(upgrade: WebSocketUpgrade, request: Request): ReturnType<WebSocketUpgrade> {
  try {
    return upgrade(request);
  } catch (error) {
    // What runtimes throw for a handshake that is none.
    if (error instanceof TypeError) throw notAnUpgrade();
    throw error;
  }
}

function notAnUpgrade(): TapRefusedError {
  return new TapRefusedError(400, "INVALID_UPGRADE", "Cannot accept this WebSocket: its handshake is not valid");
}

/** Connects a client to a WebSocket as web standards have it. */
export function connectWebSocket(socket: WebSocket, client: SocketClient): void {
  // No event would follow.
  if (socket.readyState > socket.OPEN) return client.closed();
  const close = (code?: number, reason?: string) => socket.close(code, reason);
  const adapter: ClientSocket = {
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send: (text) => socket.send(text),
    close,
    terminate: () => close(),
    cork: (send) => send(),
  };
  socket.addEventListener("message", () => client.received());
  socket.addEventListener("error", () => client.closed());
  socket.addEventListener("close", () => client.closed());
  if (socket.readyState === socket.CONNECTING) socket.addEventListener("open", () => client.opened(adapter));
  else client.opened(adapter);
}
