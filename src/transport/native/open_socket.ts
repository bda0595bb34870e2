/**
 * The one place that picks the kind of socket.
 *
 * @module
 */

import type { ByteSocket, ByteSocketHandler, SocketTarget } from "./socket.ts";
import { bun, openBunSocket } from "./socket_bun.ts";
import { deno, openDenoSocket } from "./socket_deno.ts";
import { openNodeSocket } from "./socket_node.ts";

/** Connects in the fastest way that the runtime has; see {@linkcode OpenSocket}. */
export function openSocket(target: SocketTarget, handler: ByteSocketHandler): ByteSocket {
  // Bun comes first: it has no global `Deno`, and Deno none called `Bun`, but both look like Node.
  if (bun !== undefined) return openBunSocket(target, handler);
  if (deno !== undefined) return openDenoSocket(target, handler);
  return openNodeSocket(target, handler);
}
