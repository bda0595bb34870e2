/**
 * TCP and TLS of `node:net` and `node:tls` as promises that an `AbortSignal` ends: the steps of every stream.
 *
 * @module
 */

import net from "node:net";
import { Duplex } from "node:stream";
import tls from "node:tls";
import type { TlsOptions } from "../connect_options.ts";
import { authoritiesWith } from "../native/authorities.ts";
import { connectPausableTls, tlsReadsWhilePaused } from "./pausable_tls.ts";

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

/** How `node:tls` verifies the server `hostname`: everywhere the same, and whatever the environment says. */
function verification(hostname: string, options: TlsOptions): tls.ConnectionOptions {
  const { ca = [], rejectUnauthorized = true, servername, checkServerIdentity } = options;
  // An IP address is no server name (RFC 6066 3); the certificate is checked against `host` then.
  const name = servername ?? (net.isIP(hostname) === 0 ? hostname : undefined);
  return {
    host: hostname,
    // Not the default where NODE_TLS_REJECT_UNAUTHORIZED=0.
    rejectUnauthorized,
    ...(name === undefined ? {} : { servername: name }),
    ...(checkServerIdentity === undefined ? {} : { checkServerIdentity }),
    ...(ca.length > 0 ? { secureContext: contextFor(ca) } : {}),
  };
}

/** Connects by TCP; `onFound` is called once a host name is looked up. The socket that comes is paused. */
export async function connectTcp(
  hostname: string,
  port: number,
  signal: AbortSignal,
  onFound: () => void = () => {},
): Promise<net.Socket> {
  const socket = net.connect({ host: hostname, port });
  socket.once("lookup", onFound);
  socket.setNoDelay(true);
  await opened(socket, "connect", signal);
  socket.off("lookup", onFound);
  return socket;
}

/**
 * Starts TLS with the server `hostname` on an open, paused stream, which belongs to TLS from then on. The socket that
 * comes is paused.
 */
export async function startTls(
  stream: net.Socket,
  hostname: string,
  options: TlsOptions,
  signal: AbortSignal,
): Promise<tls.TLSSocket> {
  const verified = verification(hostname, options);
  const socket = tlsReadsWhilePaused ? connectPausableTls(stream, verified) : tls.connect({
    ...verified,
    // Bun's TLS takes over the system's socket, and what was put back onto the stream would be lost.
    socket: stream.readableLength > 0 ? through(stream) : stream,
  });
  below.set(socket, stream);
  // What happens to the stream below is told by the one above it.
  stream.on("error", ignore);
  socket.once("close", () => stream.destroy());
  await opened(socket, "secureConnect", signal);
  return socket;
}

/** The stream that each TLS socket runs over. */
const below = new WeakMap<net.Socket, net.Socket>();

/** The TCP socket at the bottom of a stream: TLS over TLS does not know its addresses. */
export function tcpBelow(stream: net.Socket): net.Socket {
  let socket = stream;
  for (let next = below.get(socket); next !== undefined; next = below.get(socket)) socket = next;
  return socket;
}

function ignore(): void {}

/** A duplex that does no more than `stream`. */
function through(stream: net.Socket): Duplex {
  const duplex = new Duplex({
    read: () => void stream.resume(),
    write: (chunk, _encoding, done) => void stream.write(chunk, done),
    final: (done) => void stream.end(done),
    destroy: (error, done) => {
      stream.destroy();
      done(error);
    },
  });
  stream.on("data", (chunk) => {
    if (!duplex.push(chunk)) stream.pause();
  });
  stream.on("end", () => duplex.push(null)).on("error", (error) => duplex.destroy(error));
  stream.on("close", () => duplex.destroy());
  return duplex;
}

/** Destroys a socket whose errors nobody wants any more. */
export function discard(socket: net.Socket): void {
  socket.on("error", ignore);
  socket.destroy();
}

/** Waits for `event`, pauses the socket then and takes all listeners off; destroys it if it ends before. */
function opened(socket: net.Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal.removeEventListener("abort", onAbort);
      socket.off(event, onOpen).off("error", onError).off("end", onClose).off("close", onClose);
    };
    const onOpen = (): void => {
      settle();
      socket.pause();
      resolve();
    };
    const onError = (error: unknown): void => {
      settle();
      discard(socket);
      reject(error);
    };
    const onClose = (): void => onError(Object.assign(new Error("The connection was closed"), { code: "ECONNRESET" }));
    const onAbort = (): void => onError(signal.reason);
    socket.on(event, onOpen).on("error", onError).on("end", onClose).on("close", onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
  });
}
