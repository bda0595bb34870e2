/**
 * The server of the benchmark, a process of its own: writes frames that were encoded before, as fast as the client takes
 * them, from the moment that the client asks. It prints its ports, then a line for each run; it ends with its stdin.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import net from "node:net";
import process from "node:process";
import tls from "node:tls";
import { ClientFrames } from "./client_frames.ts";
import { frameHead, framePool, textFrame } from "./frames.ts";
import { type Run, runOf, type Served } from "./rows.ts";
import { runtimeName } from "./runtime_name.ts";
import { scenarioOf } from "./scenarios.ts";

/** Writes after which the server looks at its sockets again, however fast the client is. */
const TURN_WRITES = 64;
const FIN_TEXT = 0x81;
const CLOSE = Buffer.from([0x88, 0]);

/** What the server is started with; its only argument, as JSON. */
export interface ServerSettings {
  /** Loopback addresses to listen on. */
  readonly hosts: readonly string[];
  /** Paths of PEM files. */
  readonly cert: string;
  readonly key: string;
}

/** What the server prints first. */
export interface ServerPorts {
  /** What runs the server. */
  readonly runtime: string;
  readonly ws: number;
  readonly wss: number;
}

function print(value: ServerPorts | Served): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

/**
 * Writes everything that `writes` yields, then calls `done`: with the last write, as the client may be gone before that
 * has drained. Stops with the connection.
 */
function pump(socket: net.Socket, writes: Iterator<Buffer>, done: () => void): void {
  let isWaiting = false;
  let next = writes.next();
  const turn = () => {
    for (let written = 0; written < TURN_WRITES && !socket.destroyed; written++) {
      if (next.done) return;
      isWaiting = !socket.write(next.value);
      next = writes.next();
      if (next.done) done();
      else if (isWaiting) return;
    }
    if (!socket.destroyed) setImmediate(turn);
  };
  socket.on("drain", () => {
    if (isWaiting) turn();
  });
  turn();
}

function serve(socket: net.Socket, run: Run): void {
  const scenario = scenarioOf(run.scenario);
  if (scenario === undefined) {
    socket.destroy();
    return;
  }
  const total = run.warmup + run.messages;
  const pool = framePool(scenario, total);
  const cpu = process.cpuUsage();
  const started = performance.now();
  pump(socket, pool.writes(run.pattern, 0, total), () => {
    const { user, system } = process.cpuUsage(cpu);
    const { payload } = pool.bytes(run.warmup, run.messages);
    print({ bytes: payload, busy: (user + system) / 1000 / (performance.now() - started) });
  });
}

/** One client, from the handshake on. */
function accept(socket: net.Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  let head = Buffer.alloc(0);
  const onHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    socket.off("data", onHead);
    const rest = head.subarray(end + 4);
    const frames = upgrade(socket, head.toString("latin1", 0, end));
    socket.on("data", (bytes: Buffer) => frames.push(bytes));
    if (rest.length > 0) frames.push(rest);
  };
  socket.on("data", onHead);
}

/** Answers the request, and reads frames from here on. */
function upgrade(socket: net.Socket, head: string): ClientFrames {
  const key = /^sec-websocket-key: *(\S+)/im.exec(head)?.[1] ?? "";
  const url = new URL(/^GET (\S+)/.exec(head)?.[1] ?? "/", "ws://localhost");
  const run = runOf(url.searchParams.get("streams") ?? "");
  const accepted = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accepted}`,
  ];
  if (url.pathname === "/bare" && run !== undefined) lines.push(...announcement(run));
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (run !== undefined) serve(socket, run);
  const onMessage = url.pathname === "/echo"
    ? echoOn(socket)
    : commandsOn(socket, url.pathname === "/stream", run !== undefined);
  const frames = new ClientFrames((opcode, length, payload = Buffer.alloc(0)) => {
    if (opcode === 8) socket.end(CLOSE);
    else if (opcode === 9) socket.write(Buffer.concat([frameHead(0x8a, length), payload]));
    else if (opcode !== 10) onMessage(length, payload, frames);
  }, Infinity);
  return frames;
}

/** Takes a client's message. */
type OnMessage = (length: number, payload: Buffer, frames: ClientFrames) => void;

/** Answers each message with one of the same size. */
function echoOn(socket: net.Socket): OnMessage {
  let answer: Buffer | undefined;
  return (length, payload, frames) => {
    if (answer === undefined) {
      answer = Buffer.concat([frameHead(FIN_TEXT, length), Buffer.alloc(length, "x")]);
      // Only the first message is looked at: a client that sends something else measures something else.
      if (!answer.subarray(-length).equals(payload)) throw new Error("The client did not send what it has to");
      frames.keepBytes = 0;
    }
    socket.write(answer);
  };
}

/** SUBSCRIBE starts a run, one for a connection: the reference product subscribes again to what is in its URL. */
function commandsOn(socket: net.Socket, acknowledges: boolean, isServing: boolean): OnMessage {
  return (_, payload) => {
    const { method, params, id }: { method?: string; params?: string[]; id?: unknown } = JSON.parse(payload.toString());
    if (acknowledges) socket.write(textFrame(JSON.stringify({ result: null, id })));
    const run = method === "SUBSCRIBE" ? runOf(params?.[0] ?? "") : undefined;
    if (run === undefined || isServing) return;
    isServing = true;
    serve(socket, run);
  };
}

/** Tells a reader that reads no frames how many bytes will come. */
function announcement(run: Run): string[] {
  const scenario = scenarioOf(run.scenario);
  if (scenario === undefined) return [];
  const pool = framePool(scenario, run.warmup + run.messages);
  const warmup = pool.bytes(0, run.warmup).frames;
  const { frames, payload } = pool.bytes(run.warmup, run.messages);
  return [`X-Warmup-Bytes: ${warmup}`, `X-Frame-Bytes: ${frames}`, `X-Payload-Bytes: ${payload}`];
}

function portOf(server: net.Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Listens on the same port of each address. */
async function listen(create: () => net.Server, hosts: readonly string[]): Promise<number> {
  let port = 0;
  for (const host of hosts) {
    const server = create();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host, backlog: 4096 }, resolve);
    });
    port = portOf(server);
  }
  return port;
}

const { hosts, cert, key }: ServerSettings = JSON.parse(process.argv[2] ?? "{}");
const identity = { cert: readFileSync(cert), key: readFileSync(key) };
print({
  runtime: runtimeName(),
  ws: await listen(() => net.createServer(accept), hosts),
  wss: await listen(() => tls.createServer(identity, accept), hosts.slice(0, 1)),
});
process.stdin.on("end", () => process.exit(0)).on("close", () => process.exit(0)).resume();
