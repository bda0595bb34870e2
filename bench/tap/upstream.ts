/**
 * The exchange of the tap's benchmark, a process of its own: exactly so many trades a second to each subscriber, with
 * the time at which they were sent in them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import net from "node:net";
import process from "node:process";
import { ClientFrames } from "../client_frames.ts";
import { frameHead, textFrame } from "../frames.ts";
import { answer, ownUsage, type Usage } from "./asking.ts";
import { nowMicros } from "./clock.ts";

/** The stream that is measured. */
export const STREAM = "btcusdt@trade";
/** Path for the benchmark's own subscriber; what is connected by another is the tap. */
export const DIRECT_PATH = "/direct";

/** What the process is started with. */
export interface UpstreamSettings {
  /** Messages per second. */
  readonly rate: number;
}

/** What it says about itself. */
export interface UpstreamReport extends Usage {
  /** Connections that were ever made, but for the benchmark's own. */
  readonly connections: number;
  /** Trades that were sent so far: the id of the last one. */
  readonly lastTrade: number;
}

let connections = 0;
let lastTrade = 0;
const subscribers = new Set<net.Socket>();

/** A message as Binance sends it, with times in µs (`timeUnit=microsecond`). */
function tradeOf(id: number): string {
  const time = Math.round(nowMicros());
  const price = (60_000 + id % 1000 / 100).toFixed(8);
  return `{"stream":"${STREAM}","data":{"e":"trade","E":${time},"s":"BTCUSDT","t":${id},"p":"${price}",` +
    `"q":"0.00012000","T":${time},"m":${id % 2 === 0},"M":true}}`;
}

function accept(socket: net.Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => subscribers.delete(socket));
  socket.once("data", (head: Buffer) => {
    // A handshake is one segment on loopback.
    const text = head.toString("latin1");
    const key = /^sec-websocket-key: *(\S+)/im.exec(text)?.[1] ?? "";
    const url = new URL(/^GET (\S+)/.exec(text)?.[1] ?? "/", "ws://localhost");
    const accepted = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `Sec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    );
    if (url.pathname !== DIRECT_PATH) connections++;
    if (url.pathname === DIRECT_PATH || url.searchParams.has("streams")) subscribers.add(socket);
    const frames = new ClientFrames((opcode, length, payload = Buffer.alloc(0)) => {
      if (opcode === 8) socket.end(Buffer.from([0x88, 0]));
      else if (opcode === 9) socket.write(Buffer.concat([frameHead(0x8a, length), payload]));
      else if (opcode === 1) command(socket, payload.toString());
    }, Infinity);
    socket.on("data", (bytes: Buffer) => frames.push(bytes));
  });
}

function command(socket: net.Socket, text: string): void {
  const { method, id }: { method?: string; id?: unknown } = JSON.parse(text);
  socket.write(textFrame(JSON.stringify({ result: null, id })));
  if (method === "SUBSCRIBE") subscribers.add(socket);
  if (method === "UNSUBSCRIBE") subscribers.delete(socket);
}

/** Sends what is due, every ms; returns what ends that. */
function send(rate: number): () => void {
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - startedAt) / 1000 * rate);
    if (sent === due) return;
    const frames: Buffer[] = [];
    for (; sent < due; sent++) frames.push(textFrame(tradeOf(++lastTrade)));
    const bytes = Buffer.concat(frames);
    for (const socket of subscribers) socket.write(bytes);
  }, 1);
  return () => clearInterval(timer);
}

if (import.meta.main) {
  const { rate }: UpstreamSettings = JSON.parse(process.argv[2] ?? "{}");
  const server = net.createServer(accept);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const pause = send(rate);
  await answer({ port: typeof address === "object" ? address?.port : 0 }, ({ ask }): UpstreamReport => {
    if (ask === "pause") pause();
    return { ...ownUsage(), connections, lastTrade };
  });
  process.exit(0);
}
