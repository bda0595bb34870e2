/**
 * The life of an open connection: the second and last owner of its socket. Every way out leads through `#finish`.
 *
 * How a connection that the client fails (RFC 6455 7.1.7) is reported: the peer gets a Close frame with the code of the
 * violation, the listener gets 1006, because no Close frame was received, with the WebSocketProtocolError as `error`.
 *
 * @module
 */

import { systemClock, type Timer, WebSocketProtocolError } from "../../base/mod.ts";
import { type CloseInfo, type ConnectionListener, isFrameListener } from "../connection.ts";
import type { FrameListener, InPlaceOptions } from "../frames.ts";
import { Liveness } from "../liveness.ts";
import { guard, reportUncaught } from "../uncaught.ts";
import type { PerMessageDeflate } from "./deflate.ts";
import { FrameLevelReader, type FrameView } from "./frame_level.ts";
import { type FrameHandler, FrameReader } from "./frame_reader.ts";
import { ABNORMAL_CLOSURE } from "./opcode.ts";
import { Outbound } from "./outbound.ts";
import type { ByteSocket, ByteSocketHandler, SocketAddresses, SocketPath } from "./socket.ts";

/** What an open connection is allowed; the fields are those of `ConnectOptions`. */
export interface EngineOptions {
  readonly maxMessageBytes: number;
  readonly maxFragments: number;
  readonly maxBufferedBytes: number;
  readonly closeTimeoutMs: number;
  readonly highWaterMark: number;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Compresses messages, if both ends have agreed on it. */
  readonly deflate: PerMessageDeflate | undefined;
}

/** The protocol machine of one client connection, from the 101 to its end. */
export class Engine implements ByteSocketHandler, FrameHandler {
  readonly #socket: ByteSocket;
  readonly #listener: ConnectionListener;
  readonly #frames: FrameListener | undefined;
  readonly #options: EngineOptions;
  readonly #outbound: Outbound;
  readonly #reader: FrameReader | FrameLevelReader;
  /** Made with the first ping. */
  #liveness: Liveness | undefined;
  /** Grows with everything that is received. */
  #received = 0;
  #isPaused = false;
  /** What each state allows: "open" everything, "closing" the rest of the closing handshake, "closed" nothing. */
  #state: "open" | "closing" | "closed" = "open";
  #closeTimer: Timer | undefined;
  /** What the connection is failed for, while our Close frame leaves. */
  #failure: WebSocketProtocolError | undefined;
  /** The peer's Close frame, once it came. */
  #peerClose: { readonly code: number; readonly reason: string } | undefined;
  #closeInfo: CloseInfo | undefined;
  #closed: Promise<CloseInfo> | undefined;
  #resolveClosed: ((info: CloseInfo) => void) | undefined;

  /** Takes the socket over from its first owner. */
  constructor(socket: ByteSocket, listener: ConnectionListener | FrameListener, options: EngineOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#outbound = new Outbound(socket, options.highWaterMark, options.deflate);
    if (isFrameListener(listener)) {
      this.#frames = listener;
      const onClose = (info: CloseInfo): void => listener.onClose(info);
      this.#listener = { onText: () => {}, onDrain: () => listener.onDrain?.(), onClose };
      this.#reader = new FrameLevelReader(this, options);
    } else {
      this.#listener = listener;
      this.#reader = new FrameReader(this, { role: "client", ...options, inflater: options.deflate });
    }
    if (options.pingIntervalMs > 0) this.#liveness = this.#startLiveness();
    socket.handler = this;
  }

  /** Whether messages can be sent. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Bytes of frames that have not left the process. */
  get bufferedAmount(): number {
    return this.#state === "closed" ? 0 : this.#outbound.bufferedBytes;
  }

  /** Which sockets carry the connection. */
  get path(): SocketPath {
    return this.#socket.path;
  }

  /** Both ends of the TCP connection, while it is open. */
  get addresses(): SocketAddresses | undefined {
    return this.#socket.addresses;
  }

  /** Round trip in ms of the last ping that was answered. */
  get latencyMs(): number | undefined {
    return this.#liveness?.latencyMs;
  }

