/**
 * Library "builtin": the runtime's own WebSocket, with the differences between Deno, Bun, Node, workerd and browsers
 * taken out.
 *
 * @module
 */

import {
  ConnectionClosedError,
  ConnectionFailedError,
  HandshakeRejectedError,
  HandshakeTimeoutError,
  WebSocketProtocolError,
} from "../base/mod.ts";
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

/** What Bun's and Deno's constructors take beyond the standard. */
interface RuntimeWebSocketOptions {
  headers?: Readonly<Record<string, string>>;
  protocols?: readonly string[];
  /** Deno: an HTTP client, the only way to add certificate authorities. */
  client?: DenoHttpClient;
  /** Bun: TLS options. */
  tls?: { ca?: readonly string[] };
  /** Bun: offers compression unless told not to. */
  perMessageDeflate?: boolean;
}

/** What Bun's WebSocket has beyond the standard. */
interface BunWebSocket extends WebSocket {
  ping(payload?: Uint8Array): void;
  terminate(): void;
}

interface DenoHttpClient {
  close(): void;
}

/** The parts of the runtimes' globals that are used here; absent where they don't exist. */
const runtime = globalThis as {
  // The reason for the cast: no runtime's types know the other runtimes' globals.
  WebSocket?: new (url: string, options?: readonly string[] | RuntimeWebSocketOptions) => WebSocket;
  Bun?: { version: string };
  Deno?: { createHttpClient?(options: { caCerts?: readonly string[] }): DenoHttpClient };
  process?: { versions?: { node?: string } };
};

/** Why this library can't run here, or `undefined` if it can. */
export function builtinUnavailableReason(): string | undefined {
  return runtime.WebSocket === undefined
    ? 'this runtime has no WebSocket; expected Deno, Bun, Node 22 or newer, workerd or a browser, or the library "native"'
    : undefined;
}

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
  /** The Close frame that we sent, since no runtime repeats the code it was given if the peer's differs. */
  #failedWith: Error | undefined;

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
    this.#socket = createSocket(url, options, this.#client);
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
    const socket = this.#socket;
    this.#finish({ code: 1006, reason: "", wasClean: false, ...(this.#failedWith && { error: this.#failedWith }) });
    destroy(socket);
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
    this.#failedWith = new WebSocketProtocolError(
      `Cannot take a message of more than ${this.#maxMessageBytes} bytes from ${this.url}`,
      "MESSAGE_TOO_LARGE",
      1009,
    );
    this.terminate();
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

function createSocket(url: string, options: ConnectOptions, client: DenoHttpClient | undefined): WebSocket {
  const { WebSocket } = runtime;
  if (WebSocket === undefined) throw new ConnectionFailedError(`Cannot open ${url}: ${builtinUnavailableReason()}`);
  const { headers, protocols = [], tls } = options;
  if (runtime.Bun !== undefined) {
    const ca = tls?.ca === undefined ? {} : { tls: { ca: tls.ca } };
    return new WebSocket(url, { perMessageDeflate: false, protocols, ...(headers && { headers }), ...ca });
  }
  if (runtime.Deno !== undefined || runtime.process?.versions?.node !== undefined) {
    return new WebSocket(url, { protocols, ...(headers && { headers }), ...(client && { client }) });
  }
  if (headers !== undefined && Object.keys(headers).length > 0) {
    throw new TypeError("Cannot send headers with this runtime's WebSocket: remove the option `headers`");
  }
  return new WebSocket(url, protocols);
}

/** Deno adds authorities by an HTTP client; Bun takes them as an option; elsewhere it can't be done and must not be ignored. */
function httpClient({ tls }: ConnectOptions): DenoHttpClient | undefined {
  if (tls?.ca === undefined || runtime.Bun !== undefined) return undefined;
  const create = runtime.Deno?.createHttpClient;
  if (create === undefined) {
    throw new TypeError("Cannot add certificate authorities to this runtime's WebSocket: remove the option `tls.ca`");
  }
  return create({ caCerts: tls.ca });
}

function isBunWebSocket(socket: WebSocket): socket is BunWebSocket {
  return runtime.Bun !== undefined && "terminate" in socket;
}

/** Frees the socket as far as the runtime lets us: Deno's and the browsers' can only be closed. */
function destroy(socket: WebSocket): void {
  if (isBunWebSocket(socket)) socket.terminate();
  else socket.close();
}

function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new TextEncoder().encode(String(data));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** What an error event says: Deno and Bun give an ErrorEvent with a message and an error, Node and browsers nothing. */
function failureOf(event: Event): Error {
  const { message, error } = event as Partial<ErrorEvent>; // the cast: which event it is depends on the runtime
  if (message) return new Error(message, { cause: error });
  return error instanceof Error ? error : new Error("the runtime gives no reason");
}

/** Deno: "Invalid status code: 429". Bun: "Expected 101 status code: 429", "407 …". workerd: "… but received 429 instead". */
const STATUS = /(?:status code:?|but received) (\d{3})\b/;

function openingError(url: string, failure: Error | undefined, event: CloseEvent): ConnectionFailedError {
  const reason = failure?.message || event.reason || "the connection ended before the handshake";
  const cause = failure === undefined ? {} : { cause: failure };
  const status = STATUS.exec(reason)?.[1];
  if (status === undefined || status === "101") {
    return new ConnectionFailedError(`Cannot open ${url}: ${reason}`, cause);
  }
  return new HandshakeRejectedError(`Cannot open ${url}: the server answered with status ${status} instead of 101`, {
    status: Number(status),
    ...cause,
  });
}
