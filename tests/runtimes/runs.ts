/**
 * Runs the probes on each runtime: starts it, hands it the addresses of servers of its own, and collects the lines.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { run } from "../../tools/process.ts";
import { findRuntime } from "../../tools/runtimes.ts";
import { ROOT } from "../../tools/process.ts";
import { chromiumBinary, inChromium } from "../chromium/browser.ts";
import { servePage } from "../chromium/page_server.ts";
import { bundle } from "../../tools/bundle.ts";
import { certificate } from "../native_server.ts";
import { startWorkerd, workerdBinary } from "../workerd/workerd.ts";
import { FEATURES } from "./features.ts";
import { nodeCommand, OLDEST_NODE } from "./node.ts";
import type { Task } from "./places/process.ts";
import type { DoorName, Line, Verdict } from "./probe.ts";
import { startStation } from "./station.ts";

/** The runtimes of the table, in its order. */
export const RUNTIMES = ["deno", "bun", "node", "workerd", "chromium"] as const;

/** A runtime of the table. */
export type RuntimeName = typeof RUNTIMES[number];

/** The libraries of the table, in its order. */
export const LIBRARIES: readonly WebSocketLibrary[] = ["builtin", "native"];

/** What a runtime has said. */
export interface Run {
  readonly runtime: RuntimeName;
  /** Its name and version, such as `bun 1.4.5`. */
  readonly version: string;
  readonly lines: readonly Line[];
}

/** Longest time in ms of one process. */
const RUN_LIMIT_MS = 60_000;

/** What resolves the packages that the probes import: without JSR, the generated one. */
const CONFIG = join(ROOT, existsSync(join(ROOT, "deno.offline.json")) ? "deno.offline.json" : "deno.json");
const PLACES = new URL("places/", import.meta.url);
const PROCESS = fileURLToPath(new URL("process.ts", PLACES));
const AUTHORITY = fileURLToPath(new URL("../certs/ca.pem", import.meta.url));

/** Why a runtime can't be run, or undefined if it can; that Node isn't there shows only when it is wanted. */
export function missing(runtime: RuntimeName): string | undefined {
  if (runtime === "workerd" && workerdBinary() === undefined) {
    return "the npm package workerd has no binary that runs on this platform";
  }
  if (runtime === "chromium" && chromiumBinary() === undefined) {
    return "no Chromium is installed: Debian's package is chromium, another one's path goes into CHROMIUM";
  }
  return undefined;
}

/**
 * Runs all probes on a runtime.
 *
 * @param nodeMajor Which Node, if it is Node. Default: the oldest that is promised.
 * @throws {Error} if the runtime is not there, can't be fetched, or does not answer with every line.
 */
export async function runOn(runtime: RuntimeName, nodeMajor = OLDEST_NODE): Promise<Run> {
  const result =
    await (runtime === "workerd" ? onWorkerd() : runtime === "chromium" ? onChromium() : onProcess(runtime, nodeMajor));
  const lines = LIBRARIES.flatMap((library) =>
    FEATURES.map(({ id }) => {
      const found = result.lines.filter((line) => line.feature === id && line.library === library);
      if (found.length !== 1 || found[0] === undefined) {
        throw new Error(`${found.length} lines for ${id} with ${library} on ${runtime}`);
      }
      return found[0];
    })
  );
  return { runtime, version: result.version, lines };
}

async function onProcess(runtime: "deno" | "bun" | "node", nodeMajor: number): Promise<Omit<Run, "runtime">> {
  await using station = await startStation();
  await using command = runtime === "node" ? await nodeCommand(PROCESS, nodeMajor) : await commandOf(runtime);
  const lines: Line[] = [];
  for (const isTrusting of [false, true]) {
    const task: Task = { addresses: station.addresses, libraries: LIBRARIES, isTrusting };
    const { code, stdout, stderr, timedOut } = await run([...command.words, JSON.stringify(task)], {
      limitMs: RUN_LIMIT_MS,
      // Nothing between a library and the peer but what a probe puts there.
      env: { ...withoutProxies(), ...(isTrusting ? { DENO_CERT: AUTHORITY, NODE_EXTRA_CA_CERTS: AUTHORITY } : {}) },
    });
    if (code !== 0) {
      throw new Error(`${runtime} ${timedOut ? "did not end" : `ended with ${code}`}: ${stderr}${stdout}`);
    }
    for (const line of stdout.trim().split("\n")) lines.push(JSON.parse(line));
  }
  const { stdout } = await run([command.words[0] ?? "", "--version"]);
  const version = /\d+(\.\d+)+/.exec(stdout)?.[0] ?? "of an unknown version";
  return { version: `${runtime} ${version}`, lines };
}