  /** Whether reading is paused. */
  get isPaused(): boolean {
    return this.#isPaused;
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

  /** Sends a message; only while open. Returns whether the caller may go on. */
  send(data: string | Uint8Array): boolean {
    return this.#outbound.send(data);
  }

  /** Sends a frame from the caller's buffer; only while open. Returns whether the caller may go on. */
  sendInPlace(buffer: Uint8Array, payloadOffset: number, payloadLength: number, options: InPlaceOptions): boolean {
    return this.#outbound.sendInPlace(buffer, payloadOffset, payloadLength, options);
  }

  /** Sends a ping; only while open. */
  ping(payload: Uint8Array): void {
    this.#liveness ??= this.#startLiveness();
    this.#liveness.pinged(payload);
    this.#outbound.ping(payload);
  }

  /** Reads nothing more until `resume()`. */
  pause(): void {
    if (this.#state !== "open" || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** Reads again. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Starts the closing handshake, behind the messages that wait to be sent. */
  close(code: number, reason: string): void {
    if (this.#state !== "open") return;
    this.#startClosing();
    this.#outbound.close(code, reason);
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
    this.#received++;
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Sends what waits, and ends the connection if that was all that it waited for. */
  onDrain(): void {
    const mayGoOn = this.#outbound.flush();
    if (mayGoOn && this.#state === "open") guard(() => this.#listener.onDrain?.());
    this.#finishIfDone();
  }

  /** The TCP connection has ended. */
  onEnd(error: unknown): void {
    this.#finish(this.#failure ?? error);
  }

  // From the frame reader. Once the connection is closing, messages have no taker any more.

  /** Hands out a frame to a listener of frames. */
  onFrame(frame: FrameView): void {
    if (this.#state !== "open") return;
    try {
      this.#frames?.onFrame(frame);
    } catch (error) {
      // That a text is not UTF-8 is the peer's fault; the reader fails the connection for it.
      if (error !== frame.failure) reportUncaught(error);
    }
  }

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
    this.#outbound.pong(payload);
    if (this.#state !== "open") return;
    guard(() => this.#listener.onPing?.(payload));
  }

  /** Hands out a pong. */
  onPong(payload: Uint8Array): void {
    if (this.#state !== "open") return;
    this.#liveness?.ponged(payload);
    guard(() => this.#listener.onPong?.(payload));
  }

  /** Answers the peer's Close frame with its own code (RFC 6455 5.5.1), unless it is the answer to ours. */
  onClose(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#peerClose = { code, reason };
    if (this.#state === "open") {
      this.#startClosing();
      // The peer reads no more messages.
      this.#outbound.dropData();
      this.#outbound.close(code, "");
    }
    this.#finishIfDone();
  }

  #startClosing(): void {
    this.#state = "closing";
    this.#liveness?.stop();
    // The peer's Close frame has to be read.
    this.resume();
    this.#closeTimer = systemClock.setTimer(() => this.#finish(this.#failure), this.#options.closeTimeoutMs);
  }

  #startLiveness(): Liveness {
    return new Liveness({
      intervalMs: this.#options.pingIntervalMs,
      timeoutMs: this.#options.pingTimeoutMs,
      received: () => this.#received,
      isPaused: () => this.#isPaused,
      ping: (payload) => this.ping(payload),
      onDead: (error) => this.#finish(error),
    });
  }

  /**
   * Ends the connection once our Close frame has left the process, and the peer's was read, unless there is nothing to
   * expect from a peer that we fail the connection for.
   */
  #finishIfDone(): void {
    if (this.#outbound.bufferedBytes > 0) return;
    if (this.#failure !== undefined) this.#finish(this.#failure);
    else if (this.#peerClose !== undefined) this.#finish(undefined, true);
  }

  /** Fails the connection (RFC 6455 7.1.7): a last Close frame if the peer is at fault, then the end. */
  fail(error: unknown): void {
    if (this.#state === "closed" || this.#failure !== undefined) return;
    if (!(error instanceof WebSocketProtocolError) || this.#state !== "open") return this.#finish(error);
    this.#failure = error;
    this.#reader.stop();
    this.#startClosing();
    this.#outbound.closeAtOnce(error.closeCode);
    this.#finishIfDone();
  }

  /** The one way out: lets go of the socket, the timer and the reader, then tells the listener, once. */
  #finish(error: unknown, wasClean = false): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#closeTimer?.cancel();
    this.#liveness?.stop();
    this.#isPaused = false;
    this.#reader.stop();
    this.#outbound.end();
    this.#options.deflate?.close();
    if (wasClean || error instanceof WebSocketProtocolError) this.#socket.end();
    else this.#socket.destroy();
    const info: CloseInfo = {
      code: this.#peerClose?.code ?? ABNORMAL_CLOSURE,
      reason: this.#peerClose?.reason ?? "",
      wasClean,
      ...(error === undefined ? {} : { error: error instanceof Error ? error : new Error(String(error)) }),
    };
    this.#closeInfo = info;
    guard(() => this.#listener.onClose(info));
    this.#resolveClosed?.(info);
  }
}
