/**
 * An open connection of the library "builtin".
 *
 * @module
 */

import { ConnectionClosedError, WebSocketProtocolError } from "../base/mod.ts";
import { originOf } from "./origin.ts";
import type { RuntimeSocket } from "./builtin_opening.ts";
import { type BunWebSocket, bytesOf, failureOf, isBunWebSocket, isLongerThan, orEmpty } from "./builtin_socket.ts";
import {
  type CloseInfo,
  type ConnectionListener,
  type ConnectOptions,
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
  DEFAULT_PING_TIMEOUT_MS,
  type OwnedConnection,
} from "./connection.ts";
import { Liveness } from "./liveness.ts";
import { checkClose, checkMessage, checkPing } from "./sent_arguments.ts";
import { guard } from "./uncaught.ts";

/** An open connection of the runtime's own WebSocket. */
export class BuiltinConnection implements OwnedConnection {
  readonly library = "builtin";
  readonly path = "builtin";
  readonly localAddress = undefined;
  readonly remoteAddress = undefined;
  readonly url: string;
  readonly closed: Promise<CloseInfo>;
  readonly canPing: boolean;
  readonly canPause: boolean;

  readonly #location: URL;
  readonly #runtimeSocket: RuntimeSocket;
  readonly #socket: WebSocket;
  /** The same, where it can do more than the standard says. */
  readonly #bun: BunWebSocket | undefined;
  readonly #listener: ConnectionListener;
  readonly #options: ConnectOptions;
  readonly #maxMessageBytes: number;
  readonly #closeTimeoutMs: number;
  readonly #resolveClosed: (info: CloseInfo) => void;
  #state: "open" | "closing" | "closed" = "open";
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the error event said; it comes before the close event, if at all. */
  #failure: Error | undefined;
  /** Made with the first ping. */
  #liveness: Liveness | undefined;
  /** Grows with everything that is received. */
  #received = 0;
  #isPaused = false;

