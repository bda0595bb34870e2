/**
 * Two clients of the local exchange that share nothing with it: the runtime's own WebSocket, and a bare socket that shows
 * what that one hides (pongs, resets, refusals).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import type { LocalExchange } from "@rawtick/binance/testing";

/** Waits for values in the order in which they come. */
class Inbox<T> {
  readonly all: T[] = [];
  #taken = 0;
  #wake = () => {};

  put(value: T): void {
    this.all.push(value);
    this.#wake();
  }

  /** The next value that was not taken yet. */
  async next(): Promise<T> {
    while (this.all.length <= this.#taken) await new Promise<void>((resolve) => this.#wake = resolve);
    return this.all[this.#taken++]!;
  }

  async take(count: number): Promise<T[]> {
    const values: T[] = [];
    while (values.length < count) values.push(await this.next());
    return values;
  }
}

/** The runtime's WebSocket. */
export class Client implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #inbox = new Inbox<string | Uint8Array>();
  /** Resolves with code and reason when it is closed; a code of 0 (Deno, no Close frame) is written as 1006. */
  readonly closed: Promise<[code: number, reason: string]>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => this.#inbox.put(typeof data === "string" ? data : new Uint8Array(data));
    this.closed = new Promise((resolve) => {
      socket.onclose = ({ code, reason }) => resolve([code === 0 ? 1006 : code, reason]);
    });
  }

  /** Opens `path` of the exchange. */
  static async open(exchange: LocalExchange, path: string): Promise<Client> {
    const socket = new WebSocket(exchange.url + path);
    const client = new Client(socket);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = (event) => reject(new Error("message" in event ? String(event.message) : "cannot open"));
    });
    socket.onerror = null;
    return client;
  }

  /** Everything that came. */
  get received(): readonly (string | Uint8Array)[] {
    return this.#inbox.all;
  }

  next(): Promise<string | Uint8Array> {
    return this.#inbox.next();
  }

  take(count: number): Promise<(string | Uint8Array)[]> {
    return this.#inbox.take(count);
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  /** Sends a control message and returns the next message, which must be the answer. */
  async ask(text: string): Promise<unknown> {
    this.send(text);
    return await this.next();
  }

  close(): void {
    this.#socket.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    return Promise.resolve();
  }
}

/** The request of a handshake; its key is the example of RFC 6455 1.3. */
export function handshakeRequest(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`;
}

/** A frame of a client with a payload of less than 64 KiB. */
export function maskedFrame(opcode: number, payload: string | Uint8Array): Uint8Array {
  const data = Buffer.from(payload);
  const key = [0x12, 0x34, 0x56, 0x78];
  const head = data.length < 126
    ? [0x80 | opcode, 0x80 | data.length]
    : [0x80 | opcode, 0x80 | 126, data.length >> 8, data.length & 0xff];
  return Buffer.from([...head, ...key, ...data.map((byte, index) => byte ^ key[index % 4]!)]);
}

/** A frame that the exchange sent. */
export interface Frame {
  readonly fin: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A bare socket that speaks just enough of RFC 6455. */
export class RawClient implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #frames = new Inbox<Frame>();
  #bytes: Buffer = Buffer.alloc(0);
  #head: ((head: string) => void) | undefined;
  /** How the connection ended: by FIN or by RST. */
  readonly ended: Promise<"fin" | "reset">;
  /** The head of the response, and its body if it was no 101. */
  response = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#read();
    });
    this.ended = new Promise((resolve) => {
      socket.on("end", () => resolve("fin"));
      socket.on("error", () => resolve("reset"));
    });
  }

  /** Uses a socket that is ready once it emits `event`. */
  static async over(socket: Socket, event: "connect" | "secureConnect"): Promise<RawClient> {
    const client = new RawClient(socket);
    await new Promise<void>((resolve) => socket.once(event, () => resolve()));
    return client;
  }

  /** Connects without saying anything. */
  static async connect(exchange: LocalExchange): Promise<RawClient> {
    return await RawClient.over(connect(exchange.port, "127.0.0.1"), "connect");
  }

  /** Connects and does the handshake; resolves with the answer, whatever it is. */
  static async open(exchange: LocalExchange, path = "/stream", headers = ""): Promise<RawClient> {
    const client = await RawClient.connect(exchange);
    await client.request(handshakeRequest(path, headers));
    return client;
  }

  /** Sends a request, in one piece or several, and waits for the head of the response. */
  async request(...pieces: (string | Uint8Array)[]): Promise<void> {
    const answered = new Promise<string>((resolve) => this.#head = resolve);
    for (const piece of pieces) {
      this.write(piece);
      if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
    }
    this.response = await answered;
  }

  /** HTTP status of the response. */
  get status(): number {
    return Number(this.response.split(" ")[1]);
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Sends a masked frame. */
  send(opcode: number, payload: string | Uint8Array = ""): void {
    this.write(maskedFrame(opcode, payload));
  }

  /** Every frame that came. */
  get frames(): readonly Frame[] {
    return this.#frames.all;
  }

  next(): Promise<Frame> {
    return this.#frames.next();
  }

  /** The next frame, which must be a text. */
  async text(): Promise<string> {
    const { opcode, payload } = await this.next();
    if (opcode !== 1) throw new Error(`Expected a text, got opcode ${opcode}`);
    return payload.toString();
  }

  /** The next frame, which must be a Close frame. */
  async closeFrame(): Promise<[code: number, reason: string]> {
    const { opcode, payload } = await this.next();
    if (opcode !== 8) throw new Error(`Expected a Close frame, got opcode ${opcode}: ${payload}`);
    return [payload.length === 0 ? 1005 : payload.readUInt16BE(0), payload.toString("utf8", 2)];
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Destroys the socket. */
  destroy(): void {
    this.#socket.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    return Promise.resolve();
  }

  #read(): void {
    if (this.#head !== undefined) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = this.#bytes.toString("latin1", 0, end);
      const isUpgrade = head.startsWith("HTTP/1.1 101");
      const length = isUpgrade ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (this.#bytes.length < end + 4 + length) return;
      this.#head(`${head}${this.#bytes.toString("utf8", end, end + 4 + length)}`);
      this.#head = undefined;
      this.#bytes = this.#bytes.subarray(end + 4 + length);
    }
    while (this.#bytes.length >= 2) {
      const [first = 0, second = 0] = this.#bytes;
      const [head, length] = second < 126
        ? [2, second]
        : second === 126
        ? [4, this.#bytes.length < 4 ? Infinity : this.#bytes.readUInt16BE(2)]
        : [10, this.#bytes.length < 10 ? Infinity : Number(this.#bytes.readBigUInt64BE(2))];
      if (this.#bytes.length < head + length) return;
      const payload = this.#bytes.subarray(head, head + length);
      this.#bytes = this.#bytes.subarray(head + length);
      this.#frames.put({ fin: first >= 0x80, opcode: first & 0x0f, payload });
    }
  }
}
