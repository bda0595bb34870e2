/**
 * What the tests of library "builtin" through proxies share: every kind of proxy with credentials that are hard to carry,
 * an exchange that sees every byte, and the proof that nothing is left.
 *
 * @module
 */

import { existsSync, readdirSync, readlinkSync } from "node:fs";
import type { Socket } from "node:net";
import { type LocalProxy, type LocalProxyOptions, startLocalProxy } from "@rawtick/binance/testing";
import { type Connection, type ConnectOptions, openConnection } from "@rawtick/binance/transport";
import { certificate, type Recorder, TestServer } from "./native_server.ts";
import { until } from "./support.ts";

/** The authority that has signed the tests' certificates. */
export const ca: string[] = [certificate("ca.pem")];
export const TIMEOUT: { timeout: number } = { timeout: 30_000 };
export const PATH = "/ws/btcusdt@trade?key=a%20b";
export const NO_MASK: { mask: boolean } = { mask: false };
/** Characters that a URL, HTTP and Basic treat in a special way. */
export const LOGIN: { username: string; password: string } = { username: "us er%/?#@ü", password: "p:a@ss/%?#é" };

export const schemes: readonly LocalProxyOptions[] = [
  { scheme: "http", ...LOGIN },
  { scheme: "https", ...LOGIN, tls: { cert: certificate("localhost.pem"), key: certificate("localhost.key") } },
  { scheme: "socks4", username: LOGIN.username },
  { scheme: "socks4a", username: LOGIN.username },
  { scheme: "socks5", ...LOGIN },
  { scheme: "socks5h", ...LOGIN },
];

/** What the exchange must not see in any spelling. */
export const secrets: string[] = [LOGIN.username, LOGIN.password, `${LOGIN.username}:${LOGIN.password}`].flatMap(
  (text) => {
    const bytes = new TextEncoder().encode(text);
    return [text, encodeURIComponent(text), btoa(String.fromCharCode(...bytes)).replace(/=+$/, "")];
  },
);

/** A server that writes down every byte of the clients, and does with them what a test says. */
export async function startWiretap(secure: boolean, answer: (head: string, socket: Socket) => void) {
  let seen = "";
  const server = await TestServer.start({
    ...(secure ? { certificate: "localhost" } : {}),
    connected(socket) {
      let head: string | undefined = "";
      socket.on("data", (chunk) => {
        seen += chunk.toString("utf8");
        if (head === undefined) return;
        head += chunk.toString("latin1");
        if (!head.includes("\r\n\r\n")) return;
        answer(head, socket);
        head = undefined;
      });
    },
  });
  return { server, seen: () => seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** The sockets that this process holds, or `undefined` where that can't be seen. */
export function openSockets(): number | undefined {
  if (!existsSync("/proc/self/fd")) return undefined;
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      return false; // the directory's own descriptor
    }
  }).length;
}

/** Opens with the library "builtin". */
export function open(url: string, recorder: Recorder, options: ConnectOptions): Promise<Connection> {
  return openConnection("builtin", url, recorder, options);
}

/** Fails unless everything that `run` opens is gone after it. */
export async function leavesNothing(run: (proxy: LocalProxy) => Promise<void>): Promise<void> {
  await using proxy = await startLocalProxy({ scheme: "http", ...LOGIN });
  const before = openSockets();
  await run(proxy);
  await until(() => proxy.connections === 0 && proxy.openTunnels === 0, "the proxy has no connection");
  await until(() => (openSockets() ?? 0) <= (before ?? 0), `at most ${before} sockets, as before`);
}
