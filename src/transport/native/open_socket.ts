/**
 * The one place that picks the kind of socket.
 *
 * @module
 */

import type { ByteSocket, ByteSocketHandler, SocketTarget } from "./socket.ts";
import { bun, openBunSocket } from "./socket_bun.ts";
import { deno, openDenoSocket } from "./socket_deno.ts";
import { openNodeSocket } from "./socket_node.ts";

/** Connects in the fastest way that the runtime has and that can do what is asked; see {@linkcode OpenSocket}. */
export function openSocket(target: SocketTarget, handler: ByteSocketHandler): ByteSocket {
  const { rejectUnauthorized, checkServerIdentity } = target.secure ? target.tls : {};
  // TLS in TLS, to an `https` proxy, is beyond the runtimes' own sockets; the others would gain little by them.
  if (target.proxy !== undefined) return openNodeSocket(target, handler);
  // Neither Bun.connect nor Deno.startTls asks anyone about a name.
  if (checkServerIdentity !== undefined) return openNodeSocket(target, handler);
  // Bun comes first: it has no global `Deno`, and Deno none called `Bun`, but both look like Node.
  if (bun !== undefined) return openBunSocket(target, handler);
  // Deno.startTls always verifies.
  if (deno !== undefined && rejectUnauthorized !== false) return openDenoSocket(target, handler);
  return openNodeSocket(target, handler);
}
