/**
 * What a deviation is, and the kinds that several runtimes have.
 *
 * @module
 */

import type { Expectation } from "../case.ts";
import { describeEnd } from "../description.ts";
import { answersTo, type Incoming } from "../plans.ts";

/** One kind of deviation of one target. */
export interface Deviation {
  /** What is different. */
  readonly what: string;
  /** Case ids, groups (`"6.4"`) or categories (`"3"`). */
  readonly cases: readonly string[];
  /** What is observed in the place of what a case wants; several where it depends on timing. */
  readonly change: (strict: Expectation) => Expectation | readonly Expectation[];
}

/** Whether a selector (a case, a group or a category) contains a case. */
export function selects(selector: string, id: string): boolean {
  return id === selector || id.startsWith(`${selector}.`);
}

const isClose = (what: string): boolean => what.startsWith("close ");

/** It ends as it should, only that another Close frame is sent, or none. Answers before it may get lost. */
export function closingWith(close: string | undefined): Deviation["change"] {
  return (strict) => {
    const before = strict.wire.filter((what) => !isClose(what));
    const after = close === undefined ? [] : [close];
    return Array.from({ length: before.length + 1 }, (_, lost) => ({
      ...strict,
      wire: [...before.slice(0, before.length - lost), ...after],
    }));
  };
}

/** It is taken as if it were in order, and answered; then the server closes with 1000. */
export function taking(...incoming: readonly Incoming[]): Deviation["change"] {
  const { wire, seen } = answersTo(incoming);
  return () => ({ wire: [...wire, "close 1000"], seen: ["open", ...seen, describeEnd(1000, "", true)] });
}

/** Exactly this is observed. */
export function observing(wire: readonly string[], ...seen: readonly string[]): Deviation["change"] {
  return () => ({ wire, seen });
}

/** Lengths that are not in their shortest form, and the messages of those cases. */
export const longLengths: readonly Deviation[] = [
  ["21.2.1", "text", "Hello"],
  ["21.2.2", "text", "x".repeat(125)],
  ["21.2.3", "text", "x".repeat(125)],
  ["21.2.4", "binary", new Uint8Array(65_535)],
  ["21.2.5", "text", ""],
].map(([id, kind, payload]) => ({
  what: "takes lengths that are not in their shortest form (RFC 6455 5.2)",
  cases: [String(id)],
  // The cast: the table above has nothing else.
  change: taking([kind, payload] as Incoming),
}));
