/**
 * What the tests of taps share: the server of this runtime, and clients.
 *
 * @module
 */

import { connect, type Socket } from "node:net";
import { BinanceWebSocketApiManager, type ManagerOptions, type Tap, tap, type TapOptions } from "@rawtick/binance";
import { type LocalExchange, type LocalExchangeOptions, startLocalExchange } from "@rawtick/binance/testing";
import { trade, until } from "./support.ts";

interface Serve {
  readonly Deno?: {
    serve(options: object, handler: (request: Request) => Promise<Response>): {
      readonly addr: { readonly port: number };
      shutdown(): Promise<void>;
    };
    upgradeWebSocket(request: Request): { readonly socket: WebSocket; readonly response: Response };
  };
  readonly Bun?: {
    serve(options: object): { readonly port: number; stop(isHard: boolean): Promise<void> };
  };
}

// The cast: what the runtimes have beside web standards; one of them is there.
const { Deno, Bun } = globalThis as Serve;

/** What a tap needs to accept WebSockets on this runtime. */
export const upgradeOptions: Pick<TapOptions, "upgrade"> = Deno === undefined ? {} : { upgrade: Deno.upgradeWebSocket };

/** A tap behind this runtime's own HTTP server, in front of a local exchange. */
export interface ServedTap extends AsyncDisposable {
  readonly exchange: LocalExchange;
  readonly manager: BinanceWebSocketApiManager;
  readonly market: Tap;
  readonly port: number;
  readonly url: string;
}

/** Serves a tap. */
export function serve(market: Pick<Tap, "fetch" | "websocket">, port = 0): { port: number; stop(): Promise<void> } {
  if (Deno !== undefined) {
    const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, market.fetch);
    return { port: server.addr.port, stop: () => server.shutdown() };
  }
  if (Bun === undefined) throw new Error("Expected Deno or Bun");
  const { fetch, websocket } = market;
  const server = Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 0, fetch, websocket });
  return { port: server.port, stop: () => server.stop(true) };
}

/** Starts all three; the exchange sends nothing by itself unless told. */
export async function startTap(
  options: TapOptions,
  { exchangeOptions = {}, managerOptions = {} }: {
    readonly exchangeOptions?: LocalExchangeOptions;
    readonly managerOptions?: ManagerOptions<"raw">;
  } = {},
): Promise<ServedTap> {
  const exchange = await startLocalExchange({ messagesPerSecond: 0, ...exchangeOptions });
  const manager = new BinanceWebSocketApiManager({
    websocketBaseUrl: exchange.url,
    reconnectMinDelayMs: 20,
    ...managerOptions,
  });
  const market = tap(manager, { ...upgradeOptions, ...options });
  const server = serve(market);
  return {
    exchange,
    manager,
    market,
    port: server.port,
    url: `http://127.0.0.1:${server.port}/`,
    async [Symbol.asyncDispose]() {
      await market.stop();
      await server.stop();
      await manager.stopManager();
      await exchange.close();
    },
  };
}

/** How a client is connected. */
export type ClientFormat = "sse" | "ndjson" | "websocket";
export const formats: readonly ClientFormat[] = ["sse", "ndjson", "websocket"];

/** What a client got: a message, a signal, or a note without an id. */
export interface ClientEvent {
  readonly id: string | undefined;
  /** `"message"` if it has no other name. */
  readonly name: string;
  // What JSON says.
  readonly data: Record<string, unknown>;
}

/** A client on a plain socket, so that nothing is read that nobody asked for. */
export class TapClient implements Disposable {
  readonly events: ClientEvent[] = [];
  /** How many messages there are. */
  messageCount = 0;
  /** Text messages of a WebSocket. */
  frames = 0;
  /** Signs of life that came. */
  heartbeats = 0;
  /** Head of the answer. */
  head = "";
  /** Bytes of the answer. */
  bytes = 0;
  /** Whether the answer or the connection has ended. */
  hasEnded = false;
  /** Status code of the server's Close frame. */
  closeCode: number | undefined;
  readonly #socket: Socket;
  readonly #format: ClientFormat;
  #raw = Buffer.alloc(0);
  #text = "";

  constructor(port: number, query = "", options: {
    readonly format?: ClientFormat;
    readonly headers?: Readonly<Record<string, string>>;
    /** Whether it reads nothing before `resume()`. */
    readonly isPaused?: boolean;
  } = {}) {
    const { format = "sse", headers = {}, isPaused = false } = options;
    this.#format = format;
    const all: Record<string, string> = { host: `127.0.0.1:${port}` };
    if (format === "ndjson") all.accept = "application/x-ndjson";
    if (format === "websocket") {
      Object.assign(all, {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      });
    }
    const lines = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    this.#socket = connect(port, "127.0.0.1", () => void this.#socket.write(`GET /${query} HTTP/1.1\r\n${lines}\r\n`));
    this.#socket.on("error", () => {}).on("close", () => void (this.hasEnded = true));
    if (isPaused) this.#socket.pause();
    else this.resume();
  }

  /** Messages, without signals and notes. */
  get messages(): ClientEvent[] {
    return this.events.filter(({ name }) => name === "message");
  }

