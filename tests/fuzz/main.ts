/**
 * The task `fuzz`: random inputs for the codec, the handshake and the send queue. The same seed gives the same inputs.
 * Prints, last of all, `N passed, N failed`.
 *
 * @module
 */

import process from "node:process";
import { parseArgs } from "node:util";
import { compression } from "./compression.ts";
import { connections } from "./connections.ts";
import { differential } from "./differential.ts";
import { handshakes } from "./handshakes.ts";
import type { Part } from "./part.ts";
import { damaged, valid } from "./reading.ts";
import { sending } from "./sending.ts";

const PARTS: readonly Part[] = [valid, damaged, connections, handshakes, sending, differential, compression];
const DEFAULT_RUNS = 1_000_000;

const HELP = `Usage: deno task fuzz [options]      (or: bun run fuzz [options])
  --runs N         random inputs over all parts (${DEFAULT_RUNS})
  --seed N         what the inputs are made from (at random, and printed)
  --only a,b       only these parts: ${PARTS.map(({ name }) => name).join(", ")}
  --path P         only the input that a failure was reported for; with --seed and one part
  --help`;

/** What went wrong outside of any part. */
const uncaught: string[] = [];
process.on("uncaughtException", (error) => uncaught.push(error.stack ?? String(error)));
process.on("unhandledRejection", (error) => uncaught.push(String(error instanceof Error ? error.stack : error)));

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: "string" },
      seed: { type: "string" },
      only: { type: "string" },
      path: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const runs = numberOf("--runs", values.runs, DEFAULT_RUNS);
  const seed = numberOf("--seed", values.seed, Math.floor(Math.random() * 0x7fff_ffff));
  const names = values.only?.split(",");
  const unknown = names?.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) throw new Error(`Cannot use --only ${unknown}: there is no such part`);
  const chosen = names === undefined ? PARTS : PARTS.filter(({ name }) => names.includes(name));
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);

  console.log(`seed ${seed}`);
  let passed = 0;
  let failed = 0;
  for (const part of chosen) {
    const own = Math.max(1, Math.round(runs * part.share / shares));
    const started = performance.now();
    const path = values.path === undefined ? {} : { path: values.path };
    let report: string;
    let holds = true;
    try {
      const counts = await part.run({ runs: own, seed, ...path });
      // An uncaught error comes a turn later.
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (uncaught.length > 0) throw new Error(`Outside of the part: ${uncaught.splice(0).slice(0, 5).join("\n")}`);
      passed++;
      report = Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ");
    } catch (error) {
      failed++;
      holds = false;
      report = `\n${wordsOf(error)}\nAgain: --only ${part.name} --runs ${own} --seed ${seed}${pathIn(error)}`;
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${!holds ? "FAIL" : "ok  "} ${part.name}: ${part.claim}: ${own} inputs in ${seconds} s; ${report}`,
    );
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

/** The option that repeats only the failing input. */
function pathIn(error: unknown): string {
  const path = error instanceof Error ? /path: "([\d:]+)"/.exec(error.message)?.[1] : undefined;
  return path === undefined ? "" : ` --path ${path}`;
}

/** An error with what is behind it: fast-check says which input, its cause says what does not hold. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n\n${wordsOf(error.cause)}`;
}

function numberOf(option: string, value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (!/^\d{1,10}$/.test(value)) throw new Error(`Cannot use ${option} ${value}: expected a whole number`);
  return Number(value);
}

// Until the end is reached: a promise that never settles would end the process without a word.
process.exitCode = 1;
try {
  process.exitCode = await main(process.argv.slice(2));
  // With nothing left to do, the process ends by itself: a timer that a connection left behind would keep it.
  setTimeout(() => {
    console.error("Something keeps the process alive: a connection has left a timer behind");
    process.exit(1);
  }, 3_000).unref();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}\n\n${HELP}`);
  process.exitCode = 2;
}
