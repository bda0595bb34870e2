/**
 * One measurement of a tap: three processes are started, connected, measured and ended.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "../../tools/process.ts";
import { findRuntime, type Runtime } from "../../tools/runtimes.ts";
import { withManyFiles } from "../server_process.ts";
import { denoArguments } from "../sides.ts";
import { Asked, coresBetween } from "./asking.ts";
import type { ClientFormat, ClientsReport, ClientsSettings } from "./clients.ts";
import type { Quantiles } from "./histogram.ts";
import type { Options } from "./options.ts";
import type { TapReport, TapSettings } from "./server.ts";
import type { UpstreamReport, UpstreamSettings } from "./upstream.ts";

/** What was measured. */
export interface Round {
  readonly runtime: Runtime;
  readonly format: ClientFormat;
  readonly clients: number;
  readonly stuck: number;
  readonly churn: number;
  /** Messages per second that the exchange has sent, and the clients have got together. */
  readonly upstreamRate: number;
  readonly clientRate: number;
  /** Clients with every message in order. */
  readonly complete: number;
  /** Events that those who read were told that they have missed. */
  readonly dropped: number;
  readonly signals: number;
  /** Clients that the tap has disconnected since they took nothing. */
  readonly ended: number;
  /** Times that a client left and came back. */
  readonly returns: number;
  /** Connections that the tap made to the exchange. */
  readonly connections: number;
  /** From the exchange's sending to a client, in µs: through the tap, and of one client without a tap. */
  readonly latency: Quantiles;
  readonly direct: Quantiles;
  /** Parts of a core. */
  readonly tapCpu: number;
  readonly clientsCpu: number;
  readonly upstreamCpu: number;
  /** Resident memory of the tap in bytes: without clients, after garbage collection; with them, at the end of the measurement;
   * with them, after garbage collection; the most that it ever had; after they have gone. */
  readonly rssBefore: number;
  readonly rssBusy: number;
  readonly rssWith: number;
  readonly rssPeak: number;
  readonly rssAfter: number;
  /** Memory of TCP in the kernel at the end of the measurement, in bytes, of all processes; NaN where it is not told. */
  readonly kernelBuffers: number;
  /** Reads of one client per second: about as many as the tap writes. */
  readonly readRate: number;
  /** Part of the reads that brought bytes that another client had just got: how cheap the clients were. */
  readonly knownReads: number;
  readonly problems: readonly string[];
}

/** How long the clients may take in ms for the last messages. */
const END_MS = 5_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The command that runs a script of the benchmark. */
async function commandOf(runtime: Runtime, file: string, flags: readonly string[] = []): Promise<readonly string[]> {
  const program = await findRuntime(runtime);
  const script = join(ROOT, "bench", "tap", file);
  return withManyFiles(
    runtime === "bun"
      ? [program, ...flags, script]
      : [program, ...denoArguments("--v8-flags=--expose-gc", ...flags), script],
  );
}

/** Measures one side once. */
export async function measure(options: Options, runtime: Runtime, format: ClientFormat): Promise<Round> {
  const { clients: count, stuck, churn, rate, seconds, warmup, library, tapFlags } = options;
  const port = { port: 0 };
  const upstreamSettings: UpstreamSettings = { rate };
  using upstream = await Asked.start<typeof port>("upstream", await commandOf("bun", "upstream.ts"), upstreamSettings);
  const upstreamPort = upstream.first.port;
  // Those who come back may be there before they are gone.
  const tapSettings: TapSettings = { upstreamPort, library, maxClients: count + stuck + 1_000 };
  using tap = await Asked.start<typeof port>("tap", await commandOf(runtime, "server.ts", tapFlags), tapSettings);
  const clientsSettings: ClientsSettings = { tapPort: tap.first.port, upstreamPort, format };
  using clients = await Asked.start("clients", await commandOf("bun", "clients.ts"), clientsSettings);
  const askAll = () =>
    Promise.all([
      tap.ask<TapReport>({ ask: "usage" }),
      clients.ask<ClientsReport>({ ask: "usage" }),
      upstream.ask<UpstreamReport>({ ask: "usage" }),
    ]);

  const { rss: rssBefore } = await tap.ask<TapReport>({ ask: "collect" });
  await clients.ask({ ask: "open", count });
  if (stuck > 0) await clients.ask({ ask: "open stuck", count: stuck });
  if (churn > 0) await clients.ask({ ask: "churn", count: churn });
  await pause(warmup * 1000);

  await clients.ask({ ask: "begin" });
  const before = await askAll();
  await pause(seconds * 1000);
  const after = await askAll();
  const kernelBuffers = kernelBytes();

  if (churn > 0) await clients.ask({ ask: "churn", count: 0 });
  const { rss: rssWith, statistics } = await tap.ask<TapReport>({ ask: "collect" });
  const { connections } = await upstream.ask<UpstreamReport>({ ask: "pause" });
  // Until everybody has everything.
  let final = await clients.ask<ClientsReport>({ ask: "usage" });
  for (const end = performance.now() + END_MS; final.complete < count && performance.now() < end;) {
    await pause(100);
    final = await clients.ask<ClientsReport>({ ask: "usage" });
  }
  const rssPeak = peakOf(tap.pid);
  await clients.ask({ ask: "close" });
  await pause(500);
  const { rss: rssAfter, statistics: { clients: left } } = await tap.ask<TapReport>({ ask: "collect" });
  await tap.end();

  const ms = after[1].at - before[1].at;
  const problems = [...final.problems];
  if (final.complete < count) problems.push(`${count - final.complete} clients do not have every message in order`);
  if (connections !== 1) problems.push(`the tap has made ${connections} connections to the exchange`);
  if (statistics.clients + statistics.stuckClients < count + stuck) {
    problems.push(`${statistics.clients} were connected`);
  }
  if (left > 0) problems.push(`the tap did not notice that ${left} clients have gone`);
  return {
    runtime,
    format,
    clients: count,
    stuck,
    churn,
    upstreamRate: (after[2].lastTrade - before[2].lastTrade) / (after[2].at - before[2].at) * 1000,
    clientRate: (after[1].trades - before[1].trades) / ms * 1000,
    complete: final.complete,
    dropped: final.dropped,
    signals: final.signals,
    ended: statistics.stuckClients,
    returns: final.returns,
    connections,
    latency: after[1].latency,
    direct: after[1].direct,
    tapCpu: coresBetween(before[0], after[0]),
    clientsCpu: coresBetween(before[1], after[1]),
    upstreamCpu: coresBetween(before[2], after[2]),
    rssBefore,
    rssBusy: after[0].rss,
    rssWith,
    rssPeak,
    rssAfter,
    kernelBuffers,
    readRate: after[1].reads / count / ms * 1000,
    knownReads: after[1].known,
    problems,
  };
}

/** The most resident memory that a process had; NaN where that is not told. */
function peakOf(pid: number): number {
  if (process.platform !== "linux") return NaN;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? NaN) * 1024;
}

/** What TCP holds in the kernel, of the whole machine: namespaces share the count. */
function kernelBytes(): number {
  if (process.platform !== "linux") return NaN;
  const pages = /^TCP: .* mem (\d+)/m.exec(readFileSync("/proc/net/sockstat", "utf8"))?.[1];
  return Number(pages ?? NaN) * 4096;
}