/** Empty variables are none to every runtime. */
function withoutProxies(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => /^(https?|all|wss?)_proxy$/i.test(name));
  return Object.fromEntries(names.map((name) => [name, ""]));
}

async function commandOf(runtime: "deno" | "bun"): Promise<AsyncDisposable & { readonly words: readonly string[] }> {
  const binary = await findRuntime(runtime);
  const words = runtime === "bun"
    ? [binary, PROCESS]
    : [binary, "run", "-A", "--no-check", "--config", CONFIG, PROCESS];
  return { words, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** How workerd tells of a certificate that it has rejected, as it has to. */
const REJECTED_CERTIFICATE = /^\S+: error: .* TLS handshake failed: invalid peer certificate: .*\n(?:stack: .*\n)?/gm;

async function onWorkerd(): Promise<Omit<Run, "runtime">> {
  await using station = await startStation();
  const options = {
    entry: new URL("worker.ts", PLACES),
    durableObjects: { PROBES: "ProbesObject" },
    trustedCertificates: [station.addresses.ca],
  };
  await using workerd = await startWorkerd(options);
  const lines: Line[] = [];
  for (const library of LIBRARIES) {
    const answer = await workerd.json<Line[]>(`/?library=${library}`, {
      method: "POST",
      body: JSON.stringify(station.addresses),
      signal: AbortSignal.timeout(RUN_LIMIT_MS),
    });
    lines.push(...answer);
  }
  const errors = workerd.errors.replaceAll(REJECTED_CERTIFICATE, "");
  if (errors !== "") throw new Error(`workerd wrote to stderr:\n${errors}`);
  const { stdout } = await run([workerdBinary() ?? "", "--version"]);
  return { version: stdout.trim(), lines: lines.map(withBundling("esm")) };
}

async function onChromium(): Promise<Omit<Run, "runtime">> {
  await using station = await startStation();
  await using pages = await servePage(bundle(new URL("page.ts", PLACES), { format: "iife" }));
  return await inChromium(async (chromium) => {
    const page = await chromium.open(pages.url);
    const lines: Line[] = [];
    for (const library of LIBRARIES) {
      const call = `probe(${JSON.stringify(station.addresses)}, "${library}").then(JSON.stringify)`;
      lines.push(...JSON.parse(String(await page.evaluate(call))));
    }
    const version = (await chromium.version()).replace(/^\w+\//, "Chromium ");
    return { version, lines: lines.map(withBundling("iife")) };
  }, { trustedCertificates: [certificate("localhost.pem")] });
}

/** Doors that no probe can import at the edge, unless a bundler can make something of them, which is tried here. */
const OTHER_DOORS: Partial<Record<DoorName, string>> = {
  main: "../../mod.ts",
  transport: "../../src/transport/mod.ts",
  testing: "../../src/testing/mod.ts",
};

/** Says of these doors what the bundler says. */
function withBundling(format: "esm" | "iife"): (line: Line) => Line {
  const verdicts = new Map<string, Verdict>(
    Object.entries(OTHER_DOORS).map(([name, file]) => {
      try {
        bundle(new URL(file, import.meta.url), { format });
        throw new RangeError(`${file} can be bundled: its door needs a probe`);
      } catch (error) {
        if (!(error instanceof Error) || error instanceof RangeError) throw error;
        if (!/Could not resolve "(node:)?\w+"/.test(error.message)) throw error;
        return [`door-${name}`, { outcome: "no", why: "its modules of Node can't be bundled" } as const] as const;
      }
    }),
  );
  return (line) => ({ ...line, ...verdicts.get(line.feature) });
}