  constructor(
    url: string,
    location: URL,
    runtimeSocket: RuntimeSocket,
    listener: ConnectionListener,
    options: ConnectOptions,
  ) {
    const { socket } = runtimeSocket;
    this.url = url;
    this.#location = location;
    this.#listener = listener;
    this.#options = options;
    this.#maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
    this.#closeTimeoutMs = options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS;
    const { promise, resolve: resolveClosed } = Promise.withResolvers<CloseInfo>();
    this.closed = promise;
    this.#resolveClosed = resolveClosed;
    this.#runtimeSocket = runtimeSocket;
    this.#socket = socket;
    this.#bun = isBunWebSocket(socket) ? socket : undefined;
    this.canPing = this.canPause = this.#bun !== undefined;
    socket.onmessage = (event) => this.#message(event.data);
    socket.onerror = (event) => void (this.#failure = failureOf(event, location, undefined));
    socket.onclose = (event) => this.#ended(event);
    // Only Bun has these events; their payload is a Buffer, or an ArrayBuffer with the socket's binaryType.
    this.#bun?.addEventListener("ping" as "message", this.#onPing);
    this.#bun?.addEventListener("pong" as "message", this.#onPong);
    if ((options.pingIntervalMs ?? 0) > 0) this.#liveness = this.#startLiveness();
  }

  get subprotocol(): string {
    return orEmpty(this.#socket.protocol);
  }

  get extensions(): string {
    return orEmpty(this.#socket.extensions);
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get latencyMs(): number | undefined {
    return this.#liveness?.latencyMs;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array): boolean {
    checkMessage(data);
    this.#checkOpen("send a message");
    // The cast drops the possibility of a SharedArrayBuffer, which no runtime refuses.
    this.#socket.send(data as string | Uint8Array<ArrayBuffer>);
    return true;
  }

  sendInPlace(): boolean {
    throw new TypeError('Cannot send in place with the library "builtin": expected the library "native"');
  }

  ping(payload: Uint8Array = new Uint8Array()): void {
    checkPing(payload);
    if (this.#bun === undefined) throw new TypeError("Cannot send a ping: this runtime's WebSocket has no pings");
    this.#checkOpen("send a ping");
    this.#liveness ??= this.#startLiveness();
    this.#liveness.pinged(payload);
    this.#bun.ping(payload);
  }

  pause(): void {
    if (this.#bun === undefined) throw new TypeError("Cannot pause: this runtime's WebSocket always reads");
    if (this.#state !== "open" || this.#isPaused) return;
    this.#isPaused = true;
    this.#bun.pause();
  }

  resume(): void {
    if (this.#bun === undefined) throw new TypeError("Cannot resume: this runtime's WebSocket always reads");
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#bun.resume();
  }

  close(code = 1000, reason = ""): void {
    checkClose(code, reason);
    if (this.#state !== "open") return;
    this.#state = "closing";
    this.#liveness?.stop();
    // The peer's Close frame has to be read.
    if (this.#isPaused) this.resume();
    this.#timer = setTimeout(() => this.terminate(), this.#closeTimeoutMs);
    this.#socket.close(code, reason);
  }

  terminate(): void {
    if (this.#state === "closed") return;
    this.#giveUp();
  }

  fail(error: Error): void {
    if (this.#state === "closed") return;
    this.#giveUp(error);
  }

  #checkOpen(what: string): void {
    if (this.#state === "open") return;
    throw new ConnectionClosedError(`Cannot ${what} to ${originOf(this.#location)}: the connection is not open`);
  }

  #startLiveness(): Liveness {
    return new Liveness({
      intervalMs: this.#options.pingIntervalMs ?? 0,
      timeoutMs: this.#options.pingTimeoutMs ?? DEFAULT_PING_TIMEOUT_MS,
      received: () => this.#received,
      isPaused: () => this.#isPaused,
      ping: (payload) => this.ping(payload),
      onDead: (error) => this.fail(error),
    });
  }

  readonly #onPing = (event: MessageEvent): void => {
    this.#received++;
    if (this.#state === "open") guard(() => this.#listener.onPing?.(bytesOf(event.data)));
  };

  readonly #onPong = (event: MessageEvent): void => {
    this.#received++;
    if (this.#state !== "open") return;
    const payload = bytesOf(event.data);
    this.#liveness?.ponged(payload);
    guard(() => this.#listener.onPong?.(payload));
  };

  #message(data: unknown): void {
    if (this.#state === "closed") return;
    this.#received++;
    if (typeof data === "string") {
      if (isLongerThan(data, this.#maxMessageBytes)) return this.#tooLarge();
      this.#listener.onText(data);
    } else {
      const bytes = bytesOf(data);
      if (bytes.length > this.#maxMessageBytes) return this.#tooLarge();
      this.#listener.onBinary?.(bytes);
    }
  }

  #tooLarge(): void {
    this.#giveUp(
      new WebSocketProtocolError(
        `Cannot take a message of more than ${this.#maxMessageBytes} bytes from ${originOf(this.#location)}`,
        "MESSAGE_TOO_LARGE",
        1009,
      ),
    );
  }

  #giveUp(error?: Error): void {
    this.#finish({ code: 1006, reason: "", wasClean: false, ...(error && { error }) }, () => {
      this.#runtimeSocket.destroy();
    });
  }

  #ended(event: CloseEvent): void {
    if (this.#state === "closed") return;
    // Deno reports 0 where RFC 6455 7.1.5 says 1006.
    const code = event.code === 0 ? 1006 : event.code;
    const error = code === 1006 ? this.#runtimeSocket.failure ?? this.#failure : undefined;
    this.#finish({
      code,
      reason: code === 1006 ? "" : event.reason,
      wasClean: event.wasClean && code !== 1006,
      ...(error && { error }),
    }, () => this.#runtimeSocket.release(this.#closeTimeoutMs));
  }

  #finish(info: CloseInfo, free: () => void): void {
    clearTimeout(this.#timer);
    this.#liveness?.stop();
    this.#state = "closed";
    this.#isPaused = false;
    this.#bun?.removeEventListener("ping" as "message", this.#onPing);
    this.#bun?.removeEventListener("pong" as "message", this.#onPong);
    free();
    this.#resolveClosed(info);
    guard(() => this.#listener.onClose(info));
  }
}
