/**
 * Compares what a case wants with what was observed.
 *
 * @module
 */

import type { Alternative, ConformanceCase, Expectation, Observation, Plan } from "./case.ts";
import { type Deviation, deviationFor } from "./deviations/mod.ts";
import type { Target } from "./targets.ts";

/** How a case ended. */
export interface Verdict {
  /**
   * "strict": as RFC 6455 wants it. "allowed": another outcome that it lets pass. "deviates": as listed in
   * `deviations/`. All three pass.
   */
  readonly outcome: "strict" | "allowed" | "deviates" | "failed" | "skipped";
  /** What passes because of which rule, what differs, or why it is skipped. */
  readonly why?: string;
}

/** Judges one run. */
export function judge(target: Target, test: ConformanceCase, plan: Plan, observed: Observation): Verdict {
  const deviation = deviationFor(target, test.id);
  const difference = differenceOf(target, plan.expected, observed);
  const alternative = difference === undefined
    ? undefined
    : plan.allowed?.find((one) => accepts(target, plan.expected, one, observed));

  if (deviation === undefined) {
    if (difference === undefined) return { outcome: "strict" };
    if (alternative !== undefined) return { outcome: "allowed", why: alternative.because };
    return { outcome: "failed", why: difference };
  }
  const rest = deviationDifference(target, deviation, plan.expected, observed);
  if (rest === undefined) return { outcome: "deviates", why: deviation.what };
  if (difference === undefined || alternative !== undefined) {
    return {
      outcome: "failed",
      why: `The deviation "${deviation.what}" has disappeared: take it out of deviations/`,
    };
  }
  return { outcome: "failed", why: `Not as the deviation "${deviation.what}" says:\n${rest}` };
}

function accepts(target: Target, strict: Expectation, alternative: Alternative, observed: Observation): boolean {
  const { wire = strict.wire, seen = strict.seen } = alternative;
  const error = alternative.error === undefined ? strict.error : alternative.error ?? undefined;
  if (alternative.wasReset && !observed.wasReset) return false;
  if (typeof wire === "function" && !wire(observed.wire)) return false;
  if (typeof seen === "function" && !seen(observed.seen)) return false;
  const expected = {
    wire: typeof wire === "function" ? observed.wire : wire,
    seen: typeof seen === "function" ? observed.seen : seen,
    ...(error && { error }),
    ...(strict.faults && { faults: strict.faults }),
  };
  return differenceOf(target, expected, observed) === undefined;
}

/** One outcome of a deviation is enough: some depend on timing. */
function deviationDifference(
  target: Target,
  deviation: Deviation,
  strict: Expectation,
  observed: Observation,
): string | undefined {
  const differences = [deviation.change(strict)].flat().map((expected) => differenceOf(target, expected, observed));
  return differences.includes(undefined) ? undefined : differences[0];
}

/** What differs, in lines; `undefined` if nothing does. */
function differenceOf(target: Target, expected: Expectation, observed: Observation): string | undefined {
  const differences: string[] = [];
  const compare = (what: string, wanted: readonly string[], got: readonly string[]): void => {
    if (wanted.length === got.length && wanted.every((one, index) => isSame(one, got[index] ?? ""))) return;
    differences.push(`${what}: expected ${list(wanted)}, got ${list(got)}`);
  };
  const seen = observed.canPing ? expected.seen : expected.seen.filter((what) => !isPingOrPong(what));
  compare("data from the client", expected.wire.filter(isData), observed.wire.filter(isData));
  compare("the rest from the client", expected.wire.filter(isNoData), observed.wire.filter(isNoData));
  compare("the listener was told", seen, observed.seen);
  if (target.library === "native" && expected.error !== "*") {
    compare("error", [expected.error ?? "no error"], [observed.error ?? "no error"]);
  }
  if (observed.wasReset && differences.length > 0) differences.push("the client cut TCP with a RST");
  compare("faults", expected.faults ?? [], observed.faults);
  return differences.length === 0 ? undefined : differences.join("\n");
}

/** `close 1000` stands for any reason; so does a violation for what is said behind a comma. */
function isSame(wanted: string, got: string): boolean {
  if (wanted === got) return true;
  if (wanted.startsWith("violation: ")) return got.startsWith(`${wanted},`);
  return /^close \d+$/.test(wanted) && got.startsWith(`${wanted} `);
}

function isData(what: string): boolean {
  return what.startsWith("text ") || what.startsWith("binary ");
}

function isNoData(what: string): boolean {
  return !isData(what);
}

function isPingOrPong(what: string): boolean {
  return what.startsWith("ping ") || what.startsWith("pong ");
}

function list(items: readonly string[]): string {
  const shown = items.length > 6 ? [...items.slice(0, 6), `… ${items.length - 6} more`] : items;
  return shown.length === 0 ? "nothing" : `[${shown.join(", ")}]`;
}
