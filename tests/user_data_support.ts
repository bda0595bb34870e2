/**
 * What the tests of account events share: a manager whose clock can be moved, for the small exchange of `user_data_peer.ts`.
 *
 * @module
 */

import { assert } from "@std/assert";
import { createSigner, type ExchangeKey, type ManagerOptions, type Output, type Signal } from "@rawtick/binance";
import type { UserDataGapSignal } from "@rawtick/binance";
import { ManualClock } from "@rawtick/binance/testing";
import type { WebSocketLibrary } from "@rawtick/binance/transport";
import { exchangeOf } from "../src/exchange/mod.ts";
import { AccountManager as Manager } from "../src/manager/account_manager.ts";
import { allLibraries } from "../src/transport/all_libraries.ts";
import { fetchThrough } from "../src/transport/mod.ts";
import { memoryLogger } from "./support.ts";
import { UserDataPeer } from "./user_data_peer.ts";

/** The account of most tests. */
export const signer = createSigner({ apiKey: "main", apiSecret: "secret-of-one-account" });
/** Another account. */
export const otherSigner = createSigner({ apiKey: "other", apiSecret: "secret-of-another-account" });

/** A manager, its exchange, and what it has told. */
export interface UserDataBench extends AsyncDisposable {
  readonly peer: UserDataPeer;
  readonly manager: Manager<"raw">;
  readonly clock: ManualClock;
  readonly signals: Signal[];
  readonly log: string[];
  /** The signals USER_DATA_GAP. */
  readonly gaps: UserDataGapSignal[];
}

/** Starts both. Nothing but the test moves the clock. */
export async function startUserDataBench(
  library: WebSocketLibrary,
  exchange: ExchangeKey,
  options: ManagerOptions<"raw"> = {},
): Promise<UserDataBench> {
  const peer = await UserDataPeer.start();
  const clock = new ManualClock();
  const signals: Signal[] = [];
  const logger = memoryLogger();
  const manager = new Manager<"raw">({ libraries: allLibraries, defaultLogger: logger, clock, fetch: fetchThrough }, {
    exchange,
    websocketLibrary: library,
    websocketBaseUrl: peer.url("ws"),
    ...(exchangeOf(exchange).websocketApiUrl !== undefined && { websocketApiBaseUrl: peer.url("ws") }),
    restBaseUrl: peer.url("http"),
    signer,
    // The clock jumps over more than a pong takes.
    pingIntervalMs: 0,
    logger,
    onSignal: (signal) => void signals.push(signal),
    ...options,
  });
  return {
    peer,
    manager,
    clock,
    signals,
    log: logger.lines,
    get gaps() {
      return signals.filter((signal) => signal.type === "USER_DATA_GAP");
    },
    async [Symbol.asyncDispose]() {
      await manager.stopManager();
      await peer[Symbol.asyncDispose]();
    },
  };
}

/** An event in the form in which it is delivered. */
export function delivered(account: string, event: object): string {
  return JSON.stringify({ stream: account, data: event });
}

/** An event of a futures account. */
export const EVENT = { e: "ACCOUNT_UPDATE", E: 1564745798939, T: 1564745798938, a: { m: "ORDER", B: [], P: [] } };

/** Collects what a stream delivers. */
export function collect<O extends Output>(): { readonly onData: (data: unknown) => void; readonly texts: string[] } {
  const texts: string[] = [];
  return { texts, onData: (data) => void texts.push(typeof data === "string" ? data : JSON.stringify(data)) };
}

/** The listen key of an account, which the exchange alone knows. */
export function keyOf({ peer }: UserDataBench, apiKey = "main"): string {
  const key = peer.listenKeys.get(apiKey);
  assert(key !== undefined, "there is a listen key");
  return key;
}

/** How often a REST method was called. */
export function count({ peer }: UserDataBench, method: string): number {
  return peer.rest.filter((request) => request.method === method).length;
}

/** Ends the key of an account as time does, and tells those who use it. */
export function expire(bench: UserDataBench, apiKey = "main"): void {
  const listenKey = keyOf(bench, apiKey);
  bench.peer.listenKeys.delete(apiKey);
  for (const connection of bench.peer.open) {
    if (connection.target.includes(listenKey)) connection.send({ e: "listenKeyExpired", E: 1736996475556, listenKey });
  }
}

/** Moves the clock in steps, each of which leaves time for what comes over the wire, until `condition` holds. */
export async function advanceUntil(
  { clock }: UserDataBench,
  stepMs: number,
  condition: () => boolean,
  what: string,
): Promise<void> {
  for (let steps = 0; !condition(); steps++) {
    if (steps > 1_000) throw new Error(`Not within ${steps} steps of ${stepMs} ms: ${what}`);
    clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
