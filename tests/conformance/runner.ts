/**
 * Runs one case against one client process.
 *
 * @module
 */

import type { ConformanceCase, Observation, Plan } from "./case.ts";
import type { ClientProcess } from "./client_process.ts";
import type { ClientReport } from "./client_protocol.ts";
import type { Peer } from "./peer.ts";
import type { FuzzingServer } from "./server.ts";

/** Longest time in ms for a case that does not say otherwise. */
const LIMIT_MS = 10_000;
/** Longest time in ms that a client's report may take once the server has let go of the connection. */
const REPORT_MS = 5_000;

/** One run of a case. */
export interface CaseRun {
  readonly run: number;
  readonly plan: Plan;
  readonly observed: Observation;
  readonly ms: number;
}

/** Runs a case. Never rejects: what goes wrong is observed. */
export async function runCase(server: FuzzingServer, client: ClientProcess, test: ConformanceCase): Promise<CaseRun> {
  const started = performance.now();
  const plan = test.prepare();
  const { run, url, peer: connection } = server.expect(plan);
  const reported = client.open(run, url, plan.client ?? {});
  const wire: string[] = [];
  const play = async (): Promise<Peer> => {
    const peer = await connection;
    await plan.play(peer);
    return peer;
  };
  const limitMs = plan.limitMs ?? LIMIT_MS;
  const outcome = await within(play(), limitMs).catch((error: unknown) =>
    new Error("The case itself failed", { cause: error })
  );
  if (outcome === undefined) wire.push(`violation: not done within ${limitMs} ms`);
  else if (outcome instanceof Error) wire.push(`violation: ${outcome.message}: ${outcome.cause}`);
  const peer = outcome === undefined || outcome instanceof Error ? await within(connection, 0) : outcome;
  const wasReset = peer?.wasReset ?? false;
  peer?.destroy();

  let report = await within(reported, REPORT_MS);
  if (report === undefined) {
    client.giveUp(run);
    report = await within(reported, REPORT_MS);
  }
  wire.push(...server.takeStrangers().map((target) => `violation: another request came, for ${target}`));
  return {
    run,
    plan,
    observed: observe([...peer?.wire ?? [], ...wire], wasReset, report),
    ms: performance.now() - started,
  };
}

function observe(wire: readonly string[], wasReset: boolean, report: ClientReport | undefined): Observation {
  if (report === undefined) {
    return { wire, wasReset, seen: ["nothing: the client does not answer"], canPing: true, faults: [] };
  }
  const { seen, error, canPing, faults } = report;
  return { wire, wasReset, seen, canPing, faults, ...(error && { error }) };
}

/** The value of a promise, or `undefined` if it takes longer than `ms`. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), ms));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
