/**
 * The byte pipe over `node:net` and `node:tls`: on Node, and on every runtime where its own sockets lack something.
 *
 * @module
 */

import type net from "node:net";
import type { HandshakeTimeoutError } from "../../base/mod.ts";
import { discard, tcpBelow } from "../proxy/node_stream.ts";
import { openStream } from "../proxy/open_stream.ts";
import type { ByteSocket, ByteSocketHandler, SocketAddresses, SocketTarget } from "./socket.ts";

/** A {@linkcode ByteSocket} over a `net.Socket`. */
class NodeByteSocket implements ByteSocket {
  handler: ByteSocketHandler;
  readonly path = "node";
  #socket: net.Socket | undefined;
  /** Gives the attempt to connect up; absent after it. */
  #way: AbortController | undefined;
  #isProxied = false;
  #open = false;
  #closed = false;

  constructor(handler: ByteSocketHandler) {
    this.handler = handler;
  }

  /** Connects to the target. */
  attach(target: SocketTarget): this {
    const way = this.#way = new AbortController();
    this.#isProxied = target.proxy !== undefined;
    openStream(target, way.signal).then((socket) => {
      this.#way = undefined;
      if (this.#closed) return discard(socket);
      this.#listen(socket);
      this.#opened();
      socket.resume();
    }).catch((error: unknown) => this.#ended(error));
    return this;
  }

  get pendingBytes(): number {
    return this.#socket?.writableLength ?? 0;
  }

  get addresses(): SocketAddresses | undefined {
    if (this.#socket === undefined) return undefined;
    const { localAddress, localPort, remoteAddress, remotePort } = tcpBelow(this.#socket);
    if (this.#closed || !localAddress || !localPort || !remoteAddress || !remotePort) return undefined;
    return {
      local: { hostname: localAddress, port: localPort },
      remote: { hostname: remoteAddress, port: remotePort },
    };
  }

  write(bytes: Uint8Array): number {
    // Beyond its high-water mark the socket would queue without end, and nothing could overtake.
    const socket = this.#socket;
    if (socket === undefined || !this.#open || this.#closed || socket.writableNeedDrain) return 0;
    socket.write(bytes, this.#written);
    return bytes.length;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  end(): void {
    this.#closed = true;
    if (this.#socket !== undefined) this.#socket.destroySoon();
    else this.#way?.abort();
  }

  destroy(): void {
    this.#closed = true;
    if (this.#socket !== undefined) this.#socket.destroy();
    else this.#way?.abort();
  }

  giveUp(reason: HandshakeTimeoutError): boolean {
    if (this.#way === undefined || !this.#isProxied) return false;
    this.#way.abort(reason);
    return true;
  }

  #listen(socket: net.Socket): void {
    this.#socket = socket;
    socket.on("data", (chunk: Uint8Array) => {
      if (!this.#closed) this.handler.onBytes(chunk);
    });
    socket.on("end", () => this.#ended(undefined));
    socket.on("error", (error) => this.#ended(error));
    socket.on("close", () => this.#ended(undefined));
  }

  #opened(): void {
    if (this.#closed) return;
    this.#open = true;
    this.handler.onOpen();
  }

  readonly #written = (): void => {
    if (!this.#closed && this.#socket?.writableLength === 0) this.handler.onDrain();
  };

  #ended(error: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.handler.onEnd(error);
  }
}

/** Connects over `node:net` and `node:tls`, or through a proxy; see {@linkcode OpenSocket}. */
export function openNodeSocket(target: SocketTarget, handler: ByteSocketHandler): ByteSocket {
  return new NodeByteSocket(handler).attach(target);
}
