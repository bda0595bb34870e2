/**
 * The arguments of the benchmark.
 *
 * @module
 */

import { parseArgs } from "node:util";
import type { Mode, Output, Pattern } from "./rows.ts";
import { ladderScenarios, referenceScenarios, type Scenario, scenarios } from "./scenarios.ts";

/** What is measured unless the arguments say otherwise. */
const DEFAULTS = {
  mode: "transport",
  scenarios: "all",
  libraries: "builtin,native",
  repeat: "5",
  tls: "off",
  pattern: "batch",
  output: "raw,json",
  connections: "5000",
  scale: "1",
  network: "own",
} as const;

/** Text of `--help`. */
export const HELP = `Measures WebSocket clients against a local server, side by side.

  --mode LIST          transport, manager, echo, idle, bare, or all (${DEFAULTS.mode})
                         transport  each library by itself
                         manager    the whole way to onData
                         echo       request and response, one at a time
                         idle       memory for each open connection
                         bare       a socket that is read and not looked at; always beside transport and manager
  --scenarios LIST     names, "reference" (the six), "ladder" (9 to 908 KB) or "all" (${DEFAULTS.scenarios}):
                         ${referenceScenarios.map(({ name }) => name).join(" ")}
                         ${ladderScenarios.map(({ name }) => name).join(" ")}
  --libraries LIST     builtin, native, ws, undici, websockets, picows, unicorn-binance-websocket-api,
                       unicorn-binance-websocket-api+picows, or all (${DEFAULTS.libraries});
                       "ws@node" is a library on another runtime than its own
  --repeat N           rounds that count, after one that does not (${DEFAULTS.repeat})
  --tls off|on|both    ws://, wss:// or both (${DEFAULTS.tls})
  --pattern batch|single|both
                       what the server writes at a time: about 100 KB of frames, or one frame (${DEFAULTS.pattern})
  --output LIST        raw, json: of mode manager (${DEFAULTS.output})
  --rcvbuf BYTES       SO_RCVBUF of the client's socket; in the host's network only Python lets it be set
  --network own|host   own: a network namespace with a congestion control that does not pace, where the system has such
                       (Linux, root or user namespaces); host: the network as it is (${DEFAULTS.network})
  --connections N      of mode idle (${DEFAULTS.connections})
  --scale FACTOR       times the number of messages (${DEFAULTS.scale})
  --json FILE          writes the medians, a row for each side
  --markdown FILE      appends the tables`;

/** What the arguments ask for. */
export interface Options {
  readonly modes: readonly Mode[];
  readonly scenarios: readonly Scenario[];
  /** As given, such as `ws@node`. */
  readonly libraries: readonly string[];
  readonly repeat: number;
  readonly tls: readonly boolean[];
  readonly patterns: readonly Pattern[];
  readonly outputs: readonly Output[];
  readonly rcvbuf: number | undefined;
  readonly network: "own" | "host";
  readonly connections: number;
  readonly scale: number;
  readonly json: string | undefined;
  readonly markdown: string | undefined;
  readonly help: boolean;
}

const MODES: readonly Mode[] = ["transport", "manager", "echo", "idle", "bare"];
const PATTERNS: readonly Pattern[] = ["batch", "single"];
const OUTPUTS: readonly Output[] = ["raw", "json"];

/**
 * Reads the arguments.
 *
 * @throws {Error} if one can't be used; the message says what is expected.
 */
export function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    // `--tls` by itself is `--tls on`.
    args: args.flatMap((arg, at) => arg === "--tls" && !/^[^-]/.test(args[at + 1] ?? "-") ? [arg, "on"] : [arg]),
    options: {
      mode: text,
      scenarios: text,
      libraries: text,
      repeat: text,
      tls: text,
      pattern: text,
      output: text,
      rcvbuf: text,
      network: text,
      connections: text,
      scale: text,
      json: text,
      markdown: text,
      help: { type: "boolean", short: "h" },
    },
  });
  const given = { ...DEFAULTS, ...values };
  return {
    modes: choice("--mode", given.mode, MODES),
    scenarios: chosenScenarios(given.scenarios),
    libraries: list(given.libraries),
    repeat: integer("--repeat", given.repeat),
    tls: choice("--tls", given.tls === "both" ? "all" : given.tls, ["off", "on"]).map((tls) => tls === "on"),
    patterns: choice("--pattern", given.pattern === "both" ? "all" : given.pattern, PATTERNS),
    outputs: choice("--output", given.output, OUTPUTS),
    rcvbuf: given.rcvbuf === undefined ? undefined : integer("--rcvbuf", given.rcvbuf),
    network: choice("--network", given.network, ["own", "host"])[0] ?? "own",
    connections: integer("--connections", given.connections),
    scale: positive("--scale", given.scale),
    json: given.json,
    markdown: given.markdown,
    help: given.help ?? false,
  };
}

function list(text: string): string[] {
  return [...new Set(text.split(",").map((name) => name.trim()).filter((name) => name !== ""))];
}

/** The names of a comma-separated list, in the order of `known`. */
function choice<T extends string>(option: string, text: string, known: readonly T[]): readonly T[] {
  const names = list(text);
  if (names.includes("all")) return known;
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined || names.length === 0) {
    throw new Error(`Cannot use ${option} "${unknown ?? text}": expected ${known.join(", ")} or all`);
  }
  return known.filter((one) => names.includes(one));
}

function chosenScenarios(text: string): readonly Scenario[] {
  const groups = new Map([["reference", referenceScenarios], ["ladder", ladderScenarios]]);
  const names = list(text).flatMap((name) => groups.get(name)?.map((scenario) => scenario.name) ?? [name]);
  const chosen = choice("--scenarios", names.join(","), scenarios.map(({ name }) => name));
  return scenarios.filter(({ name }) => chosen.includes(name));
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (value > 0 && value < Infinity) return value;
  throw new Error(`Cannot use ${option} "${text}": expected a number over 0`);
}

function integer(option: string, text: string): number {
  if (Number.isInteger(Number(text))) return positive(option, text);
  throw new Error(`Cannot use ${option} "${text}": expected an integer over 0`);
}
