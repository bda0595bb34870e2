/**
 * Library "builtin": the runtime's own WebSocket, with the differences between Deno, Bun, Node, workerd and browsers
 * taken out. Proxies, and the runtimes' own way with them, are dealt with by a bridge on loopback.
 *
 * @module
 */

import { HandshakeTimeoutError, InvalidOptionsError } from "../base/mod.ts";
import type { checkArguments } from "./arguments.ts";
import { BuiltinConnection } from "./builtin_connection.ts";
import { openWebSocket } from "./builtin_opening.ts";
import { refuseUnsupported } from "./builtin_socket.ts";
import {
  type ConnectOptions,
  DEFAULT_HANDSHAKE_TIMEOUT_MS,
  isFrameListener,
  type OpenConnection,
} from "./connection.ts";
import { originOf } from "./origin.ts";
import type { proxyFor } from "./proxy/environment.ts";
import { type Bridge, type BridgeTarget, needsBridge, type OpenBridge } from "./proxy/loopback.ts";
import { refusedProxy } from "./proxy/refusal.ts";
import { guard } from "./uncaught.ts";

/** What the library has where its size does not matter. */
export interface BuiltinExtras {
  /** The way through a proxy, or around one. */
  readonly openBridge: OpenBridge;
  /** What the option `proxy` means. */
  readonly proxyFor: typeof proxyFor;
  /** Checks everything. */
  readonly checkArguments: typeof checkArguments;
}

/**
 * Makes the library. Without extras, it is for those who have checked the URL, the listener and the options themselves; a
 * proxy is refused, and so is one that the runtime would take from the environment by itself.
 */
export function builtinOver(extras: BuiltinExtras | undefined): OpenConnection {
  return async (url, listener, options = {}) => {
    const location = extras === undefined ? new URL(url) : extras.checkArguments(url, listener, options);
    if (isFrameListener(listener)) {
      throw new InvalidOptionsError(
        'Cannot use `onFrame` with the library "builtin": expected the library "native", no other shows frames',
        { path: "listener.onFrame" },
      );
    }
    if (extras === undefined && options.proxy !== undefined) throw refusedProxy(options.proxy);
    const proxy = extras?.proxyFor(options.proxy, location);
    const isBridged = needsBridge("WebSocket", proxy, extras !== undefined);
    refuseUnsupported(options, proxy !== undefined);
    options.signal?.throwIfAborted();
    const timeoutMs = options.handshakeTimeoutMs ?? DEFAULT_HANDSHAKE_TIMEOUT_MS;
    const startedAt = performance.now();
    const timeout = new HandshakeTimeoutError(originOf(location), timeoutMs);
    const bridge = isBridged && extras !== undefined
      ? await openInTime(
        extras.openBridge,
        { url: location, proxy, tls: options.tls ?? {} },
        options,
        timeoutMs,
        timeout,
      )
      : undefined;
    const remainingMs = Math.max(1, timeoutMs - (performance.now() - startedAt));
    return await new Promise((resolve, reject) => {
      openWebSocket({ location, options, proxy, bridge, timeoutMs: remainingMs, timeout }, {
        onOpen(socket) {
          const connection = new BuiltinConnection(url, location, socket, listener, options);
          guard(() => listener.onOpen?.(connection));
          resolve(connection);
        },
        onFailed: reject,
      });
    });
  };
}

/** Opens a bridge, unless it takes longer or the caller gives up. */
async function openInTime(
  openBridge: OpenBridge,
  target: BridgeTarget,
  { signal }: ConnectOptions,
  timeoutMs: number,
  timeout: HandshakeTimeoutError,
): Promise<Bridge> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(timeout), timeoutMs);
  const onAbort = () => giveUp.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    return await openBridge(target, giveUp.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
