/**
 * The two shapes that most cases have: the client takes everything, or it fails the connection.
 *
 * @module
 */

import type { Alternative, ConformanceCase, Expectation, Plan } from "./case.ts";
import { describe, describeEnd, type PayloadKind } from "./description.ts";
import type { Peer } from "./peer.ts";

/** Something that the server sends and the client has to understand. */
export type Incoming = readonly [kind: PayloadKind, payload: Uint8Array | string];

/** What a client shows of a stretch of messages: the answers on the wire, and what the listener is told. */
export function answersTo(incoming: readonly Incoming[]): { wire: string[]; seen: string[] } {
  const wire: string[] = [];
  const seen: string[] = [];
  for (const [kind, payload] of incoming) {
    const words = describe(kind, payload);
    seen.push(words);
    if (kind === "ping") wire.push(describe("pong", payload));
    else if (kind !== "pong") wire.push(words);
  }
  return { wire, seen };
}

/** All of it is taken and answered; then the server closes with 1000, and the client says so too. */
export function taken(
  incoming: readonly Incoming[],
  send: (peer: Peer) => Promise<void>,
  more: Partial<Plan> = {},
): Plan {
  const { wire, seen } = answersTo(incoming);
  return {
    async play(peer) {
      await send(peer);
      await peer.received(wire.length, more.limitMs ?? 5_000);
      await peer.close(1000);
    },
    expected: { wire: [...wire, "close 1000"], seen: ["open", ...seen, describeEnd(1000, "", true)] },
    ...more,
  };
}

/** How a client ends that fails the connection with a close code (RFC 6455 7.1.7). */
export function failing(closeCode: number, error: string, before: readonly Incoming[] = []): Expectation {
  const { wire, seen } = answersTo(before);
  return {
    wire: [...wire, `close ${closeCode}`],
    seen: ["open", ...seen, describeEnd(1006, "", false)],
    error,
  };
}

/** RFC 6455 7.1.7: an endpoint that fails the connection need not finish what it was doing. */
export function unanswered(expected: Expectation, before: readonly Incoming[]): Alternative[] {
  const close = expected.wire.slice(-1);
  const { wire } = answersTo(before);
  return wire.map((_, kept) => ({
    because: "answers that wait when the connection fails need not be sent any more (RFC 6455 7.1.7)",
    wire: [...wire.slice(0, kept), ...close],
  }));
}

/** What comes first is taken; then the client fails the connection. */
export function refused(
  closeCode: number,
  error: string,
  send: (peer: Peer) => Promise<void>,
  before: readonly Incoming[] = [],
  more: Partial<Plan> = {},
): Plan {
  const expected = failing(closeCode, error, before);
  return {
    async play(peer) {
      await send(peer);
      await peer.closeUnlessGone();
    },
    expected,
    allowed: unanswered(expected, before),
    ...more,
  };
}

/** What a group of cases is made of. */
export type CaseRow = readonly [title: string, prepare: () => Plan, needs?: ConformanceCase["needs"]];

/** Numbers the rows: `group("2", rows)` gives 2.1, 2.2 and so on. */
export function group(prefix: string, rows: readonly CaseRow[]): ConformanceCase[] {
  return rows.map(([title, prepare, needs], index) => ({
    id: `${prefix}.${index + 1}`,
    title,
    prepare,
    ...(needs && { needs }),
  }));
}
