/**
 * Library "builtin": the runtime's own WebSocket, with the differences between Deno, Bun, Node, workerd and browsers
 * taken out.
 *
 * @module
 */

import {
  ConnectionClosedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  InvalidOptionsError,
  WebSocketProtocolError,
} from "../base/mod.ts";
import { checkArguments, checkClose, checkPing, originOf } from "./arguments.ts";
import {
  type BunWebSocket,
  bytesOf,
  createSocket,
  type DenoHttpClient,
  destroy,
  failureOf,
  httpClient,
  isBunWebSocket,
  isLongerThan,
  openingError,
  refuseUnsupported,
} from "./builtin_socket.ts";
import {
  type CloseInfo,
  type ConnectionListener,
  type ConnectOptions,
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
  DEFAULT_PING_TIMEOUT_MS,
  isFrameListener,
  type OpenConnection,
  type OwnedConnection,
} from "./connection.ts";
import { Liveness } from "./liveness.ts";
import { guard } from "./uncaught.ts";

/** Opens a connection with the runtime's own WebSocket. */
export const openBuiltin: OpenConnection = (url, listener, options = {}) => {
  return new Promise((resolve, reject) => {
    const parsed = checkArguments(url, listener, options);
    if (isFrameListener(listener)) {
      throw new InvalidOptionsError(
        'Cannot use `onFrame` with the library "builtin": expected the library "native", no other shows frames',
        { path: "listener.onFrame" },
      );
    }
    refuseUnsupported(options);
    options.signal?.throwIfAborted();
    new BuiltinConnection(url, parsed, listener, options, resolve, reject);
  });
};

class BuiltinConnection implements OwnedConnection {
  readonly library = "builtin";
  readonly path = "builtin";
  readonly localAddress = undefined;
  readonly remoteAddress = undefined;
  readonly url: string;
  readonly closed: Promise<CloseInfo>;
  readonly canPing: boolean;
  readonly canPause: boolean;

  readonly #location: URL;
  readonly #socket: WebSocket;
  /** The same, where it can do more than the standard says. */
  readonly #bun: BunWebSocket | undefined;
  readonly #client: DenoHttpClient | undefined;
  readonly #listener: ConnectionListener;
  readonly #options: ConnectOptions;
  readonly #maxMessageBytes: number;
  readonly #rejectOpening: (error: unknown) => void;
  readonly #resolveClosed: (info: CloseInfo) => void;
  #state: "opening" | "open" | "closing" | "closed" = "opening";
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
    listener: ConnectionListener,
    options: ConnectOptions,
    resolve: (connection: OwnedConnection) => void,
    reject: (error: unknown) => void,
  ) {
    this.url = url;
    this.#location = location;
    this.#listener = listener;
    this.#options = options;
    this.#maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
    this.#rejectOpening = reject;
    const { promise, resolve: resolveClosed } = Promise.withResolvers<CloseInfo>();
    this.closed = promise;
    this.#resolveClosed = resolveClosed;
    this.#client = httpClient(options);
    try {
      this.#socket = createSocket(location, options, this.#client);
    } catch (error) {
      this.#client?.close();
      throw error;
    }
    const socket = this.#socket;
    this.#bun = isBunWebSocket(socket) ? socket : undefined;
    this.canPing = this.canPause = this.#bun !== undefined;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#opened(resolve);
    socket.onmessage = (event) => this.#message(event.data);
    socket.onerror = (event) => this.#failure = failureOf(event, location);
    socket.onclose = (event) => this.#ended(event);
    // Only Bun has these events; their payload is a Buffer, or an ArrayBuffer with the binaryType above.
    this.#bun?.addEventListener("ping" as "message", this.#onPing);
    this.#bun?.addEventListener("pong" as "message", this.#onPong);
    const timeoutMs = options.handshakeTimeoutMs ?? DEFAULT_HANDSHAKE_TIMEOUT_MS;
    this.#timer = setTimeout(
      () => this.#abandon(new HandshakeTimeoutError(originOf(location), timeoutMs)),
      timeoutMs,
    );
    options.signal?.addEventListener("abort", this.#onAbort);
  }

  get subprotocol(): string {
    return this.#socket.protocol;
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
    const timeoutMs = this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS;
    this.#timer = setTimeout(() => this.terminate(), timeoutMs);
    this.#socket.close(code, reason);
  }

  terminate(): void {
    if (this.#state === "closed" || this.#state === "opening") return;
    this.#giveUp();
  }

  fail(error: Error): void {
    if (this.#state === "closed" || this.#state === "opening") return;
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

  readonly #onAbort = () => this.#abandon(this.#options.signal?.reason);

  #opened(resolve: (connection: OwnedConnection) => void): void {
    const { protocol } = this.#socket;
    // RFC 6455 4.1: a subprotocol that was not offered fails the connection; Deno lets it pass.
    if (protocol !== "" && !(this.#options.protocols ?? []).includes(protocol)) {
      return this.#abandon(
        new HandshakeRejectedError(
          `Cannot open ${originOf(this.#location)}: the server chose a subprotocol that was not offered`,
          { status: 101 },
        ),
      );
    }
    this.#endOpening();
    this.#state = "open";
    if ((this.#options.pingIntervalMs ?? 0) > 0) this.#liveness = this.#startLiveness();
    guard(() => this.#listener.onOpen?.(this));
    resolve(this);
  }

  #message(data: unknown): void {
    if (this.#state !== "open" && this.#state !== "closing") return;
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
    this.#finish({ code: 1006, reason: "", wasClean: false, ...(error && { error }) });
    destroy(this.#socket);
  }

  #ended(event: CloseEvent): void {
    if (this.#state === "closed") return;
    if (this.#state === "opening") return this.#abandon(openingError(this.#location, this.#failure, event));
    // Deno reports 0 where RFC 6455 7.1.5 says 1006.
    const code = event.code === 0 ? 1006 : event.code;
    const error = code === 1006 ? this.#failure : undefined;
    this.#finish({
      code,
      reason: code === 1006 ? "" : event.reason,
      wasClean: event.wasClean && code !== 1006,
      ...(error && { error }),
    });
  }

  /** Ends an opening that failed; the listener never hears of it. */
  #abandon(error: unknown): void {
    if (this.#state !== "opening") return;
    this.#endOpening();
    this.#state = "closed";
    this.#detach();
    destroy(this.#socket);
    this.#rejectOpening(error);
  }

  #endOpening(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  #finish(info: CloseInfo): void {
    clearTimeout(this.#timer);
    this.#liveness?.stop();
    this.#state = "closed";
    this.#isPaused = false;
    this.#detach();
    this.#resolveClosed(info);
    guard(() => this.#listener.onClose(info));
  }

  #detach(): void {
    const socket = this.#socket;
    socket.onopen = socket.onmessage = socket.onclose = null;
    // An error event without a handler is an uncaught error in some runtimes.
    socket.onerror = () => {};
    this.#bun?.removeEventListener("ping" as "message", this.#onPing);
    this.#bun?.removeEventListener("pong" as "message", this.#onPong);
    this.#client?.close();
  }
}
