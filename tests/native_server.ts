/**
 * A server for the tests of the native client that does on a raw socket exactly what a test says, and the client's side
 * of the same: its kinds of sockets, and a listener that writes down its events.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { createServer as createTlsServer } from "node:tls";
import { FrameReader } from "../src/transport/native/mod.ts";
import { openNative, openOver } from "../src/transport/native/client.ts";
import { openNodeSocket } from "../src/transport/native/socket_node.ts";
import type { CloseInfo, ConnectionListener, OpenConnection } from "../src/transport/connection.ts";

type Path = readonly [name: string, open: OpenConnection];
const nodePath: Path = ["node:net", openOver(openNodeSocket)];

/** The kinds of sockets that the library runs on here: the runtime's own, and those of Node. */
export const paths: readonly Path[] = [
  ["Bun" in globalThis ? "Bun.connect" : "Deno" in globalThis ? "Deno.connect" : "net.connect", openNative],
  ...("Bun" in globalThis || "Deno" in globalThis ? [nodePath] : []),
];

/** Whether this machine has IPv6 on its loopback. */
export const hasIpv6: boolean = Object.values(networkInterfaces()).flat().some((one) => one?.address === "::1");

/** A file of the test certificates. */
export function certificate(name: string): string {
  return readFileSync(new URL(`./certs/${name}`, import.meta.url), "utf8");
}

/** What came from a client: a frame, or the end of its TCP connection. */
export type PeerEvent =
  | readonly ["text", string]
  | readonly ["binary" | "ping" | "pong", Uint8Array]
  | readonly ["close", code: number, reason: string]
  | readonly ["end"];

/** The server's side of one upgraded connection. */
export class Peer {
  readonly head: string;
  readonly socket: Socket;
  readonly #reader: FrameReader;
  readonly #events: PeerEvent[] = [];
  #wake = (): void => {};

  constructor(socket: Socket, head: string) {
    this.socket = socket;
    this.head = head;
    this.#reader = new FrameReader({
      onText: (text) => this.#put(["text", text]),
      onBinary: (bytes) => this.#put(["binary", bytes]),
      onPing: (payload) => this.#put(["ping", payload]),
      onPong: (payload) => this.#put(["pong", payload]),
      onClose: (code, reason) => this.#put(["close", code, reason]),
    }, { role: "server", maxMessageBytes: 1 << 26 });
    socket.on("data", (chunk) => this.#reader.push(chunk));
    socket.on("close", () => this.#put(["end"]));
  }

  /** The next event; once the connection has ended, always `["end"]`. */
  async next(): Promise<PeerEvent> {
    while (this.#events.length === 0) await new Promise<void>((resolve) => this.#wake = resolve);
    const event = this.#events[0] ?? ["end"];
    if (event[0] !== "end") this.#events.shift();
    return event;
  }

  /** Sends bytes as they are. */
  send(...bytes: Uint8Array[]): void {
    for (const part of bytes) this.socket.write(part);
  }

  #put(event: PeerEvent): void {
    this.#events.push(event);
    this.#wake();
  }
}

/** How a test server behaves. */
export interface TestServerOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** The name of the certificate that it has; without one it speaks no TLS. */
  readonly certificate?: string;
  /** Does something else than to wait for a request. */
  readonly connected?: (socket: Socket) => void;
  /** Does something else than the upgrade when the head of a request has come. */
  readonly respond?: (head: string, socket: Socket) => void;
  /** Bytes to send together with the 101. */
  readonly greeting?: Uint8Array;
}

/** A server on loopback. */
export class TestServer implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #peers: Peer[] = [];
  #wake = (): void => {};

  private constructor(server: Server, options: TestServerOptions) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port; // the cast: a listening TCP server has an address with a port
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
    });
    server.on(options.certificate === undefined ? "connection" : "secureConnection", (socket: Socket) => {
      socket.on("error", () => {});
      if (options.connected !== undefined) options.connected(socket);
      else this.#accept(socket, options);
    });
    server.on("tlsClientError", () => {});
  }

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const name = options.certificate;
    const server = name === undefined
      ? createServer()
      : createTlsServer({ key: certificate(`${name}.key`), cert: certificate(`${name}.pem`) });
    await new Promise<void>((resolve, reject) =>
      server.on("error", reject).listen(0, options.host ?? "127.0.0.1", resolve)
    );
    return new TestServer(server, options);
  }

  /** The next upgraded connection. */
  async peer(): Promise<Peer> {
    let peer = this.#peers.shift();
    while (peer === undefined) {
      await new Promise<void>((resolve) => this.#wake = resolve);
      peer = this.#peers.shift();
    }
    return peer;
  }

  /** Number of open TCP connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resets all TCP connections, also below TLS. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket, options: TestServerOptions): void {
    let head = "";
    const onData = (chunk: Uint8Array): void => {
      head += new TextDecoder("latin1").decode(chunk);
      if (!head.includes("\r\n\r\n")) return;
      socket.off("data", onData);
      if (options.respond !== undefined) {
        options.respond(head, socket);
        return;
      }
      this.#peers.push(new Peer(socket, head));
      socket.write(concat(new TextEncoder().encode(upgradeAnswer(head)), options.greeting ?? new Uint8Array(0)));
      this.#wake();
    };
    socket.on("data", onData);
  }
}

function concat(one: Uint8Array, two: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(one.length + two.length);
  bytes.set(one);
  bytes.set(two, one.length);
  return bytes;
}

/** The value of a header in a head, or `""`. */
export function headerOf(head: string, name: string): string {
  return new RegExp(`^${name}: *(.*?)\r$`, "im").exec(head)?.[1] ?? "";
}

/** The answer that RFC 6455 4.2.2 wants, with lines replaced: a value of `undefined` leaves the line out. */
export function upgradeAnswer(head: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
  const key = headerOf(head, "sec-websocket-key");
  const lines = Object.entries({
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Accept": createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64"),
    ...changes,
  }).flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value}`]);
  return ["HTTP/1.1 101 Switching Protocols", ...lines, "", ""].join("\r\n");
}

/** A listener that writes down what it is told. */
export class Recorder implements ConnectionListener {
  readonly events: string[] = [];
  readonly texts: string[] = [];
  readonly binaries: Uint8Array[] = [];
  readonly closes: CloseInfo[] = [];
  #wake = (): void => {};

  onOpen(): void {
    this.#put("open");
  }
  onText(text: string): void {
    this.texts.push(text);
    this.#put("text");
  }
  onBinary(bytes: Uint8Array): void {
    this.binaries.push(bytes);
    this.#put("binary");
  }
  onPing(): void {
    this.#put("ping");
  }
  onPong(): void {
    this.#put("pong");
  }
  onClose(info: CloseInfo): void {
    this.closes.push(info);
    this.#put("close");
  }

  /** Waits until there were `count` events. */
  async wait(count: number): Promise<void> {
    while (this.events.length < count) await new Promise<void>((resolve) => this.#wake = resolve);
  }

  #put(event: string): void {
    this.events.push(event);
    this.#wake();
  }
}

/** Bytes that repeat only after a prime number of them, so that a shifted or lost piece shows. */
export function pattern(length: number): Uint8Array {
  return new Uint8Array(length).map((_, index) => (index % 8_191) * 37);
}

/** A text of `length` characters that is not ASCII everywhere. */
export function unicode(length: number): string {
  return "a🚀é币 0123456789 ".repeat(Math.ceil(length / 17)).slice(0, length).toWellFormed();
}

/** Lets everything that is under way on loopback arrive: an echo through the kernel and all queues of this process. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 30));
}
