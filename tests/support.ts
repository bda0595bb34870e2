/**
 * What the tests share: each library's turn, and waiting for events instead of sleeping.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import {
  BinanceWebSocketApiManager,
  type Logger,
  type ManagerOptions,
  type Output,
  type Signal,
} from "@rawtick/binance";
import { type LocalExchange, type LocalExchangeOptions, startLocalExchange } from "@rawtick/binance/testing";
import type { WebSocketLibrary } from "@rawtick/binance/transport";

/** Every library that this suite proves. */
export const libraries: readonly WebSocketLibrary[] = ["builtin", "native"];

/** Registers the same test for each library. */
export function testEachLibrary(name: string, run: (library: WebSocketLibrary) => Promise<void> | void): void {
  for (const library of libraries) test(`${library}: ${name}`, { timeout: 60_000 }, () => run(library));
}

/** Waits until `condition` holds; fails with `what` when it does not within `timeoutMs`. */
export async function until(condition: () => boolean, what: string, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The integers from `first` to `last`. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** A logger that remembers. */
export function memoryLogger(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  return { lines, debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}

/** A local exchange, and a manager that uses it. */
export interface Bench<O extends Output> extends AsyncDisposable {
  readonly exchange: LocalExchange;
  readonly manager: BinanceWebSocketApiManager<O>;
  readonly signals: Signal[];
  readonly signalTypes: string[];
  readonly log: string[];
}

/**
 * Starts both. The exchange sends nothing by itself unless told: tests push what they check. Reconnects come quickly.
 */
export async function startBench<O extends Output = "raw">(
  library: WebSocketLibrary,
  options: ManagerOptions<O> = {},
  exchangeOptions: LocalExchangeOptions = {},
): Promise<Bench<O>> {
  const exchange = await startLocalExchange({ messagesPerSecond: 0, ...exchangeOptions });
  const signals: Signal[] = [];
  const logger = memoryLogger();
  const manager = new BinanceWebSocketApiManager<O>({
    websocketLibrary: library,
    websocketBaseUrl: exchange.url,
    reconnectMinDelayMs: 20,
    logger,
    onSignal: (signal) => void signals.push(signal),
    ...options,
  });
  return {
    exchange,
    manager,
    signals,
    get signalTypes() {
      return signals.map(({ type }) => type);
    },
    log: logger.lines,
    async [Symbol.asyncDispose]() {
      await manager.stopManager();
      await exchange.close();
    },
  };
}

/** A trade in the combined form, as Binance sends it. */
export function trade(id: number, symbol = "btcusdt"): { stream: string; text: string } {
  const stream = `${symbol}@trade`;
  const time = 1672515782136 + id;
  const data = { e: "trade", E: time, s: symbol.toUpperCase(), t: id, p: "0.001", q: "100", T: time, m: true, M: true };
  return { stream, text: JSON.stringify({ stream, data }) };
}

/** A server that answers each HTTP head as the test says: for what a real server would not do. */
export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly heads: string[];
}

/** Starts a raw server on loopback. */
export async function startRawServer(answer: (head: string, socket: Socket) => void): Promise<RawServer> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let head = "";
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      if (head.includes("\r\n\r\n")) return;
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      heads.push(head);
      answer(head, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // the cast: a listening TCP server has an address with a port
  return {
    url: `ws://127.0.0.1:${port}/`,
    heads,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A 101 answer to a handshake, with further header lines. */
export function switchingProtocols(head: string, lines = ""): string {
  const key = /^sec-websocket-key: *(\S+)/im.exec(head)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Accept: ${accept}\r\n${lines}\r\n`;
}
