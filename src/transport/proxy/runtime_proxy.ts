/**
 * Whether the runtime's own WebSocket and `fetch` take a proxy from the environment that nobody asked for.
 *
 * @module
 */

import { isNode } from "../node_runtime.ts";

/** The variables that runtimes obey; they are looked at in both spellings. */
const OBEYED = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** What is used of the runtimes' globals. */
export interface ProxyGlobals {
  readonly Bun?: unknown;
  readonly Deno?: {
    readonly permissions: {
      querySync(
        descriptor: { readonly name: "env"; readonly variable: string } | {
          readonly name: "net";
          readonly host: string;
        },
      ): { readonly state: string };
    };
  };
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly execArgv?: readonly string[];
    readonly versions?: { readonly node?: string };
  };
  readonly navigator?: { readonly userAgent?: string };
}

/** Whether a bridge may listen on loopback, as far as permissions go; where it may not, Deno ends the process for the try. */
export function mayListen({ Deno }: ProxyGlobals = globalThis as ProxyGlobals): boolean {
  return Deno === undefined || Deno.permissions.querySync({ name: "net", host: "127.0.0.1" }).state === "granted";
}

/** What the runtime would do by itself. */
export interface OwnProxy {
  /** Why it would, or may, take a proxy; a clause for an error message. */
  readonly reason: string;
  /** What keeps it from that for sure. */
  readonly expected: string;
  /** Whether a bridge on loopback keeps it from that. */
  readonly canBeBypassed: boolean;
}

/**
 * What would lead the runtime's own WebSocket, or its `fetch`, through a proxy of the environment. Deno's obey the
 * variables, Bun's `fetch` does, Node's do when told so; `NO_PROXY` is not looked at, since every runtime reads it in
 * its own way.
 */
export function ownProxy(
  user: "WebSocket" | "fetch",
  // The cast: no runtime's types know the other runtimes' globals.
  globals: ProxyGlobals = globalThis as ProxyGlobals,
): OwnProxy | undefined {
  const { Bun, Deno, process } = globals;
  if (isNode(globals)) {
    const { env = {}, execArgv = [] } = process ?? {};
    const isTold = env["NODE_USE_ENV_PROXY"] === "1" ||
      [...execArgv, env["NODE_OPTIONS"] ?? ""].some((text) => text.includes("--use-env-proxy"));
    return isTold && OBEYED.some((name) => env[name])
      ? {
        reason: "Node was told to use the proxies of the environment (NODE_USE_ENV_PROXY)",
        expected: "Node not to be told so",
        canBeBypassed: false,
      }
      : undefined;
  }
  if (Deno === undefined && (Bun === undefined || user === "WebSocket")) return undefined;
  const runtime = Deno === undefined ? "Bun" : "Deno";
  for (const variable of OBEYED) {
    const reason = `${runtime}'s ${user} obeys the environment variable ${variable}`;
    // Where it is not allowed, reading would throw, or ask the user at the terminal.
    if (Deno !== undefined && Deno.permissions.querySync({ name: "env", variable }).state !== "granted") {
      return {
        reason: `${reason}, which may be set`,
        expected: "the permission --allow-env to see that it is not",
        canBeBypassed: true,
      };
    }
    if (process?.env?.[variable]) return { reason, expected: `${variable} unset`, canBeBypassed: true };
  }
  return undefined;
}
