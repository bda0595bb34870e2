/**
 * The one entry of all tasks, for Deno and for Bun; needs nothing installed. Run it without arguments for the list.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { passThrough, ROOT, stopChildrenOnSignals } from "./process.ts";
import { runTests } from "./run_tests.ts";
import { currentRuntime } from "./runtimes.ts";
import { setup } from "./setup.ts";

const EXAMPLES: readonly string[] = [
  "deno_serve_tap",
  "bun_serve_tap",
  "bun_script",
  "record_and_replay",
  "browser/server",
  "cloudflare/run_local",
];

const HELP = `Tasks of this repository:
  setup                  install what the other tasks need
  test [names] [flags]   checks, documentation examples, and the suite on Deno and on Bun
                         names    only test files whose path contains one of them
                         --check --deno --bun    only these parts
                         --limit=<seconds>       longest time for one check or test file (180)
  check                  the same as test --check
  demo [arguments]       examples/demo.ts
  example [name]         an example: ${EXAMPLES.join(", ")}
  conformance [options]  tests/conformance: both libraries on Deno, Bun and Node; --help lists the options
  fuzz [options]         tests/fuzz: random input for the codec and the handshake; --help lists the options
  proxies [options]      tests/proxies: both libraries through every kind of proxy; --help lists the options
  runtimes [options]     tests/runtimes: what runs where, both libraries on five runtimes; --help lists the options
  soak [options]         tests/soak: hours of faults in minutes, both libraries, every message counted; --help lists the options
  cli [arguments]        cli.ts
  api-docs               write docs/websocket_api.md from the tables of methods
  edge-size              what the doors for the edge weigh in a bundle, and what fills them
  bench [arguments]      bench/bench.ts; --help lists them
  bench-tap [arguments]  bench/tap.ts; --help lists them`;

/** Runs a script of this repository on the runtime that runs this task, in the user's terminal. */
async function runScript(script: string, args: readonly string[]): Promise<number> {
  const release = stopChildrenOnSignals();
  const { denoConfig } = await setup();
  release();
  const runtime = currentRuntime === "bun" ? [] : ["run", "-A", "--config", denoConfig];
  return passThrough([process.execPath, ...runtime, join(ROOT, script), ...args]);
}

/** Runs an example, or says which there are. */
async function runExample([name, ...args]: readonly string[]): Promise<number> {
  const [wanted = ""] = /^(deno|bun)(?=_serve)/.exec(name ?? "") ?? [];
  if (wanted !== "" && wanted !== currentRuntime) {
    console.error(`This example is for ${wanted}: ${wanted === "deno" ? "deno task" : "bun run"} example ${name}`);
    return 2;
  }
  if (name !== undefined && EXAMPLES.includes(name)) return await runScript(`examples/${name}.ts`, args);
  console.error(`Expected an example: ${EXAMPLES.join(", ")}`);
  return name === undefined ? 0 : 2;
}

async function main([task, ...args]: readonly string[]): Promise<number> {
  switch (task) {
    case "setup":
      stopChildrenOnSignals();
      await setup();
      return 0;
    case "test":
      stopChildrenOnSignals();
      return await runTests(args);
    case "check":
      stopChildrenOnSignals();
      return await runTests(["--check", ...args]);
    case "demo":
      return await runScript("examples/demo.ts", args);
    case "example":
      return await runExample(args);
    case "conformance":
      return await runScript("tests/conformance/main.ts", args);
    case "fuzz":
      return await runScript("tests/fuzz/main.ts", args);
    case "proxies":
      return await runScript("tests/proxies/main.ts", args);
    case "runtimes":
      return await runScript("tests/runtimes/main.ts", args);
    case "soak":
      return await runScript("tests/soak/main.ts", args);
    case "cli":
      return await runScript("cli.ts", args);
    case "api-docs":
      return await runScript("tools/api_document.ts", args);
    case "edge-size":
      return await runScript("tools/edge_size.ts", args);
    case "bench":
      return await runScript("bench/bench.ts", args);
    case "bench-tap":
      return await runScript("bench/tap.ts", args);
    default:
      console.error(HELP);
      return task === undefined || task === "help" ? 0 : 2;
  }
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
