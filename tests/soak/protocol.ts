/**
 * What the process of the exchanges and the soak tell each other: one JSON object a line.
 *
 * @module
 */

import type { WebSocketLibrary } from "@rawtick/binance";
import type { FaultName } from "./chaos.ts";

/** Where each library's exchange is. */
export interface Hello {
  readonly type: "hello";
  readonly urls: Readonly<Record<WebSocketLibrary, string>>;
}

/** A fault was committed on all exchanges. */
export interface FaultRecord {
  readonly type: "fault";
  readonly fault: FaultName;
  /** When it began and ended, in ms since 1970. */
  readonly at: number;
  readonly endedAt: number;
}

/** What one connection of an exchange did and was sent, as far as the verdict needs it. */
export interface ConnectionLedger {
  readonly openedAt: number;
  readonly closedAt: number | undefined;
  readonly closeSent: { readonly code: number; readonly reason: string } | undefined;
  readonly maxFramesPerSecond: number;
  readonly subscribes: readonly (readonly [stream: string, count: number])[];
  readonly sent: readonly (readonly [stream: string, last: number])[];
}

/** The ledger of one exchange. */
export interface ExchangeLedger {
  readonly maxConnectionAttempts: number;
  readonly messagesSent: number;
  /** Number of the messages of each stream that have fallen due. */
  readonly published: readonly (readonly [stream: string, count: number])[];
  readonly connections: readonly ConnectionLedger[];
}

/** The ledgers, after which nothing is sent any more. */
export interface Ledgers {
  readonly type: "ledgers";
  readonly ledgers: Readonly<Record<WebSocketLibrary, ExchangeLedger>>;
}

/** What the exchanges tell. */
export type FromExchange = Hello | FaultRecord | Ledgers;

/** How the process of the exchanges is started: one argument of JSON. */
export interface ExchangeArguments {
  readonly hours: number;
  readonly timeScale: number;
  readonly chaos: number;
  readonly dataFaults: boolean;
  readonly rate: number;
  readonly streams: readonly string[];
}

/** Seed of the generator. */
export const GENERATOR_SEED = 42;
/** Both libraries. */
export const LIBRARIES: readonly WebSocketLibrary[] = ["builtin", "native"];
