/**
 * The opening of the runtime's own WebSocket: its first owner, and everything that can go wrong until it is open.
 *
 * @module
 */

import { type ConnectionFailedError, HandshakeRejectedError, type HandshakeTimeoutError } from "../base/mod.ts";
import { createSocket, destroy, failureOf, httpClient, openingError, orEmpty } from "./builtin_socket.ts";
import type { ConnectOptions } from "./connection.ts";
import type { ClientLoan } from "./deno_http_client.ts";
import { originOf } from "./origin.ts";
import type { Bridge } from "./proxy/loopback.ts";
import type { ProxyUrl } from "./proxy/proxy_url.ts";

/** What is opened. */
export interface OpeningTarget {
  /** The server. */
  readonly location: URL;
  readonly options: ConnectOptions;
  /** The proxy on the way, for messages. */
  readonly proxy: ProxyUrl | undefined;
  /** The way to the server, or none to go directly. The opening owns it. */
  readonly bridge: Bridge | undefined;
  /** Longest time in ms, and the error then. */
  readonly timeoutMs: number;
  readonly timeout: HandshakeTimeoutError;
}

/** How the opening ends: exactly one of the two is called, once. */
export interface OpeningResult {
  /** It is open; whoever is told owns it, and must have set its handlers when the call returns. */
  onOpen(socket: RuntimeSocket): void;
  /** It is not, and nothing is left. */
  onFailed(error: unknown): void;
}

/** The runtime's WebSocket with what belongs to it: they end together. */
export class RuntimeSocket {
  readonly socket: WebSocket;
  readonly #bridge: Bridge | undefined;
  readonly #client: ClientLoan | undefined;

  constructor(socket: WebSocket, bridge: Bridge | undefined, client: ClientLoan | undefined) {
    this.socket = socket;
    this.#bridge = bridge;
    this.#client = client;
  }

  /** What the connection to the server failed with, where that is known better than by the runtime. */
  get failure(): Error | undefined {
    return this.#bridge?.failure;
  }

  /** Frees everything after an orderly end; what is on its way may take `ms`. */
  release(ms: number): void {
    this.#detach();
    this.#bridge?.finish(ms);
  }

  /** Frees everything at once. */
  destroy(): void {
    this.#detach();
    destroy(this.socket);
    this.#bridge?.destroy();
  }

  #detach(): void {
    const { socket } = this;
    socket.onopen = socket.onmessage = socket.onclose = null;
    // An error event without a handler is an uncaught error in some runtimes.
    socket.onerror = () => {};
    this.#client?.release();
  }
}

/** How long in ms the close event may come after the error event: Node 22 has none for a socket that was never open. */
const CLOSE_AFTER_ERROR_MS = 100;

/** Opens the runtime's WebSocket. */
export function openWebSocket(target: OpeningTarget, result: OpeningResult): void {
  const { location, options, proxy, bridge, timeoutMs, timeout } = target;
  const client = httpClient(options, bridge);
  let socket: WebSocket;
  try {
    socket = createSocket(location, options, bridge, client?.client);
  } catch (error) {
    client?.release();
    bridge?.destroy();
    return result.onFailed(error);
  }
  const runtimeSocket = new RuntimeSocket(socket, bridge, client);
  /** What the error event said; it comes before the close event, if at all. */
  let failure: Error | undefined;
  const onAbort = (): void => fail(options.signal?.reason);
  const timer = setTimeout(() => fail(timeout), timeoutMs);
  let withoutClose: ReturnType<typeof setTimeout> | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    clearTimeout(withoutClose);
    options.signal?.removeEventListener("abort", onAbort);
  };
  const fail = (error: unknown): void => {
    settle();
    runtimeSocket.destroy();
    result.onFailed(error);
  };
  socket.binaryType = "arraybuffer";
  const failWith = (closeReason: string) => fail(openingError(location, proxy, bridge, failure, closeReason));
  socket.onerror = (event) => {
    failure = failureOf(event, location, bridge?.url);
    withoutClose ??= setTimeout(() => failWith(""), CLOSE_AFTER_ERROR_MS);
  };
  socket.onclose = ({ reason }) => failWith(reason);
  socket.onopen = () => {
    const error = subprotocolError(location, orEmpty(socket.protocol), options.protocols);
    if (error !== undefined) return fail(error);
    settle();
    result.onOpen(runtimeSocket);
  };
  // It may have been aborted while the bridge was handed over.
  if (options.signal?.aborted) onAbort();
  else options.signal?.addEventListener("abort", onAbort);
}

/** RFC 6455 4.1: a subprotocol that was not offered fails the connection; Deno lets it pass. */
function subprotocolError(
  location: URL,
  protocol: string,
  offered: readonly string[] = [],
): ConnectionFailedError | undefined {
  if (protocol === "" || offered.includes(protocol)) return undefined;
  return new HandshakeRejectedError(
    `Cannot open ${originOf(location)}: the server chose a subprotocol that was not offered`,
    { status: 101 },
  );
}
