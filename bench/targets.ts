/**
 * What "native" has to reach, and whether it does.
 *
 * @module
 */

import type { Result, Table } from "./report.ts";
import type { Measured } from "./rounds.ts";
import type { Mode } from "./rows.ts";
import { compare, type Measure, medianOf } from "./statistics.ts";

/** A target in one case. */
interface Verdict {
  readonly target: string;
  readonly scenario: string;
  readonly wanted: string;
  readonly found: string;
  readonly isMet: boolean;
}

const SIZES_FROM_9_KB = [
  "xlarge_depth_diff",
  "huge_ticker_arr",
  "ladder_9kb",
  "ladder_32kb",
  "ladder_97kb",
  "ladder_227kb",
  "ladder_454kb",
  "ladder_908kb",
];
const NEAR_9_KB = ["xlarge_depth_diff", "ladder_9kb"];

/** Least ratio of messages per second, native by builtin, in mode transport: from the first entry that names the case. */
interface RateTarget {
  readonly runtime: "bun" | "deno";
  readonly tls: boolean;
  readonly least: readonly { readonly scenarios: readonly string[] | "others"; readonly ratio: number }[];
}

const RATES: readonly RateTarget[] = [
  {
    runtime: "bun",
    tls: false,
    least: [
      { scenarios: ["small_aggtrade"], ratio: 3 },
      { scenarios: ["large_depth20"], ratio: 1.6 },
      { scenarios: SIZES_FROM_9_KB, ratio: 1 },
    ],
  },
  {
    runtime: "deno",
    tls: false,
    least: [
      { scenarios: ["small_aggtrade"], ratio: 4 },
      { scenarios: ["large_depth20"], ratio: 3 },
      { scenarios: NEAR_9_KB, ratio: 1.5 },
      { scenarios: "others", ratio: 1 },
    ],
  },
  ...(["bun", "deno"] as const).map((runtime): RateTarget => ({
    runtime,
    tls: true,
    least: [{ scenarios: ["small_aggtrade"], ratio: 1.8 }, { scenarios: "others", ratio: 1 }],
  })),
];

/** Most memory in bytes for an idle connection. */
const IDLE_BYTES = { bun: 4 * 1024, deno: 12 * 1024 };

/** The targets that the results can be held against. */
export function verdictsOf(results: readonly Result[]): Verdict[] {
  return results.flatMap((result) => [...rateVerdicts(result), ...floorVerdicts(result), ...otherVerdicts(result)]);
}

function entrantOf({ measured }: Result, library: string, runtime: string, mode: Mode): Measured | undefined {
  return measured.find(({ entrant: { side, mode: itsMode, output }, rounds }) =>
    side.library === library && side.runtime === runtime && itsMode === mode && output === "raw" && rounds.length > 0
  );
}

/** A verdict on a ratio of medians. */
function verdict(
  result: Result,
  target: string,
  [one, other]: readonly [Measured | undefined, Measured | undefined],
  measure: Measure,
  limit: { readonly least: number } | { readonly most: number },
): Verdict[] {
  if (one === undefined || other === undefined) return [];
  const { ofMedians, pairwise, wins, rounds } = compare(one, other, measure);
  const isMet = "least" in limit ? ofMedians >= limit.least : ofMedians <= limit.most;
  const wanted = "least" in limit ? `>= ${limit.least}` : `<= ${limit.most}`;
  const found = `${ofMedians.toFixed(2)} (${pairwise.toFixed(2)}, ${wins}/${rounds})`;
  return [{ target, scenario: result.case.scenario, wanted, found, isMet }];
}

function rateVerdicts(result: Result): Verdict[] {
  const { kind, tls, pattern, scenario } = result.case;
  if (kind !== "stream" || pattern !== "batch") return [];
  return RATES.filter((rate) => rate.tls === tls).flatMap(({ runtime, least }) => {
    const ratio = least.find(({ scenarios }) => scenarios === "others" || scenarios.includes(scenario))?.ratio;
    if (ratio === undefined) return [];
    const pair = [
      entrantOf(result, "native", runtime, "transport"),
      entrantOf(result, "builtin", runtime, "transport"),
    ] as const;
    const target = `${runtime}, ${tls ? "wss" : "ws"}: msgs/s, native / builtin`;
    return verdict(result, target, pair, "msgsPerSecond", { least: ratio });
  });
}

/** Against the bare socket, and the manager against its own transport; both on Bun without TLS. */
function floorVerdicts(result: Result): Verdict[] {
  const { kind, tls, pattern, scenario } = result.case;
  if (kind !== "stream" || tls || pattern !== "batch") return [];
  const most = scenario === "small_aggtrade" ? 3.5 : SIZES_FROM_9_KB.includes(scenario) ? 1.5 : undefined;
  const transport = entrantOf(result, "native", "bun", "transport");
  const bare = entrantOf(result, "bare", "bun", "bare");
  const manager = entrantOf(result, "native", "bun", "manager");
  const cpu = "bun, ws: CPU, native / bare socket";
  const whole = "bun, ws: msgs/s, native, manager raw / transport";
  return [
    ...(most === undefined ? [] : verdict(result, cpu, [transport, bare], "cpuMicrosPerMessage", { most })),
    ...(scenario === "small_aggtrade"
      ? verdict(result, whole, [manager, transport], "msgsPerSecond", { least: 0.7 })
      : []),
  ];
}

function otherVerdicts(result: Result): Verdict[] {
  const { kind, tls, scenario } = result.case;
  const scheme = tls ? "wss" : "ws";
  return (["bun", "deno"] as const).flatMap((runtime) => {
    if (kind === "echo") {
      const pair = [
        entrantOf(result, "native", runtime, "echo"),
        entrantOf(result, "builtin", runtime, "echo"),
      ] as const;
      const title = `${runtime}, ${scheme}, echo, native / builtin:`;
      return [
        ...verdict(result, `${title} round trips/s`, pair, "msgsPerSecond", { least: 1 }),
        ...verdict(result, `${title} p99`, pair, "p99Micros", { most: 1 }),
      ];
    }
    const native = entrantOf(result, "native", runtime, "idle");
    if (kind !== "idle" || tls || native === undefined) return [];
    const bytes = medianOf(native, "bytesPerConnection");
    return [{
      target: `${runtime}, ${scheme}: KB for an idle connection`,
      scenario,
      wanted: `<= ${IDLE_BYTES[runtime] / 1024}`,
      found: (bytes / 1024).toFixed(1),
      isMet: bytes <= IDLE_BYTES[runtime],
    }];
  });
}

/** The verdicts as a table; undefined if nothing that was measured has a target. */
export function targetTable(results: readonly Result[]): Table | undefined {
  const verdicts = verdictsOf(results);
  if (verdicts.length === 0) return undefined;
  const missed = verdicts.filter(({ isMet }) => !isMet).length;
  const rows = verdicts.map(({ target, scenario, wanted, found, isMet }) => {
    return [target, scenario, wanted, found, isMet ? "met" : "MISSED"];
  });
  return {
    title: `Targets: ${verdicts.length - missed} met, ${missed} missed`,
    cells: [["target", "case", "wanted", "found (pairwise, wins)", ""], ...rows],
  };
}
