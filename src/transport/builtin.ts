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
  WebSocketProtocolError,
} from "../base/mod.ts";
import {
  createSocket,
  type DenoHttpClient,
  destroy,
  failureOf,
  httpClient,
  isBunWebSocket,
  openingError,
} from "./builtin_socket.ts";
import { checkClose, checkPing, checkUrl } from "./arguments.ts";
import {
  type CloseInfo,
  type Connection,
  type ConnectionListener,
  type ConnectOptions,
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
  type OpenConnection,
} from "./connection.ts";

/** Opens a connection with the runtime's own WebSocket. */
export const openBuiltin: OpenConnection = (url, listener, options = {}) => {
  return new Promise((resolve, reject) => {
    checkUrl(url);
    options.signal?.throwIfAborted();
    new BuiltinConnection(url, listener, options, resolve, reject);
  });
};

class BuiltinConnection implements Connection {
  readonly library = "builtin";
  readonly url: string;
  readonly closed: Promise<CloseInfo>;
  readonly canPing: boolean;

  readonly #socket: WebSocket;
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

  constructor(
    url: string,
    listener: ConnectionListener,
    options: ConnectOptions,
    resolve: (connection: Connection) => void,
    reject: (error: unknown) => void,
  ) {
    this.url = url;
    this.#listener = listener;
    this.#options = options;
    this.#maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
    this.#rejectOpening = reject;
    const { promise, resolve: resolveClosed } = Promise.withResolvers<CloseInfo>();
    this.closed = promise;
    this.#resolveClosed = resolveClosed;
    this.#client = httpClient(options);
    try {
      this.#socket = createSocket(url, options, this.#client);
    } catch (error) {
      this.#client?.close();
      throw error;
    }
    this.canPing = isBunWebSocket(this.#socket);

    const socket = this.#socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#opened(resolve);
    socket.onmessage = (event) => this.#message(event.data);
    socket.onerror = (event) => this.#failure = failureOf(event);
    socket.onclose = (event) => this.#ended(event);
    if (isBunWebSocket(socket)) {
      // Only Bun has these events; their payload is a Buffer, or an ArrayBuffer with the binaryType above.
      socket.addEventListener("ping" as "message", (event) => this.#listener.onPing?.(bytesOf(event.data)));
      socket.addEventListener("pong" as "message", (event) => this.#listener.onPong?.(bytesOf(event.data)));
    }
    const timeoutMs = options.handshakeTimeoutMs ?? DEFAULT_HANDSHAKE_TIMEOUT_MS;
    this.#timer = setTimeout(() => this.#abandon(new HandshakeTimeoutError(url, timeoutMs)), timeoutMs);
    options.signal?.addEventListener("abort", this.#onAbort);
  }

  get subprotocol(): string {
    return this.#socket.protocol;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array): void {
    if (this.#state !== "open") {
      throw new ConnectionClosedError(`Cannot send to ${this.url}: the connection is not open`);
    }
    // The cast drops the possibility of a SharedArrayBuffer, which no runtime refuses.
    this.#socket.send(data as string | Uint8Array<ArrayBuffer>);
  }

  ping(payload: Uint8Array = new Uint8Array()): void {
    checkPing(payload);
    if (!isBunWebSocket(this.#socket)) throw new TypeError("Cannot send a ping: this runtime's WebSocket has no pings");
    if (this.#state !== "open") throw new ConnectionClosedError(`Cannot ping ${this.url}: the connection is not open`);
    this.#socket.ping(payload);
  }

  close(code = 1000, reason = ""): void {
    checkClose(code, reason);
    if (this.#state !== "open") return;
    this.#state = "closing";
    const timeoutMs = this.#options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS;
    this.#timer = setTimeout(() => this.terminate(), timeoutMs);
    this.#socket.close(code, reason);
  }

  terminate(): void {
    if (this.#state === "closed" || this.#state === "opening") return;
    this.#giveUp();
  }

  readonly #onAbort = () => this.#abandon(this.#options.signal?.reason);

  #opened(resolve: (connection: Connection) => void): void {
    const { protocol } = this.#socket;
    // RFC 6455 4.1: a subprotocol that was not offered fails the connection; Deno lets it pass.
    if (protocol !== "" && !(this.#options.protocols ?? []).includes(protocol)) {
      return this.#abandon(
        new HandshakeRejectedError(
          `Cannot open ${this.url}: the server chose the subprotocol "${protocol}", which was not offered`,
          {
            status: 101,
          },
        ),
      );
    }
    this.#endOpening();
    this.#state = "open";
    this.#listener.onOpen?.(this);
    resolve(this);
  }

  #message(data: unknown): void {
    if (this.#state !== "open" && this.#state !== "closing") return;
    if (typeof data === "string") {
      // UTF-8 has at most 3 bytes for a UTF-16 code unit: only long texts need counting.
      if (data.length * 3 > this.#maxMessageBytes && byteLength(data) > this.#maxMessageBytes) return this.#tooLarge();
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
        `Cannot take a message of more than ${this.#maxMessageBytes} bytes from ${this.url}`,
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
    if (this.#state === "opening") return this.#abandon(openingError(this.url, this.#failure, event));
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
    this.#state = "closed";
    this.#detach();
    this.#resolveClosed(info);
    this.#listener.onClose(info);
  }

  #detach(): void {
    const socket = this.#socket;
    socket.onopen = socket.onmessage = socket.onclose = null;
    // An error event without a handler is an uncaught error in some runtimes.
    socket.onerror = () => {};
    this.#client?.close();
  }
}

function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new TextEncoder().encode(String(data));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
