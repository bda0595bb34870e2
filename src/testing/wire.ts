/**
 * The way of bytes to a client's socket and from it, and what can go wrong on it: cuts and slowness.
 *
 * @module
 */

import type { Socket } from "node:net";
import type { Clock, Timer } from "../base/mod.ts";
import type { KillOptions, ThrottleOptions } from "./fault_options.ts";

/** Shortest time between two pieces of what is sent slowly, in ms. */
const TICK_MS = 10;

interface Pending {
  readonly bytes: Uint8Array;
  readonly onSent: (() => void) | undefined;
}

/** The wire of one connection. What is written to it are whole unmasked frames, one or several at once. */
export class Wire {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #onKill: () => void;
  #cut: { frames: number; bytes: number; readonly end: "reset" | "fin" } | undefined;
  #isCut = false;
  #rates: ThrottleOptions = {};
  #queue: Pending[] = [];
  #sendTimer: Timer | undefined;
  #readTimer: Timer | undefined;

  /**
   * Creates the wire of a socket.
   *
   * @param onKill Called when the socket is about to be destroyed by a cut.
   */
  constructor(socket: Socket, clock: Clock, onKill: () => void) {
    this.#socket = socket;
    this.#clock = clock;
    this.#onKill = onKill;
  }

  /** Writes frames; `onSent` is called once the system has taken them. */
  write(bytes: Uint8Array, onSent?: () => void): void {
    if (this.#isCut || !this.#socket.writable) return;
    if (this.#cut !== undefined) return this.#writeUntilCut(bytes, this.#cut, onSent);
    if (this.#rates.sendBytesPerSecond === undefined) return void this.#socket.write(bytes, onSent);
    this.#queue.push({ bytes, onSent });
    this.#sendTimer ??= this.#clock.setTimer(() => this.#sendSome(), 0);
  }

  /** Kills the connection at a place in what is written from now on; at once if that is here. */
  kill({ afterFrames = 0, bytes = 0, end = "reset" }: KillOptions): void {
    this.#flush();
    this.#cut = { frames: afterFrames, bytes, end };
    if (afterFrames === 0 && bytes === 0) this.#kill(end);
  }

  /** Sets how slow it is from now on. */
  throttle(rates: ThrottleOptions): void {
    this.#rates = rates;
    this.#readTimer?.cancel();
    this.#readTimer = undefined;
    if (rates.sendBytesPerSecond === undefined) this.#flush();
    if (rates.readBytesPerSecond === 0) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Bytes were read: waits as long as they may take. */
  noteRead(bytes: number): void {
    const { readBytesPerSecond } = this.#rates;
    if (readBytesPerSecond === undefined) return;
    this.#socket.pause();
    if (readBytesPerSecond === 0) return;
    this.#readTimer?.cancel();
    this.#readTimer = this.#clock.setTimer(() => this.#socket.resume(), bytes * 1000 / readBytesPerSecond);
  }

  /** The socket is closed. */
  dispose(): void {
    this.#sendTimer?.cancel();
    this.#readTimer?.cancel();
    this.#queue = [];
  }

  #writeUntilCut(
    bytes: Uint8Array,
    cut: { frames: number; bytes: number; readonly end: "reset" | "fin" },
    onSent: (() => void) | undefined,
  ): void {
    let end = 0;
    while (cut.frames > 0 && end < bytes.length) {
      end += frameLength(bytes, end);
      cut.frames--;
    }
    if (cut.frames === 0) {
      const rest = Math.min(cut.bytes, bytes.length - end);
      cut.bytes -= rest;
      end += rest;
    }
    if (cut.frames > 0 || cut.bytes > 0) return void this.#socket.write(bytes, onSent);
    this.#isCut = true;
    this.#socket.write(bytes.subarray(0, end), () => this.#kill(cut.end));
  }

  #kill(end: "reset" | "fin"): void {
    this.#isCut = true;
    this.#onKill();
    if (end === "reset") this.#socket.resetAndDestroy();
    else this.#socket.end(() => this.#socket.destroy());
  }

  #sendSome(): void {
    this.#sendTimer = undefined;
    const { sendBytesPerSecond } = this.#rates;
    const [first] = this.#queue;
    if (first === undefined || sendBytesPerSecond === undefined) return;
    const bytes = Math.max(1, Math.floor(sendBytesPerSecond * TICK_MS / 1000));
    const piece = first.bytes.subarray(0, bytes);
    const isWhole = piece.length === first.bytes.length;
    if (isWhole) this.#queue.shift();
    else this.#queue[0] = { bytes: first.bytes.subarray(bytes), onSent: first.onSent };
    this.#socket.write(piece, isWhole ? first.onSent : undefined);
    this.#sendTimer = this.#clock.setTimer(() => this.#sendSome(), piece.length * 1000 / sendBytesPerSecond);
  }

  #flush(): void {
    this.#sendTimer?.cancel();
    this.#sendTimer = undefined;
    for (const { bytes, onSent } of this.#queue.splice(0)) this.#socket.write(bytes, onSent);
  }
}

/** Length of the unmasked frame at `start`, with its header (RFC 6455 5.2). */
function frameLength(bytes: Uint8Array, start: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.length - start);
  const length = view.getUint8(1) & 0x7f;
  if (length < 126) return 2 + length;
  return length === 126 ? 4 + view.getUint16(2) : 10 + Number(view.getBigUint64(2));
}
