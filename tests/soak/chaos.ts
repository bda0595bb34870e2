/**
 * The seeded script of faults. It depends on nothing but the seed and the timing, so a run can be repeated.
 *
 * @module
 */

import type { Timing } from "./timing.ts";

/** What the exchange does to its clients, and whether a client can keep its data complete in spite of it. */
export const FAULTS = {
  kill: { isLossless: false, what: "all connections are reset" },
  killMidFrame: { isLossless: false, what: "a connection is reset within a frame" },
  fin: { isLossless: false, what: "all TCP connections end without a Close frame" },
  close: { isLossless: false, what: "all connections are closed with 1001" },
  stall: { isLossless: false, what: "a connection stays open and nothing comes" },
  refused: { isLossless: false, what: "reset, and TCP connections are refused for a while" },
  unanswered: { isLossless: false, what: "reset, and handshakes are not answered for a while" },
  unavailable: { isLossless: false, what: "reset, and handshakes get 503" },
  forbidden: { isLossless: false, what: "reset, and handshakes get 403 or 451" },
  rateLimited: { isLossless: false, what: "reset, and handshakes get 429 with Retry-After (builtin: 503)" },
  banned: { isLossless: false, what: "reset, and a handshake gets 418 with Retry-After (builtin: 503)" },
  lostAck: { isLossless: false, what: "reset, and the next subscriptions are not answered" },
  silentAck: { isLossless: false, what: "reset, and the next subscription is acknowledged and nothing comes" },
  slow: { isLossless: true, what: "everything is sent slowly for a while" },
  deaf: { isLossless: true, what: "nothing is read of what clients send for a while" },
  shutdown: { isLossless: true, what: "serverShutdown, and the cut some time later" },
} as const;

/**
 * Faults in the data of connections that stay open. A manager that looks at sequences only where connections change can't
 * notice them, so they are drawn only if asked for.
 */
export const DATA_FAULTS = {
  duplicate: { isLossless: true, what: "a message comes twice" },
  reorder: { isLossless: true, what: "two messages of a stream are exchanged" },
  drop: { isLossless: false, what: "a message does not come" },
  mute: { isLossless: false, what: "nothing of a stream comes for a while" },
} as const;

const ALL_FAULTS = { ...FAULTS, ...DATA_FAULTS };

/** The name of a fault. */
export type FaultName = keyof typeof ALL_FAULTS;

/** What a fault is. */
export function faultOf(name: FaultName): { readonly isLossless: boolean; readonly what: string } {
  return ALL_FAULTS[name];
}

/** A fault of the script. */
export interface ScriptedFault {
  /** When, in real ms since the start. */
  readonly at: number;
  readonly fault: FaultName;
  /** A number from 0 up to 1 that decides what is left to chance. */
  readonly random: number;
}

/** Shares of a run that are bursts of faults; the time between them is quiet, so that connections get old. */
const BURSTS = 4;
const BURST_SHARE = 1 / 3;

/** The script for a seed: bursts of faults, each kind as often as the others, in an order that the seed decides. */
export function chaosScript(seed: number, { durationMs, settleMs }: Timing, withDataFaults = false): ScriptedFault[] {
  if (seed === 0) return [];
  const random = generatorOf(seed);
  const script: ScriptedFault[] = [];
  let deck: FaultName[] = [];
  const draw = (): FaultName => {
    // The cast: the keys of an object whose type says which ones it has.
    if (deck.length === 0) deck = Object.keys(withDataFaults ? ALL_FAULTS : FAULTS) as FaultName[];
    const [fault = "kill"] = deck.splice(Math.floor(random() * deck.length), 1);
    return fault;
  };
  const cycleMs = durationMs / BURSTS;
  for (let burst = 0; burst < BURSTS; burst++) {
    const start = burst * cycleMs + Math.min(settleMs, cycleMs / 4);
    // The last faults settle before the end.
    const end = Math.min(start + cycleMs * BURST_SHARE, durationMs - settleMs);
    for (let at = start; at < end; at += settleMs * (1 + random() / 4)) {
      script.push({ at: Math.round(at), fault: draw(), random: random() });
    }
  }
  return script;
}

/** Numbers from 0 up to 1 that a seed decides (mulberry32). */
function generatorOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
