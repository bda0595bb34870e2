/**
 * The libraries that the client under test runs on: ours, and npm `ws` as a reference that the suite itself is checked
 * with.
 *
 * @module
 */

import { createRequire } from "node:module";
import process from "node:process";
import { ConnectionClosedError, openConnection } from "../../src/transport/mod.ts";
import type { DeflateOffer } from "./client_protocol.ts";

/** What the suite uses of a connection. */
export interface Client {
  readonly isOpen: boolean;
  readonly canPing: boolean;
  readonly closed: Promise<ClientEnd>;
  send(data: string | Uint8Array): void;
  ping(payload: Uint8Array): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
}

/** How a connection ended. */
export interface ClientEnd {
  readonly code: number;
  readonly reason: string;
  readonly wasClean: boolean;
  readonly error?: Error;
}

/** What a connection tells. */
export interface ClientListener {
  onOpen(connection: Client): void;
  onText(text: string): void;
  onBinary(bytes: Uint8Array): void;
  onPing(payload: Uint8Array): void;
  onPong(payload: Uint8Array): void;
  onClose(end: ClientEnd): void;
}

/** The options that cases use. */
export interface ClientOptions {
  readonly maxMessageBytes?: number;
  readonly closeTimeoutMs?: number;
  readonly handshakeTimeoutMs?: number;
  readonly protocols?: readonly string[];
  readonly perMessageDeflate?: true | DeflateOffer;
}

/** Opens a connection. */
export type OpenClient = (url: string, listener: ClientListener, options: ClientOptions) => Promise<Client>;

/** The libraries of the suite. */
export type LibraryName = "native" | "builtin" | "ws";

/** Looks up a library. */
export function libraryNamed(name: string): Promise<OpenClient> {
  if (name === "ws") return Promise.resolve(openWs);
  if (name !== "native" && name !== "builtin") throw new Error(`Unknown library "${name}"`);
  return Promise.resolve((url, listener, options) => openConnection(name, url, listener, options));
}

/** The runtime of this process, such as `deno 2.9.6`. */
export function runtimeName(): string {
  const { deno, bun, node } = process.versions;
  return deno !== undefined ? `deno ${deno}` : bun !== undefined ? `bun ${bun}` : `node ${node}`;
}

/** What is used of npm `ws`. */
interface WsSocket {
  readonly readyState: number;
  readonly protocol: string;
  on(event: string, listener: (...args: never[]) => void): void;
  send(data: string | Uint8Array): void;
  ping(payload: Uint8Array): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
}

interface WsModule {
  readonly WebSocket: new (url: string, protocols: readonly string[], options: object) => WsSocket;
}

/** npm `ws` behind the same interface. Its path, because Bun has a module of its own under the name. */
const openWs: OpenClient = (url, listener, options) => {
  const { WebSocket }: WsModule = createRequire(import.meta.url)("../../node_modules/ws/index.js");
  const { perMessageDeflate, maxMessageBytes = 64 << 20, protocols = [], handshakeTimeoutMs = 10_000 } = options;
  const socket = new WebSocket(url, protocols, {
    maxPayload: maxMessageBytes,
    maxFragments: 131_072,
    maxBufferedChunks: 1 << 20,
    handshakeTimeout: handshakeTimeoutMs,
    closeTimeout: options.closeTimeoutMs ?? 1_000,
    perMessageDeflate: perMessageDeflate === undefined ? false : { threshold: 0, ...offerForWs(perMessageDeflate) },
  });
  const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<ClientEnd>();
  const connection: Client = {
    get isOpen() {
      return socket.readyState === 1;
    },
    canPing: true,
    closed,
    send(data) {
      if (socket.readyState !== 1) throw new ConnectionClosedError("Cannot send a message: the connection is not open");
      socket.send(data);
    },
    ping: (payload) => socket.ping(payload),
    close: (code = 1000, reason = "") => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
  return new Promise((resolve, reject) => {
    let open = false;
    let failure: Error | undefined;
    socket.on("open", () => {
      open = true;
      listener.onOpen(connection);
      resolve(connection);
    });
    socket.on("message", (data: Uint8Array, isBinary: boolean) => {
      if (isBinary) listener.onBinary(data);
      else listener.onText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(data));
    });
    socket.on("ping", (payload: Uint8Array) => listener.onPing(payload));
    socket.on("pong", (payload: Uint8Array) => listener.onPong(payload));
    socket.on("error", (error: Error) => {
      failure = error;
      if (!open) reject(error);
    });
    socket.on("close", (code: number, reason: Uint8Array) => {
      if (!open) return;
      const end = { code, reason: new TextDecoder().decode(reason), wasClean: code !== 1006 };
      const info = failure === undefined ? end : { ...end, error: failure };
      listener.onClose(info);
      resolveClosed(info);
    });
  });
};

function offerForWs(offer: true | DeflateOffer): object {
  return offer === true ? {} : offer;
}
