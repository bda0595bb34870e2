/**
 * The loopback bridge: a listener on 127.0.0.1 that takes one connection, from this process, and joins it to a stream that
 * is open to the server. So the runtime's own WebSocket and `fetch` go through every kind of proxy, and nobody but the
 * proxy sees its credentials.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import net from "node:net";
import { ConnectionFailedError } from "../../base/mod.ts";
import { originOf } from "../origin.ts";
import { describeSocketError } from "../native/socket_errors.ts";
import { type BridgeRequest, BridgeRequestReader } from "./bridge_request.ts";
import type { Bridge, BridgeTarget, OpenBridge } from "./loopback.ts";
import { openStream } from "./open_stream.ts";

/** Connections that may be showing who they are at once; the oldest makes room for the next one. */
const MAX_STRANGERS = 64;

/** Length of `HTTP/1.1 429 `. */
const STATUS_BYTES = 13;

function ignore(): void {}

/**
 * Passes on what comes and, after it, the end of it; reads no faster than the other side takes it. Not `pipe()`, because
 * it must be `pause()` itself that is called: see `pausable_tls.ts`.
 */
function relay(from: net.Socket, to: net.Socket): void {
  from.on("data", (chunk) => {
    if (!to.writable || to.write(chunk)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  from.on("end", () => to.end());
}

/** Opens a bridge; see {@linkcode OpenBridge}. */
export const openBridge: OpenBridge = async (target, signal) => {
  const { url, proxy, tls } = target;
  const secure = url.protocol === "wss:" || url.protocol === "https:";
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  let upstream: net.Socket;
  try {
    upstream = await openStream({ hostname, port, secure, tls, proxy }, signal);
  } catch (error) {
    if (error instanceof ConnectionFailedError || (signal.aborted && error === signal.reason)) throw error;
    const through = proxy === undefined ? "" : ` through the proxy ${proxy.masked}`;
    throw new ConnectionFailedError(`Cannot open ${originOf(url)}${through}: ${describeSocketError(error)}`, {
      cause: error,
    });
  }
  const bridge = new LoopbackBridge(upstream, target);
  const onAbort = () => bridge.destroy();
  signal.addEventListener("abort", onAbort);
  try {
    await bridge.listen();
    signal.throwIfAborted();
  } catch (error) {
    bridge.destroy();
    signal.throwIfAborted();
    throw new ConnectionFailedError(
      `Cannot open ${originOf(url)}: no bridge could be opened on 127.0.0.1, ${describeSocketError(error)}`,
      { cause: error },
    );
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return bridge;
};

class LoopbackBridge implements Bridge {
  readonly #target: BridgeTarget;
  readonly #upstream: net.Socket;
  readonly #server: net.Server;
  /** What the connection has to know: 128 random bits. */
  readonly #token = randomBytes(16).toString("hex");
  /** Connections that have not shown the token. */
  readonly #strangers = new Set<net.Socket>();
  readonly #resolveClosed: () => void;
  readonly closed: Promise<void>;
  #local: net.Socket | undefined;
  #port = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDestroyed = false;
  /** The beginning of the response, as far as it is looked at. */
  #statusLine = "";
  failure: Error | undefined;

  constructor(upstream: net.Socket, target: BridgeTarget) {
    this.#upstream = upstream;
    this.#target = target;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    upstream.on("error", (error) => this.failure ??= error);
    upstream.on("close", () => this.#upstreamClosed());
    // The client's end is passed on by hand, when everything before it has been.
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => this.#greet(socket));
  }

  get url(): URL {
    const { protocol, pathname, search } = this.#target.url;
    const scheme = protocol.startsWith("ws") ? "ws" : "http";
    return new URL(`${scheme}://127.0.0.1:${this.#port}/${this.#token}${pathname}${search}`);
  }

  get status(): number | undefined {
    const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(this.#statusLine) ?? [];
    return status === undefined ? undefined : Number(status);
  }

  get proxyUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.on("error", reject).on("close", resolve).listen(0, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    if (typeof address === "object" && address !== null) this.#port = address.port;
  }

  finish(ms: number): void {
    if (this.#isDestroyed) return;
    if (this.#local === undefined) return this.destroy();
    this.#timer ??= setTimeout(() => this.destroy(), ms);
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    this.#local?.destroy();
    this.#upstream.destroy();
    this.#resolveClosed();
  }

  #stopListening(): void {
    this.#server.close();
    for (const socket of this.#strangers) socket.destroy();
    this.#strangers.clear();
  }

  #greet(socket: net.Socket): void {
    socket.on("error", ignore);
    if (this.#isDestroyed || this.#local !== undefined) return void socket.destroy();
    const [oldest] = this.#strangers;
    if (oldest !== undefined && this.#strangers.size >= MAX_STRANGERS) {
      this.#strangers.delete(oldest);
      oldest.destroy();
    }
    this.#strangers.add(socket);
    socket.once("close", () => this.#strangers.delete(socket));
    const { url, closesAfterResponse = false } = this.#target;
    const reader = new BridgeRequestReader({
      authority: `127.0.0.1:${this.#port}`,
      token: this.#token,
      host: url.host,
      closesAfterResponse,
    });
    const onData = (chunk: Uint8Array): void => {
      const request = reader.push(chunk);
      if (request === undefined) return;
      socket.off("data", onData);
      if (request === "refused") return void socket.destroy();
      socket.pause();
      this.#strangers.delete(socket);
      this.#join(socket, request);
    };
    socket.on("data", onData);
    socket.once("end", () => {
      if (this.#local !== socket) socket.destroy();
    });
  }

  #join(local: net.Socket, { head, rest }: BridgeRequest): void {
    this.#local = local;
    this.#stopListening();
    local.setNoDelay(true);
    const upstream = this.#upstream;
    if (upstream.destroyed) return void local.destroy();
    upstream.write(head);
    if (rest.length > 0) upstream.write(rest);
    local.on("close", () => this.#localClosed());
    const onResponse = (chunk: Uint8Array): void => {
      this.#statusLine += String.fromCharCode(...chunk.subarray(0, STATUS_BYTES - this.#statusLine.length));
      if (this.#statusLine.length >= STATUS_BYTES) upstream.off("data", onResponse);
    };
    upstream.on("data", onResponse);
    relay(local, upstream);
    relay(upstream, local);
    upstream.resume();
    local.resume();
  }

  #upstreamClosed(): void {
    const local = this.#local;
    if (local === undefined || local.destroyed) return this.destroy();
    // What has come is still read by the client, at its pace; what it sends goes nowhere. Destroying the socket with bytes
    // of the client unread would reset it, and could cost the client its last messages.
    local.end();
    local.resume();
  }

  #localClosed(): void {
    if (this.#upstream.destroyed) return this.destroy();
    // The client's last bytes may still be on their way.
    this.#upstream.resume();
    this.#upstream.destroySoon();
  }
}
