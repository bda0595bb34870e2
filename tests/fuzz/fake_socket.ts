/**
 * A socket that is a list of bytes: how much of a write it takes, and when it has room again, is up to the fuzzer.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import { openOver } from "../../src/transport/native/client.ts";
import type { ByteSocket, ByteSocketHandler } from "../../src/transport/native/socket.ts";
import type { OpenConnection } from "../../src/transport/connection.ts";
import { concat } from "../conformance/bytes.ts";

/**
 * How a runtime's socket takes bytes. "partial": as many as there is room for, which leave at once (`Bun.connect`).
 * "whole": all of one write, which leaves later, and nothing before it has left (`Deno.connect`).
 */
export type SocketKind = "partial" | "whole";

/** The client's end of a connection whose other end is the fuzzer. */
export class FakeSocket implements ByteSocket {
  readonly path = "node";
  readonly addresses = undefined;
  handler: ByteSocketHandler;
  /** Whether the client has let go of it, and how. */
  state: "open" | "ended" | "destroyed" = "open";
  /** Bytes that "partial" still takes. */
  room = Infinity;
  readonly #kind: SocketKind;
  #left: Uint8Array[] = [];
  #leftBytes = 0;
  /** What "whole" has taken: looked at when it leaves, so that a change in between shows. */
  #taken: Uint8Array | undefined;
  #refused = false;

  constructor(kind: SocketKind, handler: ByteSocketHandler) {
    this.#kind = kind;
    this.handler = handler;
  }

  get pendingBytes(): number {
    return this.#taken?.length ?? 0;
  }

  /** Bytes that have left. */
  get sentBytes(): number {
    return this.#leftBytes;
  }

  /** All bytes that have left, in one array. */
  get sent(): Uint8Array {
    const all = concat(this.#left);
    this.#left = [all];
    return all;
  }

  write(bytes: Uint8Array): number {
    if (this.state !== "open") return 0;
    if (this.#kind === "whole") {
      if (this.#taken !== undefined) return 0;
      this.#taken = bytes;
      return bytes.length;
    }
    const count = Math.min(bytes.length, this.room);
    this.room -= count;
    this.#leave(bytes.slice(0, count));
    if (count < bytes.length) this.#refused = true;
    return count;
  }

  /** Makes room for `bytes` more bytes, and says so if a write was refused before. */
  drain(bytes: number): void {
    this.room = this.room === Infinity ? bytes : this.room + bytes;
    const taken = this.#taken;
    if (taken !== undefined) {
      this.#taken = undefined;
      this.#leave(taken.slice());
    }
    if (this.state === "open" && (taken !== undefined || this.#refused)) {
      this.#refused = false;
      this.handler.onDrain();
    }
  }

  /** Lets everything leave that waits. */
  drainAll(): void {
    this.room = Infinity;
    let before = -1;
    while (before !== this.#leftBytes) {
      before = this.#leftBytes;
      this.drain(Infinity);
    }
  }

  pause(): void {}

  resume(): void {}

  end(): void {
    if (this.state === "open") this.state = "ended";
  }

  destroy(): void {
    this.state = "destroyed";
  }

  #leave(bytes: Uint8Array): void {
    this.#left.push(bytes);
    this.#leftBytes += bytes.length;
  }
}

/** A connection attempt over a fake socket. */
export interface Attempt {
  readonly open: OpenConnection;
  /** The socket; there once `open` was called. */
  readonly socket: () => FakeSocket;
}

/** Makes an attempt. */
export function attempt(kind: SocketKind = "partial"): Attempt {
  let socket: FakeSocket | undefined;
  return {
    open: openOver((_target, handler) => socket = new FakeSocket(kind, handler)),
    socket: () => {
      if (socket === undefined) throw new Error("Nothing was opened");
      return socket;
    },
  };
}

/** The Sec-WebSocket-Accept that answers the request which the client has sent. */
export function acceptOf(socket: FakeSocket): string {
  const request = Buffer.from(socket.sent).toString("latin1");
  const key = /^Sec-WebSocket-Key: (\S+)\r$/m.exec(request)?.[1] ?? "";
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

/** A good answer to the request which the client has sent, with further header lines. */
export function goodAnswer(socket: FakeSocket, lines = ""): Uint8Array {
  return Buffer.from(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${acceptOf(socket)}\r\n${lines}\r\n`,
  );
}
