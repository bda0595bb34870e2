/**
 * A WebSocket API whose every answer the test decides: for the moments that a well-behaved exchange does not have.
 *
 * @module
 */

import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { BinanceWebSocketApiManager, type ManagerOptions, type Signal } from "@rawtick/binance";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { memoryLogger } from "./support.ts";

/** What is used of a socket of `ws`, which has no types here. */
interface ServerSocket {
  on(event: "error" | "message", listener: (data: { toString(): string }) => void): void;
  send(text: string): void;
  close(code: number): void;
  terminate(): void;
}

/** A request as it arrived. */
export interface ApiCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Which connection it came over, from 1 on. */
  readonly connection: number;
}

/** What can be done about a request. */
export interface ApiReply {
  /** Answers with a result. */
  result(result: unknown, more?: object): void;
  /** Answers with an error. */
  error(status: number, code: number, msg: string, data?: unknown): void;
  /** Sends any text. */
  send(text: string): void;
  /** Destroys the socket. */
  kill(): void;
  /** Closes the connection with the handshake. */
  close(code: number): void;
}

/** What a test does with requests; those that it does not handle get a plausible answer. */
export type ApiHandler = (call: ApiCall, reply: ApiReply) => boolean | void;

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly calls: ApiCall[];
  /** Connections so far. */
  readonly connections: number;
  /** The calls of a method. */
  callsOf(method: string): ApiCall[];
  /** Sends a text over the newest connection. */
  push(text: string): void;
  /** Destroys all sockets. */
  kill(): void;
  /** How far its clock is ahead. */
  offsetMs: number;
  handler: ApiHandler;
}

/** Starts a server on loopback. */
export async function startApiServer(handler: ApiHandler = () => {}, port = 0): Promise<ApiServer> {
  const server = new WebSocketServer({ port, host: "127.0.0.1" });
  await new Promise<void>((resolve) => server.on("listening", resolve));
  const calls: ApiCall[] = [];
  let connections = 0;
  let newest: ServerSocket | undefined;
  // The cast: a listening TCP server has an address with a port.
  const { port: listening } = server.address() as AddressInfo;
  const api: ApiServer = {
    url: `ws://127.0.0.1:${listening}`,
    port: listening,
    calls,
    get connections() {
      return connections;
    },
    callsOf: (method) => calls.filter((call) => call.method === method),
    push: (text) => newest?.send(text),
    kill: () => {
      for (const client of server.clients) client.terminate();
    },
    offsetMs: 0,
    handler,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  server.on("connection", (socket: ServerSocket) => {
    const connection = ++connections;
    newest = socket;
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const { id, method, params = {} } = JSON.parse(data.toString());
      const call = { id, method, params, connection };
      calls.push(call);
      const answer = (body: object) => socket.send(JSON.stringify({ id, ...body }));
      const reply: ApiReply = {
        result: (result, more = {}) => answer({ status: 200, result, ...more }),
        error: (status, code, msg, data) => answer({ status, error: { code, msg, ...(data ? { data } : {}) } }),
        send: (text) => socket.send(text),
        kill: () => socket.terminate(),
        close: (code) => socket.close(code),
      };
      if (api.handler(call, reply) === true) return;
      reply.result({ serverTime: Date.now() + api.offsetMs });
    });
  });
  return api;
}

/** A manager that uses the server; it reconnects quickly. */
export function apiManager(
  server: { readonly url: string },
  library: WebSocketLibrary,
  options: ManagerOptions<"raw"> = {},
): BinanceWebSocketApiManager & { readonly signals: Signal[]; readonly log: string[] } {
  const signals: Signal[] = [];
  const logger = memoryLogger();
  const manager = new BinanceWebSocketApiManager({
    websocketLibrary: library,
    websocketApiBaseUrl: server.url,
    reconnectMinDelayMs: 5,
    reconnectMaxDelayMs: 50,
    logger,
    onSignal: (signal) => void signals.push(signal),
    ...options,
  });
  return Object.assign(manager, { signals, log: logger.lines });
}
