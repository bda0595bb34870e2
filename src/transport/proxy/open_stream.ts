/**
 * A byte stream to a server, with TLS if it is wanted, directly or through a proxy.
 *
 * @module
 */

import type net from "node:net";
import type { SocketTarget } from "../native/socket.ts";
import { connectTcp, startTls } from "./node_stream.ts";
import { openTunnel } from "./tunnel.ts";

/**
 * Connects to the target, through its proxy if it has one. The socket that comes is paused, has no listeners, and no byte
 * is lost: add an `error` listener at once, then `resume()`. A `signal` that is aborted with a `HandshakeTimeoutError` on
 * the way through the proxy becomes the cause of a `ProxyConnectionError`.
 *
 * @throws {ProxyConnectionError} if the proxy opens no way to the target.
 * @throws What `signal` was aborted with, after which nothing is left.
 * @throws The error of `node:net` or `node:tls`, if there is no proxy or its tunnel is open.
 */
export async function openStream(target: SocketTarget, signal: AbortSignal): Promise<net.Socket> {
  signal.throwIfAborted();
  const { hostname, port, secure, tls, proxy } = target;
  const socket = proxy === undefined
    ? await connectTcp(hostname, port, signal)
    : await openTunnel(proxy, target, tls, signal);
  return secure ? await startTls(socket, hostname, tls, signal) : socket;
}
