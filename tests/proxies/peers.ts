/**
 * Both ends of a tunnel for the tests of the stand-in: a client that speaks bytes, and a target that sends them back.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { LocalProxy } from "@rawtick/binance/testing";

/** A server that sends everything back and ends when its client has ended. */
export async function startEcho(): Promise<AsyncDisposable & { port: number; connections: number; peers: string[] }> {
  const sockets = new Set<Socket>();
  const peers: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    peers.push(socket.remoteAddress ?? "");
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port, // the cast: a listening TCP server has an address with a port
    peers,
    get connections() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client that collects what comes. */
export class Client {
  readonly #socket: Socket;
  readonly chunks: Buffer[] = [];
  readonly closed: Promise<void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => void this.chunks.push(chunk));
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
  }

  static of(proxy: LocalProxy): Client {
    return new Client(connect(proxy.port, "127.0.0.1").setNoDelay(true));
  }

  get received(): Buffer {
    return Buffer.concat(this.chunks);
  }

  send(bytes: string | readonly number[]): this {
    this.#socket.write(typeof bytes === "string" ? bytes : Buffer.from(bytes));
    return this;
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Resolves once `count` bytes are there. */
  async bytes(count: number): Promise<Buffer> {
    while (this.received.length < count) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onClose = (): void => reject(new Error(`Only ${this.received.length} bytes of ${count} came`));
      this.#socket.once("data", () => resolve()).once("close", onClose);
      await promise;
      this.#socket.off("close", onClose);
    }
    return this.received;
  }

  /** Resolves once `text` is there. */
  async text(text: string): Promise<string> {
    for (let count = text.length; !this.received.includes(text); count = this.received.length + 1) {
      await this.bytes(count);
    }
    return this.received.toString();
  }
}

/** The answer of an HTTP proxy that opens a tunnel. */
export const ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";
/** The header with Basic credentials. */
export const basic = (text: string): string => `Proxy-Authorization: Basic ${Buffer.from(text).toString("base64")}\r\n`;
/** A CONNECT request. */
export const connectTo = (target: string, lines = ""): string =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${lines}\r\n`;
/** A port in network order. */
export const portBytes = (port: number): number[] => [port >> 8, port & 255];
/** The bytes of a text. */
export const ascii = (text: string): number[] => [...Buffer.from(text)];
/** A SOCKS4 request for a port on 127.0.0.1, or a SOCKS4a request for a name. */
export const socks4 = (port: number, user = "", name = ""): number[] => [
  ...[4, 1, ...portBytes(port)],
  ...(name === "" ? [127, 0, 0, 1] : [0, 0, 0, 9]),
  ...[...ascii(user), 0, ...(name === "" ? [] : [...ascii(name), 0])],
];
/** The answer that opens a tunnel. */
export const SOCKS4_GRANTED: readonly number[] = [0, 90, 0, 0, 0, 0, 0, 0];
/** A SOCKS5 request for a port on 127.0.0.1. */
export const socks5 = (port: number): number[] => [5, 1, 0, 1, 127, 0, 0, 1, ...portBytes(port)];
/** A login of RFC 1929. */
export const login = (
  user: string,
  password: string,
): number[] => [1, user.length, ...ascii(user), password.length, ...ascii(password)];
/** The answer that opens a tunnel. */
export const SOCKS5_GRANTED: readonly number[] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/** The bytes that open a tunnel with nothing but an address, by scheme, and the answer. */
export const openings: Readonly<Record<string, (port: number) => { ask: string | number[]; answer: Buffer }>> = {
  http: (port) => ({ ask: connectTo(`127.0.0.1:${port}`), answer: Buffer.from(ESTABLISHED) }),
  socks4: (port) => ({ ask: socks4(port), answer: Buffer.from(SOCKS4_GRANTED) }),
  socks5: (port) => ({ ask: [5, 1, 0, ...socks5(port)], answer: Buffer.from([5, 0, ...SOCKS5_GRANTED]) }),
};
