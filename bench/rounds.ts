/**
 * Measures a case: each entrant once per round, in an order that changes from round to round.
 *
 * @module
 */

import process from "node:process";
import { run } from "../tools/process.ts";
import { onOneCore } from "./affinity.ts";
import { type Case, type Entrant, orderOf } from "./cases.ts";
import type { Row, Served } from "./rows.ts";
import { AUTHORITY, type ServerProcess, withManyFiles } from "./server_process.ts";

/** Longest time in ms of one measurement, its process' start and the server's making of messages included. */
const LIMIT_MS = 120_000;

/** One measurement. */
export interface Round {
  readonly row: Row;
  /** CPU time of the server by wall-clock time; undefined where the server only answers. */
  readonly serverBusy: number | undefined;
}

/** What was measured of an entrant: a round at the same place belongs to the same time for all entrants of a case. */
export interface Measured {
  readonly entrant: Entrant;
  readonly rounds: readonly Round[];
  /** Why it could not be measured to the end. */
  readonly failure?: string;
}

/** Loopback addresses: one address and port can have no more connections than the client has ports. */
export const LOOPBACK: readonly string[] = process.platform === "linux"
  ? ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]
  : ["127.0.0.1"];

/** What the rounds of all cases share. */
export interface Bench {
  readonly server: ServerProcess;
  readonly rounds: number;
  readonly rcvbuf: number | undefined;
  /** Told before each measurement. */
  readonly progress: (text: string) => void;
}

/** The entrants in the order of a round: everyone comes first, and before and after everyone else, in turn. */
export function orderOfRound<T>(entrants: readonly T[], round: number): T[] {
  const shift = Math.floor(round / 2) % Math.max(1, entrants.length);
  const rotated = [...entrants.slice(shift), ...entrants.slice(0, shift)];
  return round % 2 === 0 ? rotated : rotated.reverse();
}

/** Measures all entrants of a case. The first round warms up the server and the system, and is dropped. */
export async function measureCase(bench: Bench, one: Case): Promise<Measured[]> {
  await bench.server.pin(one.kind === "echo");
  const rounds = new Map<Entrant, Round[]>(one.entrants.map((entrant) => [entrant, []]));
  const failures = new Map<Entrant, string>();
  for (let round = 0; round <= bench.rounds; round++) {
    for (const entrant of orderOfRound(one.entrants, round)) {
      if (failures.has(entrant)) continue;
      bench.progress(`${one.scenario}, round ${round} of ${bench.rounds}: ${entrant.side.title}, ${entrant.mode}`);
      try {
        const measured = await measure(bench, one, entrant);
        if (round > 0) rounds.get(entrant)?.push(measured);
      } catch (error) {
        failures.set(entrant, error instanceof Error ? error.message : String(error));
      }
    }
  }
  return one.entrants.map((entrant) => {
    const failure = failures.get(entrant);
    return { entrant, rounds: rounds.get(entrant) ?? [], ...(failure !== undefined && { failure }) };
  });
}

async function measure({ server, rcvbuf }: Bench, one: Case, entrant: Entrant): Promise<Round> {
  const port = one.tls ? server.ports.wss : server.ports.ws;
  // The certificate is valid for the first address only.
  const hosts = one.kind === "idle" && !one.tls ? LOOPBACK : LOOPBACK.slice(0, 1);
  const order = orderOf(one, entrant, port, hosts, rcvbuf);
  const command = [...entrant.side.command, JSON.stringify(order), AUTHORITY];
  const start = { stream: command, echo: onOneCore(command), idle: withManyFiles(command) }[one.kind];
  const outcome = await run(start, { limitMs: LIMIT_MS });
  if (outcome.timedOut) throw new Error(`Not done within ${LIMIT_MS / 1000} s`);
  if (outcome.code !== 0) {
    const lines = outcome.stderr.trim().split("\n").filter((line) => /error/i.test(line));
    throw new Error(`Ended with ${outcome.signal ?? `code ${outcome.code}`}: ${lines.at(-1) ?? outcome.stderr.trim()}`);
  }
  const row: Row = JSON.parse(outcome.stdout.trim().split("\n").at(-1) ?? "");
  if (one.kind !== "stream") return { row, serverBusy: undefined };
  const served: Served = await server.served();
  // A side that loses messages or counts what it did not get would be the fastest.
  const isUnknown = row.output === "json" && row.bytes === 0;
  if (served.bytes !== row.bytes && !isUnknown) {
    throw new Error(`Got ${row.bytes} bytes of the ${served.bytes} that were sent`);
  }
  return { row: { ...row, bytes: served.bytes }, serverBusy: served.busy };
}
