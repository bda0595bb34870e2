/**
 * The options of the task `conformance`.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { allCases } from "./cases/mod.ts";
import type { LibraryName } from "./client_library.ts";
import { selects } from "./deviations/mod.ts";
import { type RuntimeName, RUNTIMES, type Target } from "./targets.ts";

/** What is printed for `--help` and for an option that can't be used. */
export const HELP = `Usage: deno task conformance [options]      (or: bun run conformance [options])
  --runtime deno,bun,node      only these runtimes
  --library native,builtin     only these libraries; ws, npm's, is a reference that the suite itself is checked with
  --cases 1,6.4,7.1.3          only these cases, groups or categories
  --verbose                    a line for each case
  --markdown[=FILE]            also writes the result to FILE (docs/conformance.md)
  --help`;

/** What a run is asked for. */
export interface Selection {
  readonly targets: readonly Target[];
  readonly cases: ReadonlySet<string>;
  readonly verbose: boolean;
  /** Where to write the result; relative to the repository's root. */
  readonly markdown: string | undefined;
}

const LIBRARIES: readonly LibraryName[] = ["native", "builtin", "ws"];

/**
 * Reads the command line; `undefined` if it asks for help.
 *
 * @throws {Error} if an option can't be used.
 */
export function parseSelection(args: readonly string[]): Selection | undefined {
  const { values } = parseArgs({
    // `--markdown` may stand alone.
    args: args.map((arg) => arg === "--markdown" ? "--markdown=docs/conformance.md" : arg),
    options: {
      runtime: { type: "string" },
      library: { type: "string" },
      cases: { type: "string" },
      markdown: { type: "string" },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const runtimes = namesOf<RuntimeName>("--runtime", values.runtime, RUNTIMES) ?? RUNTIMES;
  const libraries = namesOf<LibraryName>("--library", values.library, LIBRARIES) ?? ["native", "builtin"];
  const selectors = values.cases?.split(",") ?? [];
  const unknown = selectors.find((selector) => !allCases.some(({ id }) => selects(selector, id)));
  if (unknown !== undefined) throw new Error(`Cannot use --cases ${unknown}: there is no such case, group or category`);
  const chosen = selectors.length === 0
    ? allCases
    : allCases.filter(({ id }) => selectors.some((selector) => selects(selector, id)));
  const isComplete = values.runtime === undefined && values.library === undefined && values.cases === undefined;
  if (values.markdown !== undefined && !isComplete) {
    throw new Error("Cannot use --markdown together with --runtime, --library or --cases: it is about all of them");
  }
  return {
    targets: libraries.flatMap((library) => runtimes.map((runtime) => ({ library, runtime }))),
    cases: new Set(chosen.map(({ id }) => id)),
    verbose: values.verbose,
    markdown: values.markdown,
  };
}

function namesOf<T extends string>(option: string, value: string | undefined, known: readonly T[]): T[] | undefined {
  return value?.split(",").map((name) => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw new Error(`Cannot use ${option} ${name}: expected ${known.join(", ")}`);
    return found;
  });
}
