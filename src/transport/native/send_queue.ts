/**
 * The frames that the socket has not taken yet. Control frames overtake data, between two frames.
 *
 * @module
 */

import type { ByteSocket } from "./socket.ts";

/** Small data frames that wait are joined to writes of about this many bytes: a write costs more than a copy. */
const JOIN_BYTES = 64 * 1024;

/** The send queue of one connection. */
export class SendQueue {
  readonly #socket: ByteSocket;
  /** What is left of a frame of which the socket has taken a part. Nothing can come before it. */
  #started: Uint8Array | undefined;
  #control: Uint8Array[] = [];
  #data: Uint8Array[] = [];
  #firstData = 0;
  #pong: Uint8Array | undefined;
  #queuedBytes = 0;

  /** Creates an empty queue in front of `socket`. */
  constructor(socket: ByteSocket) {
    this.#socket = socket;
  }

  /** Bytes of frames that the operating system has not taken. */
  get bufferedBytes(): number {
    return this.#queuedBytes + this.#socket.pendingBytes;
  }

  /** Sends a frame after all others. */
  sendData(frame: Uint8Array): void {
    const rest = this.#sendNow(frame);
    if (rest !== undefined) this.#data.push(rest);
  }

  /** Sends a frame from a buffer that is used again, while nothing waits: what the socket does not take is copied. */
  sendBorrowed(frame: Uint8Array): void {
    const written = this.#socket.write(frame);
    if (written === frame.length) return;
    const rest = frame.slice(written);
    this.#queuedBytes += rest.length;
    if (written === 0) this.#data.push(rest);
    else this.#started = rest;
  }

  /** Sends a frame before all data frames of which nothing was sent. */
  sendControl(frame: Uint8Array): void {
    const rest = this.#sendNow(frame);
    if (rest !== undefined) this.#control.push(rest);
  }

  /** Sends a Pong frame, in place of an earlier one that still waits: only the last ping needs an answer (RFC 6455 5.5.3). */
  sendPong(frame: Uint8Array): void {
    const waiting = this.#pong === undefined ? -1 : this.#control.indexOf(this.#pong);
    this.#pong = frame;
    if (waiting < 0) {
      this.sendControl(frame);
      return;
    }
    this.#queuedBytes += frame.length - (this.#control[waiting]?.length ?? 0);
    this.#control[waiting] = frame;
  }

  /** Drops the data frames of which nothing was sent. */
  dropData(): void {
    for (let at = this.#firstData; at < this.#data.length; at++) this.#queuedBytes -= this.#data[at]?.length ?? 0;
    this.#data = [];
    this.#firstData = 0;
  }

  /** Gives the socket as much as it takes. To be called when it has room again. */
  flush(): void {
    while (this.#queuedBytes > 0) {
      const control = this.#control[0];
      const frame = this.#started ?? control ?? this.#nextData();
      const written = this.#socket.write(frame);
      if (written === 0) return;
      this.#queuedBytes -= written;
      if (this.#started === undefined) {
        if (control !== undefined) this.#control.shift();
        else this.#removeFirstData();
      }
      this.#started = written < frame.length ? frame.subarray(written) : undefined;
      if (this.#started !== undefined) return;
    }
  }

  /** Gives a frame to the socket if nothing waits; returns it if it has to wait. */
  #sendNow(frame: Uint8Array): Uint8Array | undefined {
    // If something waits, the socket has refused it, and `onDrain` will come.
    const written = this.#queuedBytes === 0 ? this.#socket.write(frame) : 0;
    this.#queuedBytes += frame.length - written;
    if (written === 0) return frame;
    if (written < frame.length) this.#started = frame.subarray(written);
    return undefined;
  }

  /** The first data frame, joined with the small ones behind it. */
  #nextData(): Uint8Array {
    let count = 0;
    let bytes = 0;
    for (let at = this.#firstData; at < this.#data.length; at++) {
      const length = this.#data[at]?.length ?? 0;
      if (count > 0 && bytes + length > JOIN_BYTES) break;
      bytes += length;
      count++;
    }
    const frames = this.#data.slice(this.#firstData, this.#firstData + count);
    const first = frames[0] ?? new Uint8Array(0);
    if (count < 2) return first;
    const joined = new Uint8Array(bytes);
    let at = 0;
    for (const frame of frames) {
      joined.set(frame, at);
      at += frame.length;
    }
    this.#firstData += count - 1;
    this.#data[this.#firstData] = joined;
    return joined;
  }

  #removeFirstData(): void {
    this.#firstData++;
    if (this.#firstData === this.#data.length) {
      this.#data = [];
      this.#firstData = 0;
    }
  }
}