  /** Trade ids of the messages. */
  get trades(): unknown[] {
    // The cast: the tests' messages are trades.
    return this.messages.map(({ data }) => (data.data as Record<string, unknown>).t);
  }

  /** Id of the last event that has one. */
  get lastId(): string {
    return this.events.findLast(({ id }) => id !== undefined)?.id ?? "";
  }

  get status(): number {
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.head)?.[1]);
  }

  /** Begins to read. */
  resume(): void {
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk)).resume();
  }

  /** Reads nothing more. */
  pause(): void {
    this.#socket.removeAllListeners("data").pause();
  }

  /** Waits until it has so many messages. */
  async untilMessages(count: number, timeoutMs = 10_000): Promise<void> {
    await until(() => this.messageCount >= count, `${count} messages at a client`, timeoutMs);
  }

  /** Waits until it has an event of this name. */
  async untilEvent(name: string, type?: string): Promise<ClientEvent> {
    const find = () =>
      this.events.find((event) => event.name === name && (type === undefined || event.data.type === type));
    await until(() => find() !== undefined, `the event ${name} ${type ?? ""}`);
    return find() ?? { id: undefined, name, data: {} };
  }

  /** Sends bytes as they are. */
  write(bytes: Uint8Array | string): void {
    this.#socket.write(bytes);
  }

  /** Ends the connection without a word. */
  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #end(): void {
    this.hasEnded = true;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#raw = Buffer.concat([this.#raw, chunk]);
    if (this.head === "") {
      const end = this.#raw.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.head = this.#raw.subarray(0, end).toString();
      this.#raw = this.#raw.subarray(end + 4);
    }
    if (this.#format === "websocket" && this.status === 101) this.#readFrames();
    else if (/transfer-encoding: chunked/i.test(this.head)) this.#readChunks();
    else {
      this.#text += this.#raw.toString();
      this.#raw = Buffer.alloc(0);
    }
  }

  /** RFC 9112 section 7.1. */
  #readChunks(): void {
    while (true) {
      const end = this.#raw.indexOf("\r\n");
      if (end < 0) return;
      const length = parseInt(this.#raw.subarray(0, end).toString(), 16);
      if (this.#raw.length < end + 2 + length + 2) return;
      if (length === 0) this.#end();
      this.#text += this.#raw.subarray(end + 2, end + 2 + length).toString();
      this.#raw = this.#raw.subarray(end + 2 + length + 2);
      this.#readText();
    }
  }

  #readText(): void {
    const separator = this.#format === "sse" ? "\n\n" : "\n";
    const parts = this.#text.split(separator);
    this.#text = parts.pop() ?? "";
    for (const part of parts) this.#format === "sse" ? this.#readEvent(part) : this.#readObject(part);
  }

  /** HTML standard, section 9.2.6. */
  #readEvent(text: string): void {
    const fields = Object.fromEntries(text.split("\n").map((line) => line.split(/: (.*)/s, 2)));
    if (fields.data !== undefined) {
      this.#add({ id: fields.id, name: fields.event ?? "message", data: JSON.parse(fields.data) });
    } else if (text === ":") this.heartbeats++;
  }

  #readObject(text: string): void {
    const { id, event, ...data } = JSON.parse(text);
    if (event === "heartbeat") this.heartbeats++;
    else this.#add({ id, name: event ?? "message", data: event === undefined ? data : data.data });
  }

  #add(event: ClientEvent): void {
    this.events.push(event);
    if (event.name === "message") this.messageCount++;
  }

  /** RFC 6455 section 5.2; a server's frames are not masked. */
  #readFrames(): void {
    while (this.#raw.length >= 2) {
      const [first = 0, second = 0] = this.#raw;
      const size = second < 126 ? 2 : second === 126 ? 4 : 10;
      if (this.#raw.length < size) return;
      const length = second < 126 ? second : second === 126 ? this.#raw.readUInt16BE(2) : this.#raw.readUInt32BE(6);
      if (this.#raw.length < size + length) return;
      if ((first & 15) === 8) {
        if (length >= 2) this.closeCode = this.#raw.readUInt16BE(size);
        this.#end();
      }
      if ((first & 15) === 1) {
        this.frames++;
        for (const line of this.#raw.subarray(size, size + length).toString().split("\n")) this.#readObject(line);
      }
      this.#raw = this.#raw.subarray(size + length);
    }
  }
}

/** Pushes trades with these ids through the exchange. */
export function pushTrades(exchange: LocalExchange, first: number, count: number, symbol = "btcusdt"): void {
  for (let id = first; id < first + count; id++) {
    const { stream, text } = trade(id, symbol);
    exchange.push(stream, JSON.parse(text).data);
  }
}

/** Waits until the exchange has acknowledged these streams: longer than a tap waits after a crash, which is 5 s. */
export async function untilSubscribed({ exchange }: Pick<ServedTap, "exchange">, ...streams: string[]): Promise<void> {
  await exchange.waitFor(() => {
    const all = exchange.openConnections.flatMap(({ streams }) => streams);
    return streams.every((stream) => all.includes(stream));
  }, 20_000);
}
