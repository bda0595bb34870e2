/**
 * The proxies that the matrix goes through, each behind a relay that counts: real ones where they are installed, else
 * stand-ins.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type LocalProxyOptions, startLocalProxy } from "@rawtick/binance/testing";
import { USER } from "./client_protocol.ts";
import type { Daemon } from "./daemon.ts";
import {
  type Credentials,
  PACKAGES,
  pathOf,
  type ProgramName,
  PROXY_ADDRESS,
  startDante,
  startMicrosocks,
  startSquid,
  startStunnel,
  startTinyproxy,
} from "./programs.ts";
import { type Relay, startRelay } from "./relay.ts";

/** The schemes of the matrix. */
export const SCHEMES = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"] as const;

/** A scheme of the matrix. */
export type Scheme = typeof SCHEMES[number];

/** A proxy that can be gone through. */
export interface Station {
  readonly scheme: Scheme;
  /** What it is, such as `tinyproxy`. */
  readonly name: string;
  /** `127.0.0.1:port` of where clients connect to. */
  readonly address: string;
  /** What it asks for; SOCKS4 knows no password. */
  readonly credentials: Credentials | undefined;
  /** Whether it checks them. */
  readonly checks: boolean;
  /** Counts what comes to it. */
  readonly relay: Relay;
  /** Whether what the relay sees is not encrypted. */
  readonly readable: boolean;
}

/** All proxies of a run. */
export interface Stations extends AsyncDisposable {
  readonly all: readonly Station[];
  /** Which proxies are used and why, a line each. */
  readonly notes: readonly string[];
  /** Where connections through a proxy come from; `undefined` where that can't be told from a direct one. */
  readonly outgoing: string | undefined;
}

const certs = new URL("../certs/", import.meta.url);
const certificateFile = fileURLToPath(new URL("localhost.pem", certs));
const keyFile = fileURLToPath(new URL("localhost.key", certs));

/** What tinyproxy's configuration can hold. */
const PLAIN: Credentials = { username: USER, password: "sEcret-4711_word" };
/** With everything that has a meaning in a URL or in a Basic header. */
const RESERVED: Credentials = { username: USER, password: "s:E/c@r%e?t#4711+é" };
const NAME_ONLY: Credentials = { username: USER, password: "" };

/** Starts them. `onlyStandIns` leaves the real ones out. */
export async function startStations(onlyStandIns: boolean): Promise<Stations> {
  await using started = new AsyncDisposableStack();
  const outgoing = process.platform === "linux" ? PROXY_ADDRESS : undefined;
  const all: Station[] = [];
  const notes: string[] = [];

  /** Starts real programs; `undefined`, and a note that says why, if that can't be. */
  const real = async (
    forWhat: string,
    programs: readonly ProgramName[],
    start: () => Promise<readonly Daemon[]>,
  ): Promise<number[] | undefined> => {
    const missing = programs.filter((name) => pathOf(name) === undefined).map((name) => PACKAGES[name]);
    let reason = onlyStandIns ? "asked for" : missing.length > 0 ? `not installed: ${missing.join(", ")}` : undefined;
    if (outgoing === undefined) reason ??= `${PROXY_ADDRESS} is no address of this system`;
    try {
      const daemons = reason === undefined ? await start() : [];
      if (reason === undefined) notes.push(`${forWhat}: ${programs.join(" + ")}`);
      for (const daemon of daemons) started.use(daemon);
      if (reason === undefined) return daemons.flatMap(({ ports }) => ports);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    notes.push(`${forWhat}: stand-in, ${reason}`);
    return undefined;
  };
  const relayTo = async (port: number): Promise<Relay> => started.use(await startRelay(port));
  const add = async (
    schemes: readonly Scheme[],
    name: string,
    port: number,
    credentials: Credentials | undefined,
    checks = credentials !== undefined,
  ): Promise<void> => {
    const relay = await relayTo(port);
    for (const scheme of schemes) {
      const address = `127.0.0.1:${relay.port}`;
      all.push({ scheme, name, address, credentials, checks, relay, readable: scheme !== "https" });
    }
  };
  const standIn = async (schemes: readonly [Scheme, ...Scheme[]], credentials?: Credentials): Promise<void> => {
    const [scheme] = schemes;
    const options: LocalProxyOptions = {
      scheme,
      ...(credentials?.password ? credentials : credentials && { username: credentials.username }),
      ...(scheme === "https"
        ? { tls: { cert: readFileSync(certificateFile, "utf8"), key: readFileSync(keyFile, "utf8") } }
        : {}),
      ...(outgoing === undefined ? {} : { localAddress: outgoing }),
    };
    const proxy = started.use(await startLocalProxy(options));
    await add(schemes, "stand-in", proxy.port, credentials);
  };

  const dante = await real("socks4, socks5 and socks5h without a login", ["danted"], async () => [await startDante()]);
  if (dante !== undefined) {
    const [port = 0] = dante;
    await add(["socks4", "socks5", "socks5h"], "dante", port, undefined);
    // It lets everybody in; that the user name comes to it is seen by the relay.
    await add(["socks4"], "dante", port, NAME_ONLY, false);
  } else {
    await standIn(["socks4"]);
    await standIn(["socks5", "socks5h"]);
    await standIn(["socks4"], NAME_ONLY);
  }
  notes.push("socks4a: stand-in, which none of the real ones knows (dante takes its 0.0.0.x for an address)");
  await standIn(["socks4a"]);
  await standIn(["socks4a"], NAME_ONLY);
  const microsocks = await real(
    "socks5 and socks5h with a login",
    ["microsocks"],
    async () => [await startMicrosocks(RESERVED)],
  );
  if (microsocks !== undefined) await add(["socks5", "socks5h"], "microsocks", microsocks[0] ?? 0, RESERVED);
  else await standIn(["socks5", "socks5h"], RESERVED);

  const tinyproxy = await real(
    "http",
    ["tinyproxy"],
    async () => [await startTinyproxy(undefined), await startTinyproxy(PLAIN)],
  );
  // The relays are behind the TLS, where they can read.
  const relays = tinyproxy === undefined ? [] : [await relayTo(tinyproxy[0] ?? 0), await relayTo(tinyproxy[1] ?? 0)];
  const stunnel = await real(
    "https",
    ["stunnel4", "tinyproxy"],
    () => {
      if (relays.length === 0) throw new Error("tinyproxy did not start");
      return Promise.all(relays.map(({ port }) => startStunnel(certificateFile, keyFile, port)));
    },
  );
  for (const [index, credentials] of [undefined, PLAIN].entries()) {
    if (tinyproxy !== undefined) await add(["http"], "tinyproxy", tinyproxy[index] ?? 0, credentials);
    else await standIn(["http"], credentials && RESERVED);
    const relay = relays[index];
    if (stunnel !== undefined && relay !== undefined) {
      const address = `127.0.0.1:${stunnel[index]}`;
      const checks = credentials !== undefined;
      all.push({ scheme: "https", name: "stunnel + tinyproxy", address, credentials, checks, relay, readable: true });
    } else await standIn(["https"], credentials && RESERVED);
  }
  // Squid takes the passwords that tinyproxy can't; a stand-in for tinyproxy has taken them already.
  if (tinyproxy !== undefined) {
    const squid = await real("http once more", ["squid"], async () => [await startSquid(RESERVED)]);
    if (squid !== undefined) {
      await add(["http"], "squid", squid[0] ?? 0, undefined);
      await add(["http"], "squid", squid[1] ?? 0, RESERVED);
    } else await standIn(["http"], RESERVED);
  }

  const resources = started.move();
  return { all, notes, outgoing, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
