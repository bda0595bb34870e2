/**
 * The byte pipe over `node:net` and `node:tls`: on Node, and on every runtime where its own sockets lack something.
 *
 * @module
 */

import net from "node:net";
import tls from "node:tls";
import { authoritiesWith } from "./authorities.ts";
import type { ByteSocket, ByteSocketHandler, SocketAddresses, SocketTarget } from "./socket.ts";

/** A secure context holds all of the authorities, parsed: 2 to 13 ms to make. */
const contexts = new WeakMap<readonly string[], tls.SecureContext>();

function contextFor(ca: readonly string[]): tls.SecureContext {
  let context = contexts.get(ca);
  if (context === undefined) {
    context = tls.createSecureContext({ ca: authoritiesWith(ca) });
    contexts.set(ca, context);
  }
  return context;
}

/** A {@linkcode ByteSocket} over a `net.Socket`. */
class NodeByteSocket implements ByteSocket {
  handler: ByteSocketHandler;
  readonly path = "node";
  readonly #socket: net.Socket;
  #open = false;
  #closed = false;

  constructor(socket: net.Socket, openEvent: "connect" | "secureConnect", handler: ByteSocketHandler) {
    this.#socket = socket;
    this.handler = handler;
    socket.setNoDelay(true);
    socket.on(openEvent, () => {
      if (this.#closed) return;
      this.#open = true;
      this.handler.onOpen();
    });
    socket.on("data", (chunk: Uint8Array) => {
      if (!this.#closed) this.handler.onBytes(chunk);
    });
    socket.on("end", () => this.#ended(undefined));
    socket.on("error", (error) => this.#ended(error));
    socket.on("close", () => this.#ended(undefined));
  }

  get pendingBytes(): number {
    return this.#socket.writableLength;
  }

  get addresses(): SocketAddresses | undefined {
    const { localAddress, localPort, remoteAddress, remotePort } = this.#socket;
    if (this.#closed || !localAddress || !localPort || !remoteAddress || !remotePort) return undefined;
    return {
      local: { hostname: localAddress, port: localPort },
      remote: { hostname: remoteAddress, port: remotePort },
    };
  }

  write(bytes: Uint8Array): number {
    // Beyond its high-water mark the socket would queue without end, and nothing could overtake.
    if (!this.#open || this.#closed || this.#socket.writableNeedDrain) return 0;
    this.#socket.write(bytes, this.#written);
    return bytes.length;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#closed = true;
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  readonly #written = (): void => {
    if (!this.#closed && this.#socket.writableLength === 0) this.handler.onDrain();
  };

  #ended(error: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.handler.onEnd(error);
  }
}

/** Connects with `net.connect` or `tls.connect`; see {@linkcode OpenSocket}. */
export function openNodeSocket(target: SocketTarget, handler: ByteSocketHandler): ByteSocket {
  const { hostname, port, secure } = target;
  if (!secure) return new NodeByteSocket(net.connect({ host: hostname, port }), "connect", handler);
  const { ca = [], rejectUnauthorized = true, servername, checkServerIdentity } = target.tls;
  // An IP address is no server name (RFC 6066 3); the certificate is checked against `host` then.
  const name = servername ?? (net.isIP(hostname) === 0 ? hostname : undefined);
  const socket = tls.connect({
    host: hostname,
    port,
    // Not the default where NODE_TLS_REJECT_UNAUTHORIZED=0.
    rejectUnauthorized,
    ...(name === undefined ? {} : { servername: name }),
    ...(checkServerIdentity === undefined ? {} : { checkServerIdentity }),
    ...(ca.length > 0 ? { secureContext: contextFor(ca) } : {}),
  });
  return new NodeByteSocket(socket, "secureConnect", handler);
}
