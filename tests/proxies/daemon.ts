/**
 * Runs a proxy's program as long as this process lives, and not a moment longer: it ends, and its folder is removed,
 * when it is told to and also when this process is killed.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Longest time in ms that a program may need until it listens. */
const START_MS = 15_000;
const ATTEMPTS = 3;

/** A running program. */
export interface Daemon extends AsyncDisposable {
  /** The ports on 127.0.0.1 that it listens on. */
  readonly ports: readonly number[];
}

/** What stops each of the programs that run. */
const running = new Set<() => Promise<void>>();

/** Stops all programs that run. */
export async function stopDaemons(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/** What a program needs. */
export interface DaemonOptions {
  /** Number of ports that it listens on. */
  readonly ports: number;
  /** Its configuration files by name. */
  readonly files: (ports: readonly number[], folder: string) => Readonly<Record<string, string>>;
  /** Its command line. It must stay in the foreground and in its process group. */
  readonly command: (ports: readonly number[], folder: string) => readonly string[];
}

/** What the supervisor says when the program has ended. */
const ENDED = "ended by itself with";

/**
 * Our end of its standard input is closed by us, or by the system when we are gone: then everything in this process
 * group ends, in order if that takes less than 2 s.
 */
const SUPERVISOR = `
folder=$1; shift
{ trap : TERM; "$@" </dev/null; echo "${ENDED} $?"; } &
child=$!
cat >/dev/null
trap '' TERM
kill -TERM 0
tries=0
while kill -0 $child 2>/dev/null && [ $tries -lt 40 ]; do sleep 0.05; tries=$((tries + 1)); done
rm -rf "$folder"
kill -KILL 0
`;

/**
 * Starts a program and waits until it accepts connections.
 *
 * @throws {Error} if it does not within 15 s, with what it printed.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  for (let attempt = 1;; attempt++) {
    const ports = await freePorts(options.ports);
    try {
      return await start(options, ports);
    } catch (error) {
      // Somebody else may have taken a port in between.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function start(options: DaemonOptions, ports: readonly number[]): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), "rawtick-proxy-"));
  // Some of the programs read their files as a user of their own.
  chmodSync(folder, 0o755);
  for (const [name, content] of Object.entries(options.files(ports, folder))) {
    writeFileSync(join(folder, name), content, { mode: 0o644 });
  }
  const args = ["-c", SUPERVISOR, "sh", folder, ...options.command(ports, folder)];
  const child = spawn("/bin/sh", args, { stdio: ["pipe", "pipe", "pipe"], detached: true, cwd: folder });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (output += chunk));
  child.stdin.on("error", () => {});
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", (error) => {
      output += error.message;
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await exited;
    rmSync(folder, { recursive: true, force: true });
    running.delete(stop);
  };
  running.add(stop);
  try {
    const end = performance.now() + START_MS;
    for (const port of ports) {
      while (!await accepts(port)) {
        if (performance.now() > end || output.includes(ENDED)) throw new Error("It does not listen");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  } catch (error) {
    await stop();
    throw new Error(`Cannot start ${args.slice(4).join(" ")}: ${output.trim()}`, { cause: error });
  }
  return { ports, [Symbol.asyncDispose]: stop };
}

/** Whether something listens on a port. */
function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).then((result) => {
    socket.destroy();
    return result === true;
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address === "object" && address !== null) ports.push(address.port);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}

/** Whether this process may become another user, as a service does. */
export const isRoot: boolean = process.getuid?.() === 0;
