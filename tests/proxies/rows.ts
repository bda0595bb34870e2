/**
 * The rows of the matrix: which proxy, with which credentials, and what has to come of it.
 *
 * @module
 */

import type { Command } from "./client_protocol.ts";
import type { Scheme, Station } from "./stations.ts";

/** What a row is about. */
export type Login = "none" | "user" | "user:password" | "wrong";

/** One row. */
export interface Row {
  readonly scheme: Scheme;
  readonly login: Login;
  /** Words beside them, such as `through the manager`; `""` for none. */
  readonly how: string;
  readonly station: Station;
  readonly proxy: string;
  readonly door: Command["door"];
  readonly env: Command["env"];
  /** Credentials that nobody but the proxy may see. */
  readonly username: string;
  readonly password: string;
  /** The error that has to come, if it may not work. */
  readonly refusal: { readonly code: string; readonly stage?: string } | undefined;
}

const REJECTED = { code: "PROXY_CONNECTION_FAILED", stage: "auth" } as const;
const PASSWORD = "s:E/c@r%e?t#4711+é";

/** All rows, in the order of the schemes. */
export function rowsOf(stations: readonly Station[]): Row[] {
  return [
    ...stations.flatMap((station) => {
      const rows = [plain(station, "")];
      const { scheme, credentials, checks } = station;
      if (credentials !== undefined && checks) rows.push(wrong(station));
      if (credentials !== undefined && scheme.startsWith("socks4")) rows.push(withPassword(station));
      return rows;
    }),
    ...(["http", "socks5h"] as const).flatMap((scheme) => {
      const station = stations.find((one) => one.scheme === scheme && one.credentials !== undefined);
      if (station === undefined) return [];
      return [{ ...plain(station, "by the manager"), door: "manager" as const }, fromEnvironment(station)];
    }),
  ];
}

function plain(station: Station, how: string): Row {
  const { scheme, credentials } = station;
  const { username = "", password = "" } = credentials ?? {};
  const login = credentials === undefined ? "none" : password === "" ? "user" : "user:password";
  const proxy = urlOf(station, username, password);
  return { scheme, login, how, station, proxy, door: "connection", env: {}, username, password, refusal: undefined };
}

/** A login that the proxy does not know. */
function wrong(station: Station): Row {
  const username = station.credentials?.password === "" ? "unknown-4711" : station.credentials?.username ?? "";
  const password = station.credentials?.password === "" ? "" : PASSWORD.toUpperCase();
  const proxy = urlOf(station, username, password);
  return { ...plain(station, ""), login: "wrong", proxy, username, password, refusal: REJECTED };
}

/** SOCKS4 has a user name only. */
function withPassword(station: Station): Row {
  const username = station.credentials?.username ?? "";
  const proxy = urlOf(station, username, PASSWORD);
  const refusal = { code: "INVALID_PROXY_URL" };
  return { ...plain(station, ""), login: "user:password", proxy, username, password: PASSWORD, refusal };
}

/** `proxy: "env"`, and the environment of the process names the proxy. */
function fromEnvironment(station: Station): Row {
  const row = plain(station, `by "env"`);
  const lower = ["http_proxy", "https_proxy", "ws_proxy", "wss_proxy", "all_proxy", "no_proxy"];
  const names = [...lower, ...lower.map((name) => name.toUpperCase())];
  const unset = Object.fromEntries(names.map((name) => [name, null]));
  return { ...row, proxy: "env", env: { ...unset, WSS_PROXY: row.proxy, ALL_PROXY: row.proxy } };
}

function urlOf({ scheme, address }: Station, username: string, password: string): string {
  const words = [username, password].filter((word) => word !== "").map(encodeURIComponent).join(":");
  return `${scheme}://${words === "" ? "" : `${words}@`}${address}`;
}
