/**
 * The floor below every library: reads the same bytes from a bare socket and looks at nothing.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import net from "node:net";
import process from "node:process";
import tls from "node:tls";
import { type Order, streamOf } from "../rows.ts";
import type { Measured } from "./meter.ts";

/** As large as the largest that "native" reads into on Deno. */
const READ_BYTES = 128 * 1024;

/** The parts of the runtimes' sockets that are used here; no runtime's types know the others' globals. */
interface Runtimes {
  readonly Bun?: {
    connect(options: {
      hostname: string;
      port: number;
      tls?: { ca: string };
      socket: {
        handshake?(socket: BunSocket): void;
        open(socket: BunSocket): void;
        data(_: unknown, chunk: Uint8Array): void;
      };
    }): Promise<unknown>;
  };
  readonly Deno?: {
    connect(options: { hostname: string; port: number }): Promise<DenoConn>;
    connectTls(options: { hostname: string; port: number; caCerts: string[] }): Promise<DenoConn>;
  };
}

interface BunSocket {
  write(text: string): void;
}

interface DenoConn {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
}

/** Counts the bytes behind the server's answer, which says how many there are. */
class ByteMeter {
  readonly done: Promise<Measured>;
  readonly #messages: number;
  #resolve: (measured: Measured) => void = () => {};
  #head = "";
  #isInBody = false;
  #bytes = 0;
  #warmupBytes = 0;
  #frameBytes = 0;
  #payloadBytes = 0;
  #started = 0;
  #startedAt = 0;
  #cpu: NodeJS.CpuUsage | undefined;

  constructor(messages: number) {
    this.#messages = messages;
    this.done = new Promise((resolve) => this.#resolve = resolve);
  }

  take(chunk: Uint8Array): void {
    if (this.#isInBody) this.#count(chunk.length);
    else this.#readHead(chunk);
  }

  #readHead(chunk: Uint8Array): void {
    this.#head += Buffer.from(chunk).toString("latin1");
    const end = this.#head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const field = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(this.#head)?.[1]);
    this.#warmupBytes = field("X-Warmup-Bytes");
    this.#frameBytes = field("X-Frame-Bytes");
    this.#payloadBytes = field("X-Payload-Bytes");
    this.#isInBody = true;
    this.#count(this.#head.length - end - 4);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#cpu === undefined) {
      if (this.#bytes < this.#warmupBytes) return;
      this.#cpu = process.cpuUsage();
      this.#started = performance.now();
      this.#startedAt = this.#bytes;
    }
    if (this.#bytes < this.#warmupBytes + this.#frameBytes) return;
    const seconds = (performance.now() - this.#started) / 1_000;
    const { user, system } = process.cpuUsage(this.#cpu);
    // A read takes many messages: what came with the end of the warm-up was not measured.
    const messages = this.#messages * (this.#bytes - this.#startedAt) / this.#frameBytes;
    this.#resolve({
      messages: this.#messages,
      bytes: this.#payloadBytes,
      msgsPerSecond: messages / seconds,
      cpuMicrosPerMessage: (user + system) / messages,
    });
  }
}

async function readWithDeno(
  runtime: NonNullable<Runtimes["Deno"]>,
  { tls, port }: Order,
  request: string,
  ca: string,
  meter: ByteMeter,
): Promise<void> {
  const hostname = "127.0.0.1";
  const conn = tls
    ? await runtime.connectTls({ hostname, port, caCerts: [ca] })
    : await runtime.connect({ hostname, port });
  await conn.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(READ_BYTES);
  for (let count = await conn.read(buffer); count !== null; count = await conn.read(buffer)) {
    meter.take(buffer.subarray(0, count));
  }
}

/** Runs an order of mode bare, on the runtime's fastest socket. */
export async function measureBare(order: Order, ca: string): Promise<Measured> {
  const path = `/bare?streams=${streamOf(order)}`;
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
  const meter = new ByteMeter(order.messages);
  const { Bun, Deno } = globalThis as Runtimes; // see Runtimes
  const { port } = order;
  if (Bun !== undefined) {
    await Bun.connect({
      hostname: "127.0.0.1",
      port,
      ...(order.tls && { tls: { ca } }),
      socket: {
        open: (socket) => void (order.tls || socket.write(request)),
        ...(order.tls && { handshake: (socket: BunSocket) => socket.write(request) }),
        data: (_, chunk) => meter.take(chunk),
      },
    });
  } else if (Deno !== undefined) {
    readWithDeno(Deno, order, request, ca, meter);
  } else {
    const socket = order.tls ? tls.connect({ port, host: "127.0.0.1", ca }) : net.connect({ port, host: "127.0.0.1" });
    socket.on(order.tls ? "secureConnect" : "connect", () => socket.write(request));
    socket.on("data", (chunk: Buffer) => meter.take(chunk));
  }
  return await meter.done;
}
