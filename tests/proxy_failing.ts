/**
 * What the tests of failing proxies share: how to connect through one, and what every error must be like.
 *
 * @module
 */

import { inspect } from "node:util";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type Connection, type ConnectOptions, openConnection, ProxyConnectionError } from "@rawtick/binance/transport";
import { certificate, Recorder } from "./native_server.ts";
import { type ProxyPeer, RawProxy } from "./raw_proxy.ts";
import { until } from "./support.ts";

/** The authority of the tests. */
export const ca: readonly string[] = [certificate("ca.pem")];
/** The password, which no error may show. */
export const SECRET = "s3cr.t";
/** The credentials as they go over the wire. */
export const BASIC: string = btoa(`me:${SECRET}`);

/** What a proxy does with each client. */
export type Talk = (peer: ProxyPeer, proxy: RawProxy) => unknown;

/** The proxy's URL; with a login unless SOCKS4 or `isAnonymous`. */
export function urlOf(scheme: string, port: number, isAnonymous = false, host = "127.0.0.1"): string {
  const login = isAnonymous ? "" : scheme.startsWith("socks4") ? "me@" : `me:${SECRET}@`;
  return `${scheme}://${login}${host}:${port}`;
}

/** Opens a connection to port 9, where nobody listens: what goes around the proxy would be refused. */
export function open(
  scheme: string,
  port: number,
  options: ConnectOptions = {},
  isAnonymous = false,
): Promise<Connection> {
  return openConnection("native", "ws://127.0.0.1:9/path?listenKey=hidden", new Recorder(), {
    proxy: urlOf(scheme, port, isAnonymous),
    tls: { ca },
    handshakeTimeoutMs: 5_000,
    ...options,
  });
}

/** Everything that an error shows, its causes included, must be free of the password. */
export function assertKeepsSecret(error: unknown): void {
  const shown: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    shown.push(at.message, String(at.stack), inspect(at, { depth: 9, showHidden: true }), JSON.stringify(at));
  }
  const runtime = globalThis as { Deno?: { inspect?: (value: unknown) => string } }; // Bun has no types of Deno
  shown.push(runtime.Deno?.inspect?.(error) ?? "");
  for (const text of shown) {
    for (const secret of [SECRET, BASIC, "listenKey"]) assert(!text.includes(secret), `it shows ${secret}: ${text}`);
  }
}

/** What a proxy that talks like this leads to: the error, after nothing was left at the proxy. */
export async function failure(
  scheme: string,
  talk: Talk,
  options: ConnectOptions = {},
  isAnonymous = false,
): Promise<ProxyConnectionError> {
  await using proxy = await RawProxy.start(talk, scheme === "https" ? "localhost" : undefined);
  const startedAt = performance.now();
  const error = await assertRejects(() => open(scheme, proxy.port, options, isAnonymous), ProxyConnectionError);
  assert(performance.now() - startedAt < 4_000, "it waited for the timeout");
  assertEquals(error.code, "PROXY_CONNECTION_FAILED");
  assertEquals(error.proxy, urlOf(scheme, proxy.port, isAnonymous).replace(SECRET, "***"));
  assertStringIncludes(error.message, `through the proxy ${error.proxy}: `);
  assertKeepsSecret(error);
  await until(() => proxy.connections === 0, `nothing left after ${error.message}`);
  assertEquals(proxy.taken, 1);
  return error;
}

/** Answers a CONNECT with bytes, cut at the offsets. */
export const http = (reply: string, ...cuts: readonly number[]) => async (peer: ProxyPeer): Promise<void> => {
  await peer.readUntil("\r\n\r\n");
  await peer.write(reply, ...cuts);
};
