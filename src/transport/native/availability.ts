/**
 * Where the library `"native"` can run. Imports nothing, so that it can be asked anywhere.
 *
 * @module
 */

/** The runtimes' own globals, as far as they tell what runs here. */
export interface RuntimeGlobals {
  /** Deno's own interface. */
  readonly Deno?: { readonly connect?: unknown };
  /** Bun's own interface. */
  readonly Bun?: { readonly connect?: unknown };
  /** Node's process, which others have too. */
  readonly process?: { readonly versions?: { readonly node?: string } };
  /** Names workerd. */
  readonly navigator?: { readonly userAgent?: string };
}

/**
 * Why the library `"native"` can't run here, as a sentence for
 * {@linkcode WebSocketLibraryUnavailableError}; `undefined` on Deno, Bun and Node, where it can.
 */
export function nativeUnavailableReason(runtime: RuntimeGlobals = globalThis): string | undefined {
  const { Deno, Bun, process, navigator } = runtime;
  // workerd with its Node compatibility looks like Node; this library does not run there.
  const workerd = navigator?.userAgent === "Cloudflare-Workers";
  if (Deno?.connect !== undefined || Bun?.connect !== undefined) return undefined;
  if (process?.versions?.node !== undefined && !workerd) return undefined;
  return 'it needs the raw sockets of Deno, Bun or Node; use "builtin" on other runtimes';
}
