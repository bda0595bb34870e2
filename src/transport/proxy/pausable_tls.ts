/**
 * TLS of `node:tls` that holds the peer back while it is paused, also on Deno.
 *
 * Deno 2.9.6's `TLSSocket` goes on reading when it is paused: 200 MiB that a peer sent were all taken into memory, and the
 * end of the stream, which came meanwhile, was never told. So there what is paused is the socket below.
 *
 * @module
 */

import type net from "node:net";
import { Duplex } from "node:stream";
import tls from "node:tls";

/** Carries the bytes of a socket, and stops reading them on demand. */
class Carrier extends Duplex {
  readonly #socket: net.Socket;

  constructor(socket: net.Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk) => void this.push(chunk));
    socket.on("end", () => void this.push(null));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  /** Reads nothing more; the end is not told either. */
  hold(): void {
    this.#socket.pause();
  }

  /** Reads again. */
  release(): void {
    this.#socket.resume();
  }

  // What is read is decided by `hold()`: TLS takes all that it is given.
  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.end(() => callback());
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }
}

/** Whether a paused `TLSSocket` of `node:tls` goes on reading here. */
export const tlsReadsWhilePaused: boolean = "Deno" in globalThis;

/** `tls.connect` over an open, paused socket, which belongs to TLS from then on; where {@linkcode tlsReadsWhilePaused}. */
export function connectPausableTls(stream: net.Socket, options: tls.ConnectionOptions): tls.TLSSocket {
  const carrier = new Carrier(stream);
  const socket = tls.connect({ ...options, socket: carrier });
  // Never full, so that nothing below is told to stop, which is when the end of the stream gets lost. It holds no more than
  // what was read before `hold()`. The cast: no type knows the state of a stream.
  const state = (socket as unknown as { _readableState?: { highWaterMark: number } })._readableState;
  if (state !== undefined) state.highWaterMark = 2 ** 30;
  const pause = socket.pause.bind(socket);
  const resume = socket.resume.bind(socket);
  socket.pause = () => {
    carrier.hold();
    return pause();
  };
  socket.resume = () => {
    carrier.release();
    return resume();
  };
  carrier.release();
  return socket;
}
