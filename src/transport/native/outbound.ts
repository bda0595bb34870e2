/**
 * What a client sends: frames of messages, controls and caller-supplied buffers, and whether the caller may go on.
 *
 * @module
 */

import type { InPlaceOptions } from "../frames.ts";
import type { PerMessageDeflate } from "./deflate.ts";
import { encodeClose, encodeFrame, encodeText, Opcode } from "./frame_writer.ts";
import { encodeInPlace } from "./in_place.ts";
import { SendBuffer } from "./send_buffer.ts";
import { SendQueue } from "./send_queue.ts";
import type { ByteSocket } from "./socket.ts";

/** A client masks what it sends (RFC 6455 5.1). */
const MASKED = { mask: true };

/** Made with the first message; the next one is made when a connection ends while its socket still reads from this. */
let sendBuffer: SendBuffer | undefined;

/** The sending half of one client connection. */
export class Outbound {
  readonly #socket: ByteSocket;
  readonly #queue: SendQueue;
  readonly #highWaterMark: number;
  readonly #deflate: PerMessageDeflate | undefined;
  /** Whether a caller was told to wait. */
  #mustDrain = false;
  /** Whether a message was begun with a frame that was not its last. */
  #insideMessage = false;

  /** Creates it in front of `socket`; more than `highWaterMark` bytes that wait make callers wait. */
  constructor(socket: ByteSocket, highWaterMark: number, deflate: PerMessageDeflate | undefined) {
    this.#deflate = deflate;
    this.#socket = socket;
    this.#queue = new SendQueue(socket);
    this.#highWaterMark = highWaterMark;
  }

  /** Bytes of frames that the operating system has not taken. */
  get bufferedBytes(): number {
    return this.#queue.bufferedBytes;
  }

  /**
   * Sends a message in one frame; returns whether the caller may go on.
   *
   * @throws {TypeError} inside of a fragmented message.
   */
  send(data: string | Uint8Array): boolean {
    if (this.#insideMessage) {
      throw new TypeError("Cannot send a message: expected the rest of the one that sendInPlace() has begun");
    }
    const compressed = this.#deflate?.encode(data, MASKED);
    if (compressed !== undefined) this.#queue.sendData(compressed);
    else if (this.#queue.bufferedBytes > 0 || !this.#sendFromBuffer(data)) {
      this.#queue.sendData(
        typeof data === "string" ? encodeText(data, MASKED) : encodeFrame(Opcode.Binary, data, MASKED),
      );
    }
    return this.#mayGoOn();
  }

  /**
   * Sends a frame from the caller's buffer; returns whether the caller may go on.
   *
   * @throws {RangeError} if the payload does not lie in the buffer, or has too little room before it.
   * @throws {TypeError} if the frame does not fit to the one before (RFC 6455 5.4).
   */
  sendInPlace(buffer: Uint8Array, payloadOffset: number, payloadLength: number, options: InPlaceOptions): boolean {
    const { opcode = Opcode.Binary, fin = true } = options;
    if (opcode !== Opcode.Continuation && opcode !== Opcode.Text && opcode !== Opcode.Binary) {
      throw new TypeError(`Cannot send a frame with opcode ${String(opcode)}: expected 0, 1 or 2`);
    }
    if ((opcode === Opcode.Continuation) !== this.#insideMessage) {
      throw new TypeError(
        this.#insideMessage
          ? "Cannot begin a message: expected a continuation of the one that is being sent"
          : "Cannot send a continuation: no message was begun",
      );
    }
    const frame = encodeInPlace(buffer, payloadOffset, payloadLength, opcode, fin);
    this.#insideMessage = !fin;
    this.#queue.sendData(frame);
    return this.#mayGoOn();
  }

  /** Sends a Ping frame before the data that waits. */
  ping(payload: Uint8Array): void {
    this.#queue.sendControl(encodeFrame(Opcode.Ping, payload, MASKED));
  }

  /** Sends a Pong frame before the data that waits. */
  pong(payload: Uint8Array): void {
    this.#queue.sendPong(encodeFrame(Opcode.Pong, payload, MASKED));
  }

  /** Sends a Close frame behind the data that waits. */
  close(code: number, reason: string): void {
    this.#queue.sendData(encodeClose(code, reason, MASKED));
  }

  /** Sends a Close frame in place of the data that waits: the last words to a peer. */
  closeAtOnce(code: number): void {
    this.#queue.dropData();
    this.#queue.sendControl(encodeClose(code, "", MASKED));
  }

  /** Drops the data of which nothing was sent. */
  dropData(): void {
    this.#queue.dropData();
  }

  /** Gives the socket as much as it takes; returns whether a caller that waits may go on. */
  flush(): boolean {
    this.#queue.flush();
    if (!this.#mustDrain || this.#queue.bufferedBytes > 0) return false;
    this.#mustDrain = false;
    return true;
  }

  /** Lets go of what the socket may still read; the socket is closed. */
  end(): void {
    if (sendBuffer?.isReadBy(this.#socket)) sendBuffer = undefined;
  }

  /** Sends a message from the shared buffer, while nothing waits; returns whether that was possible. */
  #sendFromBuffer(data: string | Uint8Array): boolean {
    sendBuffer ??= new SendBuffer();
    if (!sendBuffer.isFree) return false;
    const frame = sendBuffer.encode(data);
    if (frame === undefined) return false;
    this.#queue.sendBorrowed(frame);
    if (this.#socket.pendingBytes > 0) sendBuffer.lend(this.#socket);
    return true;
  }

  #mayGoOn(): boolean {
    if (this.#queue.bufferedBytes <= this.#highWaterMark) return true;
    this.#mustDrain = true;
    return false;
  }
}
