/**
 * The real proxies, from Debian's packages: what each is started with. All listen on 127.0.0.1 and connect to targets
 * from 127.0.0.2, so that the exchange can tell who comes through a proxy from who comes directly.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../tools/runtimes.ts";
import { run } from "../../tools/process.ts";
import { type Daemon, isRoot, startDaemon } from "./daemon.ts";

/** The address that the proxies connect from. */
export const PROXY_ADDRESS = "127.0.0.2";

/** A user name and a password. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The programs, by the name of their file, and the Debian packages that they are in. */
export const PACKAGES = {
  danted: "dante-server",
  microsocks: "microsocks",
  tinyproxy: "tinyproxy",
  squid: "squid",
  stunnel4: "stunnel4",
} as const;

/** A program that is a proxy. */
export type ProgramName = keyof typeof PACKAGES;

/** Path of a program; also in the folder of system programs, which is not on every PATH. */
export function pathOf(name: ProgramName): string | undefined {
  const system = join("/usr/sbin", name);
  return findProgram(name) ?? (existsSync(system) ? system : undefined);
}

function programNamed(name: ProgramName): string {
  const path = pathOf(name);
  if (path === undefined) throw new Error(`Cannot find ${name}: install the package ${PACKAGES[name]}`);
  return path;
}

const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;

/** Dante: SOCKS4 and SOCKS5 without a login. It takes any user name of SOCKS4, and knows no SOCKS4a. */
export function startDante(): Promise<Daemon> {
  const everywhere = "from: 127.0.0.0/8 to: 0.0.0.0/0";
  return startDaemon({
    ports: 1,
    files: ([port]) => ({
      "danted.conf": lines(
        "logoutput: stderr",
        `internal: 127.0.0.1 port = ${port}`,
        `external: ${PROXY_ADDRESS}`,
        "clientmethod: none",
        "socksmethod: none",
        ...(isRoot ? ["user.privileged: root", "user.unprivileged: nobody"] : []),
        `client pass { ${everywhere} }`,
        `socks pass { ${everywhere} }`,
      ),
    }),
    command: (_, folder) => [programNamed("danted"), "-f", join(folder, "danted.conf"), "-p", join(folder, "pid")],
  });
}

/** microsocks: SOCKS5 with a login. */
export function startMicrosocks({ username, password }: Credentials): Promise<Daemon> {
  return startDaemon({
    ports: 1,
    files: () => ({}),
    command: ([port]) => [
      ...[programNamed("microsocks"), "-i", "127.0.0.1", "-p", `${port}`],
      ...["-b", PROXY_ADDRESS, "-u", username, "-P", password],
    ],
  });
}

/** tinyproxy: CONNECT, and Basic credentials if there are some. Its configuration has no way to quote a password. */
export function startTinyproxy(credentials: Credentials | undefined): Promise<Daemon> {
  return startDaemon({
    ports: 1,
    files: ([port]) => ({
      "tinyproxy.conf": lines(
        `Port ${port}`,
        "Listen 127.0.0.1",
        `Bind ${PROXY_ADDRESS}`,
        "Allow 127.0.0.1",
        "LogLevel Warning",
        ...(isRoot ? ["User nobody", "Group nogroup"] : []),
        ...(credentials === undefined ? [] : [`BasicAuth ${credentials.username} ${credentials.password}`]),
      ),
    }),
    command: (_, folder) => [programNamed("tinyproxy"), "-d", "-c", join(folder, "tinyproxy.conf")],
  });
}

/** Squid: CONNECT without a login on its first port, with Basic credentials on its second. */
export async function startSquid({ username, password }: Credentials): Promise<Daemon> {
  const helper = "/usr/lib/squid/basic_ncsa_auth";
  const { code, stdout, stderr } = await run(["openssl", "passwd", "-apr1", password]);
  if (code !== 0) throw new Error(`Cannot make a password file for squid: ${stderr.trim()}`);
  return await startDaemon({
    ports: 2,
    files: ([open, login], folder) => ({
      passwords: `${username}:${stdout.trim()}\n`,
      "squid.conf": lines(
        `http_port 127.0.0.1:${open} name=open`,
        `http_port 127.0.0.1:${login} name=login`,
        "pid_filename none",
        "cache_log /dev/null",
        "access_log none",
        "cache deny all",
        "netdb_filename none",
        "pinger_enable off",
        "shutdown_lifetime 0 seconds",
        `coredump_dir ${folder}`,
        `tcp_outgoing_address ${PROXY_ADDRESS}`,
        `auth_param basic program ${helper} ${join(folder, "passwords")}`,
        "auth_param basic children 1 startup=1",
        "acl open myportname open",
        "acl known proxy_auth REQUIRED",
        "http_access allow open",
        "http_access allow known",
        "http_access deny all",
      ),
    }),
    // Its name is that of its shared memory, which every other squid would use too.
    command: (
      [open],
      folder,
    ) => [programNamed("squid"), "-N", "-n", `rawtick${open}`, "-f", join(folder, "squid.conf")],
  });
}

/** stunnel: TLS in front of another proxy. */
export function startStunnel(certificate: string, key: string, upstreamPort: number): Promise<Daemon> {
  return startDaemon({
    ports: 1,
    files: ([port]) => ({
      "stunnel.conf": lines(
        "foreground = yes",
        "pid =",
        "syslog = no",
        "debug = err",
        "[proxy]",
        `accept = 127.0.0.1:${port}`,
        `connect = 127.0.0.1:${upstreamPort}`,
        `cert = ${certificate}`,
        `key = ${key}`,
      ),
    }),
    command: (_, folder) => [programNamed("stunnel4"), join(folder, "stunnel.conf")],
  });
}
