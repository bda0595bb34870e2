/**
 * The arguments of the tap's benchmark.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { currentRuntime, type Runtime } from "../../tools/runtimes.ts";
import type { ClientFormat } from "./clients.ts";

const DEFAULTS = {
  runtime: currentRuntime,
  format: "sse",
  library: "native",
  clients: "1000",
  rate: "1000",
  seconds: "10",
  warmup: "3",
  stuck: "0",
  churn: "0",
  repeat: "1",
  network: "own",
  "tap-flags": "",
} as const;

/** Text of `--help`. */
export const HELP = `Measures a tap: one upstream, many clients, and every event of every client is checked.

  --runtime LIST       what runs the tap: deno, bun or all (${DEFAULTS.runtime}); the others run on Bun
  --format LIST        what the clients want: sse, ndjson, websocket, websocket-lines or all (${DEFAULTS.format})
  --clients N          clients that read (${DEFAULTS.clients})
  --rate N             messages per second of the exchange, about 200 bytes each (${DEFAULTS.rate})
  --seconds N          time that counts (${DEFAULTS.seconds}), after
  --warmup N           seconds that do not (${DEFAULTS.warmup})
  --stuck N            clients beside them that never read (${DEFAULTS.stuck})
  --churn N            clients that go away each second, and come back for what they have missed (${DEFAULTS.churn})
  --library builtin|native
                       the manager's (${DEFAULTS.library})
  --repeat N           rounds; the sides take turns, and medians are printed (${DEFAULTS.repeat})
  --network own|host   own: a network namespace with a congestion control that does not pace, where the system has such
                       (Linux, root or user namespaces); host: the network as it is (${DEFAULTS.network})
  --tap-flags FLAGS    for the tap's runtime, such as --tap-flags="--cpu-prof"
  --json FILE          writes what was measured in each round
  --markdown FILE      appends the table`;

/** What the arguments ask for. */
export interface Options {
  readonly runtimes: readonly Runtime[];
  readonly formats: readonly ClientFormat[];
  readonly library: "builtin" | "native";
  readonly clients: number;
  readonly rate: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly stuck: number;
  readonly churn: number;
  readonly repeat: number;
  readonly network: "own" | "host";
  readonly tapFlags: readonly string[];
  readonly json: string | undefined;
  readonly markdown: string | undefined;
  readonly help: boolean;
}

const RUNTIMES: readonly Runtime[] = ["deno", "bun"];
const FORMATS: readonly ClientFormat[] = ["sse", "ndjson", "websocket", "websocket-lines"];

/**
 * Reads the arguments.
 *
 * @throws {Error} if one can't be used; the message says what is expected.
 */
export function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      runtime: text,
      format: text,
      library: text,
      clients: text,
      rate: text,
      seconds: text,
      warmup: text,
      stuck: text,
      churn: text,
      repeat: text,
      network: text,
      "tap-flags": text,
      json: text,
      markdown: text,
      help: { type: "boolean", short: "h" },
    },
  });
  const given = { ...DEFAULTS, ...values };
  return {
    runtimes: choice("--runtime", given.runtime, RUNTIMES),
    formats: choice("--format", given.format, FORMATS),
    library: one("--library", given.library, ["builtin", "native"]),
    clients: number("--clients", given.clients, 1),
    rate: number("--rate", given.rate, 1),
    seconds: number("--seconds", given.seconds, 1),
    warmup: number("--warmup", given.warmup, 0),
    stuck: number("--stuck", given.stuck, 0),
    churn: number("--churn", given.churn, 0),
    repeat: number("--repeat", given.repeat, 1),
    network: one("--network", given.network, ["own", "host"]),
    tapFlags: given["tap-flags"].split(" ").filter((flag) => flag !== ""),
    json: given.json,
    markdown: given.markdown,
    help: given.help ?? false,
  };
}

function choice<T extends string>(option: string, text: string, known: readonly T[]): readonly T[] {
  if (text === "all") return known;
  const names = text.split(",");
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown === undefined) return known.filter((one) => names.includes(one));
  throw new Error(`Cannot use ${option} "${unknown}": expected ${known.join(", ")} or all`);
}

function one<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw new Error(`Cannot use ${option} "${text}": expected ${known.join(" or ")}`);
}

function number(option: string, text: string, least: number): number {
  const value = Number(text);
  if (text !== "" && Number.isInteger(value) && value >= least) return value;
  throw new Error(`Cannot use ${option} "${text}": expected an integer from ${least}`);
}
