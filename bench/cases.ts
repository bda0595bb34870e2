/**
 * What is compared with what: a case is one kind of traffic, its entrants are measured in turn.
 *
 * @module
 */

import type { Options } from "./options.ts";
import type { Mode, Order, Output, Pattern } from "./rows.ts";
import type { Side } from "./sides.ts";

/** Sizes in mode echo, and round trips of one measurement. */
const ECHO = [
  { name: "256 B", bytes: 256, trips: 20_000 },
  { name: "8 KB", bytes: 8 * 1024, trips: 15_000 },
  { name: "100 KB", bytes: 100 * 1024, trips: 3_000 },
  { name: "1 MB", bytes: 1024 * 1024, trips: 600 },
];
/** The part of a measurement's messages that comes before it, so that code is compiled and buffers have grown. */
const WARMUP = 0.25;
/** The server makes one write for each message: more messages say nothing more. */
const MOST_SINGLE = 200_000;
/** Parsing takes longer than everything else. */
const JSON_SHARE = 0.25;

/** One side in one mode. */
export interface Entrant {
  readonly side: Side;
  readonly mode: Mode;
  readonly output: Output;
  /** Messages, round trips or connections. */
  readonly messages: number;
}

/** One kind of traffic. */
export interface Case {
  readonly kind: "stream" | "echo" | "idle";
  readonly scenario: string;
  readonly tls: boolean;
  readonly pattern: Pattern;
  readonly echoBytes: number;
  readonly entrants: readonly Entrant[];
}

/** The cases that the options ask for, in the order they are measured. `bare` is the side that reads bare sockets. */
export function casesOf(options: Options, sides: readonly Side[], bare: Side): Case[] {
  const cases = options.tls.flatMap((tls) => [
    ...options.patterns.flatMap((pattern) => streamCases(options, sides, bare, tls, pattern)),
    ...(options.modes.includes("echo") ? echoCases(options, sides, tls) : []),
    ...(options.modes.includes("idle") ? idleCases(options, sides, tls) : []),
  ]);
  return cases.filter(({ entrants }) => entrants.length > 0);
}

function streamCases(
  { modes, scenarios, outputs, scale }: Options,
  sides: readonly Side[],
  bare: Side,
  tls: boolean,
  pattern: Pattern,
): Case[] {
  const streamed = modes.filter((mode) => mode === "transport" || mode === "manager" || mode === "bare");
  if (streamed.length === 0) return [];
  return scenarios.map(({ name, messages: usual }) => {
    const most = pattern === "single" ? Math.min(usual, MOST_SINGLE) : usual;
    const entrant = (side: Side, mode: Mode, output: Output): Entrant => {
      const share = side.share * (output === "json" ? JSON_SHARE : 1);
      return { side, mode, output, messages: Math.max(1, Math.round(most * scale * share)) };
    };
    const entrants = streamed.flatMap((mode) =>
      sides.filter((side) => side.modes.includes(mode)).flatMap((side) =>
        (mode === "manager" ? outputs : ["raw"] as const).map((output) => entrant(side, mode, output))
      )
    );
    const hasFloor = sides.some(({ title }) => title === bare.title) && streamed.includes("bare");
    const floor = hasFloor ? [] : [entrant(bare, "bare", "raw")];
    return { kind: "stream", scenario: name, tls, pattern, echoBytes: 0, entrants: [...entrants, ...floor] };
  });
}

function echoCases({ scale }: Options, sides: readonly Side[], tls: boolean): Case[] {
  return ECHO.map(({ name, bytes, trips }) => ({
    kind: "echo",
    scenario: name,
    tls,
    pattern: "single",
    echoBytes: bytes,
    entrants: sides.filter((side) => side.modes.includes("echo")).map((side) => ({
      side,
      mode: "echo",
      output: "raw",
      messages: Math.max(1, Math.round(trips * scale)),
    })),
  }));
}

function idleCases({ connections }: Options, sides: readonly Side[], tls: boolean): Case[] {
  return [{
    kind: "idle",
    scenario: "idle",
    tls,
    pattern: "single",
    echoBytes: 0,
    entrants: sides.filter((side) => side.modes.includes("idle")).map((side) => ({
      side,
      mode: "idle",
      output: "raw",
      messages: connections,
    })),
  }];
}

/** What an entrant's client process is asked to do. */
export function orderOf(
  { scenario, tls, pattern, echoBytes }: Case,
  { side, mode, output, messages }: Entrant,
  port: number,
  hosts: readonly string[],
  rcvbuf: number | undefined,
): Order {
  return {
    mode,
    library: side.library,
    output,
    tls,
    port,
    scenario,
    pattern,
    warmup: Math.ceil(messages * WARMUP),
    messages,
    echoBytes,
    hosts,
    ...(rcvbuf !== undefined && side.hasRcvbuf && { rcvbuf }),
  };
}
