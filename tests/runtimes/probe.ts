/**
 * What a probe is: a function that tries one feature with one library on the runtime that it runs on. It is the same
 * function everywhere, so it has web standards only; the servers that it needs are in another process.
 *
 * @module
 */

import { InvalidOptionsError, type Tap, type TapOptions } from "@rawtick/binance/edge";
import type { BinanceWebSocketApiManager } from "@rawtick/binance/edge-full";
import type { Connection, ConnectionListener, ConnectOptions, WebSocketLibrary } from "@rawtick/binance/transport";
import type { FrameListener } from "@rawtick/binance/transport";
import type { Addresses, Seen } from "./protocol.ts";

/** What a cell of the table says. */
export type Outcome = "yes" | "no" | "refused" | "not known" | "not tried";

/** How a probe ended, and why if it is anything else than yes. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly why: string;
}

/** A cell. */
export interface Line extends Verdict {
  /** Id of the feature. */
  readonly feature: string;
  readonly library: WebSocketLibrary;
}

/** The doors of the package that are probed. */
export type DoorName = "edge" | "edge-full" | "main" | "transport" | "testing";

/** A tap that is served. */
export interface ServedTap {
  readonly url: string;
  stop(): Promise<void>;
}

/** The runtime, as far as probes have to be told about it. */
export interface Place {
  readonly addresses: Addresses;
  /** Opens a connection, through the door that is for this runtime. */
  open(
    library: WebSocketLibrary,
    url: string,
    listener: ConnectionListener | FrameListener,
    options?: ConnectOptions,
  ): Promise<Connection>;
  /** The manager of the door for this runtime that has everything. */
  readonly Manager: typeof BinanceWebSocketApiManager;
  /** What each door does; a door that isn't here can't be loaded on this runtime. */
  readonly doors: Readonly<Partial<Record<DoorName, DoorProbe>>>;
  /** Serves a tap to other processes; undefined where nothing can listen. */
  serve?(market: Tap): Promise<ServedTap>;
  /** What a tap needs here beside its own options. */
  readonly tapOptions?: Pick<TapOptions, "upgrade">;
}

/** Loads a door and uses it; throws if that fails. */
export type DoorProbe = (library: WebSocketLibrary, addresses: Addresses) => Promise<void>;

/** What a probe is given. */
export interface Context {
  readonly library: WebSocketLibrary;
  readonly place: Place;
}

/** Tries a feature. What it throws is a verdict too: see {@linkcode verdictOf}. */
export type Probe = (context: Context) => Promise<Verdict>;

/** A row of the table. */
export interface Feature {
  readonly id: string;
  /** Words of the row. */
  readonly title: string;
  /** Whether it is tried in a process that trusts the authority of the tests by itself, as it trusts those of the Web. */
  readonly isTrusting?: boolean;
  readonly probe: Probe;
}

/** Longest time in ms that a feature may take. */
const PROBE_LIMIT_MS = 6_000;

export const yes: Verdict = { outcome: "yes", why: "" };
export const no = (why: string): Verdict => ({ outcome: "no", why });
export const notKnown = (why: string): Verdict => ({ outcome: "not known", why });
/** Refused by design: an error of this class came before anything was opened. */
export const refused = (error: Error): Verdict => ({ outcome: "refused", why: error.name });

/** The verdict that an error is: a refusal if it is of the class for what can't be asked for. */
export function verdictOf(error: unknown): Verdict {
  if (error instanceof InvalidOptionsError) return refused(error);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return no(text.replaceAll(/(127\.0\.0\.1|localhost):\d+/g, "$1").replaceAll(/\s+/g, " "));
}

/** Tries the features one after the other; `tell` is called with each line as soon as it is known. */
export async function runProbes(
  features: readonly Feature[],
  library: WebSocketLibrary,
  place: Place,
  tell: (line: Line) => void,
): Promise<void> {
  for (const { id, probe } of features) {
    let verdict: Verdict;
    try {
      verdict = await within(PROBE_LIMIT_MS, probe({ library, place }), "the probe has not ended");
    } catch (error) {
      verdict = verdictOf(error);
    }
    tell({ feature: id, library, ...verdict });
  }
}

/** Waits, but not for ever: then it is an error that says `what`. */
export async function within<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) =>
    timer = setTimeout(() => reject(new Error(`${what} in ${ms} ms`)), ms)
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits a moment. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asks the servers' process, over HTTP, which every runtime has. */
export async function ask<T>(
  { addresses }: Place,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<T> {
  const response = await fetch(`${addresses.http}/${path}?${new URLSearchParams(query)}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`The servers' process answered ${path} with ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** What the peer has seen of a connection, once it has seen that, or at once if not within `ms`. */
export function seen(place: Place, id: string, until: keyof Seen = "requests", ms = 2_000): Promise<Seen> {
  return ask<Seen>(place, "seen", { id, until, ms: String(ms) });
}
