/**
 * The network that is measured on: a network namespace of the benchmark's own, where the system has them.
 *
 * Loopback obeys TCP's congestion control too, and BBR, which many servers have as default, paces the sender: then it is
 * the server that is measured (seen: 10 instead of 26 million messages a second into the same bare reader). No runtime
 * lets a socket choose its congestion control or, but for Python, its receive buffer; a namespace has its own defaults.
 *
 * @module
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { passThrough, ROOT, run } from "../tools/process.ts";
import { findProgram } from "../tools/runtimes.ts";
import { denoArguments } from "./sides.ts";

/** Set in the environment of the benchmark that runs in its own network. */
const MARK = "RAWTICK_BENCH_OWN_NETWORK";
/** It does not pace, and every system has it and allows it. */
const CONGESTION_CONTROL = "reno";
const SYSCTL = "/proc/sys/net/ipv4";

/** Whether this process runs in a network of its own. */
export const isOwnNetwork: boolean = process.env[MARK] !== undefined;

/** The congestion control of this process' network; undefined where it can't be read. */
export function congestionControl(): string | undefined {
  const file = join(SYSCTL, "tcp_congestion_control");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

/**
 * Runs a benchmark again in a network of its own.
 *
 * @param file Its script in `bench/`.
 * @param rcvbuf SO_RCVBUF in bytes that all sockets there get; undefined for the system's own.
 * @returns Its exit code; undefined if there can be no such network, or this is it already.
 */
export async function runInOwnNetwork(
  file: string,
  args: readonly string[],
  rcvbuf: number | undefined,
): Promise<number | undefined> {
  if (isOwnNetwork || process.platform !== "linux" || findProgram("unshare") === undefined) return undefined;
  const set = (name: string, value: string) => `echo ${value} > ${SYSCTL}/${name}`;
  // Like setsockopt, which doubles its value for the kernel's own use, and ends the growing of the window.
  const window = rcvbuf === undefined ? [] : [set("tcp_rmem", `4096 ${2 * rcvbuf} ${2 * rcvbuf}`)];
  const prepare = ["ip link set lo up", set("tcp_congestion_control", CONGESTION_CONTROL), ...window].join(" && ");
  // Without root, a namespace of users makes it possible where the system allows that.
  for (const unshare of [["unshare", "--net"], ["unshare", "--map-root-user", "--net"]]) {
    const inside = [...unshare, "sh", "-c", `${prepare} && exec "$@"`, "sh"];
    const outcome = await run([...inside, "true"], { limitMs: 10_000 });
    if (outcome.code !== 0) continue;
    const script = join(ROOT, "bench", file);
    const runtime = process.versions["bun"] === undefined ? denoArguments() : [];
    return await passThrough([...inside, "env", `${MARK}=1`, process.execPath, ...runtime, script, ...args]);
  }
  return undefined;
}
