/**
 * The arguments of the soak.
 *
 * @module
 */

import { parseArgs } from "node:util";

/** What the arguments ask for. */
export interface SoakOptions {
  /** Simulated duration in hours. */
  readonly hours: number;
  /** How many times faster than the clock simulated time goes. */
  readonly timeScale: number;
  /** Seed of the script of faults; 0 for none but the cuts of age. */
  readonly chaos: number;
  /** Whether the script also has faults in the data of connections that stay open. */
  readonly dataFaults: boolean;
  /** CSV file with a row for each simulated minute; `undefined` for none. */
  readonly out: string | undefined;
  /** Messages per second of each stream, in real time. */
  readonly rate: number;
  /** Symbols; each has five streams. */
  readonly symbols: number;
}

/** How the soak is called. */
export const HELP =
  `Lets a local exchange misbehave by a seeded script while both libraries run side by side, and compares
what it sent with what was delivered. Exit code 0 if everything held, 1 if not, 2 for wrong arguments.

  --hours <h>         simulated duration (24)
  --time-scale <s>    how many times faster simulated time goes, 1 to 3600 (250: a day in 5 min 46 s)
  --chaos <seed>      seed of the script of faults, an integer; 0 for no faults but the cuts of age (1)
  --data-faults       also duplicated, missing and reordered data on connections that stay open, which the manager
                      does not promise to notice: the run then fails, and shows what it makes of them
  --out <file.csv>    a row for each simulated minute
  --rate <n>          messages per second of each stream, in real time (10)
  --symbols <n>       symbols of five streams each, 1 to 50 (4)`;

/**
 * Reads the arguments; `undefined` if help is asked for.
 *
 * @throws {TypeError} if one can't be used.
 */
export function readArguments(args: readonly string[]): SoakOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: "string", default: "24" },
      "time-scale": { type: "string", default: "250" },
      chaos: { type: "string", default: "1" },
      "data-faults": { type: "boolean", default: false },
      out: { type: "string" },
      rate: { type: "string", default: "10" },
      symbols: { type: "string", default: "4" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const number = (name: "hours" | "time-scale" | "chaos" | "rate" | "symbols", from: number, to: number): number => {
    const value = Number(values[name]);
    const mustBeInteger = name === "chaos" || name === "symbols";
    if (value >= from && value <= to && (!mustBeInteger || Number.isInteger(value))) return value;
    throw new TypeError(
      `Cannot use --${name} ${values[name]}: expected ${
        mustBeInteger ? "an integer" : "a number"
      } from ${from} to ${to}`,
    );
  };
  return {
    hours: number("hours", 0.1, 10_000),
    timeScale: number("time-scale", 1, 3_600),
    chaos: number("chaos", 0, 2 ** 31 - 1),
    dataFaults: values["data-faults"],
    out: values.out,
    rate: number("rate", 0.1, 1_000),
    symbols: number("symbols", 1, 50),
  };
}
