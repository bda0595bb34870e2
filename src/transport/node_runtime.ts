/**
 * Whether this is Node, which has what its name stands for: headers in its WebSocket, raw sockets. Imports nothing, so
 * that it can be asked anywhere.
 *
 * @module
 */

/** The runtimes' own globals, as far as they tell. */
export interface NodeGlobals {
  readonly Deno?: unknown;
  readonly Bun?: unknown;
  /** Node's process, which others have too. */
  readonly process?: { readonly versions?: { readonly node?: string } };
  /** Names workerd. */
  readonly navigator?: { readonly userAgent?: string };
}

/**
 * Whether it is Node itself. Deno, Bun and workerd have its `process` too, workerd by default for workers with a
 * compatibility date from 2026-08-04 on, but neither its WebSocket nor its settings.
 */
export function isNode({ Deno, Bun, process, navigator }: NodeGlobals = globalThis as NodeGlobals): boolean {
  // The cast above: no runtime's types know the other runtimes' globals.
  return process?.versions?.node !== undefined && Deno === undefined && Bun === undefined &&
    navigator?.userAgent !== "Cloudflare-Workers";
}
