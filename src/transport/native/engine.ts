/**
 * The life of an open connection: the second and last owner of its socket. Every way out leads through `#finish`.
 *
 * How a connection that the client fails (RFC 6455 7.1.7) is reported: the peer gets a Close frame with the code of the
 * violation, the listener gets 1006, because no Close frame was received, with the WebSocketProtocolError as `error`.
 *
 * @module
 */

import { systemClock, type Timer, WebSocketProtocolError } from "../../base/mod.ts";
import type { CloseInfo, ConnectionListener } from "../connection.ts";
import { type FrameHandler, FrameReader } from "./frame_reader.ts";
import { encodeClose, encodeFrame, encodeText, Opcode } from "./frame_writer.ts";
import { ABNORMAL_CLOSURE } from "./opcode.ts";
import { SendQueue } from "./send_queue.ts";
import type { ByteSocket, ByteSocketHandler } from "./socket.ts";

/** A client masks what it sends (RFC 6455 5.1). */
const MASKED = { mask: true };

/** What an open connection is allowed. */
export interface EngineOptions {
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  /** Longest wait in ms for the end of the closing handshake. */
  readonly closeTimeoutMs: number;
}

/** The protocol machine of one client connection, from the 101 to its end. */
export class Engine implements ByteSocketHandler, FrameHandler {
  readonly #socket: ByteSocket;
  readonly #listener: ConnectionListener;
  readonly #closeTimeoutMs: number;
  readonly #queue: SendQueue;
  readonly #reader: FrameReader;
  /** What each state allows: "open" everything, "closing" the rest of the closing handshake, "closed" nothing. */
  #state: "open" | "closing" | "closed" = "open";
  #closeTimer: Timer | undefined;
  /** The peer's Close frame, once it came. */
  #peerClose: { readonly code: number; readonly reason: string } | undefined;
  #closeInfo: CloseInfo | undefined;
  #closed: Promise<CloseInfo> | undefined;
  #resolveClosed: ((info: CloseInfo) => void) | undefined;

  /** Takes the socket over from its first owner. */
  constructor(socket: ByteSocket, listener: ConnectionListener, options: EngineOptions) {
    this.#socket = socket;
    this.#listener = listener;
    this.#closeTimeoutMs = options.closeTimeoutMs;
    this.#queue = new SendQueue(socket);
    this.#reader = new FrameReader(this, { role: "client", maxMessageBytes: options.maxMessageBytes });
    socket.handler = this;
  }

  /** Whether messages can be sent. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Bytes of frames that have not left the process. */
  get bufferedAmount(): number {
    return this.#state === "closed" ? 0 : this.#queue.bufferedBytes;
  }

  /** Resolves with what `onClose` was told. */
  get closed(): Promise<CloseInfo> {
    if (this.#closed === undefined) {
      const info = this.#closeInfo;
      this.#closed = new Promise((resolve) => {
        if (info !== undefined) resolve(info);
        else this.#resolveClosed = resolve;
      });
    }
    return this.#closed;
  }

  /** Sends a message; only while open. */
  send(data: string | Uint8Array): void {
    const frame = typeof data === "string" ? encodeText(data, MASKED) : encodeFrame(Opcode.Binary, data, MASKED);
    this.#queue.sendData(frame);
  }

  /** Sends a ping; only while open. */
  ping(payload: Uint8Array): void {
    this.#queue.sendControl(encodeFrame(Opcode.Ping, payload, MASKED));
  }

  /** Starts the closing handshake, behind the messages that wait to be sent. */
  close(code: number, reason: string): void {
    if (this.#state !== "open") return;
    this.#startClosing();
    this.#queue.sendData(encodeClose(code, reason, MASKED));
  }

  /** Ends the connection now. */
  terminate(): void {
    this.#finish(undefined);
  }

  // From the socket.

  /** The socket was open before this owner took it over. */
  onOpen(): void {}

  /** Reads frames. */
  onBytes(chunk: Uint8Array): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Sends what waits, and ends the connection if that was all that it waited for. */
  onDrain(): void {
    this.#queue.flush();
    this.#finishIfDone();
  }

  /** The TCP connection has ended. */
  onEnd(error: unknown): void {
    this.#finish(error);
  }

  // From the frame reader. Once the connection is closing, messages have no taker any more.

  /** Hands out a text message. */
  onText(text: string): void {
    if (this.#state !== "open") return;
    try {
      this.#listener.onText(text);
    } catch (error) {
      reportUncaught(error);
    }
  }

  /** Hands out a binary message. */
  onBinary(bytes: Uint8Array): void {
    if (this.#state !== "open") return;
    try {
      this.#listener.onBinary?.(bytes);
    } catch (error) {
      reportUncaught(error);
    }
  }

  /** Answers a ping (RFC 6455 5.5.2), also after our own Close frame: the peer's has not come yet. */
  onPing(payload: Uint8Array): void {
    if (this.#state === "closed") return;
    this.#queue.sendPong(encodeFrame(Opcode.Pong, payload, MASKED));
    if (this.#state !== "open") return;
    try {
      this.#listener.onPing?.(payload);
    } catch (error) {
      reportUncaught(error);
    }
  }

  /** Hands out a pong. */
  onPong(payload: Uint8Array): void {
    if (this.#state !== "open") return;
    try {
      this.#listener.onPong?.(payload);
    } catch (error) {
      reportUncaught(error);
    }
  }

  /** Answers the peer's Close frame with its own code (RFC 6455 5.5.1), unless it is the answer to ours. */
  onClose(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#peerClose = { code, reason };
    if (this.#state === "open") {
      this.#startClosing();
      // The peer reads no more messages.
      this.#queue.dropData();
      this.#queue.sendData(encodeClose(code, "", MASKED));
    }
    this.#finishIfDone();
  }

  #startClosing(): void {
    this.#state = "closing";
    this.#closeTimer = systemClock.setTimer(() => this.#finish(undefined), this.#closeTimeoutMs);
  }

  /** Ends the connection once both Close frames are exchanged: ours has left the process, the peer's was read. */
  #finishIfDone(): void {
    if (this.#peerClose === undefined || this.#queue.bufferedBytes > 0) return;
    this.#finish(undefined, true);
  }

  /** Fails the connection (RFC 6455 7.1.7): a last Close frame if the peer can read one, then the end. */
  #fail(error: unknown): void {
    if (this.#state === "closed") return;
    if (error instanceof WebSocketProtocolError && this.#state === "open" && !this.#queue.isInsideFrame) {
      this.#queue.dropData();
      this.#queue.sendControl(encodeClose(error.closeCode, "", MASKED));
    }
    this.#finish(error);
  }

  /** The one way out: lets go of the socket, the timer and the reader, then tells the listener, once. */
  #finish(error: unknown, wasClean = false): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#closeTimer?.cancel();
    this.#reader.stop();
    if (wasClean || error instanceof WebSocketProtocolError) this.#socket.end();
    else this.#socket.destroy();
    const info: CloseInfo = {
      code: this.#peerClose?.code ?? ABNORMAL_CLOSURE,
      reason: this.#peerClose?.reason ?? "",
      wasClean,
      ...(error === undefined ? {} : { error: error instanceof Error ? error : new Error(String(error)) }),
    };
    this.#closeInfo = info;
    try {
      this.#listener.onClose(info);
    } catch (thrown) {
      reportUncaught(thrown);
    }
    this.#resolveClosed?.(info);
  }
}

/** Reports an exception of the caller's code as an uncaught error, outside of our own stack. */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
