/**
 * Where the library `"native"` can run. Imports nothing but who this is, so that it can be asked anywhere.
 *
 * @module
 */

import { isNode, type NodeGlobals } from "../node_runtime.ts";

/** The runtimes' own globals, as far as they tell what runs here. */
export interface RuntimeGlobals extends NodeGlobals {
  /** Deno's own interface. */
  readonly Deno?: { readonly connect?: unknown };
  /** Bun's own interface. */
  readonly Bun?: { readonly connect?: unknown };
}

/**
 * Why the library `"native"` can't run here, as a sentence for
 * {@linkcode WebSocketLibraryUnavailableError}; `undefined` on Deno, Bun and Node, where it can.
 */
export function nativeUnavailableReason(runtime: RuntimeGlobals = globalThis): string | undefined {
  if (runtime.Deno?.connect !== undefined || runtime.Bun?.connect !== undefined || isNode(runtime)) return undefined;
  return 'it needs the raw sockets of Deno, Bun or Node; use "builtin" on other runtimes';
}
